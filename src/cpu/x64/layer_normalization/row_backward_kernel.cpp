// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows.

#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/layer_normalization/row_statistics.hpp"
#include "cpu/x64/rows/row_lanes.hpp"

namespace kiln::x64::layer_normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

namespace {

using spec_t = row_backward_spec_t;

/// Bytes of a row in all operands that have a row of elements for each row.
dim_t row_bytes(const spec_t &spec) {
    dim_t size = 0;
    for (size_t i = 0; i < spec_t::element_operands; ++i) size += spec.size(i);
    const auto post_op_operands = jit::operands_of(spec.post_ops);
    for (size_t i = 0; i < post_op_operands.size(); ++i) {
        const size_t operand = spec_t::first_post_op + i;
        if (post_op_operands[i].per_lane && spec.pitch(operand) != 0) size += spec.size(operand);
    }
    return spec.cols * size;
}

/// Blocks of several rows save loads and stores of scale, diff_scale and diff_shift. Streamed rows
/// are processed one by one, unless two of them are short, or so long that the first-level cache
/// keeps neither them nor the weights.
int choose_block_rows(const spec_t &spec) {
    constexpr dim_t cached_bytes = 24576, short_bytes = 1536;
    constexpr dim_t streamed_bytes = 2 * short_bytes;
    const dim_t bytes = row_bytes(spec);
    const auto is_possible = [&](int rows) {
        // Displacements of 32 bits reach all rows.
        return rows <= spec.rows
               && rows * spec.largest_pitch() <= std::numeric_limits<int32_t>::max() / 2;
    };
    // Each row of a block has a copy of the post-ops' code.
    const bool is_light = jit::vectors_of(spec.isa) >= 32 && spec.post_ops.empty();
    if (is_light && bytes <= short_bytes && !spec.is_streamed && is_possible(4)) return 4;
    const bool pays = !spec.is_streamed || bytes <= streamed_bytes || bytes > cached_bytes;
    return pays && is_possible(2) ? 2 : 1;
}

} // namespace

std::string row_backward_spec_t::name() const {
    return jit::kernel_name(
            is_rms ? "rms_norm_bwd_row" : "layer_norm_bwd_row", {type(src), type(diff_dst)}, isa);
}

/// What stays for the whole call. Post-ops need the registers of the second addresses.
struct row_backward_kernel_t::registers_t {
    explicit registers_t(row_backward_kernel_t &k)
        : walk(k, k.io_, k.spec_.cols)
        , operands(k, walk, k.arguments(), std::span(k.spec_.operands).first(first_post_op),
                  k.block_rows_ > 1 && k.post_ops_.empty() ? size_t(element_operands) : 0)
        , left(k.gpr("rows left")) {
        k.mov(*left, k.ptr[k.arguments() + offsetof(row_args_t, rows)]);
    }
    row_walk_t walk;
    row_operands_t operands;
    gpr_t left;
};

/// What a row block needs.
struct row_backward_kernel_t::block_t {
    block_t(row_backward_kernel_t &k, int rows_)
        : rows(rows_) {
        for (int row = 0; row < rows; ++row) {
            reciprocals.push_back(k.vec("1 / sqrt(variance + epsilon)"));
            if (!k.spec_.is_rms) means.push_back(k.vec("mean"));
        }
    }
    const int rows;
    std::vector<vec_t> reciprocals, means; // of each row, in every lane
    std::vector<vec_t> a, b;               // likewise, from find_terms() on
};

