// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of f32 rows whose elements are adjacent. Sums are in double, in an
// order that the length of the row fixes. Elements are computed in float about the mean that is
// rounded to float, plus what the rounding left; in double where the mean or 1 / sqrt(variance +
// epsilon) is beyond the range in which that is as precise. Gradients near the largest float may
// overflow in a product with scale.

#include "cpu/reference/normalization/layer_normalization_rows.hpp"

#include <algorithm>
#include <cmath>

#include <emmintrin.h>

#include "common/integers.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/reference/normalization/layer_normalization_impl.hpp"

/// Before a loop whose iterations read and write no element of each other.
#ifdef __clang__
#define KILN_ITERATIONS_ARE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KILN_ITERATIONS_ARE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace kiln::cpu::reference {
namespace {

using double2_t = __m128d;

/// Two adjacent elements in double, by SSE2, which every x86-64 processor has.
double2_t load_two(const float *from) {
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(from))));
}
double2_t load_two(const double *from) { return double2_t{from[0], from[1]}; }

/// Two sums over the elements of a row. Element c is added to partial sum c % 8.
struct row_sums_t {
    double first, second;

    /// add(c, a, b) adds elements c and c + 1 to the partial sums a and b; add_last(c, a, b) adds
    /// element c to two sums.
    template <typename add_t, typename add_last_t>
    row_sums_t(dim_t count, const add_t &add, const add_last_t &add_last)
        : first(0)
        , second(0) {
        double2_t a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
        const dim_t whole = count - count % 8;
        for (dim_t c = 0; c < whole; c += 8) {
            add(c, a0, b0);
            add(c + 2, a1, b1);
            add(c + 4, a2, b2);
            add(c + 6, a3, b3);
        }
        for (dim_t c = whole; c < count; ++c) add_last(c, first, second);
        const double2_t a = (a0 + a1) + (a2 + a3), b = (b0 + b1) + (b2 + b3);
        first += a[0] + a[1];
        second += b[0] + b[1];
    }
};

/// Mean and variance from sums about the first element, which is within sqrt(count) standard
/// deviations of the mean: in double, no digit of a float is lost. Sums of RMS normalization are
/// about 0.
row_moments_t row_moments_of(const float *x, dim_t count, bool is_rms) {
    const double pivot = is_rms || !std::isfinite(x[0]) ? 0. : static_cast<double>(x[0]);
    const auto add = [&](auto &sum, auto &square, auto value) {
        const auto d = value - pivot;
        sum += d;
        square += d * d;
    };
    const row_sums_t sums(
            count,
            [&](dim_t c, double2_t &sum, double2_t &square) { add(sum, square, load_two(x + c)); },
            [&](dim_t c, double &sum, double &square) {
                add(sum, square, static_cast<double>(x[c]));
            });
    const auto n = static_cast<double>(count);
    if (is_rms) return {0, sums.second / n};
    const double distance = sums.first / n;
    const double variance = sums.second / n - distance * distance;
    return {pivot + distance, variance < 0 ? 0 : variance}; // NaN stays
}

/// xhat = (x - mean) * r, computed in value_t.
template <typename value_t> struct normalizer_t {
    value_t pivot, rest, r;

    normalizer_t(double mean, double exact_r)
        : pivot(static_cast<value_t>(mean))
        , rest(static_cast<value_t>(mean - static_cast<double>(pivot)))
        , r(static_cast<value_t>(exact_r)) {}
    value_t operator()(float x) const { return ((static_cast<value_t>(x) - pivot) - rest) * r; }
};

/// Statistics of a row as it is computed with.
struct scaled_moments_t {
    double mean, r;

    scaled_moments_t(const row_moments_t &moments, float epsilon)
        : mean(moments.mean)
        , r(1. / std::sqrt(moments.variance + static_cast<double>(epsilon))) {}

    /// Calls body(normalizer) in float, if neither r nor the distance of an element from the mean
    /// can leave float's range; in double otherwise.
    template <typename body_t> void with_normalizer(const body_t &body) const {
        if (r > 1e-15 && r < 1e15 && std::abs(mean) < 1e30)
            body(normalizer_t<float>(mean, r));
        else
            body(normalizer_t<double>(mean, r));
    }
};

