// SPDX-License-Identifier: Apache-2.0
// Gradients of layer and RMS normalization of rows of floats, bf16 and f16. They may overflow near
// the largest float in a product with scale or xhat.

#include <type_traits>

#include "common/integers.hpp"
#include "cpu/reference/normalization/layer_normalization_rows_impl.hpp"
#include "cpu/reference/tasks.hpp"

namespace kiln::cpu::reference::rows {
namespace {

class rows_backward_t final : public rows_t {
public:
    explicit rows_backward_t(const layer_normalization_pd_t &pd)
        : rows_t(pd)
        , diff_dst_(pd.diff_dst(), pd.slot_of(DNNL_ARG_DIFF_DST))
        , diff_src_(pd.diff_src(), pd.slot_of(DNNL_ARG_DIFF_SRC))
        , diff_scale_slot_(pd.slot_of(DNNL_ARG_DIFF_SCALE))
        , diff_shift_slot_(pd.slot_of(DNNL_ARG_DIFF_SHIFT)) {}

    static size_t scratchpad_bytes(const layer_normalization_pd_t &pd) {
        const dim_t sums = pd.has_weight_gradients() ? 2 * pd.cols() * chunks_of(pd) : 0;
        return static_cast<size_t>(sums) * (sizeof(double) + sizeof(float))
               + static_cast<size_t>(pd.cols()) * sizeof(float);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const dim_t cols = pd_.cols(), rows = pd_.rows();
        const bool has_sums = ctx.has(diff_scale_slot_) || ctx.has(diff_shift_slot_);
        const dim_t sum_count = pd_.has_weight_gradients() ? 2 * cols * chunks_of(pd_) : 0;
        auto *const sums = reinterpret_cast<double *>(ctx.scratchpad());
        auto *const float_sums = reinterpret_cast<float *>(sums + sum_count);
        const float *const scale = vector_of(ctx, scale_slot_, float_sums + sum_count, 1.f);
        const dim_t rows_of_chunk =
                has_sums ? divide_up(rows, chunks_of(pd_)) : items_of_task(cols);
        parallel_chunks(rows, rows_of_chunk, [&](dim_t begin, dim_t end) {
            const dim_t first = begin / rows_of_chunk * 2 * cols;
            weight_sums_t own;
            if (has_sums) own = weight_sums_t(sums + first, float_sums + first, cols);
            const bool is_converted =
                    src_.is_converted() || diff_dst_.is_converted() || diff_src_.is_converted();
            row_buffer_t converted(is_converted ? 2 * cols : 0);
            for (dim_t i = begin; i < end; ++i) execute_row(ctx, i, scale, own, converted.data());
            own.join();
        });
        if (has_sums) add_sums(ctx, sums, divide_up(rows, rows_of_chunk));
        return dnnl_success;
    }

private:
    /// Gradients of scale and shift of a chunk: sums in double, and those of the last rows in
    /// float.
    class weight_sums_t {
    public:
        weight_sums_t() = default;
        weight_sums_t(double *sums, float *recent, dim_t cols)
            : sums_(sums)
            , recent_(recent)
            , cols_(cols) {
            std::fill_n(sums_, 2 * cols_, 0.);
            std::fill_n(recent_, 2 * cols_, 0.f);
        }
        bool exist() const { return sums_ != nullptr; }

        /// Adds an element, or four adjacent ones, of column c: of rows whose elements are floats.
        void add(dim_t c, float dy, float xhat) const {
            recent_[c] += dy * xhat;
            recent_[cols_ + c] += dy;
        }
        void add(dim_t c, float4_t dy, float4_t xhat) const {
            float *const scale = recent_ + c, *const shift = scale + cols_;
            _mm_storeu_ps(scale, _mm_loadu_ps(scale) + dy * xhat);
            _mm_storeu_ps(shift, _mm_loadu_ps(shift) + dy);
        }
        void add(dim_t c, float dy, double xhat) const {
            sums_[c] += static_cast<double>(dy) * xhat;
            sums_[cols_ + c] += static_cast<double>(dy);
        }
        void end_row() {
            constexpr dim_t most_rows = 32; // whose sums are in float
            if (exist() && ++rows_ == most_rows) join();
        }
        void join() {
            if (rows_ == 0) return;
            KILN_ITERATIONS_ARE_INDEPENDENT
            for (dim_t i = 0; i < 2 * cols_; ++i) {
                sums_[i] += static_cast<double>(recent_[i]);
                recent_[i] = 0;
            }
            rows_ = 0;
        }

    private:
        double *sums_ = nullptr; // of scale, then of shift
        float *recent_ = nullptr;
        dim_t cols_ = 0, rows_ = 0;
    };

    /// Chunks of rows that each add gradients of scale and shift of their own: at most 12 MiB of
    /// sums.
    static dim_t chunks_of(const layer_normalization_pd_t &pd) {
        constexpr dim_t most = 32, most_columns = dim_t(1) << 19;
        const dim_t rows = divide_up(pd.rows(), items_of_task(pd.cols()));
        return std::clamp(most_columns / pd.cols(), dim_t(1), std::min(most, rows));
    }

