// SPDX-License-Identifier: Apache-2.0
// The tensors of one execution by argument index.
#include "common/tensor/arguments.hpp"

#include <cstring>
#include <fstream>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/tensor/data_type.hpp"

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

tensor_t &arguments_t::add_kept(int id, const_dnnl_memory_desc_t descriptor) {
    tensor_t &tensor = add(id, role_t::input, descriptor);
    entries_[id].is_kept = true;
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
    unsigned char bytes[8] = {};
    store_element(type, bytes, 0, value);
    add_host_scalar(id, type, bytes);
}

void arguments_t::add_host_scalar(int id, dnnl_data_type_t type, const void *element) {
    memory_desc_t descriptor;
    require_success(dnnl_memory_desc_create_host_scalar(descriptor.out(), type),
            "dnnl_memory_desc_create_host_scalar");
    require_success(dnnl_memory_create_host_scalar(
                            host_scalars_[id].out(), descriptor.get(), const_cast<void *>(element)),
            "dnnl_memory_create_host_scalar");
}

int arguments_t::owner_of(int id) const {
    const int input_id = entries_.at(id).shares_with;
    return input_id ? input_id : id;
}

const tensor_t &arguments_t::at(int id) const { return entries_.at(owner_of(id)).tensor; }

tensor_t &arguments_t::at(int id) {
    return const_cast<tensor_t &>(static_cast<const arguments_t *>(this)->at(id));
}

const tensor_t &arguments_t::original(int id) const {
    const entry_t &entry = entries_.at(id);
    return entry.before.data() ? entry.before : at(id);
}

std::string arguments_t::name(int id) const {
    const std::string &own = entries_.at(id).name;
    return own.empty() ? argument_name(id) : own;
}

void arguments_t::seal(const engine_t &engine, bool for_checks) {
    has_digests_ = for_checks;
    for (auto &[id, entry] : entries_) {
        // 0x3f: 0.75 in f32 and bf16, an ordinary number in every type.
        if (has_constant_data_ && (entry.role == role_t::input || entry.is_overwritten))
            std::memset(entry.tensor.data(), 0x3f, entry.tensor.buffer().bytes());
        const tensor_t &tensor = at(id);
        const bool is_written_only = !entry.shares_with && !entry.is_overwritten;
        if (entry.role == role_t::output && is_written_only) entry.tensor.spoil();
        if (for_checks && entry.is_overwritten) entry.before = entry.tensor.copy();
        if (for_checks && entry.role == role_t::input) entry.digest = tensor.buffer().digest();
    }
    // Memory objects are created last: they point into buffers that no longer move.
    for (auto &[id, entry] : entries_) {
        require_success(dnnl_memory_create(entry.memory.out(), entry.descriptor.get(), engine.get(),
                                at(id).data()),
                "dnnl_memory_create");
    }
}

std::vector<dnnl_exec_arg_t> arguments_t::execution_list() const {
    std::vector<dnnl_exec_arg_t> list;
    for (const auto &[id, entry] : entries_)
        if (!entry.is_kept) list.push_back({id, entry.memory.get()});
    for (const auto &[id, memory] : host_scalars_) list.push_back({id, memory.get()});
    return list;
}

void arguments_t::read_inputs(const std::string &prefix) {
    for (auto &[id, entry] : entries_) {
        if (entry.role != role_t::input) continue;
        const std::string name = prefix + "." + std::to_string(id) + ".bin";
        std::ifstream file(name, std::ios::binary | std::ios::ate);
        if (!file) continue;
        const size_t bytes = entry.tensor.buffer().bytes();
        const auto found = static_cast<size_t>(file.tellg());
        if (found != bytes)
            throw usage_error_t("--buffer-prefix: " + name + " has " + std::to_string(found)
                                + " bytes and " + this->name(id) + " has " + std::to_string(bytes));
        file.seekg(0);
        file.read(
                reinterpret_cast<char *>(entry.tensor.data()), static_cast<std::streamsize>(bytes));
    }
}

