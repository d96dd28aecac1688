// SPDX-License-Identifier: Apache-2.0
// The kernel that reduces each row to one value, or rows to one row.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"

namespace kiln::x64::reduction {

/// How two terms, or two partial results, become one.
enum class combine_t { max, min, sum, product };
/// What of an element x is combined: x, |x|, x * x or |x|^p.
enum class term_t { value, magnitude, square, power };
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
    float p = 2;                                    // of |x|^p, and of the root
    /// Rows are combined with each other, element by element. Otherwise the elements of each row
    /// are combined.
    bool makes_row = false;
    dim_t src_stride = 1; // elements from one of a row to the next
    dim_t dst_stride = 1; // likewise, if it makes a row

    /// A call on a part of a row begins at a multiple of so many elements.
    dim_t tile_width() const;
    /// E.g. reduction_row_max_bf16_f32_avx512_core, reduction_column_sum_f32_f32_avx2.
    std::string name() const;
};

/// For each row
///     v = combine(term(src[0]), ..., term(src[line - 1])),
///     dst = post_ops(root(epsilon(v / divisor)))
/// in one pass over src, or, if it makes a row, for each element i of a row
///     v = combine(term(src[row 0][i]), ..., term(src[last row][i])), and dst[i] likewise.
/// Each vector of a tile has an accumulator; at the end of a row the accumulators are combined in a
/// fixed order, then the lanes. max and min lose NaN, so masks (AVX-512) or vectors (AVX2) note
/// whether one was met.
/// Registers: for rows 4 accumulators and 4 vectors of terms, for columns an accumulator for each
/// vector of a tile and one vector of terms; the NaN notes; temporaries of powers and post-ops.
class row_reduction_kernel_t : public tiled_row_kernel_t {
public:
    explicit row_reduction_kernel_t(const row_reduction_spec_t &spec);

private:
    using nan_t = std::optional<jit::lane_condition_t>;

    void write_rows() override;
    void write_row() override;
    void write_column(const tile_t &tile);
    void add_tile(const vecs_t &sums, const tile_t &tile, nan_t &nan);
    void load_terms(const Xmm &to, int vector, int count);
    void combine(const Xmm &one, const Xmm &other);
    /// From the combined value to what is stored. `vector`: of the tile, for operands of post-ops.
    void finish_value(const Xmm &value, int vector, int count);
    /// Whether combining forgets a NaN.
    bool loses_nan() const;
    bool is_extreme() const {
        return spec_.combine == combine_t::max || spec_.combine == combine_t::min;
    }

    const row_reduction_spec_t spec_;
};

} // namespace kiln::x64::reduction
