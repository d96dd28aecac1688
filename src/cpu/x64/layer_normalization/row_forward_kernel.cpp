// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows.

#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"

#include <cstddef>
#include <limits>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::layer_normalization {

namespace {

using spec_t = forward_spec_t;

bool has_few_vectors(const spec_t &spec) { return jit::vectors_of(spec.isa) < 32; }

/// Whether there are operands beyond the C interface, which take more registers.
bool is_fused(const spec_t &spec) { return spec.has(spec_t::src_1) || spec.has(spec_t::row_scale); }

bool sweeps_for_statistics(const spec_t &spec) { return spec.statistics != statistics_t::given; }

dim_t src_bytes(const spec_t &spec) {
    return spec.length * (spec.size(spec_t::src) + spec.size(spec_t::src_1));
}

/// Whether the first-level cache holds a block twice over, or, of fused operands, once.
bool is_cached(const spec_t &spec, int rows) {
    const dim_t cached_bytes = is_fused(spec) ? 24576 : 12288;
    const dim_t dst_bytes = spec.length * (spec.size(spec_t::dst) + spec.size(spec_t::sum));
    // Displacements of 32 bits reach two blocks, which is what overlapped sweeps address.
    const bool is_near = 2 * rows * spec.largest_pitch() <= std::numeric_limits<int32_t>::max() / 2;
    return is_near && rows * (src_bytes(spec) + dst_bytes) <= cached_bytes;
}

bool has_floats(const spec_t &spec) {
    return spec.type(spec_t::src) == dnnl_f32 && spec.type(spec_t::dst) == dnnl_f32;
}

/// Whole cache lines of a row of dst.
dim_t lines_of(const spec_t &spec) {
    return spec.length * spec.size(spec_t::dst) / cache_line_bytes;
}

/// Whether vectors of f32 results, or of the rows that they are made from, cross cache lines. Rows
/// side by side then wait for each other's stores.
bool stores_across_lines(const spec_t &spec) {
    const bool are_aligned = spec.pitch(spec_t::src) % cache_line_bytes == 0
                             && spec.pitch(spec_t::dst) % cache_line_bytes == 0;
    return spec.type(spec_t::dst) == dnnl_f32 && !are_aligned;
}

/// Whether rows of f32 in a cache are processed one by one. Statistics take less time for several
/// rows at once, which makes up for slow stores up to some length. RMS normalization with few
/// vectors, which loads more than it computes, gains nothing from several rows.
bool suits_single_rows(const spec_t &spec) {
    const dim_t lines = lines_of(spec);
    if (has_few_vectors(spec) && spec.is_rms && has_floats(spec) && lines >= 6) return true;
    if (!stores_across_lines(spec)) return false;
    if (!sweeps_for_statistics(spec)) return lines >= 1;
    if (spec.is_rms) return lines >= 32;
    if (has_few_vectors(spec)) return has_floats(spec) && lines >= 18;
    return lines >= (has_floats(spec) ? 8 : 14);
}

/// Rows of a block that is in a cache.
int choose_cached_block_rows(const spec_t &spec) {
    if (suits_single_rows(spec) || (has_few_vectors(spec) && is_fused(spec))) return 1;
    // Each row of a block has a copy of the post-ops' code, and its scale takes registers.
    const bool is_heavy = !spec.post_ops.empty() || spec.has(spec_t::row_scale);
    // With scales of quantization, few vectors do not suffice for the statistics of two rows.
    const bool is_narrow = has_few_vectors(spec) && sweeps_for_statistics(spec)
                           && (spec.has(spec_t::src_scale) || spec.has(spec_t::dst_scale));
    const int most = is_narrow ? 1 : has_few_vectors(spec) || is_heavy ? 2 : 4;
    for (int rows = most; rows > 1; rows /= 2)
        if (rows <= spec.run_length && is_cached(spec, rows)) return rows;
    return 1;
}

/// Whether the results of a block of several rows are written row by row. Layer normalization
/// overlaps them with the statistics of the next block, which is worth more.
bool writes_row_by_row(const spec_t &spec) {
    return spec.is_rms && sweeps_for_statistics(spec) && stores_across_lines(spec)
           && lines_of(spec) >= 2 && choose_cached_block_rows(spec) > 1;
}

/// Streamed blocks are short, so that reads and writes alternate. RMS normalization of floats,
/// which computes little, is bound by memory with shorter ones, unless it writes row by row.
int choose_block_rows(const spec_t &spec) {
    const dim_t short_bytes = writes_row_by_row(spec)           ? 2048
                              : spec.is_rms && has_floats(spec) ? 256
                                                                : 512;
    int rows = choose_cached_block_rows(spec);
    while (spec.is_streamed && rows > 1 && rows * src_bytes(spec) > short_bytes) rows /= 2;
    return rows;
}

/// Accumulators of a row's sum: enough to hide an addition's latency in a block of rows that are in
/// a cache. Streamed rows have as many, so that the order of a sum does not depend on the size of
/// the cache.
int choose_accumulators(const spec_t &spec) {
    const int rows = choose_cached_block_rows(spec);
    if (rows == 1) return 4;
    return has_few_vectors(spec) ? 1 : 4 / rows;
}

/// Whether the sum is in the scratch before it is stored.
bool keeps_sum(const spec_t &spec) {
    return spec.is_sum_non_temporal && spec.type(spec_t::sum) != dnnl_f32;
}

/// Whether single rows suit overlapped sweeps. Streamed floats with ordinary stores do not: they
/// are bound by memory, where reads and writes then mix.
bool overlaps_single_rows(const spec_t &spec) {
    const bool alternates = spec.is_streamed && has_floats(spec) && !spec.is_dst_non_temporal;
    return !has_few_vectors(spec) && !is_fused(spec) && !alternates && is_cached(spec, 1);
}

/// Whether the sweep for dst includes the next block's statistics: if registers suffice. The
/// scratch has no place for the next block's sum.
bool choose_overlap(const spec_t &spec, int block_rows) {
    const bool has_registers = !has_few_vectors(spec)
                               || (!spec.has(spec_t::src_scale) && !spec.has(spec_t::dst_scale)
                                       && spec.post_ops.empty());
    return (block_rows > 1 || overlaps_single_rows(spec)) && sweeps_for_statistics(spec)
           && spec.has(spec_t::dst) && has_registers && !keeps_sum(spec)
           && !writes_row_by_row(spec);
}

/// Bytes from a row to the next in the scratch: whole cache lines.
dim_t scratch_pitch(const spec_t &spec, data_type_t type) {
    constexpr dim_t line = 64;
    const auto size = static_cast<dim_t>(data_type_size(type));
    return round_up(spec.length * size, line);
}

/// Bytes of the block's sums in the scratch; its y follow them.
dim_t scratch_size_of_sums(const spec_t &spec) {
    return keeps_sum(spec) ? choose_block_rows(spec) * scratch_pitch(spec, spec.type(spec_t::sum))
                           : 0;
}

} // namespace

