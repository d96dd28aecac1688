// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as rows: dst = chain(src), where the operation says what the chain is and
// which arguments it reads. Long rows are cut into pieces that threads share.
#pragma once

#include <optional>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/rows/elementwise_kernel.hpp"

namespace kiln::x64 {

/// How an operand is copied to the scratchpad, as floats, for rows that are packed. The kernel
/// reads the copy.
struct row_copy_t {
    size_t operand;
    elementwise_spec_t spec;
    dim_t rows;
    dim_t pitch;  // bytes from a row to the next in the operand
    dim_t offset; // bytes from where its buffer begins
    dim_t place;  // of the copy in the scratchpad, in bytes
};

/// What the kernel computes, reads and writes, and where the rows lie.
struct elementwise_problem_t {
    elementwise_spec_t spec;
    operands_t operands;
    std::optional<row_plan_t> rows;
    row_offsets_t strides; // between the elements of a row: 0 or 1
    std::vector<row_copy_t> copies;
    dim_t scratchpad_size = 0;
    dim_t bytes; // of all operands
};

/// Plans over operands that lie as `layouts` says: dst, src, and those of the chain. The problem's
/// spec has its operation, isa and chain. Where all operands are padded alike, padding is computed
/// as if it were elements.
refusal_t plan_elementwise(const operand_layouts_t &layouts, elementwise_problem_t &problem);

class elementwise_rows_t final : public primitive_impl_t {
public:
    explicit elementwise_rows_t(const elementwise_problem_t &problem);

    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// Replaces the operand by its copy.
    void copy(size_t index, addresses_t &bases, std::byte *scratchpad) const;
    void execute_rows(const jit::executable_code_t &kernel, const addresses_t &bases, dim_t begin,
            dim_t end) const;
    void execute_pieces(const jit::executable_code_t &kernel, const addresses_t &bases, dim_t begin,
            dim_t end) const;
    /// Whether non-temporal stores pay, and every row of dst is aligned if the first one is.
    bool has_non_temporal_rows() const;
    bool is_aligned(const addresses_t &bases) const;

    const elementwise_problem_t &problem_; // the plan's
    const row_plan_t &rows_;
    const dim_t line_;
    const dim_t pieces_; // of a row
    const bool can_be_non_temporal_;
    const jit::store_variants_t<elementwise_kernel_t> codes_;
    std::vector<jit::executable_code_t> copy_codes_;
};

/// Accepts a problem with `describe(layouts, spec)`, which refuses it, or adds the operands and
/// writes the chain.
template <typename pd_t, typename describe_t>
refusal_t accept_elementwise(
        pd_t &pd, isa_t isa, plan_ptr_t &plan, const char *operation, const describe_t &describe) {
    const auto found = std::make_shared<plan_of_t<elementwise_rows_t, elementwise_problem_t>>();
    found->work.spec.operation = operation;
    found->work.spec.isa = isa;
    operand_layouts_t layouts(pd);
    if (const refusal_t refusal = describe(layouts, found->work.spec)) return refusal;
    if (const refusal_t refusal = plan_elementwise(layouts, found->work)) return refusal;
    pd.set_scratchpad_size(static_cast<size_t>(found->work.scratchpad_size));
    plan = found;
    return accepted();
}

} // namespace kiln::x64
