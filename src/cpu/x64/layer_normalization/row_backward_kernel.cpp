// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization backward on rows.

#include "cpu/x64/layer_normalization/row_backward_kernel.hpp"

#include "cpu/x64/cache_size.hpp"

#include <algorithm>
#include <limits>

namespace kiln::x64::layer_normalization {

namespace {

using spec_t = backward_spec_t;

/// Bytes of a row in all operands that have a row of elements for each row.
dim_t row_bytes(const spec_t &spec) {
    dim_t size = 0;
    for (size_t i = 0; i < spec_t::stepped; ++i) size += spec.size(i);
    const auto post_op_operands = jit::operands_of(spec.post_ops);
    for (size_t i = 0; i < post_op_operands.size(); ++i) {
        const size_t operand = spec_t::first_post_op + i;
        if (post_op_operands[i].per_lane && spec.pitch(operand) != 0) size += spec.size(operand);
    }
    return spec.length * size;
}

/// Blocks of several rows save loads and stores of scale, diff_scale and diff_shift.
int choose_cached_block_rows(const spec_t &spec) {
    constexpr dim_t short_bytes = 1536;
    const auto is_possible = [&](int rows) {
        // Displacements of 32 bits reach all rows.
        return rows <= spec.run_length
               && rows * spec.largest_pitch() <= std::numeric_limits<int32_t>::max() / 2;
    };
    // Each row of a block has a copy of the post-ops' code.
    const bool is_light = jit::vectors_of(spec.isa) >= 32 && spec.post_ops.empty();
    if (is_light && row_bytes(spec) <= short_bytes && is_possible(4)) return 4;
    return is_possible(2) ? 2 : 1;
}

/// Whether diff_src of a block is written row by row: vectors of it cross cache lines. Stores of
/// one row are joined to whole lines before they reach the cache; those of alternating rows are two
/// stores each.
bool writes_row_by_row(const spec_t &spec) {
    constexpr size_t diff_src = spec_t::diff_src;
    const dim_t lines = spec.length * spec.size(diff_src) / cache_line_bytes;
    return spec.size(diff_src) * jit::lanes_of(spec.isa) == cache_line_bytes
           && spec.pitch(diff_src) % cache_line_bytes != 0 && lines >= 2;
}

/// Streamed rows are processed one by one, unless two of them are short, or so long that the
/// first-level cache keeps neither them nor the weights.
int choose_block_rows(const spec_t &spec) {
    constexpr dim_t cached_bytes = 24576, short_bytes = 3072;
    const int cached = choose_cached_block_rows(spec);
    if (!spec.is_streamed) return cached;
    const bool pays = row_bytes(spec) <= short_bytes || row_bytes(spec) > cached_bytes;
    return pays ? std::min(cached, 2) : 1;
}

} // namespace

/// What a row block needs.
struct row_backward_kernel_t::block_t : block_statistics_t {
    using block_statistics_t::block_statistics_t;
    vecs_t a, b; // of each row, in every lane, from find_terms() on
};

// Post-ops need the registers of the second addresses.
row_backward_kernel_t::row_backward_kernel_t(const spec_t &spec)
    : row_kernel_t(spec, spec.name("row"), choose_block_rows(spec),
            {.count = first_post_op,
                    .paired = spec.post_ops.empty() ? stepped : size_t(0),
                    .first_post_op = first_post_op})
    , spec_(spec)
    , cached_block_rows_(choose_cached_block_rows(spec)) {}

void row_backward_kernel_t::write_blocks(int rows) {
    Xbyak::Label again, end;
    L(again);
    cmp(*rows_left(), rows);
    jl(end, T_NEAR);
    {
        block_t block(*this, rows, spec_.length, spec_.is_rms, !spec_.has(variance), spec_.epsilon);
        find_statistics(block);
        if (spec_.has_sums_of_ranks() && spec_.has(diff_src))
            load_sums(block);
        else if (spec_.has_sums() || spec_.has_weight_gradients())
            write_sums(block);
        if (spec_.has(diff_src)) write_diff_src(block);
    }
    next_rows(rows);
    jmp(again, T_NEAR);
    L(end);
}

void row_backward_kernel_t::find_statistics(block_t &block) {
    if (spec_.has(variance)) return block.load(rows_if_present(mean), rows_of(variance));
    const int accumulators = 4 / cached_block_rows_; // as registers allow
    const source_rows_t source{block.rows(), rows_of(src)};
    // The next sweep reads both tensors. The processor prefetches within a page by itself.
    const bool fetches_diff_dst =
            spec_.is_streamed && spec_.length * spec_.size(diff_dst) > page_bytes;
    row_statistics_t statistics(
            *this, walk(), source, {.pivot = !spec_.is_rms, .mean = false}, accumulators);
    statistics.begin();
    walk().for_each_vector([&](int copy, int count) {
        statistics.add(copy, count);
        for (int row = 0; fetches_diff_dst && row < block.rows(); ++row)
            prefetcht0(ptr[at(diff_dst, row, copy)]);
    });
    block.set(statistics.finish());
}

void row_backward_kernel_t::load_deviation(
        const block_t &block, const Xmm &d, int row, int copy, int count) {
    load(d, src, row, copy, count);
    block.center(d, row);
}

void row_backward_kernel_t::write_sums(block_t &block) {
    const bool has_sums = spec_.has_sums(), has_mean = !spec_.is_rms;
    const int accumulators =
            jit::vectors_of(spec_.isa) < 32 ? 1 : std::max(1, 2 / cached_block_rows_);
    row_sums_t sums_g(*this, has_sums && has_mean ? block.rows() : 0, accumulators);
    row_sums_t sums_gd(*this, has_sums ? block.rows() : 0, accumulators);
    {
        const vec_t d = vec("d, then dy * d"), dy = vec("diff_dst");
        const auto scale_vec = has_sums ? vec_of(scale, "scale") : std::nullopt;
        const auto scale_sum = vec_of(diff_scale, "diff_scale");
        const auto shift_sum = vec_of(diff_shift, "diff_shift");
        walk().for_each_vector([&](int copy, int count) {
            load_if(scale_vec, scale, copy, count);
            load_if(scale_sum, diff_scale, copy, count);
            load_if(shift_sum, diff_shift, copy, count);
            for (int row = 0; row < block.rows(); ++row) {
                // In lanes beyond the row diff_dst is 0, and so are all products.
                load_deviation(block, d, row, copy, count);
                load(dy, diff_dst, row, copy, count);
                if (spec_.is_streamed && spec_.has(diff_src)) prefetch_post_ops(row, copy);
                vmulps(*d, *d, *dy);
                if (scale_sum) vfmadd231ps(**scale_sum, *d, block.reciprocal(row));
                if (scale_sum && block.has_shifts())
                    vfnmadd231ps(**scale_sum, *dy, block.shift(row));
                if (shift_sum) vaddps(**shift_sum, **shift_sum, *dy);
                const auto add = [&](const Xmm &sum, const Xmm &value) {
                    scale_vec ? vfmadd231ps(sum, value, **scale_vec) : vaddps(sum, sum, value);
                };
                if (has_sums && has_mean) add(sums_g.of(row, copy), dy);
                if (has_sums) add(sums_gd.of(row, copy), d);
            }
            if (scale_sum) store(*scale_sum, diff_scale, 0, copy, count);
            if (shift_sum) store(*shift_sum, diff_shift, 0, copy, count);
        });
    }
    if (!has_sums) return;
    if (!spec_.has_sums_of_ranks())
        return find_terms(block,
                [&](size_t which) { return which == sum_g ? sums_g.reduce() : sums_gd.reduce(); });
    if (has_mean) store_lanes(*this, sums_g.reduce(), rows_of(sum_g), block.rows());
    store_lanes(*this, sums_gd.reduce(), rows_of(sum_gd), block.rows());
}

void row_backward_kernel_t::load_sums(block_t &block) {
    find_terms(block, [&](size_t which) {
        vec_t lanes = vec("a sum of each row");
        load_lanes(*this, lanes, rows_of(which), block.rows());
        return lanes;
    });
}

void row_backward_kernel_t::find_terms(
        block_t &block, const function_ref_t<vec_t(size_t which)> &sum) {
    const auto minus_length = constant(-static_cast<float>(spec_.length));
    const auto spread = [&](vecs_t &vecs, size_t which) {
        const vec_t lanes = sum(which);
        vdivps(xmm(lanes), xmm(lanes), minus_length);
        for (int row = 0; row < block.rows(); ++row) vecs.push_back(vec("a or b"));
        spread_lanes(*this, vecs, lanes, are_spread_by_loads(*this, block.rows(), spec_.length));
    };
    if (!spec_.is_rms) spread(block.a, sum_g);
    spread(block.b, sum_gd);
    // From -S / C in a and -sum(g * d) / C in b.
    for (int row = 0; row < block.rows(); ++row) {
        const auto &b = *block.b[row];
        vmulps(b, b, block.reciprocal(row));
        if (block.has_shifts()) {
            vfnmadd231ps(b, *block.a[row], block.shift(row));
            vfnmadd231ps(*block.a[row], b, block.shift(row));
        }
        vmulps(b, b, block.reciprocal(row));
    }
}

void row_backward_kernel_t::write_diff_src(const block_t &block) {
    const vec_t dy = vec("diff_dst, then diff_src");
    const auto scale_vec = vec_of(scale, "scale");
    const auto write_rows = [&](int first, int end) {
        walk().for_each_vector([&](int copy, int count) {
            load_if(scale_vec, scale, copy, count);
            for (int row = first; row < end; ++row)
                write_vector(block, dy, scale_vec, row, copy, count);
        });
    };
    const int rows_at_once = writes_row_by_row(spec_) ? 1 : block.rows();
    for (int row = 0; row < block.rows(); row += rows_at_once) write_rows(row, row + rows_at_once);
}

void row_backward_kernel_t::write_vector(const block_t &block, const Xmm &dy,
        const std::optional<vec_t> &scale_vec, int row, int copy, int count) {
    load(dy, diff_dst, row, copy, count);
    if (spec_.has_sums()) {
        const vec_t d = vec("d"); // post-ops need its register
        load_deviation(block, d, row, copy, count);
        if (spec_.is_rms)
            vmulps(*d, *d, *block.b[row]);
        else
            vfmadd213ps(*d, *block.b[row], *block.a[row]);
        // Of one element both terms are the product, rounded: their sum is 0.
        const bool is_fused = scale_vec && spec_.length > 1;
        if (is_fused)
            vfmadd213ps(dy, **scale_vec, *d);
        else if (scale_vec)
            vmulps(dy, dy, **scale_vec);
        if (!is_fused) vaddps(dy, dy, *d);
    } else if (scale_vec) {
        vmulps(dy, dy, **scale_vec);
    }
    vmulps(dy, dy, block.reciprocal(row));
    apply_post_ops(dy, row, copy, count);
    store(dy, diff_src, row, copy, count, spec_.is_non_temporal);
}

} // namespace kiln::x64::layer_normalization