row_backward_kernel_t::row_backward_kernel_t(const row_backward_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , block_rows_(choose_block_rows(spec))
    , accumulators_(jit::vectors_of(spec.isa) < 32 ? 1 : std::max(1, 2 / block_rows_))
    , io_(*this)
    , post_ops_(*this, io_, arguments(), spec, first_post_op) {}

void row_backward_kernel_t::generate() {
    registers_t r(*this);
    write_rows(r, block_rows_);
    if (block_rows_ > 1) write_rows(r, 1);
}

void row_backward_kernel_t::write_rows(registers_t &r, int rows) {
    Xbyak::Label again, end;
    L(again);
    cmp(*r.left, rows);
    jl(end, T_NEAR);
    {
        block_t block(*this, rows);
        find_statistics(r, block);
        if (has_sums() || has_weight_gradients()) write_sums(r, block);
        if (spec_.has(diff_src)) write_diff_src(r, block);
    }
    next_rows(r, rows);
    jmp(again, T_NEAR);
    L(end);
}

void row_backward_kernel_t::find_statistics(registers_t &r, block_t &block) {
    if (spec_.has(variance))
        return load_moments(
                *this, block.means, block.reciprocals, r.operands, mean, variance, spec_.epsilon);
    const int accumulators = 4 / block_rows_; // as registers allow
    const source_rows_t source{block.rows, r.operands.rows(src), spec_.is_streamed};
    // The next sweep reads both tensors. The processor prefetches within a page by itself.
    constexpr dim_t page = 4096;
    const bool fetches_diff_dst = spec_.is_streamed && spec_.cols * spec_.size(diff_dst) > page;
    row_statistics_t statistics(*this, r.walk, source, spec_.is_rms, accumulators);
    statistics.begin();
    r.walk.for_each_vector([&](int copy, int count) {
        statistics.add(copy, count);
        for (int row = 0; fetches_diff_dst && row < block.rows; ++row)
            prefetcht0(ptr[r.operands.at(diff_dst, row, copy)]);
    });
    spread_moments(*this, block.means, block.reciprocals, statistics.finish(), spec_.epsilon);
}

std::optional<vec_t> row_backward_kernel_t::vec_of(size_t present, const char *name) {
    return spec_.has(present) ? std::optional<vec_t>(vec(name)) : std::nullopt;
}

void row_backward_kernel_t::load(
        registers_t &r, const std::optional<vec_t> &to, size_t from, int copy, int count) {
    if (to) io_.load(*to, spec_.type(from), r.operands.at(from, 0, copy), count);
}

void row_backward_kernel_t::load_deviation(
        registers_t &r, block_t &block, const Xbyak::Xmm &d, int row, int copy, int count) {
    io_.load(d, spec_.type(src), r.operands.at(src, row, copy), count);
    if (!block.means.empty()) vsubps(d, d, *block.means[static_cast<size_t>(row)]);
}

void row_backward_kernel_t::load_diff_dst(
        registers_t &r, const Xbyak::Xmm &dy, int row, int copy, int count) {
    io_.load(dy, spec_.type(diff_dst), r.operands.at(diff_dst, row, copy), count);
}

void row_backward_kernel_t::write_sums(registers_t &r, block_t &block) {
    row_sums_t sums_g(*this, has_sums() && !spec_.is_rms ? block.rows : 0, accumulators_);
    row_sums_t sums_gd(*this, has_sums() ? block.rows : 0, accumulators_);
    {
        const vec_t d = vec("d, then dy * d"), dy = vec("diff_dst");
        const auto scale_vec = has_sums() ? vec_of(scale, "scale") : std::nullopt;
        const auto scale_sum = vec_of(diff_scale, "diff_scale");
        const auto shift_sum = vec_of(diff_shift, "diff_shift");
        r.walk.for_each_vector([&](int copy, int count) {
            load(r, scale_vec, scale, copy, count);
            load(r, scale_sum, diff_scale, copy, count);
            load(r, shift_sum, diff_shift, copy, count);
            for (int row = 0; row < block.rows; ++row) {
                // In lanes beyond the row diff_dst is 0, and so are all products.
                load_deviation(r, block, d, row, copy, count);
                load_diff_dst(r, dy, row, copy, count);
                if (spec_.is_streamed && spec_.has(diff_src)) post_ops_.prefetch(r.walk, row, copy);
                vmulps(*d, *d, *dy);
                if (scale_sum)
                    vfmadd231ps(**scale_sum, *d, *block.reciprocals[static_cast<size_t>(row)]);
                if (shift_sum) vaddps(**shift_sum, **shift_sum, *dy);
                const auto add = [&](const Xbyak::Xmm &sum, const Xbyak::Xmm &value) {
                    scale_vec ? vfmadd231ps(sum, value, **scale_vec) : vaddps(sum, sum, value);
                };
                if (has_sums() && !spec_.is_rms) add(sums_g.of(row, copy), dy);
                if (has_sums()) add(sums_gd.of(row, copy), d);
            }
            if (scale_sum)
                io_.store(*scale_sum, dnnl_f32, r.operands.at(diff_scale, 0, copy), count);
            if (shift_sum)
                io_.store(*shift_sum, dnnl_f32, r.operands.at(diff_shift, 0, copy), count);
        });
    }
    if (has_sums()) find_terms(block, sums_g, sums_gd);
}

void row_backward_kernel_t::find_terms(block_t &block, row_sums_t &sums_g, row_sums_t &sums_gd) {
    const auto minus_cols = constant(-static_cast<float>(spec_.cols));
    const auto spread = [&](std::vector<vec_t> &vecs, row_sums_t &sums) {
        const vec_t lanes = sums.reduce();
        vdivps(xmm(lanes), xmm(lanes), minus_cols);
        for (int row = 0; row < block.rows; ++row) vecs.push_back(vec("a or b"));
        spread_lanes(*this, vecs, lanes);
    };
    if (!spec_.is_rms) spread(block.a, sums_g);
    spread(block.b, sums_gd);
    for (size_t row = 0; row < block.b.size(); ++row)
        for (int power = 0; power < 2; ++power)
            vmulps(*block.b[row], *block.b[row], *block.reciprocals[row]);
}

void row_backward_kernel_t::write_diff_src(registers_t &r, block_t &block) {
    const store_t how = spec_.is_non_temporal ? store_t::non_temporal : store_t::ordinary;
    const vec_t d = vec("d"), dy = vec("diff_dst, then diff_src");
    const auto scale_vec = vec_of(scale, "scale");
    r.walk.for_each_vector([&](int copy, int count) {
        load(r, scale_vec, scale, copy, count);
        for (int row = 0; row < block.rows; ++row) {
            const auto at = static_cast<size_t>(row);
            load_diff_dst(r, dy, row, copy, count);
            if (has_sums()) {
                load_deviation(r, block, d, row, copy, count);
                if (spec_.is_rms)
                    vmulps(*d, *d, *block.b[at]);
                else
                    vfmadd213ps(*d, *block.b[at], *block.a[at]);
                scale_vec ? vfmadd213ps(*dy, **scale_vec, *d) : vaddps(*dy, *dy, *d);
            } else if (scale_vec) {
                vmulps(*dy, *dy, **scale_vec);
            }
            vmulps(*dy, *dy, *block.reciprocals[at]);
            post_ops_.apply(r.walk, dy, row, copy, count);
            io_.store(dy, spec_.type(diff_src), r.operands.at(diff_src, row, copy), count,
                    count == lanes() ? how : store_t::ordinary);
        }
    });
}

void row_backward_kernel_t::next_rows(registers_t &r, int rows) {
    r.operands.advance(rows);
    post_ops_.advance(r.walk, rows);
    sub(*r.left, rows);
}

} // namespace kiln::x64::layer_normalization
