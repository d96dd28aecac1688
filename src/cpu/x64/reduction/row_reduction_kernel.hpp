// SPDX-License-Identifier: Apache-2.0
// The kernel that reduces each row of adjacent elements to one value.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"

namespace kiln::x64::reduction {

/// How two terms, or two partial results, become one.
enum class combine_t { max, min, sum };
/// What of an element x is combined: x, |x| or x * x.
enum class term_t { value, magnitude, square };
/// How a norm is kept away from 0: norm + epsilon, or max(norm, epsilon).
enum class epsilon_use_t { none, added, least };

/// Operands of the kernel; those of post-ops follow.
enum operand_index_t : size_t { src_operand, dst_operand, first_post_op_operand };

/// What distinguishes one kernel from another.
struct row_reduction_spec_t {
    isa_t isa;
    dim_t line = 1; // elements of a row
    data_type_t src_type, dst_type;
    combine_t combine = combine_t::sum;
    term_t term = term_t::value;
    // What is done to the combined value, in this order.
    float divisor = 1;
    epsilon_use_t epsilon_use = epsilon_use_t::none;
    float epsilon = 0;
    bool takes_root = false;
    std::vector<jit::post_op_link_t> post_ops = {}; // a sum reads dst

    /// A call on a part of a row begins at a multiple of so many elements.
    dim_t tile_width() const;
    /// E.g. reduction_row_max_bf16_f32_avx512_core.
    std::string name() const;
};

/// For each row
///     v = combine(term(src[0]), ..., term(src[line - 1])),
///     dst = post_ops(root(epsilon(v / divisor)))
/// in one pass over src. Each vector of a tile has an accumulator; at the end of the row the
/// accumulators are combined in a fixed order, then the lanes. max and min lose NaN, so a mask
/// (AVX-512) or a vector (AVX2) notes whether one was met.
/// Registers: 4 accumulators, 4 vectors of terms, the NaN note; temporaries of post-ops.
class row_reduction_kernel_t : public tiled_row_kernel_t {
public:
    explicit row_reduction_kernel_t(const row_reduction_spec_t &spec);

private:
    void write_row() override;
    void add_tile(
            const vecs_t &sums, const tile_t &tile, std::optional<jit::lane_condition_t> &nan);
    void load_terms(const Xbyak::Xmm &to, int vector, int count);
    void combine(const Xbyak::Xmm &one, const Xbyak::Xmm &other);
    void store_result(const Xbyak::Xmm &value);
    /// Whether combining forgets a NaN.
    bool loses_nan() const;

    const row_reduction_spec_t spec_;
};

} // namespace kiln::x64::reduction
