// SPDX-License-Identifier: Apache-2.0
// The operands of a driver's kernels.

#include "cpu/x64/operands.hpp"

#include <cassert>

#include "common/memory/type_set.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

void operands_t::reserve(size_t count) {
    operands_.reserve(count);
    present_.reserve(count);
}

void operands_t::add(const operand_t &operand) {
    assert(count() < max_row_operands);
    if (!operand.is_absent()) present_.push_back(static_cast<uint8_t>(count()));
    operands_.push_back(operand);
}

void operands_t::set_type(size_t index, data_type_t type) {
    operands_[index].type = type;
    operands_[index].size = static_cast<dim_t>(data_type_size(type));
}

std::vector<row_operand_t> operands_t::rows_of(const row_plan_t &plan) const {
    std::vector<row_operand_t> rows;
    rows.reserve(count());
    for (size_t i = 0; i < count(); ++i) rows.push_back({operands_[i].type, pitch_of(i, plan)});
    return rows;
}

addresses_t operands_t::bind(const exec_ctx_t &ctx) const {
    addresses_t bases{};
    for (const uint8_t i : present_) bases[i] = ctx.output(operands_[i].slot);
    return bases;
}

addresses_t operands_t::bind(const exec_ctx_t &ctx, reciprocal_t &reciprocal) const {
    addresses_t bases = bind(ctx);
    for (const uint8_t i : present_) {
        const operand_t &operand = operands_[i];
        if (operand.divisor_type == dnnl_data_type_undef) continue;
        if (!operand.is_rest) reciprocal = reciprocal_t(bases[i], operand.divisor_type);
        bases[i] = operand.is_rest ? &reciprocal.low : &reciprocal.high;
    }
    return bases;
}

bool operands_t::has_alias(const addresses_t &bases, size_t index) const {
    for (const uint8_t i : present_)
        if (i != index && bases[i] == bases[index] && bases[i] != nullptr) return true;
    return false;
}

bool operands_t::may_bypass_caches(
        const addresses_t &bases, size_t index, const row_plan_t &rows, size_t alignment) const {
    return !has_alias(bases, index)
           && are_aligned(locate(bases, index, rows.offset_of(0, index)), 0, alignment);
}

refusal_t check_tensor_types(std::initializer_list<const memory_desc_t *> tensors) {
    for (const memory_desc_t *md : tensors)
        if (!is_zero(*md) && !contains(float_types | int8_types, md->data_type))
            return refused("a tensor is not f32, bf16, f16, s8 or u8");
    return accepted();
}

operand_layouts_t::operand_layouts_t(const primitive_desc_t &pd)
    : pd_(pd) {
    operands_.reserve(max_row_operands);
    mds_.reserve(max_row_operands);
}

const memory_desc_t &operand_layouts_t::md_at(int slot) const {
    if (slot < 0) return zero_md;
    const arg_slot_t &found = pd_.slots()[static_cast<size_t>(slot)];
    return found.use == arg_use_t::unused ? zero_md : *found.md;
}

operand_t operand_layouts_t::operand_at(int slot, data_type_t type) {
    return {.slot = slot,
            .type = type,
            .size = static_cast<dim_t>(data_type_size(type)),
            .is_half = is_half_byte(type)};
}

void operand_layouts_t::add(const operand_t &operand, const memory_desc_t &md) {
    operands_.add(operand);
    mds_.push_back(&md);
}

void operand_layouts_t::add(int arg) {
    const int slot = pd_.slot_of(arg);
    const memory_desc_t &md = md_at(slot);
    add(operand_at(slot, md.data_type), md);
}

void operand_layouts_t::add(int arg, const memory_desc_t &md) {
    add(operand_at(pd_.slot_of(arg), md.data_type), md);
}

void operand_layouts_t::add_mask(int arg, const memory_desc_t &md) {
    operand_t mask = operand_at(pd_.slot_of(arg), dnnl_data_type_undef);
    mask.is_mask = true;
    add(mask, md);
}

void operand_layouts_t::add_broadcast(int arg, const memory_desc_t &md) {
    operand_t operand = operand_at(pd_.slot_of(arg), md.data_type);
    operand.broadcasts = true;
    add(operand, md);
}

void operand_layouts_t::add_broadcast(int arg, const memory_desc_t &md, data_type_t type) {
    memory_desc_t &own = own_mds_.emplace_front(md);
    own.data_type = type;
    add_broadcast(arg, own);
}

void operand_layouts_t::add_shared(int arg) {
    const int slot = pd_.slot_of(arg);
    add(operand_at(slot, md_at(slot).data_type), zero_md);
}

void operand_layouts_t::add_reciprocal(int arg) {
    const memory_desc_t &divisor = pd_.md_of(arg);
    memory_desc_t &part = own_mds_.emplace_front(divisor);
    part.data_type = dnnl_f32;
    operand_t operand = operand_at(pd_.slot_of(arg), dnnl_f32);
    operand.broadcasts = true;
    operand.divisor_type = divisor.data_type;
    for (const bool is_rest : {false, true}) {
        operand.is_rest = is_rest;
        add(operand, part);
    }
}

dim_t operand_layouts_t::bytes() const {
    dim_t bytes = 0;
    for (size_t i = 0; i < mds_.size(); ++i) bytes += operands_[i].bytes(element_count(*mds_[i]));
    return bytes;
}

} // namespace kiln::x64
