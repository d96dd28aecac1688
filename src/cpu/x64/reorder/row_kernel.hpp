// SPDX-License-Identifier: Apache-2.0
// The kernel that computes: elements of dst from those of src, element by element, along rows in
// which every tensor's elements lie side by side or are one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/columns/tiled_kernel.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64::reorder {

/// Tensors as arguments order them. Of scales and zero points those that there are follow src, then
/// come the operands of post-ops.
constexpr size_t dst_operand = 0, src_operand = 1, first_quantization_operand = 2;

/// What a kernel is made for.
struct row_spec_t {
    isa_t isa;
    dim_t line; // elements of a row
    data_type_t dst_type;
    jit::post_op_operand_t src;
    std::optional<jit::post_op_operand_t> src_zero_point = {};
    std::optional<jit::post_op_operand_t> src_scale = {};
    std::optional<jit::post_op_operand_t> dst_scale = {};
    std::optional<jit::post_op_operand_t> dst_zero_point = {};
    std::vector<jit::post_op_link_t> post_ops = {}; // a sum reads dst
    bool is_non_temporal = false;                   // whoever calls writes the fence

    /// Calls `visit(place, operand)` for src and what follows it in the arguments' order.
    void for_each_operand(
            const std::function<void(size_t place, jit::post_op_operand_t &operand)> &visit);
    /// Whether dst can be stored past the caches where its rows are aligned to so many bytes.
    bool has_non_temporal_stores() const;
    size_t non_temporal_alignment() const;
    /// Elements at whose multiples a call may begin within a line.
    dim_t tile_width() const;
    /// E.g. reorder_row_f32_s8_avx512_core.
    std::string name() const;
};

/// Addresses, and bytes from a row to the next. The kernel moves the addresses along.
struct row_args_t {
    int64_t rows;
    int64_t length; // elements of each row, as tiled_kernel_t wants them
    const void *operands[max_row_operands];
    int64_t pitches[max_row_operands];
};

/// dst = post_ops((src - src_zero_point) * src_scale) / dst_scale + dst_zero_point in floats. What
/// is one for a row is loaded once a row.
class row_kernel_t : public tiled_kernel_t {
public:
    explicit row_kernel_t(const row_spec_t &spec);

private:
    /// Of scales and zero points.
    struct quantizer_t {
        size_t place; // among the operands
        jit::post_op_operand_t operand;
        void (row_kernel_t::*apply)(const Xbyak::Xmm &x, const Xbyak::Xmm &value);
        std::optional<jit::vec_t> value; // where it is one for the row
    };
    struct registers_t;

    void generate() override;
    void visit(int vector, int count);
    void apply(quantizer_t &quantizer, const Xbyak::Xmm &x, int vector, int count);
    void store(const Xbyak::Xmm &x, int vector, int count);
    void load(const Xbyak::Xmm &to, size_t place, const jit::post_op_operand_t &operand, int vector,
            int count);
    void next_row();
    Xbyak::Address operand_argument(size_t place);
    Xbyak::RegExp at(size_t place, const jit::post_op_operand_t &operand, int vector);

    void subtract(const Xbyak::Xmm &x, const Xbyak::Xmm &value) { vsubps(x, x, value); }
    void multiply(const Xbyak::Xmm &x, const Xbyak::Xmm &value) { vmulps(x, x, value); }
    void divide(const Xbyak::Xmm &x, const Xbyak::Xmm &value) { vdivps(x, x, value); }
    void add_up(const Xbyak::Xmm &x, const Xbyak::Xmm &value) { vaddps(x, x, value); }

    const row_spec_t spec_;
    std::vector<quantizer_t> before_, after_; // post-ops
    const jit::post_op_chain_t post_ops_;
    std::vector<jit::post_op_operand_t> post_op_operands_;
    size_t first_post_op_operand_;
    registers_t *registers_ = nullptr; // while the kernel is written
};

} // namespace kiln::x64::reorder
