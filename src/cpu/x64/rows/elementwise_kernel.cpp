// SPDX-License-Identifier: Apache-2.0
// The kernel of elementwise operations.

#include "cpu/x64/rows/elementwise_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "common/attributes/alg_kind.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"

namespace kiln::x64 {

using jit::post_op_operand_t;

namespace {

/// Addresses beyond these stay in the arguments.
constexpr size_t held_addresses = 8;

bool are_paired(const elementwise_spec_t &spec) { return spec.vectors() == vectors_t::paired; }

/// Vectors of a tile. Each repeats the code of the chain, a pair twice.
int vectors_of_tile(const elementwise_spec_t &spec) {
    constexpr size_t few_links = 4;
    if (spec.chain.size() > few_links) return 1;
    return are_paired(spec) ? 2 : 4;
}

/// Registers that are neither x, nor temporaries of the chain, nor the packed result with a
/// temporary, nor what pairs take: another x, another set of a link's operands, indices, constants.
int spare_vectors(const elementwise_spec_t &spec) {
    constexpr int x = 1, packed = 2, of_odd_floats = 3, of_pairs = 7;
    const int temporaries = std::max(jit::post_op_temporaries(spec.chain),
            spec.rounds_src_to_odd() ? of_odd_floats : packed);
    const int taken = x + temporaries + (are_paired(spec) ? of_pairs : 0);
    return std::max(jit::vectors_of(spec.isa) - taken, 0);
}

/// Registers of operands that are the same for all vectors of a row.
int row_operands(const elementwise_spec_t &spec) {
    int count = 0;
    for (const jit::post_op_link_t &link : spec.chain)
        for (const post_op_operand_t &operand : link.operands) {
            const bool is_split = operand.per_lane && are_paired(spec);
            const bool is_inverted = link.is_by_scale && !link.has_reciprocal();
            if (operand.is_of_row()) count += is_split || is_inverted ? 2 : 1;
        }
    return count;
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

vectors_t elementwise_spec_t::vectors() const {
    const auto is_bf16 = [](const post_op_operand_t &operand) {
        return operand.per_lane && operand.type == dnnl_bf16 && !operand.is_strided();
    };
    const auto operands = jit::operands_of(chain);
    const bool are_paired = jit::bf16_pairs_t::suits(isa, line) && is_bf16(dst) && is_bf16(src)
                            && subnormals == jit::subnormals_t::flushed
                            && std::ranges::all_of(operands, [&](const post_op_operand_t &operand) {
                                   return operand.is_of_row() || is_bf16(operand);
                               });
    return are_paired ? vectors_t::paired : vectors_t::single;
}

bool elementwise_spec_t::has_long_function() const {
    return std::ranges::any_of(chain, [](const jit::post_op_link_t &link) {
        return one_of(link.alg,
                {dnnl_eltwise_tanh, dnnl_eltwise_elu, dnnl_eltwise_soft_relu, dnnl_eltwise_logistic,
                        dnnl_eltwise_gelu_tanh, dnnl_eltwise_swish, dnnl_eltwise_log,
                        dnnl_eltwise_pow, dnnl_eltwise_gelu_erf, dnnl_eltwise_mish});
    });
}

bool elementwise_spec_t::rounds_src_to_odd() const {
    return src.type == dnnl_s32 && src.per_lane && (dst.type == dnnl_bf16 || dst.type == dnnl_f16);
}

bool elementwise_spec_t::has_fixed_row_operands() const {
    return std::ranges::all_of(jit::operands_of(chain), [](const post_op_operand_t &operand) {
        return !operand.is_of_row() || operand.is_fixed;
    });
}

bool elementwise_spec_t::has_bounded_results() const {
    constexpr float limit = 1 << 20; // times an element, far below 2^31; NaN is not below it
    if (dst.type != dnnl_s8 || dst.is_strided() || chain.size() != 1) return false;
    const jit::post_op_link_t &link = chain.front();
    if (is_comparison(link.alg)) return true;
    if (!contains(int8_types, src.type)) return false;
    if (one_of(link.alg, {dnnl_binary_add, dnnl_binary_sub, dnnl_binary_mul, dnnl_binary_max,
                                 dnnl_binary_min}))
        return !link.is_sum && !link.is_prelu && !link.is_scaled
               && contains(int8_types, link.operands.front().type);
    return one_of(link.alg, {dnnl_eltwise_relu, dnnl_eltwise_linear, dnnl_eltwise_clip})
           && std::fabs(link.alpha) < limit && std::fabs(link.beta) < limit;
}

bool elementwise_spec_t::is_integer_maximum() const {
    if (src.type != dst.type || !contains(int8_types | type_set({dnnl_s32}), src.type)
            || chain.size() != 1 || padding != 0)
        return false;
    const jit::post_op_link_t &link = chain.front();
    return link.alg == dnnl_eltwise_relu && link.alpha == 0.f && !link.is_derivative && src.per_lane
           && !src.is_strided() && dst.per_lane && !dst.is_strided();
}

std::string elementwise_spec_t::name() const {
    const bool has_words = word_type != dnnl_data_type_undef;
    return jit::kernel_name(
            operation, {has_words ? word_type : src.type, has_words ? word_type : dst.type}, isa);
}

elementwise_kernel_t::elementwise_kernel_t(const elementwise_spec_t &spec)
    : tiled_row_kernel_t(spec.isa, spec.name(), spec.line, vectors_of_tile(spec),
            {spec.dst, spec.src}, spec.chain, held_addresses, spec.vectors())
    , spec_(spec) {
    if (spec.splits_stores) split_stores();
}

void elementwise_kernel_t::write_rows() {
    hold_constants(spare_vectors(spec_) - row_operands(spec_));
    if (spec_.has_fixed_row_operands()) row_operands_.emplace(hold_row_operands());
    for_each_row();
    row_operands_.reset();
    release_constants();
}

jit::held_post_op_operands_t elementwise_kernel_t::hold_row_operands() {
    return tiled_row_kernel_t::hold_row_operands(static_cast<size_t>(spare_vectors(spec_)));
}

void elementwise_kernel_t::write_row() {
    std::optional<jit::held_post_op_operands_t> of_row;
    if (!row_operands_) of_row.emplace(hold_row_operands());
    const auto &held = row_operands_ ? *row_operands_ : *of_row;
    for_each_tile_of_row([&](const tile_t &tile) {
        if (spec_.fetches_next_page && !is_one_tile()) {
            fetch_next_page(tile, elementwise_src);
            for (size_t i = 0; i < jit::operands_of(spec_.chain).size(); ++i)
                fetch_next_page(tile, first_chain_operand + i);
        }
        for (int i = 0; i < tile.vectors; ++i) {
            const int count = lanes_of(tile, i);
            are_paired() ? write_pair(i, count, held) : write_vector(i, count, held);
        }
    });
}

void elementwise_kernel_t::write_vector(
        int vector, int count, const jit::held_post_op_operands_t &held) {
    if (spec_.is_integer_maximum() && spec_.src.type == dnnl_s32)
        return write_integer_maximum(vector, count);
    const vec_t x = vec("x");
    if (spec_.rounds_src_to_odd()) {
        load_bits(x, vector, count);
        jit::to_odd_floats(*this, x);
    } else {
        load(x, elementwise_src, vector, count);
    }
    apply_post_ops(x, vector, count, held);
    if (spec_.padding != 0) return store_with_padding(x, count);
    if (spec_.has_bounded_results())
        return io_.store_bounded(
                x, at(elementwise_dst, vector), count, store_of(count, spec_.is_non_temporal));
    store(x, elementwise_dst, vector, count, spec_.is_non_temporal, spec_.subnormals);
}

void elementwise_kernel_t::store_with_padding(const Xmm &x, int count) {
    const auto vectors = static_cast<int>((spec_.line + spec_.padding) / lanes());
    if (count != lanes()) vandps(x, x, constant_lanes(count, ~0u));
    for (int vector = 0; vector < vectors; ++vector) {
        if (vector == 1) set_zero(x);
        store(x, elementwise_dst, vector, lanes(), false, spec_.subnormals);
    }
}

void elementwise_kernel_t::write_integer_maximum(int vector, int count) {
    const vec_t x = vec("x");
    load_bits(x, vector, count);
    if (spec_.word_type == dnnl_s8) {
        vpmaxsb(x, x, constant_bits(0));
    } else if (spec_.word_type != dnnl_u8) {
        vpmaxsd(x, x, constant_bits(0));
    }
    io_.store(x, dnnl_f32, at(elementwise_dst, vector), count,
            store_of(count, spec_.is_non_temporal));
}

void elementwise_kernel_t::load_bits(const Xmm &to, int vector, int count) {
    post_op_operand_t bits = spec_.src;
    bits.type = dnnl_f32;
    jit::load_operand(io_, to, bits, at(elementwise_src, vector), count);
}

void elementwise_kernel_t::write_pair(
        int vector, int count, const jit::held_post_op_operands_t &held) {
    const vec_t even = vec("even x"), odd = vec("odd x");
    pairs().load(even, odd, at(elementwise_src, vector), count);
    apply_post_ops_to_pair(even, odd, vector, count, held);
    pairs().store(
            even, odd, at(elementwise_dst, vector), count, store_of(count, spec_.is_non_temporal));
}

} // namespace kiln::x64