dim_t scratch_size(const spec_t &spec) {
    const dim_t results =
            spec.keeps_results ? choose_block_rows(spec) * scratch_pitch(spec, dnnl_f32) : 0;
    return scratch_size_of_sums(spec) + results;
}

row_forward_kernel_t::row_forward_kernel_t(const spec_t &spec)
    : row_kernel_t(spec, spec.name("row"), choose_block_rows(spec),
            {.count = held_of_rows, .paired = 0, .first_post_op = first_post_op})
    , spec_(spec)
    , accumulators_(choose_accumulators(spec))
    , is_overlapped_(choose_overlap(spec, block_rows())) {}

void row_forward_kernel_t::write_rows() {
    if (scratch_size(spec_) != 0)
        scratch_.emplace(gpr("scratch", argument(offsetof(row_args_t, scratch))));
    load_scalar(src_scale_vec_, src_scale);
    load_scalar(dst_scale_vec_, dst_scale);
    if (dst_scale_vec_ && !has_few_vectors(spec_)) {
        divisor_.emplace(*this, **dst_scale_vec_);
        dst_scale_vec_.reset();
    }
    row_kernel_t::write_rows();
    scratch_.reset();
    src_scale_vec_.reset();
    dst_scale_vec_.reset();
    divisor_.reset();
}

void row_forward_kernel_t::load_scalar(std::optional<vec_t> &to, size_t operand) {
    if (!spec_.has(operand)) return;
    const gpr_t at = gpr("address of a scale", operand_argument(operand));
    io_.load_broadcast(*to.emplace(vec("scale of quantization")), spec_.type(operand), *at);
}