/// The addresses of rows of a tensor.
struct row_tensor_t {
    tensor_t tensor;
    int slot;

    const float *input(const exec_ctx_t &ctx, const odometer_t &row) const {
        return static_cast<const float *>(ctx.input(slot)) + row.offset(tensor.layout());
    }
    float *output(const exec_ctx_t &ctx, const odometer_t &row) const {
        return static_cast<float *>(ctx.output(slot)) + row.offset(tensor.layout());
    }
};

/// What both directions have.
class rows_t : public primitive_impl_t {
protected:
    explicit rows_t(const layer_normalization_pd_t &pd)
        : pd_(pd)
        , src_{tensor_t(pd.src()), pd.slot_of(DNNL_ARG_SRC)}
        , stat_(pd.stat())
        , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
        , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
        , scale_slot_(pd.slot_of(DNNL_ARG_SCALE)) {}

    odometer_t row_at(dim_t index) const {
        return odometer_t(pd_.src().ndims - 1, pd_.src().dims, index);
    }
    row_moments_t given_moments(const exec_ctx_t &ctx, const odometer_t &row) const {
        const dim_t offset = row.offset(stat_.layout());
        return {pd_.is_rms() ? 0. : stat_.load(ctx.input(mean_slot_), offset),
                stat_.load(ctx.input(variance_slot_), offset)};
    }
    /// The vector of an argument; without it, `neutral` in each element of `buffer`.
    const float *vector_of(const exec_ctx_t &ctx, int slot, float *buffer, float neutral) const {
        const void *data = ctx.input(slot);
        if (data) return static_cast<const float *>(data);
        std::fill_n(buffer, pd_.cols(), neutral);
        return buffer;
    }

    const layer_normalization_pd_t &pd_;
    row_tensor_t src_;
    tensor_t stat_;
    int mean_slot_, variance_slot_, scale_slot_;
};

class rows_forward_t final : public rows_t {
public:
    explicit rows_forward_t(const layer_normalization_pd_t &pd)
        : rows_t(pd)
        , dst_{tensor_t(pd.dst()), pd.slot_of(DNNL_ARG_DST)}
        , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT)) {}

    static size_t scratchpad_bytes(const layer_normalization_pd_t &pd) {
        return static_cast<size_t>(2 * pd.cols()) * sizeof(float);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        auto *const buffer = reinterpret_cast<float *>(ctx.scratchpad());
        const float *const scale = vector_of(ctx, scale_slot_, buffer, 1.f);
        const float *const shift = vector_of(ctx, shift_slot_, buffer + pd_.cols(), 0.f);
        parallel_chunks(pd_.rows(), rows_per_task(pd_.cols()), [&](dim_t begin, dim_t end) {
            odometer_t row = row_at(begin);
            for (dim_t i = begin; i < end; ++i, row.next()) execute_row(ctx, row, scale, shift);
        });
        return dnnl_success;
    }

private:
    void execute_row(const exec_ctx_t &ctx, const odometer_t &row, const float *scale,
            const float *shift) const {
        const dim_t cols = pd_.cols();
        const float *const x = src_.input(ctx, row);
        float *const y = dst_.output(ctx, row);
        const row_moments_t moments = pd_.has_global_stats()
                                              ? given_moments(ctx, row)
                                              : row_moments_of(x, cols, pd_.is_rms());
        if (pd_.writes_stats()) {
            const dim_t offset = row.offset(stat_.layout());
            if (!pd_.is_rms()) stat_.store(ctx.output(mean_slot_), offset, moments.mean);
            stat_.store(ctx.output(variance_slot_), offset, moments.variance);
        }
        scaled_moments_t(moments, pd_.desc().epsilon).with_normalizer([&](const auto xhat) {
            KILN_ITERATIONS_ARE_INDEPENDENT
            for (dim_t c = 0; c < cols; ++c) // y may be x
                y[c] = static_cast<float>(xhat(x[c]) * scale[c] + shift[c]);
        });
    }

    row_tensor_t dst_;
    int shift_slot_;
};

