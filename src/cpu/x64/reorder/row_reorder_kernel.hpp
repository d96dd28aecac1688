// SPDX-License-Identifier: Apache-2.0
// The kernel of reorders that compute: dst from src, element by element, along rows in which each
// operand has adjacent elements or one for the row.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"

namespace kiln::x64::reorder {

/// Operands of the kernel; those of post-ops follow.
enum operand_index_t : size_t {
    dst_operand,
    src_operand,
    src_zero_point_operand,
    src_scale_operand,
    dst_scale_operand,
    dst_zero_point_operand,
    first_post_op_operand
};

/// What distinguishes one kernel from another.
struct row_reorder_spec_t {
    isa_t isa;
    dim_t line = 1; // elements of a row
    // Types, and whether an operand has elements along the row; undef: it is absent.
    std::array<jit::post_op_operand_t, first_post_op_operand> operands = {};
    std::vector<jit::post_op_link_t> post_ops = {}; // a sum reads dst
    bool is_non_temporal = false;                   // where rows are aligned

    data_type_t src_type() const { return operands[src_operand].type; }
    data_type_t dst_type() const { return operands[dst_operand].type; }
    /// Any operand by its index, those of post-ops among them.
    jit::post_op_operand_t &operand(size_t index);

    /// Whether vectors of dst are wide enough for non-temporal stores.
    bool has_non_temporal_stores() const;
    /// A call on a part of a row begins at a multiple of so many elements.
    dim_t tile_width() const;
    /// E.g. reorder_row_f32_s8_avx512_core.
    std::string name() const;
};

/// dst = post_ops((src - src_zero_point) * src_scale) / dst_scale + dst_zero_point in f32, in one
/// pass. An operand with one element for the row is loaded once a row.
/// Registers: one vector for each scale and zero point of a row, x, the packed result; temporaries
/// of post-ops.
class row_reorder_kernel_t : public tiled_row_kernel_t {
public:
    explicit row_reorder_kernel_t(const row_reorder_spec_t &spec);

private:
    void write_row() override;
    bool ends_with_fence() const override { return false; }
    void visit(int vector, int count);
    /// Applies a scale or a zero point to x, if it is present.
    void quantize(size_t operand, const Xbyak::Xmm &x, int vector, int count);
    void store(const Xbyak::Xmm &x, int vector, int count);

    const row_reorder_spec_t spec_;
    /// Scales and zero points that are one for the row, while it is written.
    std::array<std::optional<jit::vec_t>, first_post_op_operand> row_values_;
};

} // namespace kiln::x64::reorder
