// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward on rows.

#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"

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

int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }
bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

/// Whether there are no registers to be generous with.
bool is_short_of_registers(const row_forward_spec_t &spec) {
    return jit::vectors_of(spec.isa) < 32;
}

/// Whether there is more to keep in registers than the C interface can ask for.
bool is_fused(const row_forward_spec_t &spec) {
    return is_used(spec.src_1_type) || is_used(spec.row_scale_type);
}

/// As many rows as the first-level cache holds twice over, or, of more tensors, once. Rows from
/// memory go alone, since short turns of reading and writing suit it best, unless four of them make
/// a short turn.
int choose_rows_at_once(const row_forward_spec_t &spec) {
    constexpr dim_t turn_bytes = 1024;
    const dim_t cached_bytes = is_fused(spec) ? 24576 : 12288;
    if (is_short_of_registers(spec) && is_fused(spec)) return 1;
    const dim_t src_bytes = spec.cols * (size_of(spec.src_type) + size_of(spec.src_1_type));
    const dim_t row_bytes =
            src_bytes + spec.cols * (size_of(spec.dst_type) + size_of(spec.sum_type));
    if (spec.is_streamed && 4 * src_bytes > turn_bytes) return 1;
    dim_t pitch = std::max({spec.src_pitch, spec.dst_pitch, spec.stat_pitch, spec.src_1_pitch,
            spec.sum_pitch, spec.row_scale_pitch});
    for (const dim_t operand_pitch : spec.operand_pitches) pitch = std::max(pitch, operand_pitch);
    // Each row of a block has a copy of the post-ops' code, and its scale a register.
    const bool is_heavy = !spec.post_ops.empty() || is_used(spec.row_scale_type);
    const int most = is_short_of_registers(spec) || is_heavy ? 2 : 4;
    for (int rows = most; rows > 1; rows /= 2) {
        // Rows are addressed by displacements of 32 bits, two blocks of them where they overlap.
        const bool is_near = 2 * rows * pitch <= std::numeric_limits<int32_t>::max() / 2;
        if (is_near && rows <= spec.rows && rows * row_bytes <= cached_bytes) return rows;
    }
    return 1;
}

/// Accumulators of a row's sum: enough to hide an addition's latency.
int choose_accumulators(const row_forward_spec_t &spec, int rows_at_once) {
    if (rows_at_once == 1) return 4;
    return is_short_of_registers(spec) ? 1 : 4 / rows_at_once;
}

/// Whether the sum is in the scratch before it is stored.
bool keeps_sum(const row_forward_spec_t &spec) {
    return spec.is_sum_non_temporal && spec.sum_type != dnnl_f32;
}

/// Whether registers suffice to find the next rows' statistics on the way, and it pays.
bool choose_overlap(const row_forward_spec_t &spec, int rows_at_once) {
    const bool has_registers = !is_short_of_registers(spec)
                               || (!is_used(spec.src_scale_type) && !is_used(spec.dst_scale_type)
                                       && spec.post_ops.empty());
    // The scratch has no place for the next rows' sum.
    return rows_at_once > 1 && spec.statistics != statistics_t::given && has_registers
           && !keeps_sum(spec);
}

/// Whether x of a row is found before there is y.
bool sweeps_for_statistics(const row_forward_spec_t &spec) {
    return spec.statistics != statistics_t::given;
}

/// From a row to the next in the scratch: whole cache lines.
dim_t scratch_pitch(const row_forward_spec_t &spec, data_type_t type) {
    constexpr dim_t line = 64;
    return (spec.cols * size_of(type) + line - 1) / line * line;
}

/// The sums of rows that go together come first, then their y.
dim_t scratch_size_of_sums(const row_forward_spec_t &spec) {
    return keeps_sum(spec) ? choose_rows_at_once(spec) * scratch_pitch(spec, spec.sum_type) : 0;
}

} // namespace

std::string row_forward_spec_t::name() const {
    return jit::kernel_name(
            is_rms ? "rms_norm_fwd_row" : "layer_norm_fwd_row", {src_type, dst_type}, isa);
}

bool row_forward_spec_t::has_non_temporal_stores(data_type_t type) { return size_of(type) > 1; }

size_t row_forward_spec_t::non_temporal_alignment(data_type_t type) const {
    return static_cast<size_t>(jit::lanes_of(isa)) * data_type_size(type);
}

