// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows.

#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/kernel_name.hpp"
#include "cpu/x64/rows/row_lanes.hpp"

namespace kiln::x64::layer_normalization {

using jit::gpr_t;
using jit::store_t;
using jit::vec_t;

namespace {

using spec_t = row_forward_spec_t;

bool has_few_vectors(const spec_t &spec) { return jit::vectors_of(spec.isa) < 32; }

/// Whether there are operands beyond the C interface, which take more registers.
bool is_fused(const spec_t &spec) { return spec.has(spec_t::src_1) || spec.has(spec_t::row_scale); }

/// As many rows as the first-level cache holds twice over, or, of fused operands, once. Streamed
/// rows are processed one by one, so that reads and writes alternate, unless four of them are
/// short.
int choose_block_rows(const spec_t &spec) {
    constexpr dim_t short_bytes = 1024;
    const dim_t cached_bytes = is_fused(spec) ? 24576 : 12288;
    if (has_few_vectors(spec) && is_fused(spec)) return 1;
    const dim_t src_bytes = spec.cols * (spec.size(spec_t::src) + spec.size(spec_t::src_1));
    const dim_t dst_bytes = spec.cols * (spec.size(spec_t::dst) + spec.size(spec_t::sum));
    if (spec.is_streamed && 4 * src_bytes > short_bytes) return 1;
    // Each row of a block has a copy of the post-ops' code, and its scale takes registers.
    const bool is_heavy = !spec.post_ops.empty() || spec.has(spec_t::row_scale);
    const int most = has_few_vectors(spec) || is_heavy ? 2 : 4;
    for (int rows = most; rows > 1; rows /= 2) {
        // Displacements of 32 bits reach two blocks, which is what overlapped sweeps address.
        const bool is_near =
                2 * rows * spec.largest_pitch() <= std::numeric_limits<int32_t>::max() / 2;
        if (is_near && rows <= spec.rows && rows * (src_bytes + dst_bytes) <= cached_bytes)
            return rows;
    }
    return 1;
}

/// Accumulators of a row's sum: enough to hide an addition's latency.
int choose_accumulators(const spec_t &spec, int block_rows) {
    if (block_rows == 1) return 4;
    return has_few_vectors(spec) ? 1 : 4 / block_rows;
}

/// Whether the sum is in the scratch before it is stored.
bool keeps_sum(const spec_t &spec) {
    return spec.is_sum_non_temporal && spec.type(spec_t::sum) != dnnl_f32;
}

bool sweeps_for_statistics(const spec_t &spec) { return spec.statistics != statistics_t::given; }

/// Whether the sweep for dst includes the next block's statistics: if registers suffice. The
/// scratch has no place for the next block's sum.
bool choose_overlap(const spec_t &spec, int block_rows) {
    const bool has_registers = !has_few_vectors(spec)
                               || (!spec.has(spec_t::src_scale) && !spec.has(spec_t::dst_scale)
                                       && spec.post_ops.empty());
    return block_rows > 1 && sweeps_for_statistics(spec) && has_registers && !keeps_sum(spec);
}

/// Bytes from a row to the next in the scratch: whole cache lines.
dim_t scratch_pitch(const spec_t &spec, data_type_t type) {
    constexpr dim_t line = 64;
    const auto size = static_cast<dim_t>(data_type_size(type));
    return (spec.cols * size + line - 1) / line * line;
}

/// Bytes of the block's sums in the scratch; its y follow them.
dim_t scratch_size_of_sums(const spec_t &spec) {
    return keeps_sum(spec) ? choose_block_rows(spec) * scratch_pitch(spec, spec.type(spec_t::sum))
                           : 0;
}

} // namespace

std::string row_forward_spec_t::name() const {
    return jit::kernel_name(
            is_rms ? "rms_norm_fwd_row" : "layer_norm_fwd_row", {type(src), type(dst)}, isa);
}

dim_t row_forward_spec_t::scratch_size() const {
    const dim_t results =
            keeps_results ? choose_block_rows(*this) * scratch_pitch(*this, dnnl_f32) : 0;
    return scratch_size_of_sums(*this) + results;
}

bool has_non_temporal_stores(data_type_t type) { return data_type_size(type) > 1; }

/// What stays for the whole call.
struct row_forward_kernel_t::registers_t {
    explicit registers_t(row_forward_kernel_t &k)
        : walk(k, k.io_, k.spec_.cols)
        , operands(k, walk, k.arguments(), std::span(k.spec_.operands).first(held_count))
        , left(k.gpr("rows left")) {
        k.mov(*left, k.ptr[k.arguments() + offsetof(row_args_t, rows)]);
        if (k.spec_.scratch_size() == 0) return;
        scratch.emplace(k.gpr("scratch"));
        k.mov(**scratch, k.ptr[k.arguments() + offsetof(row_args_t, scratch)]);
    }
    row_walk_t walk;
    row_operands_t operands;
    gpr_t left;
    std::optional<gpr_t> scratch;
    std::optional<vec_t> src_scale_vec, dst_scale_vec;
};

/// What a row block needs.
struct row_forward_kernel_t::block_t {
    block_t(row_forward_kernel_t &k, int rows_)
        : rows(rows_) {
        for (int row = 0; row < rows; ++row) {
            if (!k.spec_.is_rms) means.push_back(k.vec("mean"));
            reciprocals.push_back(k.vec("1 / sqrt(variance + epsilon)"));
        }
    }
    const int rows;
    std::vector<vec_t> means, reciprocals; // of each row, in every lane
};

row_forward_kernel_t::row_forward_kernel_t(const row_forward_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , block_rows_(choose_block_rows(spec))
    , accumulators_(choose_accumulators(spec, block_rows_))
    , is_overlapped_(choose_overlap(spec, block_rows_))
    , io_(*this)
    , post_ops_(*this, io_, arguments(), spec, first_post_op) {}

void row_forward_kernel_t::generate() {
    registers_t r(*this);
    const auto load_scale = [&](std::optional<vec_t> &to, size_t scalar) {
        if (!spec_.has(scalar)) return;
        const gpr_t at = gpr("address of a scale");
        mov(*at, ptr[operand_argument(arguments(), scalar)]);
        io_.load_broadcast(*to.emplace(vec("scale of quantization")), spec_.type(scalar), *at);
    };
    load_scale(r.src_scale_vec, src_scale);
    load_scale(r.dst_scale_vec, dst_scale);
    write_rows(r, block_rows_);
    if (block_rows_ > 1) write_rows(r, 1);
}

void row_forward_kernel_t::write_rows(registers_t &r, int rows) {
    Xbyak::Label again, last, end;
    cmp(*r.left, rows);
    jl(end, T_NEAR);
    block_t block(*this, rows);
    if (is_overlapped_) {
        find_statistics(r, block);
        L(again);
        cmp(*r.left, 2 * rows);
        jl(last, T_NEAR);
        {
            row_statistics_t next = statistics_of(r, rows, rows);
            next.begin();
            write_result(r, block, &next);
            take_statistics(r, block, next.finish(), rows);
        }
        next_rows(r, rows);
        jmp(again, T_NEAR);
        L(last);
        write_result(r, block);
        next_rows(r, rows);
    } else {
        L(again);
        find_statistics(r, block);
        write_result(r, block);
        next_rows(r, rows);
        cmp(*r.left, rows);
        jge(again, T_NEAR);
    }
    L(end);
}

source_rows_t row_forward_kernel_t::source_of(registers_t &r, int rows, int first_row) const {
    source_rows_t source{rows, r.operands.rows(src, first_row), spec_.is_streamed};
    if (!spec_.has(src_1)) return source;
    source.added.emplace(added_rows_t{r.operands.rows(src_1, first_row), std::nullopt});
    const data_type_t type = spec_.type(sum);
    if (keeps_sum(spec_))
        source.added->sum.emplace(pitched_rows_t{**r.scratch, type, scratch_pitch(spec_, type)});
    else if (spec_.has(sum) && !spec_.is_sum_non_temporal)
        source.added->sum.emplace(r.operands.rows(sum, first_row));
    return source;
}

row_statistics_t row_forward_kernel_t::statistics_of(registers_t &r, int rows, int first_row) {
    return {*this, r.walk, source_of(r, rows, first_row), spec_.is_rms, accumulators_};
}

void row_forward_kernel_t::find_statistics(registers_t &r, block_t &block) {
    if (sweeps_for_statistics(spec_))
        take_statistics(r, block, statistics_of(r, block.rows, 0).find(), 0);
    else
        load_moments(
                *this, block.means, block.reciprocals, r.operands, mean, variance, spec_.epsilon);
}

void row_forward_kernel_t::take_statistics(
        registers_t &r, block_t &block, const row_moments_t &moments, int first_row) {
    const bool stores = spec_.statistics == statistics_t::computed_and_stored;
    if (stores && moments.mean)
        store_lanes(*this, *moments.mean, r.operands.rows(mean, first_row), block.rows);
    if (stores)
        store_lanes(*this, moments.variance, r.operands.rows(variance, first_row), block.rows);
    spread_moments(*this, block.means, block.reciprocals, moments, spec_.epsilon);
}

store_t row_forward_kernel_t::store_of(bool is_non_temporal, int count) const {
    return is_non_temporal && count == lanes() ? store_t::non_temporal : store_t::ordinary;
}

void row_forward_kernel_t::write_result(registers_t &r, block_t &block, row_statistics_t *next) {
    std::optional<row_scales_t> scales;
    if (spec_.has(row_scale)) find_row_scales(r, block, scales.emplace(*this, block.rows));
    const use_t use = [&](const Xbyak::Xmm &y, int row, int copy, int count) {
        if (r.dst_scale_vec) vdivps(y, y, **r.dst_scale_vec);
        if (scales) scales->divide(y, row);
        io_.store(y, spec_.type(dst), r.operands.at(dst, row, copy), count,
                store_of(spec_.is_dst_non_temporal, count));
    };
    if (spec_.keeps_results) return for_each_kept_result(r, block, next, use);
    const bool is_first = !sweeps_for_statistics(spec_) && !scales;
    for_each_result(r, block, {.is_first = is_first, .is_last = true, .next = next}, use);
}

void row_forward_kernel_t::find_row_scales(registers_t &r, block_t &block, row_scales_t &scales) {
    const sweep_t sweep{.is_first = !sweeps_for_statistics(spec_),
            .is_last = spec_.keeps_results,
            .next = nullptr};
    for_each_result(r, block, sweep, [&](const Xbyak::Xmm &y, int row, int copy, int count) {
        if (spec_.keeps_results) vmovups(ptr[r.walk.at(kept_results(r), row, copy)], y);
        scales.add(y, row, count);
    });
    const gpr_t factor = gpr("address of the factor");
    mov(*factor, ptr[operand_argument(arguments(), row_factor)]);
    scales.finish(*factor, r.operands.rows(row_scale));
}

pitched_rows_t row_forward_kernel_t::kept_results(registers_t &r) const {
    return {**r.scratch + static_cast<int>(scratch_size_of_sums(spec_)), dnnl_f32,
            scratch_pitch(spec_, dnnl_f32)};
}

void row_forward_kernel_t::for_each_result(
        registers_t &r, block_t &block, const sweep_t &sweep, const use_t &use) {
    const row_source_t source(*this, r.walk, source_of(r, block.rows, 0));
    const vec_t y = vec("y");
    std::optional<vec_t> scale_vec, shift_vec;
    if (spec_.has(scale)) scale_vec.emplace(vec("scale"));
    if (spec_.has(shift)) shift_vec.emplace(vec("shift"));
    r.walk.for_each_vector([&](int copy, int count) {
        if (sweep.next) sweep.next->add(copy, count);
        if (sweep.is_last) prefetch(r, block, copy, count);
        if (scale_vec)
            io_.load(*scale_vec, spec_.type(scale), r.operands.at(scale, 0, copy), count);
        if (shift_vec)
            io_.load(*shift_vec, spec_.type(shift), r.operands.at(shift, 0, copy), count);
        for (int row = 0; row < block.rows; ++row) {
            if (sweep.is_first)
                source.load_first(y, row, copy, count);
            else
                source.load(y, row, copy, count);
            if (sweep.is_last && spec_.is_sum_non_temporal)
                store_sum(r, source, y, row, copy, count);
            normalize(r, block, row, y, scale_vec, shift_vec);
            post_ops_.apply(r.walk, y, row, copy, count);
            use(y, row, copy, count);
        }
    });
}

void row_forward_kernel_t::store_sum(registers_t &r, const row_source_t &source,
        const Xbyak::Xmm &x, int row, int copy, int count) {
    const store_t how = store_of(true, count);
    if (keeps_sum(spec_))
        source.copy_sum(r.operands.rows(sum), row, copy, count, how);
    else
        io_.store(x, spec_.type(sum), r.operands.at(sum, row, copy), count, how);
}

void row_forward_kernel_t::prefetch(registers_t &r, const block_t &block, int copy, int count) {
    const bool pays = spec_.is_streamed && spec_.has(src_1) && block.rows == 1 && !keeps_sum(spec_);
    if (!pays || count != lanes()) return;
    constexpr dim_t stride = 128; // the processor fetches cache lines in pairs
    for (const size_t input : {src, src_1})
        if (copy * lanes() * spec_.size(input) % stride == 0)
            prefetcht1(ptr[r.operands.at(input, 1, copy)]);
}

void row_forward_kernel_t::for_each_kept_result(
        registers_t &r, block_t &block, row_statistics_t *next, const use_t &use) {
    const vec_t y = vec("y");
    r.walk.for_each_vector([&](int copy, int count) {
        if (next) next->add(copy, count);
        for (int row = 0; row < block.rows; ++row) {
            vmovups(y, ptr[r.walk.at(kept_results(r), row, copy)]);
            use(y, row, copy, count);
        }
    });
}

void row_forward_kernel_t::normalize(registers_t &r, const block_t &block, int row,
        const Xbyak::Xmm &y, const std::optional<vec_t> &scale_vec,
        const std::optional<vec_t> &shift_vec) {
    if (!block.means.empty()) vsubps(y, y, *block.means[static_cast<size_t>(row)]);
    vmulps(y, y, *block.reciprocals[static_cast<size_t>(row)]);
    if (scale_vec && shift_vec)
        vfmadd213ps(y, **scale_vec, **shift_vec);
    else if (scale_vec)
        vmulps(y, y, **scale_vec);
    else if (shift_vec)
        vaddps(y, y, **shift_vec);
    if (r.src_scale_vec) vmulps(y, y, **r.src_scale_vec);
}

void row_forward_kernel_t::next_rows(registers_t &r, int rows) {
    r.operands.advance(rows);
    post_ops_.advance(r.walk, rows);
    sub(*r.left, rows);
}

} // namespace kiln::x64::layer_normalization