void arguments_t::restore(placement_t placement) {
    for (auto &[id, entry] : entries_) {
        if (entry.is_overwritten)
            entry.tensor.assign(entry.before);
        else if (entry.role == role_t::output && !entry.shares_with)
            entry.tensor.spoil();
        entry.tensor.move_to(placement);
    }
    for (auto &[id, entry] : entries_)
        require_success(dnnl_memory_set_data_handle(entry.memory.get(), at(id).data()),
                "dnnl_memory_set_data_handle");
}

std::vector<fault_region_t> arguments_t::regions() const {
    std::vector<fault_region_t> regions;
    for (const auto &[id, entry] : entries_) {
        if (entry.shares_with) continue;
        const buffer_t &buffer = entry.tensor.buffer();
        regions.push_back({name(id), buffer.territory_begin(), buffer.territory_end(),
                buffer.data(), buffer.bytes()});
    }
    return regions;
}

std::vector<int> arguments_t::ids() const {
    std::vector<int> ids;
    for (const auto &[id, entry] : entries_)
        if (!entry.is_kept) ids.push_back(id);
    return ids;
}

arguments_t::traffic_t arguments_t::least_traffic() const {
    traffic_t traffic;
    for (const auto &[id, entry] : entries_) {
        if (id == DNNL_ARG_SCRATCHPAD || entry.is_kept) continue;
        const layout_t &layout = at(id).layout();
        const bool is_input = entry.role == role_t::input;
        const auto elements = is_input ? layout.elements() : layout.padded_elements();
        const size_t bytes = bytes_of(layout.data_type(), elements);
        (is_input ? traffic.read : traffic.written) += bytes;
        if (!entry.shares_with) traffic.footprint += bytes;
        const bool is_updated = !is_input && entry.is_overwritten;
        if (is_updated) traffic.read += bytes;
    }
    return traffic;
}

std::vector<int> arguments_t::output_ids() const {
    std::vector<int> ids;
    for (const auto &[id, entry] : entries_)
        if (entry.role == role_t::output && id != DNNL_ARG_SCRATCHPAD) ids.push_back(id);
    return ids;
}

std::string arguments_t::damage() const {
    for (const auto &[id, entry] : entries_) {
        if (id == DNNL_ARG_SCRATCHPAD) continue;
        const std::string found = at(id).damage();
        if (!found.empty()) return name(id) + ": " + found;
        if (has_digests_ && entry.role == role_t::input && !entry.is_overwritten
                && entry.digest != entry.tensor.buffer().digest())
            return name(id) + ": an input was written";
    }
    return "";
}

size_t arguments_t::input_bytes() const {
    size_t bytes = 0;
    for (const auto &[id, entry] : entries_)
        if (entry.role == role_t::input && !entry.is_kept) bytes += entry.tensor.buffer().bytes();
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
    case DNNL_ARG_SRC_1: return "src_1";
    case DNNL_ARG_DST: return "dst";
    case DNNL_ARG_MEAN: return "mean";
    case DNNL_ARG_VARIANCE: return "variance";
    case DNNL_ARG_SCALE: return "scale";
    case DNNL_ARG_SHIFT: return "shift";
    case DNNL_ARG_DIFF_SRC: return "diff_src";
    case DNNL_ARG_DIFF_SRC_1: return "diff_src_1";
    case DNNL_ARG_DIFF_DST: return "diff_dst";
    case DNNL_ARG_DIFF_SCALE: return "diff_scale";
    case DNNL_ARG_DIFF_SHIFT: return "diff_shift";
    case DNNL_ARG_WORKSPACE: return "workspace";
    case DNNL_ARG_SCRATCHPAD: return "scratchpad";
    case DNNL_ARG_ATTR_DROPOUT_MASK: return "dropout mask";
    default: return formatted("argument %d", id);
    }
}

} // namespace benchdnn
