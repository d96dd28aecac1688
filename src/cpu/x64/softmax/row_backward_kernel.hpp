// SPDX-License-Identifier: Apache-2.0
// The kernel of softmax and logsoftmax backward on rows.
#pragma once

#include <optional>

#include "cpu/x64/rows/tiled_row_kernel.hpp"
#include "cpu/x64/softmax/specs.hpp"

namespace kiln::x64::softmax {

/// For each row:
///     softmax     diff_src = dst * (diff_dst - s), s = sum(dst * diff_dst)
///     logsoftmax  diff_src = diff_dst - exp(dst) * s, s = sum(diff_dst)
/// Sweep 1 finds s, sweep 2 stores. Stage chunk does sweep 1 and stores s, stage result does sweep
/// 2 with s from the operand. Of bf16 tensors, sweep 1 adds up products two by two; subnormal
/// elements are zeros there.
///
/// Registers: sums of a tile's vectors, dst and diff_dst of a vector or a pair; of short rows all
/// elements, from sweep 1 to sweep 2.
class row_backward_kernel_t : public tiled_row_kernel_t {
public:
    explicit row_backward_kernel_t(const backward_spec_t &spec);

private:
    using spec_t = backward_spec_t;

    void write_row() override;
    void write_row_in_registers();
    /// sum = s in every lane.
    void find_sum(const Xmm &sum);
    /// sum += the products of dst and diff_dst; of logsoftmax, diff_dst. `ones`: ones of bf16,
    /// which logsoftmax with feature_t::avx512_bf16 needs.
    void add_pair(const Xmm &sum, int pair, int count, const std::optional<vec_t> &ones);
    void store_results(const Xmm &sum);
    /// The elements in front of a cache line, vectors, the rest.
    void store_shifted_results(const Xmm &sum);
    /// The next `count` elements, fewer than a vector.
    void write_part(const Xmm &sum, const Reg64 &count);
    void write_part_of_vector(const Xmm &sum, const Reg64 &count, const Xbyak::Opmask &part);
    void write_part_of_pair(const Xmm &sum, const Reg64 &count, const Xbyak::Opmask &part);
    void write_vector(const Xmm &sum, int vector, int count);
    void write_pair(const Xmm &sum, int vector, int count);

    const backward_spec_t spec_;
};

} // namespace kiln::x64::softmax
