// SPDX-License-Identifier: Apache-2.0
// The kernel of reorders that compute.

#include "cpu/x64/reorder/row_reorder_kernel.hpp"

#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::reorder {

using jit::post_op_operand_t;
using jit::vec_t;

namespace {

/// Addresses beyond these stay in the arguments.
constexpr size_t held_addresses = 8;

/// Vectors of a tile. Each repeats the code of the post-ops.
int vectors_of_tile(const row_reorder_spec_t &spec) {
    constexpr size_t few_links = 3;
    return spec.post_ops.size() <= few_links ? 4 : 1;
}

} // namespace

post_op_operand_t &row_reorder_spec_t::operand(size_t index) {
    if (index < operands.size()) return operands[index];
    index -= operands.size();
    auto link = post_ops.begin();
    for (; index >= link->operands.size(); ++link) index -= link->operands.size();
    return link->operands[index];
}

bool row_reorder_spec_t::has_non_temporal_stores() const {
    constexpr size_t narrowest_store = 16;
    return non_temporal_alignment(isa, dst_type()) >= narrowest_store;
}

dim_t row_reorder_spec_t::tile_width() const { return vectors_of_tile(*this) * jit::lanes_of(isa); }

std::string row_reorder_spec_t::name() const {
    return jit::kernel_name("reorder_row", {src_type(), dst_type()}, isa);
}

row_reorder_kernel_t::row_reorder_kernel_t(const row_reorder_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile(spec),
            {spec.operands.begin(), spec.operands.end()}, spec.post_ops, held_addresses)
    , spec_(spec) {}

void row_reorder_kernel_t::write_row() {
    for (size_t i = src_zero_point_operand; i < first_post_op_operand; ++i) {
        const post_op_operand_t &operand = spec_.operands[i];
        if (operand.type == dnnl_data_type_undef || operand.per_lane) continue;
        row_values_[i].emplace(vec("scale or zero point"));
        load(*row_values_[i], i, 0, lanes());
    }
    for_each_tile_of_row([&](const tile_t &tile) {
        for (int i = 0; i < tile.vectors; ++i) visit(i, lanes_of(tile, i));
    });
    for (auto &value : row_values_) value.reset();
}

void row_reorder_kernel_t::visit(int vector, int count) {
    const vec_t x = vec("x");
    load(x, src_operand, vector, count);
    quantize(src_zero_point_operand, x, vector, count);
    quantize(src_scale_operand, x, vector, count);
    apply_post_ops(x, vector, count);
    quantize(dst_scale_operand, x, vector, count);
    quantize(dst_zero_point_operand, x, vector, count);
    store(x, vector, count);
}

void row_reorder_kernel_t::quantize(size_t operand, const Xbyak::Xmm &x, int vector, int count) {
    if (spec_.operands[operand].type == dnnl_data_type_undef) return;
    std::optional<vec_t> loaded;
    if (!row_values_[operand]) {
        loaded.emplace(vec("scales or zero points"));
        load(*loaded, operand, vector, count);
    }
    const Xbyak::Xmm &value = loaded ? **loaded : **row_values_[operand];
    switch (operand) {
    case src_zero_point_operand: vsubps(x, x, value); break;
    case src_scale_operand: vmulps(x, x, value); break;
    case dst_scale_operand: vdivps(x, x, value); break;
    default: vaddps(x, x, value); break;
    }
}

/// Keeps subnormal values of bf16, as every reorder does.
void row_reorder_kernel_t::store(const Xbyak::Xmm &x, int vector, int count) {
    const bool is_non_temporal = spec_.is_non_temporal && count == lanes();
    io_.store(x, spec_.dst_type(), at(dst_operand, vector), count,
            is_non_temporal ? jit::store_t::non_temporal : jit::store_t::ordinary,
            jit::subnormals_t::kept);
}

} // namespace kiln::x64::reorder
