// SPDX-License-Identifier: Apache-2.0
// The kernel that computes.

#include "cpu/x64/reorder/row_kernel.hpp"

#include <algorithm>
#include <cstddef>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"

namespace kiln::x64::reorder {

using jit::gpr_t;
using jit::post_op_operand_t;
using jit::store_t;
using jit::vec_t;

namespace {

/// Vectors of a turn of the loop: each has a copy of the code.
int vectors_of_tile(const row_spec_t &spec) {
    constexpr size_t few_links = 3;
    return spec.post_ops.size() <= few_links ? 4 : 1;
}

size_t vector_bytes(const row_spec_t &spec) {
    return static_cast<size_t>(jit::lanes_of(spec.isa)) * data_type_size(spec.dst_type);
}

} // namespace

bool row_spec_t::has_non_temporal_stores() const {
    constexpr size_t narrowest_store = 16;
    return vector_bytes(*this) >= narrowest_store;
}

void row_spec_t::for_each_operand(
        const std::function<void(size_t place, post_op_operand_t &operand)> &visit) {
    visit(src_operand, src);
    size_t place = first_quantization_operand;
    for (auto *operand : {&src_zero_point, &src_scale, &dst_scale, &dst_zero_point})
        if (*operand) visit(place++, **operand);
    for (jit::post_op_link_t &link : post_ops)
        for (post_op_operand_t &operand : link.operands) visit(place++, operand);
}

size_t row_spec_t::non_temporal_alignment() const { return vector_bytes(*this); }

dim_t row_spec_t::tile_width() const { return vectors_of_tile(*this) * jit::lanes_of(isa); }

std::string row_spec_t::name() const {
    return jit::kernel_name("reorder_row", {src.type, dst_type}, isa);
}

struct row_kernel_t::registers_t {
    /// Addresses beyond these stay in memory.
    static constexpr size_t most_addresses = 8;

    registers_t(row_kernel_t &k, size_t operands)
        : column(k.gpr("column"))
        , left(k.gpr("elements left"))
        , rows(k.gpr("rows left")) {
        for (size_t i = 0; i < std::min(operands, most_addresses); ++i)
            addresses.push_back(k.gpr("address"));
        if (operands > most_addresses) address.emplace(k.gpr("address from memory"));
    }
    gpr_t column, left, rows;
    std::vector<gpr_t> addresses;
    std::optional<gpr_t> address; // of the one that is loaded next
};

row_kernel_t::row_kernel_t(const row_spec_t &spec)
    : tiled_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile(spec))
    , spec_(spec)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops)) {
    size_t place = first_quantization_operand;
    const auto add = [&](std::vector<quantizer_t> &to,
                             const std::optional<post_op_operand_t> &operand, auto apply) {
        if (operand) to.push_back({place++, *operand, apply, {}});
    };
    add(before_, spec.src_zero_point, &row_kernel_t::subtract);
    add(before_, spec.src_scale, &row_kernel_t::multiply);
    add(after_, spec.dst_scale, &row_kernel_t::divide);
    add(after_, spec.dst_zero_point, &row_kernel_t::add_up);
    first_post_op_operand_ = place;
}

void row_kernel_t::generate() {
    const size_t operands = first_post_op_operand_ + post_op_operands_.size();
    registers_t r(*this, operands);
    registers_ = &r;
    for (size_t i = 0; i < r.addresses.size(); ++i) mov(*r.addresses[i], operand_argument(i));
    mov(*r.rows, argument(offsetof(row_args_t, rows)));
    prepare_tail();
    Xbyak::Label row;
    L(row);
    xor_(*r.column, *r.column);
    mov(*r.left, argument(offsetof(row_args_t, length)));
    for (auto *quantizers : {&before_, &after_})
        for (quantizer_t &quantizer : *quantizers) {
            if (quantizer.operand.per_lane) continue;
            quantizer.value.emplace(vec("scale or zero point"));
            load(*quantizer.value, quantizer.place, quantizer.operand, 0, lanes());
        }
    for_each_tile(r.left, [&](const tile_t &tile) {
        for (int i = 0; i < tile.vectors; ++i) visit(i, lanes_of(tile, i));
        add(*r.column, tile.vectors * lanes());
    });
    for (auto *quantizers : {&before_, &after_})
        for (quantizer_t &quantizer : *quantizers) quantizer.value.reset();
    next_row();
    dec(*r.rows);
    jnz(row, T_NEAR);
    io_.release();
    registers_ = nullptr;
}

void row_kernel_t::visit(int vector, int count) {
    const vec_t x = vec("x");
    load(x, src_operand, spec_.src, vector, count);
    for (quantizer_t &quantizer : before_) apply(quantizer, x, vector, count);
    post_ops_.apply(x, count, [&](int index) {
        const auto place = static_cast<size_t>(index);
        return at(first_post_op_operand_ + place, post_op_operands_[place], vector);
    });
    for (quantizer_t &quantizer : after_) apply(quantizer, x, vector, count);
    store(x, vector, count);
}

void row_kernel_t::apply(quantizer_t &quantizer, const Xbyak::Xmm &x, int vector, int count) {
    if (quantizer.value) return (this->*quantizer.apply)(x, *quantizer.value);
    const vec_t value = vec("scales or zero points");
    load(value, quantizer.place, quantizer.operand, vector, count);
    (this->*quantizer.apply)(x, value);
}

/// bf16 keeps its subnormal values, as in every reorder.
void row_kernel_t::store(const Xbyak::Xmm &x, int vector, int count) {
    std::optional<vec_t> packed;
    if (spec_.dst_type != dnnl_f32) {
        packed.emplace(vec("packed"));
        jit::pack(*this, **packed, spec_.dst_type, x, jit::subnormals_t::kept);
    }
    const bool passes_caches = spec_.is_non_temporal && count == lanes();
    io_.store_packed(packed ? **packed : x, size_of(spec_.dst_type),
            at(dst_operand, {spec_.dst_type, true}, vector), count,
            passes_caches ? store_t::non_temporal : store_t::ordinary);
}

void row_kernel_t::load(const Xbyak::Xmm &to, size_t place, const post_op_operand_t &operand,
        int vector, int count) {
    if (operand.per_lane)
        io_.load(to, operand.type, at(place, operand, vector), count);
    else
        io_.load_broadcast(to, operand.type, at(place, operand, vector));
}

Xbyak::Address row_kernel_t::operand_argument(size_t place) {
    return qword[arguments() + offsetof(row_args_t, operands) + place * sizeof(void *)];
}

Xbyak::RegExp row_kernel_t::at(size_t place, const post_op_operand_t &operand, int vector) {
    const registers_t &r = *registers_;
    const bool is_held = place < r.addresses.size();
    if (!is_held) mov(**r.address, operand_argument(place));
    const Xbyak::Reg64 &base = is_held ? *r.addresses[place] : **r.address;
    const int size = size_of(operand.type);
    return operand.per_lane ? base + *r.column * size + vector * lanes() * size
                            : Xbyak::RegExp(base);
}

void row_kernel_t::next_row() {
    registers_t &r = *registers_;
    const size_t operands = first_post_op_operand_ + post_op_operands_.size();
    for (size_t i = 0; i < operands; ++i) {
        const Xbyak::Address pitch =
                qword[arguments() + offsetof(row_args_t, pitches) + i * sizeof(int64_t)];
        if (i < r.addresses.size()) {
            add(*r.addresses[i], pitch);
        } else {
            mov(**r.address, pitch);
            add(operand_argument(i), **r.address);
        }
    }
}

} // namespace kiln::x64::reorder
