// SPDX-License-Identifier: Apache-2.0
// The execution of elementwise operations as rows.

#include "cpu/x64/rows/elementwise_rows.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/rows/stack_memory.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64 {

std::string elementwise_box_t::text() const {
    std::string text = rows->text() + " of " + std::to_string(spec.line) + " elements";
    if (is_transposed) text += ", in blocks of rows and columns";
    if (!copied_blocks.empty())
        text += ", transposed operands: " + std::to_string(copied_blocks.size());
    if (!copies.empty()) text += ", " + std::to_string(copies.size()) + " operands copied first";
    return text + "\n";
}

elementwise_pass_t::elementwise_pass_t(const elementwise_box_t &box)
    : box_(box)
    , rows_(*box_.rows)
    , line_(box_.spec.line)
    , piece_(box_.is_transposed ? block_transposition_t::extent : 8192)
    , pieces_(!box_.is_transposed && line_ < 2 * piece_ ? 1 : divide_up(line_, piece_))
    , block_(box_.is_transposed ? block_transposition_t::extent : 1)
    , blocks_(divide_up(rows_.run_length(), block_))
    , can_be_non_temporal_(has_non_temporal_rows()) {
    codes_.get(box_.spec, can_be_non_temporal_); // as for an aligned dst
    for (const row_copy_t &copy : box_.copies)
        copy_codes_.push_back(elementwise_kernel_t(copy.spec).finish());
    for (const size_t i : box_.copied_blocks)
        transpositions_.emplace_back(
                box_.spec.isa, box_.operands[i].type, box_.strides[i], rows_.run_length(), line_);
}

void elementwise_pass_t::execute(addresses_t bases, std::byte *scratchpad) const {
    for (size_t i = 0; i < box_.copies.size(); ++i) copy(i, bases, scratchpad);
    const bool is_non_temporal = can_be_non_temporal_
                                 && box_.operands.may_bypass_caches(bases, elementwise_dst, rows_,
                                         non_temporal_alignment(box_.spec.isa, box_.spec.dst.type));
    const auto &kernel = codes_.get(box_.spec, is_non_temporal);
    const dim_t items = rows_.rows() / rows_.run_length() * blocks_ * pieces_;
    const dim_t item_elements = rows_.rows() * line_ / items;
    dim_t item_bytes = item_elements * box_.element_bytes;
    if (!box_.spec.is_integer_maximum())
        item_bytes = cpu::bytes_as_floats(item_bytes, item_elements);
    if (box_.spec.has_long_function()) item_bytes *= 2;
    parallel_stores(
            cpu::shares_of(items, item_bytes), is_non_temporal, [&](dim_t begin, dim_t end) {
                if (!transpositions_.empty())
                    with_stack_memory<most_copied_blocks * block_transposition_t::most_bytes>(
                            [&](std::byte *memory) {
                                execute_blocks(kernel, bases, begin, end, memory);
                            });
                else if (block_ == 1 && pieces_ == 1)
                    call_for_each_run(kernel, box_.operands, rows_, bases, begin, end, line_);
                else
                    execute_blocks(kernel, bases, begin, end, nullptr);
            });
}

void elementwise_pass_t::copy(size_t index, addresses_t &bases, std::byte *scratchpad) const {
    const row_copy_t &copy = box_.copies[index];
    tiled_row_args_t args{
            .rows = copy.rows, .length = copy.spec.line, .operands = {}, .pitches = {}};
    args.operands[elementwise_dst] = scratchpad + copy.place;
    args.operands[elementwise_src] = moved(bases[copy.operand], copy.offset);
    args.pitches[elementwise_dst] = box_.operands[copy.operand].bytes(copy.spec.line);
    args.pitches[elementwise_src] = copy.pitch;
    copy_codes_[index](args);
    bases[copy.operand] = scratchpad + copy.place;
}

void elementwise_pass_t::execute_blocks(const jit::executable_code_t &kernel,
        const addresses_t &bases, dim_t begin, dim_t end, std::byte *memory) const {
    // Items are the pieces of the first block of rows, then those of the next.
    while (begin < end) {
        const dim_t block = begin / pieces_, first = begin % pieces_;
        const dim_t last = block_ == 1 ? std::min(pieces_, first + end - begin) : first + 1;
        const dim_t row_of_run = block % blocks_ * block_;
        const dim_t row = block / blocks_ * rows_.run_length() + row_of_run;
        row_run_t run{std::min(block_, rows_.run_length() - row_of_run), rows_.offsets_of(row)};
        for (size_t i = 0; i < box_.operands.count(); ++i)
            run.offsets[i] += first * piece_ * box_.strides[i];
        const dim_t length = std::min(line_, last * piece_) - first * piece_;
        tiled_row_args_t args = tiled_row_args(box_.operands, rows_, bases, run, length);
        for (size_t i = 0; i < transpositions_.size(); ++i) {
            const size_t operand = box_.copied_blocks[i];
            std::byte *const copy =
                    memory + static_cast<dim_t>(i) * block_transposition_t::most_bytes;
            transpositions_[i].copy(args.operands[operand], copy, run.count, length);
            args.operands[operand] = copy;
            args.pitches[operand] = transpositions_[i].pitch();
        }
        kernel(args);
        begin += last - first;
    }
}

bool elementwise_pass_t::has_non_temporal_rows() const {
    const dim_t lanes = jit::lanes_of(box_.spec.isa);
    const auto dst_bytes = static_cast<dim_t>(data_type_size(box_.spec.dst.type));
    // A cache line that two rows share is written in parts.
    const dim_t aligned = std::max(lanes, cache_line_bytes / dst_bytes);
    const bool reads_two = box_.element_bytes >= 3 * dst_bytes; // as large as dst
    return !box_.spec.dst.is_strided()
           && (reads_two ? fills_half_of_cache(box_.bytes) : fills_most_of_cache(box_.bytes))
           && suits_non_temporal_stores(box_.spec.isa, box_.spec.dst.type, line_)
           && rows_.keeps_alignment(elementwise_dst, aligned);
}

elementwise_rows_t::elementwise_rows_t(const elementwise_plan_t &boxes)
    : operands_(boxes.front().operands) {
    for (const elementwise_box_t &box : boxes)
        passes_.push_back(std::make_unique<elementwise_pass_t>(box));
}

status_t elementwise_rows_t::execute(const exec_ctx_t &ctx) const {
    reciprocal_t of_divisor;
    const addresses_t bases = operands_.bind(ctx, of_divisor);
    for (const auto &pass : passes_) pass->execute(bases, ctx.scratchpad());
    return dnnl_success;
}

} // namespace kiln::x64