    /// diff_src of a row; adds the row to the gradients of scale and shift, if they exist.
    /// `converted`: a row of src, which diff_src replaces, and one of diff_dst.
    void execute_row(const exec_ctx_t &ctx, dim_t row, const float *scale, weight_sums_t &sums,
            float *converted) const {
        const dim_t cols = pd_.cols();
        const float *const x = src_.input(ctx, row, converted, cols);
        float *const second = converted + (diff_dst_.is_converted() ? cols : 0);
        const float *const dy = diff_dst_.input(ctx, row, second, cols);
        const scaled_moments_t moments(given_moments(ctx, row), pd_.desc().epsilon);
        moments.with_normalizer(pd_.is_rms(), [&](const auto xhat) {
            const row_t of_row{x, dy, scale};
            two_sums_t totals = sums.exist() ? sums_of<true>(of_row, xhat, sums)
                                             : sums_of<false>(of_row, xhat, sums);
            if (pd_.has_global_stats()) totals = {};
            if (pd_.is_rms()) totals.first = 0;
            if (!ctx.has(diff_src_.slot)) return;
            float *const dx = diff_src_.output(ctx, row, converted);
            differentiate(of_row, xhat, totals, dx);
            diff_src_.store(ctx, row, dx, cols);
        });
        sums.end_row();
    }

    struct row_t {
        const float *x, *dy, *scale;
    };

    /// The sums of g and of g * xhat, where g = scale * diff_dst; adds the row to `weight_sums`.
    template <bool has_weight_sums, typename xhat_t>
    two_sums_t sums_of(
            const row_t &row, const xhat_t xhat, const weight_sums_t &weight_sums) const {
        using value_t = typename xhat_t::value_t;
        const auto add = [&](dim_t c, double &sum, double &product) {
            const value_t h = xhat(row.x[c]), g = static_cast<value_t>(row.dy[c]) * row.scale[c];
            sum += static_cast<double>(g);
            product += static_cast<double>(g) * static_cast<double>(h);
            if constexpr (has_weight_sums) weight_sums.add(c, row.dy[c], h);
        };
        if constexpr (std::is_same_v<value_t, float>) {
            // It captures copies, which no store can change.
            return sums_of_row(
                    pd_.cols(),
                    [=](dim_t c, float4_t &sum, float4_t &product) {
                        const float4_t dy = _mm_loadu_ps(row.dy + c);
                        const float4_t h = xhat(_mm_loadu_ps(row.x + c));
                        const float4_t g = dy * _mm_loadu_ps(row.scale + c);
                        sum += g;
                        product += g * h;
                        if constexpr (has_weight_sums) weight_sums.add(c, dy, h);
                    },
                    add);
        } else {
            two_sums_t sums;
            for (dim_t c = 0; c < pd_.cols(); ++c) add(c, sums.first, sums.second);
            return sums;
        }
    }

    /// r * (g - mean(g) - xhat * mean(g * xhat))
    template <typename xhat_t>
    void differentiate(
            const row_t &row, const xhat_t xhat, const two_sums_t &totals, float *dx) const {
        using value_t = typename xhat_t::value_t;
        const dim_t cols = pd_.cols();
        const auto n = static_cast<double>(cols), r = static_cast<double>(xhat.r);
        const double slope = r * totals.second / n;
        const auto by_x = static_cast<value_t>(slope);
        const auto by_g =
                static_cast<value_t>(totals.first / n - static_cast<double>(xhat.rest) * slope);
        KILN_ITERATIONS_ARE_INDEPENDENT
        for (dim_t c = 0; c < cols; ++c) { // dx may be x or dy
            const value_t g = static_cast<value_t>(row.dy[c]) * row.scale[c];
            const value_t d = static_cast<value_t>(row.x[c]) - xhat.pivot;
            dx[c] = static_cast<float>(xhat.r * (g - by_g - d * by_x));
        }
    }

    /// Adds the sums of chunks in order.
    void add_sums(const exec_ctx_t &ctx, double *sums, dim_t chunks) const {
        const dim_t cols = pd_.cols();
        parallel_chunks(2 * cols, items_of_task(chunks), [&](dim_t begin, dim_t end) {
            for (dim_t chunk = 1; chunk < chunks; ++chunk)
                for (dim_t c = begin; c < end; ++c) sums[c] += sums[chunk * 2 * cols + c];
        });
        const tensor_t gradient(pd_.diff_scale_shift());
        const auto store = [&](int slot, const double *from) {
            if (ctx.has(slot))
                gradient.store(ctx.output(slot), 0, 0, 0, {from, static_cast<size_t>(cols)});
        };
        store(diff_scale_slot_, sums);
        store(diff_shift_slot_, sums + cols);
    }

    row_tensor_t diff_dst_, diff_src_;
    int diff_scale_slot_, diff_shift_slot_;
};

} // namespace

refusal_t accept_backward(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    pd.set_scratchpad_size(rows_backward_t::scratchpad_bytes(pd));
    return accepted_for<rows_backward_t>(pd, plan);
}

} // namespace kiln::cpu::reference::rows