void row_forward_kernel_t::write_blocks(int rows) {
    Xbyak::Label again, end;
    cmp(*rows_left(), rows);
    jl(end, T_NEAR);
    const bool has_shifts = sweeps_for_statistics(spec_) || spec_.has(rest);
    block_statistics_t block(*this, rows, spec_.length, spec_.is_rms, has_shifts, spec_.epsilon);
    // What is left after the blocks is less than a block: nothing to overlap with.
    const bool is_overlapped = is_overlapped_ && rows == block_rows();
    L(again);
    if (is_overlapped) {
        find_overlapped(block);
    } else {
        find_statistics(block);
        if (spec_.has(dst)) write_result(block);
    }
    next_rows(rows);
    cmp(*rows_left(), rows);
    jge(again, T_NEAR);
    if (is_overlapped) write_previous(block);
    L(end);
}

void row_forward_kernel_t::find_overlapped(block_statistics_t &block) {
    Xbyak::Label first, found;
    row_statistics_t statistics = statistics_of(block.rows());
    statistics.begin();
    cmp(*rows_left(), argument(offsetof(row_args_t, rows)));
    je(first, T_NEAR);
    write_previous(block, &statistics);
    jmp(found, T_NEAR);
    L(first);
    statistics.sweep();
    L(found);
    take_statistics(block, statistics.finish());
}

void row_forward_kernel_t::write_previous(const block_statistics_t &block, row_statistics_t *next) {
    set_first_row(-block.rows());
    write_result(block, next);
    set_first_row(0);
}

source_rows_t row_forward_kernel_t::source_of(int rows) const {
    source_rows_t source{rows, rows_of(src)};
    if (!spec_.has(src_1)) return source;
    source.added.emplace(added_rows_t{rows_of(src_1), std::nullopt});
    const data_type_t type = spec_.type(sum);
    if (keeps_sum(spec_))
        source.added->sum.emplace(
                jit::pitched_rows_t{**scratch_, type, scratch_pitch(spec_, type)});
    else if (spec_.has(sum) && !spec_.is_sum_non_temporal)
        source.added->sum.emplace(rows_of(sum));
    return source;
}

row_statistics_t row_forward_kernel_t::statistics_of(int rows) {
    const row_statistics_t::wanted_t wanted{.pivot = !spec_.is_rms,
            .mean = spec_.statistics == statistics_t::computed_and_stored && !spec_.has(rest)};
    return {*this, walk(), source_of(rows), wanted, accumulators_};
}

void row_forward_kernel_t::find_statistics(block_statistics_t &block) {
    if (sweeps_for_statistics(spec_))
        take_statistics(block, statistics_of(block.rows()).find());
    else
        block.load(rows_if_present(mean), rows_of(variance), rows_if_present(rest));
}

void row_forward_kernel_t::take_statistics(
        block_statistics_t &block, const row_moments_t &moments) {
    if (moments.mean) store_lanes(*this, *moments.mean, rows_of(mean), block.rows());
    if (spec_.has(rest)) {
        store_lanes(*this, *moments.center, rows_of(mean), block.rows());
        store_lanes(*this, *moments.rest, rows_of(rest), block.rows());
    }
    if (spec_.statistics == statistics_t::computed_and_stored)
        store_lanes(*this, moments.variance, rows_of(variance), block.rows());
    block.set(moments);
}

void row_forward_kernel_t::write_result(const block_statistics_t &block, row_statistics_t *next) {
    std::optional<row_scales_t> scales;
    if (spec_.has(row_scale)) find_row_scales(block, scales.emplace(*this, block.rows()));
    const auto use = [&](const Xmm &y, int row, int copy, int count) {
        if (divisor_) divisor_->divide(y);
        if (dst_scale_vec_) vdivps(y, y, **dst_scale_vec_);
        if (scales) scales->divide(y, row);
        store(y, dst, row, copy, count, spec_.is_dst_non_temporal);
    };
    if (spec_.keeps_results) return for_each_kept_result(block.rows(), next, use);
    const bool is_first = !sweeps_for_statistics(spec_) && !scales;
    for_each_result(block, {.is_first = is_first, .is_last = true, .next = next}, use);
}