class rows_backward_t final : public rows_t {
public:
    explicit rows_backward_t(const layer_normalization_pd_t &pd)
        : rows_t(pd)
        , diff_dst_{tensor_t(pd.diff_dst()), pd.slot_of(DNNL_ARG_DIFF_DST)}
        , diff_src_{tensor_t(pd.diff_src()), pd.slot_of(DNNL_ARG_DIFF_SRC)}
        , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
        , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {}

    static size_t scratchpad_bytes(const layer_normalization_pd_t &pd) {
        const dim_t sums = pd.has_weight_gradients() ? 2 * pd.cols() * chunks_of(pd) : 0;
        return static_cast<size_t>(sums) * sizeof(double)
               + static_cast<size_t>(pd.cols()) * sizeof(float);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const dim_t cols = pd_.cols(), rows = pd_.rows();
        const bool has_sums = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
        const dim_t sum_count = pd_.has_weight_gradients() ? 2 * cols * chunks_of(pd_) : 0;
        auto *const sums = reinterpret_cast<double *>(ctx.scratchpad());
        const float *const scale =
                vector_of(ctx, scale_slot_, reinterpret_cast<float *>(sums + sum_count), 1.f);
        const dim_t rows_of_chunk =
                has_sums ? divide_up(rows, chunks_of(pd_)) : rows_per_task(cols);
        parallel_chunks(rows, rows_of_chunk, [&](dim_t begin, dim_t end) {
            double *const own = has_sums ? sums + begin / rows_of_chunk * 2 * cols : nullptr;
            if (own) std::fill_n(own, 2 * cols, 0.);
            odometer_t row = row_at(begin);
            for (dim_t i = begin; i < end; ++i, row.next()) execute_row(ctx, row, scale, own);
        });
        if (has_sums) add_sums(ctx, sums, divide_up(rows, rows_of_chunk));
        return dnnl_success;
    }

private:
    /// Chunks of rows that each add gradients of scale and shift of their own: at most 8 MiB of
    /// sums.
    static dim_t chunks_of(const layer_normalization_pd_t &pd) {
        constexpr dim_t most = 32, most_columns = dim_t(1) << 19;
        const dim_t rows = divide_up(pd.rows(), rows_per_task(pd.cols()));
        return std::clamp(most_columns / pd.cols(), dim_t(1), std::min(most, rows));
    }

    /// diff_src of a row; adds the row to the gradients of scale and shift, unless `sums` is null.
    void execute_row(
            const exec_ctx_t &ctx, const odometer_t &row, const float *scale, double *sums) const {
        const float *const x = src_.input(ctx, row);
        const float *const dy = diff_dst_.input(ctx, row);
        const scaled_moments_t moments(given_moments(ctx, row), pd_.desc().epsilon);
        moments.with_normalizer([&](const auto xhat) {
            const auto [mean_g, mean_g_xhat] = add_row(x, dy, scale, xhat, sums);
            if (ctx.has(diff_src_.slot))
                differentiate(x, dy, scale, xhat, mean_g, mean_g_xhat, diff_src_.output(ctx, row));
        });
    }

    template <typename value_t> struct means_t { value_t g, g_xhat; };

    /// The means over a row that diff_src subtracts, where g = scale * diff_dst.
    template <typename value_t>
    means_t<value_t> add_row(const float *x, const float *dy, const float *scale,
            const normalizer_t<value_t> xhat, double *sums) const {
        constexpr dim_t block = 512;
        value_t xhats[block], gs[block];
        double total_g = 0, total_g_xhat = 0;
        const dim_t cols = pd_.cols();
        for (dim_t begin = 0; begin < cols; begin += block) {
            const dim_t count = std::min(block, cols - begin);
            for (dim_t i = 0; i < count; ++i) {
                xhats[i] = xhat(x[begin + i]);
                gs[i] = static_cast<value_t>(dy[begin + i]) * scale[begin + i];
            }
            const row_sums_t totals(
                    count,
                    [&](dim_t i, double2_t &sum, double2_t &product) {
                        const double2_t g = load_two(gs + i);
                        sum += g;
                        product += g * load_two(xhats + i);
                    },
                    [&](dim_t i, double &sum, double &product) {
                        const auto g = static_cast<double>(gs[i]);
                        sum += g;
                        product += g * static_cast<double>(xhats[i]);
                    });
            total_g += totals.first;
            total_g_xhat += totals.second;
            if (!sums) continue;
            double *const scale_sums = sums + begin, *const shift_sums = scale_sums + cols;
            KILN_ITERATIONS_ARE_INDEPENDENT
            for (dim_t i = 0; i < count; ++i) {
                const auto value = static_cast<double>(dy[begin + i]);
                scale_sums[i] += value * static_cast<double>(xhats[i]);
                shift_sums[i] += value;
            }
        }
        if (pd_.has_global_stats()) return {0, 0};
        const auto n = static_cast<double>(cols);
        return {static_cast<value_t>(pd_.is_rms() ? 0. : total_g / n),
                static_cast<value_t>(total_g_xhat / n)};
    }