dim_t row_forward_spec_t::scratch_size() const {
    const dim_t results =
            keeps_results ? choose_rows_at_once(*this) * scratch_pitch(*this, dnnl_f32) : 0;
    return scratch_size_of_sums(*this) + results;
}

/// What stays for the whole call.
struct row_forward_kernel_t::registers_t {
    explicit registers_t(row_forward_kernel_t &k)
        : src(k.gpr("src"))
        , dst(k.gpr("dst"))
        , mean_at(k.gpr("address of mean"))
        , variance_at(k.gpr("address of variance"))
        , scale_at(k.gpr("scale"))
        , shift_at(k.gpr("shift"))
        , left(k.gpr("rows left"))
        , walk(k, k.io_, k.spec_.cols) {
        if (is_used(k.spec_.src_scale_type)) src_scale.emplace(k.vec("src scale"));
        if (is_used(k.spec_.dst_scale_type)) dst_scale.emplace(k.vec("dst scale"));
        if (is_used(k.spec_.src_1_type)) src_1.emplace(k.gpr("src_1"));
        if (is_used(k.spec_.sum_type)) sum.emplace(k.gpr("sum"));
        if (is_used(k.spec_.row_scale_type)) row_scale_at.emplace(k.gpr("address of row_scale"));
        if (k.spec_.scratch_size() > 0) scratch.emplace(k.gpr("scratch"));
    }
    gpr_t src, dst, mean_at, variance_at, scale_at, shift_at, left;
    row_walk_t walk;
    std::optional<vec_t> src_scale, dst_scale;
    std::optional<gpr_t> src_1, sum, row_scale_at, scratch;
};

/// What the rows that go together need.
struct row_forward_kernel_t::block_t {
    block_t(row_forward_kernel_t &k, int rows_)
        : rows(rows_) {
        for (int row = 0; row < rows; ++row) {
            if (!k.spec_.is_rms) mean.push_back(k.vec("mean"));
            r.push_back(k.vec("1 / sqrt(variance + epsilon)"));
        }
    }
    const int rows;
    std::vector<vec_t> mean, r; // of each row, in every lane
};

