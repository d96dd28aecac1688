// SPDX-License-Identifier: Apache-2.0
// The kernel of elementwise operations.

#include "cpu/x64/rows/elementwise_kernel.hpp"

#include <algorithm>

#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

using jit::post_op_operand_t;
using jit::vec_t;

namespace {

/// Addresses beyond these stay in the arguments.
constexpr size_t held_addresses = 8;

/// Vectors of a tile. Each repeats the code of the chain.
int vectors_of_tile(const elementwise_spec_t &spec) {
    constexpr size_t few_links = 4;
    return spec.chain.size() <= few_links ? 4 : 1;
}

/// Registers that are neither x, nor temporaries of the chain, nor the packed result with a
/// temporary.
int spare_vectors(const elementwise_spec_t &spec) {
    constexpr int x = 1, packed = 2;
    const int temporaries = std::max(jit::post_op_temporaries(spec.chain), packed);
    return std::max(jit::vectors_of(spec.isa) - x - temporaries, 0);
}

/// Operands with one element for the row.
int row_operands(const elementwise_spec_t &spec) {
    const auto operands = jit::operands_of(spec.chain);
    return static_cast<int>(std::count_if(operands.begin(), operands.end(),
            [](const post_op_operand_t &operand) { return !operand.per_lane; }));
}

} // namespace

post_op_operand_t &elementwise_spec_t::operand(size_t index) {
    if (index == elementwise_dst) return dst;
    if (index == elementwise_src) return src;
    index -= first_chain_operand;
    auto link = chain.begin();
    for (; index >= link->operands.size(); ++link) index -= link->operands.size();
    return link->operands[index];
}

bool elementwise_spec_t::has_non_temporal_stores() const {
    return x64::has_non_temporal_stores(isa, dst.type);
}

dim_t elementwise_spec_t::tile_width() const { return vectors_of_tile(*this) * jit::lanes_of(isa); }

std::string elementwise_spec_t::name() const {
    return jit::kernel_name(operation, {src.type, dst.type}, isa);
}

elementwise_kernel_t::elementwise_kernel_t(const elementwise_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile(spec),
            {spec.dst, spec.src}, spec.chain, held_addresses)
    , spec_(spec) {}

void elementwise_kernel_t::write_rows() {
    hold_constants(spare_vectors(spec_) - row_operands(spec_));
    for_each_row();
    release_constants();
}

void elementwise_kernel_t::write_row() {
    const auto held = hold_row_operands(static_cast<size_t>(spare_vectors(spec_)));
    for_each_tile_of_row([&](const tile_t &tile) {
        for (int i = 0; i < tile.vectors; ++i) {
            const vec_t x = vec("x");
            const int count = lanes_of(tile, i);
            load(x, elementwise_src, i, count);
            apply_post_ops(x, i, count, held);
            store(x, i, count);
        }
    });
}

void elementwise_kernel_t::store(const Xbyak::Xmm &x, int vector, int count) {
    if (const post_op_operand_t &dst = spec_.dst; dst.is_strided())
        return io_.store_strided(x, dst.type, at(elementwise_dst, vector),
                dst.stride * size_of(dst.type), count, spec_.subnormals);
    const bool is_non_temporal = spec_.is_non_temporal && count == lanes();
    io_.store(x, spec_.dst.type, at(elementwise_dst, vector), count,
            is_non_temporal ? jit::store_t::non_temporal : jit::store_t::ordinary,
            spec_.subnormals);
}

} // namespace kiln::x64