    template <typename value_t>
    void differentiate(const float *x, const float *dy, const float *scale,
            const normalizer_t<value_t> xhat, value_t mean_g, value_t mean_g_xhat,
            float *dx) const {
        const dim_t cols = pd_.cols();
        KILN_ITERATIONS_ARE_INDEPENDENT
        for (dim_t c = 0; c < cols; ++c) { // dx may be x or dy
            const value_t g = static_cast<value_t>(dy[c]) * scale[c];
            dx[c] = static_cast<float>(xhat.r * (g - mean_g - xhat(x[c]) * mean_g_xhat));
        }
    }

    /// Adds the sums of chunks in order.
    void add_sums(const exec_ctx_t &ctx, double *sums, dim_t chunks) const {
        const dim_t cols = pd_.cols();
        constexpr dim_t cols_per_task = 4096;
        parallel_chunks(2 * cols, cols_per_task, [&](dim_t begin, dim_t end) {
            for (dim_t chunk = 1; chunk < chunks; ++chunk)
                for (dim_t c = begin; c < end; ++c) sums[c] += sums[chunk * 2 * cols + c];
        });
        const auto store = [&](int slot, const double *from) {
            if (!ctx.has(slot)) return;
            auto *const to = static_cast<float *>(ctx.output(slot));
            for (dim_t c = 0; c < cols; ++c) to[c] = static_cast<float>(from[c]);
        };
        store(diff_scale_slot_, sums);
        store(diff_shift_slot_, sums + cols);
    }

    row_tensor_t diff_dst_, diff_src_;
    int diff_scale_slot_, diff_shift_slot_;
};

bool has_adjacent_floats(const memory_desc_t &md) {
    return md.data_type == dnnl_f32 && is_plain(md) && !has_padding(md)
           && (md.dims[md.ndims - 1] == 1 || md.format_desc.blocking.strides[md.ndims - 1] == 1);
}

} // namespace

refusal_t layer_normalization_rows_accept(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    constexpr dim_t longest_row = dim_t(1) << 48; // no memory holds it
    if (pd.cols() > longest_row) return refused("rows have more than 2^48 elements");
    if (pd.attr().first_set_beyond(attr_t::ranks)) return refused("an attribute is set");
    if (!pd.message_size().is_empty()) return refused("results are combined over ranks");
    if (pd.has_src_1() || pd.has_row_scale() || pd.recomputes_stats())
        return refused("the problem goes beyond the C interface");
    const memory_desc_t &other = pd.is_forward() ? pd.dst() : pd.diff_src();
    if (!has_adjacent_floats(pd.src()) || !has_adjacent_floats(other)
            || (!pd.is_forward() && !has_adjacent_floats(pd.diff_dst())))
        return refused("a tensor is not f32, or its last axis is not dense");
    for (const memory_desc_t *md : {&pd.scale_shift(), &pd.diff_scale_shift()})
        if (!is_zero(*md) && md->data_type != dnnl_f32) return refused("scale or shift is not f32");
    if (pd.is_forward()) {
        pd.set_scratchpad_size(rows_forward_t::scratchpad_bytes(pd));
        return accepted_for<rows_forward_t>(pd, plan);
    }
    pd.set_scratchpad_size(rows_backward_t::scratchpad_bytes(pd));
    return accepted_for<rows_backward_t>(pd, plan);
}

} // namespace kiln::cpu::reference