void row_forward_kernel_t::find_row_scales(const block_statistics_t &block, row_scales_t &scales) {
    const sweep_t sweep{.is_first = !sweeps_for_statistics(spec_),
            .is_last = spec_.keeps_results,
            .next = nullptr};
    for_each_result(block, sweep, [&](const Xmm &y, int row, int copy, int count) {
        if (spec_.keeps_results) vmovups(ptr[walk().at(kept_results(), row, copy)], y);
        scales.add(y, row, count);
    });
    const gpr_t factor = gpr("address of the factor", operand_argument(row_factor));
    scales.finish(*factor, rows_of(row_scale));
}

jit::pitched_rows_t row_forward_kernel_t::kept_results() const {
    return {**scratch_ + static_cast<int>(scratch_size_of_sums(spec_)), dnnl_f32,
            scratch_pitch(spec_, dnnl_f32)};
}

void row_forward_kernel_t::for_each_result(
        const block_statistics_t &block, const sweep_t &sweep, const use_t &use) {
    const row_source_t source(*this, walk(), source_of(block.rows()));
    const vec_t y = vec("y");
    const auto scale_vec = vec_of(scale, "scale"), shift_vec = vec_of(shift, "shift");
    const auto write_rows = [&](int first, int end) {
        walk().for_each_vector([&](int copy, int count) {
            if (sweep.next) sweep.next->add(copy, count);
            if (sweep.is_last) prefetch(block.rows(), copy, count);
            load_if(scale_vec, scale, copy, count);
            load_if(shift_vec, shift, copy, count);
            for (int row = first; row < end; ++row) {
                if (sweep.is_first)
                    source.load_first(y, row, copy, count);
                else
                    source.load(y, row, copy, count);
                if (sweep.is_last && spec_.is_sum_non_temporal)
                    store_sum(source, y, row, copy, count);
                block.normalize(y, row);
                apply_weights(y, scale_vec, shift_vec);
                if (src_scale_vec_) vmulps(*y, *y, **src_scale_vec_);
                apply_post_ops(y, row, copy, count);
                use(y, row, copy, count);
            }
        });
    };
    const int rows_at_once = writes_row_by_row(spec_) ? 1 : block.rows();
    for (int row = 0; row < block.rows(); row += rows_at_once) write_rows(row, row + rows_at_once);
}

void row_forward_kernel_t::for_each_kept_result(
        int rows, row_statistics_t *next, const use_t &use) {
    const vec_t y = vec("y");
    walk().for_each_vector([&](int copy, int count) {
        if (next) next->add(copy, count);
        for (int row = 0; row < rows; ++row) {
            vmovups(y, ptr[walk().at(kept_results(), row, copy)]);
            use(y, row, copy, count);
        }
    });
}

void row_forward_kernel_t::apply_weights(const Xmm &y, const std::optional<vec_t> &scale_vec,
        const std::optional<vec_t> &shift_vec) {
    if (scale_vec && shift_vec)
        vfmadd213ps(y, **scale_vec, **shift_vec);
    else if (scale_vec)
        vmulps(y, y, **scale_vec);
    else if (shift_vec)
        vaddps(y, y, **shift_vec);
}

void row_forward_kernel_t::store_sum(
        const row_source_t &source, const Xmm &x, int row, int copy, int count) {
    if (keeps_sum(spec_))
        source.copy_sum(rows_of(sum), row, copy, count);
    else
        store(x, sum, row, copy, count, true);
}

void row_forward_kernel_t::prefetch(int rows, int copy, int count) {
    if (count != lanes()) return;
    const auto begins = [&](size_t input, dim_t bytes) {
        return copy * lanes() * spec_.size(input) % bytes == 0;
    };
    if (spec_.has(src_1)) {
        if (!spec_.is_streamed || rows > 1 || keeps_sum(spec_)) return;
        constexpr dim_t stride = 2 * cache_line_bytes; // the processor fetches lines in pairs
        for (const size_t input : {src, src_1})
            if (begins(input, stride)) prefetcht1(ptr[at(input, 1, copy)]);
    } else if (is_overlapped_ && rows == block_rows() && spec_.size(src) < 4) {
        // Narrow elements take so many instructions that few loads wait for memory at once.
        constexpr dim_t bytes_ahead = 12288;
        const dim_t first = bytes_ahead / std::max(spec_.pitch(src), src_bytes(spec_));
        // The block after this one is read by the same sweep.
        if (first < 2 * rows || !begins(src, cache_line_bytes)) return;
        for (int row = 0; row < rows; ++row)
            prefetcht0(ptr[at(src, static_cast<int>(first) + row, copy)]);
    }
}

} // namespace kiln::x64::layer_normalization
