// SPDX-License-Identifier: Apache-2.0
// A value gets its place when the first step uses it; unused values take no memory.
#include "graph/lowering/program_builder.hpp"

#include <algorithm>
#include <cstring>

#include "common/integers.hpp"
#include "common/operations/reorder_pd.hpp"
#include "common/primitive/primitive_cache.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln::graph {
namespace {
/// Each value begins on a cache line.
size_t rounded_up(size_t bytes) { return round_up(bytes, scratchpad_alignment); }
} // namespace

program_builder_t::program_builder_t(engine_t *engine, std::span<const logical_tensor_t> inputs,
        std::span<const logical_tensor_t> outputs,
        const std::unordered_map<size_t, logical_tensor_t> &tensors)
    : engine_(engine)
    , tensors_(tensors) {
    // A tensor that is no port of the partition has an id that no operation uses.
    const auto bytes = [&](size_t id) {
        return tensors_.contains(id) ? byte_size(md_of_tensor(id)) : 0;
    };
    for (size_t i = 0; i < inputs.size(); ++i)
        value_of_tensor_.emplace(inputs[i].id,
                hold({kind_t::input, i, bytes(inputs[i].id), true, is_constant(inputs[i])}));
    for (size_t i = 0; i < outputs.size(); ++i)
        value_of_tensor_.emplace(
                outputs[i].id, hold({kind_t::output, i, bytes(outputs[i].id), true}));
    program_->input_count = inputs.size();
    program_->output_count = outputs.size();
}

value_t program_builder_t::hold(const held_t &value) {
    values_.push_back(value);
    return values_.size() - 1;
}

bool program_builder_t::is_output(size_t tensor) const {
    const auto at = value_of_tensor_.find(tensor);
    return at != value_of_tensor_.end() && values_[at->second].kind == kind_t::output;
}

value_t program_builder_t::value_of(size_t tensor) {
    const auto at = value_of_tensor_.find(tensor);
    if (at != value_of_tensor_.end()) return at->second;
    const value_t value = temporary(byte_size(md_of_tensor(tensor)));
    value_of_tensor_.emplace(tensor, value);
    return value;
}

value_t program_builder_t::temporary(size_t bytes) {
    return hold({kind_t::temporary, 0, rounded_up(bytes)});
}

value_t program_builder_t::literal(const void *data, size_t bytes) {
    const size_t offset = literals_.size();
    literals_.resize(offset + rounded_up(bytes));
    std::memcpy(literals_.data() + offset, data, bytes);
    return hold({kind_t::literal, offset, bytes, true, true});
}

void program_builder_t::place(value_t value, bool as_constant) {
    held_t &held = values_[value];
    if (held.is_placed) return;
    size_t &end = as_constant ? program_->constant_bytes : program_->temporary_bytes;
    held.kind = as_constant ? kind_t::constant : kind_t::temporary;
    held.position = end;
    held.is_placed = true;
    held.is_constant = as_constant;
    end += held.bytes;
}

place_t program_builder_t::place_of(const held_t &value) const {
    const auto position = static_cast<uint32_t>(value.position);
    switch (value.kind) {
    case kind_t::input: return {position, 0};
    case kind_t::output: return {static_cast<uint32_t>(program_->input_count) + position, 0};
    case kind_t::temporary: return {program_->scratchpad_base(), value.position};
    case kind_t::constant: return {program_->constants_base(), value.position};
    case kind_t::literal: return {program_->literals_base(), value.position};
    }
    return {};
}

status_t program_builder_t::add(const std::shared_ptr<const primitive_desc_t> &pd,
        const std::map<int, value_t> &arguments) {
    // The step is constant if its inputs are and no other step writes its outputs.
    bool is_constant = true;
    for (const auto &[arg, value] : arguments) {
        const int slot = pd->slot_of(arg);
        const bool is_output =
                slot >= 0 && pd->slots()[static_cast<size_t>(slot)].use == arg_use_t::output;
        is_constant &= is_output ? !values_[value].is_placed : values_[value].is_constant;
    }
    step_t step;
    bool hit = false;
    KILN_TRY(primitive_cache().get(pd, step.primitive, hit));
    program_->has_reference |= pd->is_reference();
    for (const auto &[arg, value] : arguments) {
        const int index = pd->slot_of(arg);
        if (index < 0) continue;
        const arg_slot_t &slot = pd->slots()[static_cast<size_t>(index)];
        if (slot.use == arg_use_t::unused) continue;
        KILN_REQUIRE(slot.bytes <= values_[value].bytes, dnnl_invalid_shape, "graph",
                "%s of a primitive needs %zu bytes and its tensor has %zu", arg_name(arg).c_str(),
                slot.bytes, values_[value].bytes);
        place(value, is_constant);
        step.arguments.push_back({index, place_of(values_[value])});
        if (is_constant && values_[value].kind == kind_t::input)
            program_->constant_inputs.push_back(values_[value].position);
    }
    program_->primitive_bytes = std::max(program_->primitive_bytes, pd->scratchpad_size());
    (is_constant ? program_->constant_steps : program_->steps).push_back(std::move(step));
    return dnnl_success;
}

status_t program_builder_t::copy(value_t from, const memory_desc_t &from_md, value_t to,
        const memory_desc_t &to_md, const primitive_attr_t &attr,
        std::map<int, value_t> arguments) {
    const reorder_desc_t desc{from_md, to_md, engine_->kind(), engine_->kind(),
            engine_ref_t(engine_), engine_ref_t(engine_)};
    arguments[DNNL_ARG_FROM] = from;
    arguments[DNNL_ARG_TO] = to;
    return add(desc, attr, arguments);
}

void program_builder_t::allow_sharing(value_t input, value_t output) {
    const held_t &from = values_[input], &to = values_[output];
    // Later executions read a constant again.
    if (from.kind == kind_t::input && !from.is_constant && to.kind == kind_t::output)
        program_->shared_places.push_back({from.position, to.position});
}

std::shared_ptr<const program_t> program_builder_t::finish() {
    program_->literals = allocate_buffer(literals_.size());
    if (!literals_.empty())
        std::memcpy(program_->literals.get(), literals_.data(), literals_.size());
    std::erase_if(program_->shared_places,
            [&](const shared_place_t &shared) { return !is_for_one_step(shared); });
    return program_;
}

/// Whether one argument of one step reads the input, and one of the same step writes the output: a
/// second argument may be read after the output is written.
bool program_builder_t::is_for_one_step(const shared_place_t &shared) const {
    const auto accesses = [&](const step_t &step, size_t base) {
        return std::count_if(step.arguments.begin(), step.arguments.end(),
                [&](const argument_t &argument) { return argument.place.base == base; });
    };
    std::ptrdiff_t reads = 0, writes = 0, steps = 0;
    for (const step_t &step : program_->steps) {
        const auto of_input = accesses(step, shared.input);
        const auto of_output = accesses(step, program_->input_count + shared.output);
        reads += of_input;
        writes += of_output;
        steps += of_input + of_output > 0;
    }
    return reads == 1 && writes == 1 && steps == 1;
}

} // namespace kiln::graph
