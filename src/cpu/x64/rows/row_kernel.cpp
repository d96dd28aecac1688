// SPDX-License-Identifier: Apache-2.0
// The base of kernels on rows that know the pitches of their operands when they are generated.

#include "cpu/x64/rows/row_kernel.hpp"

#include <cstddef>

namespace kiln::x64 {

void call_for_each_run(const jit::executable_code_t &code, const operands_t &operands,
        const row_plan_t &rows, const addresses_t &bases, dim_t begin, dim_t end,
        std::byte *scratch) {
    rows.for_each_run(begin, end, [&](const row_run_t &run) {
        row_args_t args;
        operands.locate(bases, run.offsets, args.operands);
        args.rows = run.count;
        args.scratch = scratch;
        code(args);
    });
}

row_kernel_t::row_kernel_t(const kernel_spec_t &spec, const std::string &name, int block_rows,
        const held_operands_t &held)
    : generator_t(spec.isa, name)
    , io_(*this)
    , spec_(spec)
    , block_rows_(block_rows)
    , held_(held)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops)) {}

void row_kernel_t::generate() {
    // Four rows are independent work enough to hide the latencies of two vectors.
    walk_.emplace(*this, io_, spec_.length, block_rows_ < 4 ? 4 : 2);
    bases_.resize(held_.count);
    for (size_t i = 0; i < held_.count; ++i) {
        if (!spec_.has(i)) continue;
        bases_[i].push_back(gpr("operand", operand_argument(i)));
        if (block_rows_ == 1 || i >= held_.paired) continue;
        const gpr_t &odd = bases_[i].emplace_back(gpr("operand, odd rows", operand_argument(i)));
        walk_->advance(*odd, spec_.pitch(i));
    }
    rows_left_.emplace(gpr("rows left", argument(offsetof(row_args_t, rows))));
    write_rows();
    rows_left_.reset();
    bases_.clear();
    walk_.reset();
}

void row_kernel_t::write_rows() {
    write_blocks(block_rows_);
    if (spec_.rows_unit % block_rows_ != 0) write_blocks(1);
}

void row_kernel_t::next_rows(int rows) {
    for (size_t i = 0; i < spec_.operands.size(); ++i) {
        if (spec_.pitch(i) == 0) continue;
        const dim_t bytes = rows * spec_.pitch(i);
        if (i >= held_.first_post_op) walk_->advance(operand_argument(i), bytes);
        for (size_t k = 0; i < held_.count && k < bases_[i].size(); ++k)
            walk_->advance(*bases_[i][k], bytes);
    }
    sub(**rows_left_, rows);
}

Xbyak::Address row_kernel_t::operand_argument(size_t operand) {
    return argument(offsetof(row_args_t, operands) + operand * sizeof(void *));
}

jit::pitched_rows_t row_kernel_t::rows_of(size_t operand) const {
    const row_operand_t &rows = spec_.operands[operand];
    return {*bases_[operand].front() + static_cast<int>(first_row_ * rows.pitch), rows.type,
            rows.pitch};
}

std::optional<jit::pitched_rows_t> row_kernel_t::rows_if_present(size_t operand) const {
    return spec_.has(operand) ? std::optional(rows_of(operand)) : std::nullopt;
}

Xbyak::RegExp row_kernel_t::at(size_t operand, int row, int copy) const {
    const auto &bases = bases_[operand];
    const auto count = static_cast<int>(bases.size());
    const row_operand_t &rows = spec_.operands[operand];
    return walk_->at(
            *bases[row % count], rows.type, copy, (first_row_ + row / count * count) * rows.pitch);
}

void row_kernel_t::load(const Xmm &to, size_t operand, int row, int copy, int count) {
    io_.load(to, spec_.type(operand), at(operand, row, copy), count);
}

void row_kernel_t::store(
        const Xmm &from, size_t operand, int row, int copy, int count, bool is_non_temporal) {
    const bool crosses_lines = spec_.pitch(operand) % cache_line_bytes != 0;
    io_.store(from, spec_.type(operand), at(operand, row, copy), count,
            is_non_temporal                        ? store_t::non_temporal
            : spec_.splits_stores && crosses_lines ? store_t::halves
                                                   : store_t::ordinary);
}

std::optional<jit::vec_t> row_kernel_t::vec_of(size_t operand, const char *name) {
    return spec_.has(operand) ? std::optional<vec_t>(vec(name)) : std::nullopt;
}

void row_kernel_t::load_if(const std::optional<vec_t> &to, size_t operand, int copy, int count) {
    if (to) load(*to, operand, 0, copy, count);
}

void row_kernel_t::apply_post_ops(const Xmm &y, int row, int copy, int count) {
    if (post_ops_.empty()) return;
    const gpr_t base = gpr("operand of a post-op");
    post_ops_.apply(y, count,
            [&](int operand) { return post_op_at(base, static_cast<size_t>(operand), row, copy); });
}

void row_kernel_t::prefetch_post_ops(int row, int copy) {
    for (size_t i = 0; i < post_op_operands_.size(); ++i) {
        if (!post_op_operands_[i].per_lane || spec_.pitch(held_.first_post_op + i) == 0) continue;
        const gpr_t base = gpr("operand of a post-op");
        prefetcht0(ptr[post_op_at(base, i, row, copy)]);
    }
}

Xbyak::RegExp row_kernel_t::post_op_at(const gpr_t &base, size_t index, int row, int copy) {
    const size_t operand = held_.first_post_op + index;
    const dim_t offset = (first_row_ + row) * spec_.pitch(operand);
    mov(*base, operand_argument(operand));
    return post_op_operands_[index].per_lane ? walk_->at(*base, spec_.type(operand), copy, offset)
                                             : *base + static_cast<int>(offset);
}

} // namespace kiln::x64
