// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax forward on rows.
#pragma once

#include <optional>

#include "cpu/x64/jit/exponential.hpp"
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
/// Stores are not non-temporal: exponentials take so long that the caches write dst to memory
/// meanwhile.
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

    void write_rows() override;
    void write_row() override;
    void write_row_in_registers();
    void write_chunk();
    void write_result();

    /// Loads src and applies the pre-ops. The lanes beyond `count` are -infinity.
    void load_src(const Xbyak::Xmm &x, int vector, int count);
    /// Loads what sweep 1 has found, likewise.
    void load_again(const Xbyak::Xmm &x, int vector, int count);
    /// Sets the lanes beyond `count` to -infinity.
    void fill_rest(const Xbyak::Xmm &x, int count);
    void keep(const Xbyak::Xmm &x, int vector, int count);
    /// maximum = the maximum of the row, in every lane.
    void find_maximum(const jit::vec_t &maximum);
    void combine_maxima(const vecs_t &maxima);
    /// From a maximum in each lane: that of all lanes, finite where -infinity must not be
    /// subtracted.
    void finish_maximum(const jit::vec_t &maximum);
    /// Returns the sum of exponentials, in every lane.
    jit::vec_t sum_exponentials(const Xbyak::Xmm &maximum);
    /// sum becomes what exponentials are multiplied by, or log(sum).
    void finish_sum(const Xbyak::Xmm &sum, const Xbyak::Xmm &maximum);
    /// x = 0 in the lanes in which sum is 0: every element is -infinity.
    void set_zero_where_zero(const Xbyak::Xmm &x, const Xbyak::Xmm &sum);
    /// Writes sweep 3.
    void store_results(const Xbyak::Xmm &maximum, const Xbyak::Xmm &sum);
    void store_result(const Xbyak::Xmm &y, int vector, int count);
    /// Whether the scales are a part of what exponentials are multiplied by. That of a row in chunks
    /// comes from the driver, which leaves scales to stage `result`.
    bool scales_sum() const {
        return spec_.stage == stage_t::whole && !spec_.is_log && !spec_.has_post_ops();
    }
    /// scale = the operand in every lane, if it is present.
    void load_scale(std::optional<jit::vec_t> &scale, size_t operand);

    const forward_spec_t spec_;
    // While the kernel is written.
    std::optional<jit::non_positive_exp_t> exp_;
    std::optional<jit::vec_t> src_scale_, dst_scale_;
};

} // namespace kiln::x64::softmax