row_forward_kernel_t::row_forward_kernel_t(const row_forward_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , rows_at_once_(choose_rows_at_once(spec))
    , accumulators_(choose_accumulators(spec, rows_at_once_))
    , is_overlapped_(choose_overlap(spec, rows_at_once_))
    , io_(*this)
    , post_ops_(*this, io_, arguments() + offsetof(row_forward_args_t, operands), spec.post_ops,
              spec.operand_pitches) {}

void row_forward_kernel_t::generate() {
    registers_t r(*this);
    const auto load_argument = [&](const gpr_t &reg, size_t offset) {
        mov(*reg, ptr[arguments() + offset]);
    };
    load_argument(r.src, offsetof(row_forward_args_t, src));
    load_argument(r.dst, offsetof(row_forward_args_t, dst));
    load_argument(r.mean_at, offsetof(row_forward_args_t, mean));
    load_argument(r.variance_at, offsetof(row_forward_args_t, variance));
    load_argument(r.scale_at, offsetof(row_forward_args_t, scale));
    load_argument(r.shift_at, offsetof(row_forward_args_t, shift));
    load_argument(r.left, offsetof(row_forward_args_t, rows));
    const auto load_scale = [&](std::optional<vec_t> &vec, data_type_t type, size_t offset) {
        if (!vec) return;
        const gpr_t at = gpr("address of a scale");
        load_argument(at, offset);
        io_.load_broadcast(**vec, type, *at);
    };
    load_scale(r.src_scale, spec_.src_scale_type, offsetof(row_forward_args_t, src_scale));
    load_scale(r.dst_scale, spec_.dst_scale_type, offsetof(row_forward_args_t, dst_scale));
    if (r.src_1) load_argument(*r.src_1, offsetof(row_forward_args_t, src_1));
    if (r.sum) load_argument(*r.sum, offsetof(row_forward_args_t, sum));
    if (r.row_scale_at) load_argument(*r.row_scale_at, offsetof(row_forward_args_t, row_scale));
    if (r.scratch) load_argument(*r.scratch, offsetof(row_forward_args_t, scratch));

    write_rows(r, rows_at_once_);
    if (rows_at_once_ > 1) write_rows(r, 1);
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
    const auto from = [&](const gpr_t &base, data_type_t type, dim_t pitch) {
        return pitched_rows_t{*base + static_cast<int>(first_row * pitch), type, pitch};
    };
    source_rows_t src{rows, from(r.src, spec_.src_type, spec_.src_pitch), spec_.is_streamed};
    if (!r.src_1) return src;
    src.added.emplace(
            added_rows_t{from(*r.src_1, spec_.src_1_type, spec_.src_1_pitch), std::nullopt});
    if (keeps_sum(spec_))
        src.added->sum.emplace(
                from(*r.scratch, spec_.sum_type, scratch_pitch(spec_, spec_.sum_type)));
    else if (r.sum && !spec_.is_sum_non_temporal)
        src.added->sum.emplace(from(*r.sum, spec_.sum_type, spec_.sum_pitch));
    return src;
}

row_statistics_t row_forward_kernel_t::statistics_of(registers_t &r, int rows, int first_row) {
    return {*this, r.walk, source_of(r, rows, first_row), spec_.is_rms, accumulators_};
}

void row_forward_kernel_t::find_statistics(registers_t &r, block_t &block) {
    if (spec_.statistics == statistics_t::given)
        load_moments(*this, block.mean, block.r, {*r.mean_at, spec_.stat_type, spec_.stat_pitch},
                {*r.variance_at, spec_.stat_type, spec_.stat_pitch}, spec_.epsilon);
    else
        take_statistics(r, block, statistics_of(r, block.rows, 0).find(), 0);
}

void row_forward_kernel_t::take_statistics(
        registers_t &r, block_t &block, const row_moments_t &moments, int first_row) {
    const bool stores = spec_.statistics == statistics_t::computed_and_stored;
    const auto offset = static_cast<int>(first_row * spec_.stat_pitch);
    const auto store = [&](const gpr_t &base, const vec_t &lanes) {
        if (stores)
            store_lanes(
                    *this, lanes, {*base + offset, spec_.stat_type, spec_.stat_pitch}, block.rows);
    };
    if (moments.mean) store(r.mean_at, *moments.mean);
    store(r.variance_at, moments.variance);
    spread_moments(*this, block.mean, block.r, moments, spec_.epsilon);
}

void row_forward_kernel_t::write_result(registers_t &r, block_t &block, row_statistics_t *next) {
    const store_t how = spec_.is_non_temporal ? store_t::non_temporal : store_t::ordinary;
    std::optional<row_scales_t> scales;
    if (r.row_scale_at) find_row_scales(r, block, scales.emplace(*this, block.rows));
    const use_t use = [&](const Xbyak::Xmm &y, int row, int copy, int count) {
        if (r.dst_scale) vdivps(y, y, **r.dst_scale);
        if (scales) scales->divide(y, row);
        const auto to = r.walk.at(*r.dst, spec_.dst_type, copy, row * spec_.dst_pitch);
        io_.store(y, spec_.dst_type, to, count, count == lanes() ? how : store_t::ordinary);
    };
    if (spec_.keeps_results)
        for_each_kept_result(r, block, next, use);
    else
        for_each_result(
                r, block, {!sweeps_for_statistics(spec_) && !r.row_scale_at, true, next}, use);
}

void row_forward_kernel_t::find_row_scales(registers_t &r, block_t &block, row_scales_t &scales) {
    const sweep_t sweep{!sweeps_for_statistics(spec_), spec_.keeps_results, nullptr};
    for_each_result(r, block, sweep, [&](const Xbyak::Xmm &y, int row, int copy, int count) {
        if (spec_.keeps_results) vmovups(ptr[place_of_result(r, row, copy)], y);
        scales.add(y, row, count);
    });
    const gpr_t factor = gpr("address of the factor");
    mov(*factor, ptr[arguments() + offsetof(row_forward_args_t, row_factor)]);
    scales.finish(*factor, {**r.row_scale_at, spec_.row_scale_type, spec_.row_scale_pitch});
}

Xbyak::RegExp row_forward_kernel_t::place_of_result(registers_t &r, int row, int copy) const {
    return r.walk.at(**r.scratch, dnnl_f32, copy,
            scratch_size_of_sums(spec_) + row * scratch_pitch(spec_, dnnl_f32));
}

void row_forward_kernel_t::for_each_result(
        registers_t &r, block_t &block, const sweep_t &sweep, const use_t &use) {
    const row_source_t source(*this, r.walk, source_of(r, block.rows, 0));
    const vec_t y = vec("y");
    std::optional<vec_t> scale, shift;
    if (is_used(spec_.scale_type)) scale.emplace(vec("scale"));
    if (is_used(spec_.shift_type)) shift.emplace(vec("shift"));
    const auto load_weight = [&](std::optional<vec_t> &weight, const gpr_t &base, data_type_t type,
                                     int copy, int count) {
        if (weight) io_.load(*weight, type, r.walk.at(*base, type, copy), count);
    };
    r.walk.for_each_vector([&](int copy, int count) {
        if (sweep.next) sweep.next->add(copy, count);
        if (sweep.is_last) prefetch(r, block, copy, count);
        load_weight(scale, r.scale_at, spec_.scale_type, copy, count);
        load_weight(shift, r.shift_at, spec_.shift_type, copy, count);
        for (int row = 0; row < block.rows; ++row) {
            if (sweep.is_first)
                source.load_first(y, row, copy, count);
            else
                source.load(y, row, copy, count);
            if (sweep.is_last && spec_.is_sum_non_temporal)
                move_sum(r, source, y, row, copy, count);
            normalize(r, block, row, y, scale, shift);
            post_ops_.apply(r.walk, y, row, copy, count);
            use(y, row, copy, count);
        }
    });
}

void row_forward_kernel_t::move_sum(registers_t &r, const row_source_t &source, const Xbyak::Xmm &x,
        int row, int copy, int count) {
    const pitched_rows_t to{**r.sum, spec_.sum_type, spec_.sum_pitch};
    const store_t how = count == lanes() ? store_t::non_temporal : store_t::ordinary;
    if (keeps_sum(spec_))
        source.copy_sum(to, row, copy, count, how);
    else
        io_.store(x, to.type, r.walk.at(to, row, copy), count, how);
}

void row_forward_kernel_t::prefetch(registers_t &r, const block_t &block, int copy, int count) {
    const bool pays = spec_.is_streamed && r.src_1 && block.rows == 1 && !keeps_sum(spec_);
    if (!pays || count != lanes()) return;
    const auto fetch = [&](const gpr_t &base, data_type_t type, dim_t pitch) {
        constexpr int stride = 128; // the line beside it comes along
        if (copy * lanes() * size_of(type) % stride != 0) return;
        prefetcht1(ptr[r.walk.at(*base, type, copy, pitch)]);
    };
    fetch(r.src, spec_.src_type, spec_.src_pitch);
    fetch(*r.src_1, spec_.src_1_type, spec_.src_1_pitch);
}

void row_forward_kernel_t::for_each_kept_result(
        registers_t &r, block_t &block, row_statistics_t *next, const use_t &use) {
    const vec_t y = vec("y");
    r.walk.for_each_vector([&](int copy, int count) {
        if (next) next->add(copy, count);
        for (int row = 0; row < block.rows; ++row) {
            vmovups(y, ptr[place_of_result(r, row, copy)]);
            use(y, row, copy, count);
        }
    });
}

void row_forward_kernel_t::normalize(registers_t &r, const block_t &block, int row,
        const Xbyak::Xmm &y, const std::optional<vec_t> &scale, const std::optional<vec_t> &shift) {
    if (!block.mean.empty()) vsubps(y, y, *block.mean[static_cast<size_t>(row)]);
    vmulps(y, y, *block.r[static_cast<size_t>(row)]);
    if (scale && shift)
        vfmadd213ps(y, **scale, **shift);
    else if (scale)
        vmulps(y, y, **scale);
    else if (shift)
        vaddps(y, y, **shift);
    if (r.src_scale) vmulps(y, y, **r.src_scale);
}

void row_forward_kernel_t::next_rows(registers_t &r, int rows) {
    r.walk.advance(r.src, rows * spec_.src_pitch);
    r.walk.advance(r.dst, rows * spec_.dst_pitch);
    r.walk.advance(r.mean_at, rows * spec_.stat_pitch);
    r.walk.advance(r.variance_at, rows * spec_.stat_pitch);
    if (r.src_1) r.walk.advance(**r.src_1, rows * spec_.src_1_pitch);
    if (r.sum) r.walk.advance(**r.sum, rows * spec_.sum_pitch);
    if (r.row_scale_at) r.walk.advance(**r.row_scale_at, rows * spec_.row_scale_pitch);
    post_ops_.advance(r.walk, rows);
    sub(*r.left, rows);
}

} // namespace kiln::x64::layer_normalization
