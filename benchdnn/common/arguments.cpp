// SPDX-License-Identifier: Apache-2.0
// The tensors of one execution by argument index.
#include "common/arguments.hpp"

#include <cstring>

#include "common/data_type.hpp"
#include "common/text.hpp"

namespace benchdnn {

namespace {

memory_desc_t clone(const_dnnl_memory_desc_t descriptor) {
    memory_desc_t copy;
    require_success(dnnl_memory_desc_clone(copy.out(), descriptor), "dnnl_memory_desc_clone");
    return copy;
}

} // namespace

tensor_t &arguments_t::add(int id, role_t role, const_dnnl_memory_desc_t descriptor) {
    entry_t &entry = entries_[id];
    entry.role = role;
    entry.descriptor = clone(descriptor);
    entry.tensor = tensor_t(layout_t(descriptor));
    return entry.tensor;
}

tensor_t &arguments_t::add_updated(int id, const_dnnl_memory_desc_t descriptor) {
    tensor_t &tensor = add(id, role_t::output, descriptor);
    // Garbage in the padding, too: the library has to write its zeros there.
    tensor.spoil();
    entries_[id].is_overwritten = true;
    return tensor;
}

void arguments_t::add_in_place(int id, int input_id) {
    entry_t &input = entries_.at(input_id);
    input.is_overwritten = true;
    entry_t &entry = entries_[id];
    entry.role = role_t::output;
    entry.descriptor = clone(input.descriptor.get());
    entry.shares_with = input_id;
}

void arguments_t::add_host_scalar(int id, dnnl_data_type_t type, double value) {
    memory_desc_t descriptor;
    require_success(dnnl_memory_desc_create_host_scalar(descriptor.out(), type),
            "dnnl_memory_desc_create_host_scalar");
    unsigned char bytes[8] = {};
    store_element(type, bytes, 0, value);
    require_success(
            dnnl_memory_create_host_scalar(host_scalars_[id].out(), descriptor.get(), bytes),
            "dnnl_memory_create_host_scalar");
}

const tensor_t &arguments_t::at(int id) const {
    const entry_t &entry = entries_.at(id);
    return entry.shares_with ? entries_.at(entry.shares_with).tensor : entry.tensor;
}

tensor_t &arguments_t::at(int id) {
    return const_cast<tensor_t &>(static_cast<const arguments_t *>(this)->at(id));
}

const tensor_t &arguments_t::original(int id) const {
    const entry_t &entry = entries_.at(id);
    return entry.before.data() ? entry.before : at(id);
}

void arguments_t::seal(const engine_t &engine, bool for_checks) {
    has_digests_ = for_checks;
    for (auto &[id, entry] : entries_) {
        const tensor_t &tensor = at(id);
        const bool is_written_only = !entry.shares_with && !entry.is_overwritten;
        if (entry.role == role_t::output && is_written_only) entry.tensor.spoil();
        if (for_checks && entry.is_overwritten) entry.before = entry.tensor.copy();
        if (for_checks && entry.role == role_t::input) entry.digest = tensor.buffer().digest();
    }
    // Memory objects come last: they point into buffers that no longer move.
    for (auto &[id, entry] : entries_) {
        require_success(dnnl_memory_create(entry.memory.out(), entry.descriptor.get(), engine.get(),
                                at(id).data()),
                "dnnl_memory_create");
    }
}

std::vector<dnnl_exec_arg_t> arguments_t::execution_list() const {
    std::vector<dnnl_exec_arg_t> list;
    for (const auto &[id, entry] : entries_) list.push_back({id, entry.memory.get()});
    for (const auto &[id, memory] : host_scalars_) list.push_back({id, memory.get()});
    return list;
}

std::string arguments_t::damage() const {
    for (const auto &[id, entry] : entries_) {
        if (id == DNNL_ARG_SCRATCHPAD) continue;
        const std::string found = at(id).damage();
        if (!found.empty()) return argument_name(id) + ": " + found;
        if (has_digests_ && entry.role == role_t::input && !entry.is_overwritten
                && entry.digest != entry.tensor.buffer().digest())
            return argument_name(id) + ": an input was written";
    }
    return "";
}

size_t arguments_t::input_bytes() const {
    size_t bytes = 0;
    for (const auto &[id, entry] : entries_)
        if (entry.role == role_t::input && id != DNNL_ARG_SCRATCHPAD)
            bytes += entry.tensor.buffer().bytes();
    return bytes;
}

size_t arguments_t::output_bytes() const {
    size_t bytes = 0;
    for (const auto &[id, entry] : entries_)
        if (entry.role == role_t::output && id != DNNL_ARG_SCRATCHPAD)
            bytes += at(id).buffer().bytes();
    return bytes;
}

std::string argument_name(int id) {
    switch (id) {
    case DNNL_ARG_SRC: return "src";
    case DNNL_ARG_DST: return "dst";
    case DNNL_ARG_MEAN: return "mean";
    case DNNL_ARG_VARIANCE: return "variance";
    case DNNL_ARG_SCALE: return "scale";
    case DNNL_ARG_SHIFT: return "shift";
    case DNNL_ARG_DIFF_SRC: return "diff_src";
    case DNNL_ARG_DIFF_DST: return "diff_dst";
    case DNNL_ARG_DIFF_SCALE: return "diff_scale";
    case DNNL_ARG_DIFF_SHIFT: return "diff_shift";
    case DNNL_ARG_SCRATCHPAD: return "scratchpad";
    default: return formatted("argument %d", id);
    }
}

} // namespace benchdnn
