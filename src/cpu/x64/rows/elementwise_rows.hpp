// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as rows: dst = chain(src), where the operation says what the chain is and
// which arguments it reads. Blocks that do not divide an axis cut the elements into boxes, each
// with its rows. Long rows are cut into pieces that threads share.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/rows/block_transposition.hpp"
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

/// What the kernel computes, reads and writes in a box of elements, and where the rows lie.
struct elementwise_box_t {
    elementwise_spec_t spec;
    operands_t operands;
    std::optional<row_plan_t> rows;
    row_offsets_t strides = {}; // between the elements of a row
    // Elements of a row are so far apart in an operand that blocks of rows and columns are visited
    // in turn.
    bool is_transposed = false;
    // Operands of which each block is copied, so that the kernel reads adjacent elements.
    std::vector<size_t> copied_blocks = {};
    std::vector<row_copy_t> copies = {};
    dim_t scratchpad_size = 0;
    dim_t bytes = 0;         // of all operands of all boxes
    dim_t element_bytes = 0; // of an element in all operands, about

    std::string text() const;
};

/// The boxes of an operation; at least one.
using elementwise_plan_t = std::vector<elementwise_box_t>;

/// All elements of dst, the first operand, and of others of its shape or broadcast to it, as boxes.
/// Where all operands are padded alike, padding is elements too.
std::optional<std::vector<tensor_box_t>> elementwise_boxes(
        std::span<const memory_desc_t *const> operands);

/// Operands of which a block can be copied at a time.
constexpr size_t most_copied_blocks = 2;

/// Which layouts a plan takes: those in which all operands have adjacent elements along rows of
/// dst, in memory or in copies of blocks, or any layouts whose blocks divide each other. The latter
/// are slower than a copy in dst's layout, where one helps (cpu/relaid.hpp).
enum class row_layouts_t { adjacent, strided };

/// The rows of a box.
class elementwise_pass_t {
public:
    explicit elementwise_pass_t(const elementwise_box_t &box);

    void execute(addresses_t bases, std::byte *scratchpad) const;

private:
    /// Replaces the operand by its copy.
    void copy(size_t index, addresses_t &bases, std::byte *scratchpad) const;
    /// `memory`: for the copies of blocks.
    void execute_blocks(const jit::executable_code_t &kernel, const addresses_t &bases, dim_t begin,
            dim_t end, std::byte *memory) const;
    /// Whether non-temporal stores pay, and every row of dst is aligned if the first one is.
    bool has_non_temporal_rows() const;

    const elementwise_box_t &box_; // the plan's
    const row_plan_t &rows_;
    const dim_t line_;
    const dim_t piece_;  // elements of a piece; a multiple of a tile's width
    const dim_t pieces_; // of a row
    const dim_t block_;  // rows of a run whose pieces at one place are visited together
    const dim_t blocks_; // of a run
    const bool can_be_non_temporal_;
    const jit::store_variants_t<elementwise_kernel_t> codes_;
    std::vector<jit::executable_code_t> copy_codes_;
    std::vector<block_transposition_t> transpositions_; // for copied_blocks
};

class elementwise_rows_t final : public primitive_impl_t {
public:
    explicit elementwise_rows_t(const elementwise_plan_t &boxes);

    status_t execute(const exec_ctx_t &ctx) const override;

private:
    const operands_t &operands_; // the plan's
    std::vector<std::unique_ptr<elementwise_pass_t>> passes_;
};

/// Plans over operands that lie as `layouts` says: dst, src, and those of the chain. Where all
/// operands are padded alike, padding is computed as if it were elements. Refuses types that
/// kernels do not load.
refusal_t plan_elementwise(primitive_desc_t &pd, const operand_layouts_t &layouts,
        const elementwise_spec_t &spec, row_layouts_t taken, plan_ptr_t &plan);

/// Accepts a problem as elementwise rows. The operation's describe_elementwise(pd, layouts, spec)
/// refuses it, or adds the operands and writes the name and the chain.
template <row_layouts_t taken, typename pd_t>
refusal_t accept_elementwise(pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    elementwise_spec_t spec{.isa = isa};
    operand_layouts_t layouts(pd);
    if (const refusal_t refusal = describe_elementwise(pd, layouts, spec)) return refusal;
    return plan_elementwise(pd, layouts, spec, taken, plan);
}

} // namespace kiln::x64
