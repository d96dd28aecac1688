// SPDX-License-Identifier: Apache-2.0
// The kernel that makes one value of a row of elements that lie side by side. It must not know who
// computes which rows.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/columns/tiled_kernel.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64::reduction {

enum class fold_t { max, min, sum };
/// What is folded.
enum class term_t { value, magnitude, square };
/// How a norm is kept away from 0.
enum class epsilon_use_t { none, added, least };

/// Tensors as arguments order them; the operands of post-ops follow.
constexpr size_t src_operand = 0, dst_operand = 1, first_post_op_operand = 2;

/// What a kernel is made for.
struct row_reduction_spec_t {
    isa_t isa;
    dim_t line; // elements of a row
    data_type_t src_type, dst_type;
    fold_t fold;
    term_t term = term_t::value;
    // What becomes of the folded value, in this order.
    float divisor = 1;
    epsilon_use_t epsilon_use = epsilon_use_t::none;
    float epsilon = 0;
    bool takes_root = false;
    std::vector<jit::post_op_link_t> post_ops = {}; // a sum reads dst

    /// Elements at whose multiples a call may begin within a line.
    dim_t tile_width() const;
    /// E.g. reduction_row_max_bf16_f32_avx512_core.
    std::string name() const;
};

/// Addresses, and bytes from a row to the next. The kernel moves the addresses along.
struct row_reduction_args_t {
    int64_t rows;
    int64_t length; // elements of each row, as tiled_kernel_t wants them
    const void *operands[max_row_operands];
    int64_t pitches[max_row_operands];
};

/// Each vector of a tile has an accumulator of its own; they meet at the end of the row, then their
/// lanes do, in a fixed order. max and min take note of NaN on the way, which their instructions
/// lose.
class row_reduction_kernel_t : public tiled_kernel_t {
public:
    explicit row_reduction_kernel_t(const row_reduction_spec_t &spec);

private:
    struct registers_t;

    void generate() override;
    void write_row(registers_t &r);
    void add_tile(registers_t &r, const vecs_t &sums, const tile_t &tile);
    void load(const Xbyak::Xmm &to, const registers_t &r, int vector, int count);
    void meet(const Xbyak::Xmm &one, const Xbyak::Xmm &other);
    void store_result(registers_t &r, const Xbyak::Xmm &value);
    void next_row(registers_t &r);
    Xbyak::Address operand_argument(size_t place);
    /// Whether a NaN that is met could be forgotten.
    bool loses_nan() const;

    const row_reduction_spec_t spec_;
    const jit::post_op_chain_t post_ops_;
    const std::vector<jit::post_op_operand_t> post_op_operands_;
};

} // namespace kiln::x64::reduction
