// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax forward on rows.
#pragma once

#include <optional>

#include "cpu/x64/jit/divisor.hpp"
#include "cpu/x64/jit/math/exponential.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"
#include "cpu/x64/softmax/specs.hpp"

namespace kiln::x64::softmax {

/// For each row, with x = pre_ops(src), m = max(x) and s = sum(exp(x - m)):
///     softmax     dst = finish(exp(x - m) / s)
///     logsoftmax  dst = finish(x - m - log(s))
///     stats = m + log(s), or 0 where a row of -infinity alone gives zeros
/// where finish(y) = post_ops(y * src_scale) / dst_scale. Sweep 1 finds m and keeps x if there are
/// pre-ops. Sweep 2 finds s and keeps the exponentials. Rows are kept in dst if its elements are
/// floats, else in the interim row, which begins at a multiple of a vector. Sweep 3 stores. A short
/// row stays in registers. Each vector of a tile has an accumulator; accumulators are combined in a
/// fixed order, then the lanes.
///
/// With non-temporal stores sweep 3 of a row is a part of sweep 2 of the next one, so that memory
/// is written, and the row after it read, while exponentials are computed. The interim row then
/// holds the exponentials of two rows: each vector is read before it is replaced. Where rows of dst
/// begin anywhere (is_shifted), their stores begin at the first cache line: the vector that is read
/// takes up to 15 elements that lie further on than the one that is replaced.
///
/// Stage chunk does sweeps 1 and 2 and stores m and s; m is at least the lowest finite float. Stage
/// result does sweep 3 with values from the operands maximum and sum.
class row_forward_kernel_t : public tiled_row_kernel_t {
public:
    explicit row_forward_kernel_t(const forward_spec_t &spec);

    /// Bytes of an interim row; 0 if there is none.
    static size_t interim_bytes(const forward_spec_t &spec);

private:
    using spec_t = forward_spec_t;

    static constexpr int vectors_of_tile = 4;

    void write_rows() override;
    void write_row() override;
    /// Writes the walk over all rows, the results of each being stored with the next one.
    void write_delayed_rows();
    void write_row_in_registers();
    void write_chunk();
    void write_result();

    /// Loads src and applies the pre-ops. The lanes beyond `count` are -infinity.
    void load_src(const Xmm &x, int vector, int count);
    /// Loads what sweep 1 has found, likewise.
    void load_again(const Xmm &x, int vector, int count);
    /// Sets the lanes beyond `count` to -infinity.
    void fill_rest(const Xmm &x, int count);
    void keep(const Xmm &x, int vector, int count);
    /// maximum = the maximum of the row, in every lane.
    void find_maximum(const vec_t &maximum);
    void combine_maxima(const vecs_t &maxima);
    /// From a maximum in each lane: that of all lanes, finite where -infinity must not be
    /// subtracted.
    void finish_maximum(const vec_t &maximum);
    /// The row before the current one, whose results are still to be stored.
    struct delayed_row_t {
        vec_t maximum, sum;
        gpr_t kept, dst; // addresses: of the exponentials, or for logsoftmax of src; of dst
        // If results are shifted: so many elements are stored before the others. Where exponentials
        // are kept: which lanes of two kept vectors make one of dst, and the first of these two.
        std::optional<gpr_t> front;
        std::optional<vec_t> lanes, previous;
    };
    /// Returns the sum of exponentials, in every lane. Stores the results of the row before, if
    /// there is one.
    vec_t sum_exponentials(const Xmm &maximum, delayed_row_t *before = nullptr);
    /// Writes `write_tile` for the tiles that the current row and the shifted one before have both.
    void for_each_tile_of_both(
            delayed_row_t &before, const function_ref_t<void(const tile_t &)> &write_tile);
    void store_delayed_result(delayed_row_t &row, int vector, int count);
    /// The results in front of a cache line of dst. The address of dst moves on by them.
    void store_delayed_front(delayed_row_t &row);
    /// The results that belong to the current column and those after it.
    void store_delayed_rest(delayed_row_t &row);
    /// A vector of results, where `offset` are the bytes from the row's addresses on.
    void store_shifted_result(delayed_row_t &row, const RegExp &offset);
    /// y = what was kept for it.
    void load_shifted(const vec_t &y, delayed_row_t &row, const RegExp &offset);
    /// The first `count` results of y, fewer than a vector.
    void store_delayed_part(const delayed_row_t &row, const vec_t &y, const Reg64 &count);
    /// sum becomes what exponentials are multiplied by, or log(sum).
    void finish_sum(const Xmm &sum, const Xmm &maximum);
    /// x = 0 in the lanes in which sum is 0: every element is -infinity.
    void set_zero_where_zero(const Xmm &x, const Xmm &sum);
    /// Writes sweep 3.
    void store_results(const Xmm &maximum, const Xmm &sum);
    /// y, an exponential or for logsoftmax x, becomes the softmax, with what finish_sum() leaves.
    void find_result(const Xmm &y, const Xmm &maximum, const Xmm &sum);
    /// y = finish(y)
    void finish_result(const Xmm &y, int vector, int count);
    /// Stores finish(y) at the address `to`.
    void store_result(const Xmm &y, int vector, int count, const RegExp &to);
    /// The rows after the current ones and a page; the processor finds a page by itself only after
    /// some of its lines.
    next_rows_t next_rows(bool are_fetched);
    /// Whether the scales are a part of what exponentials are multiplied by. That of a row in
    /// chunks comes from the driver, which leaves scales to stage `result`.
    bool scales_sum() const {
        return spec_.stage == stage_t::whole && !spec_.is_log && !spec_.has_post_ops();
    }
    /// scale = the operand in every lane, if it is present.
    void load_scale(std::optional<vec_t> &scale, size_t operand);

    const forward_spec_t spec_;
    // While the kernel is written.
    std::optional<jit::non_positive_exp_t> exp_;
    std::optional<vec_t> src_scale_, dst_scale_;
    std::optional<jit::divisor_t> divisor_; // dst_scale, if scales_sum() is false
};

} // namespace kiln::x64::softmax
