// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of rows of floats, bf16 and f16.

#include <array>

#include "cpu/reference/normalization/layer_normalization_rows_impl.hpp"
#include "cpu/reference/tasks.hpp"

namespace kiln::cpu::reference::rows {
namespace {

class rows_forward_t final : public rows_t {
public:
    explicit rows_forward_t(const layer_normalization_pd_t &pd)
        : rows_t(pd)
        , dst_(pd.dst(), pd.slot_of(DNNL_ARG_DST))
        , shift_slot_(pd.slot_of(DNNL_ARG_SHIFT)) {}

    static size_t scratchpad_bytes(const layer_normalization_pd_t &pd) {
        return static_cast<size_t>(2 * pd.cols()) * sizeof(float);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        auto *const buffer = reinterpret_cast<float *>(ctx.scratchpad());
        const bool has_weights = ctx.has(scale_slot_) || ctx.has(shift_slot_);
        const float *const scale = has_weights ? vector_of(ctx, scale_slot_, buffer, 1.f) : nullptr;
        const float *const shift =
                has_weights ? vector_of(ctx, shift_slot_, buffer + pd_.cols(), 0.f) : nullptr;
        const bool is_converted = src_.is_converted() || dst_.is_converted();
        const dim_t most = rows_together(pd_.cols());
        parallel_chunks(pd_.rows(), items_of_task(pd_.cols()), [&](dim_t begin, dim_t end) {
            row_buffer_t converted(is_converted ? most * pd_.cols() : 0);
            for (dim_t i = begin; i < end; i += most)
                execute_rows(ctx, i, std::min(most, end - i), scale, shift,
                        is_converted ? converted.data() : nullptr);
        });
        return dnnl_success;
    }

private:
    /// Rows whose statistics are computed one after another, then their square roots, then their
    /// elements, so that a processor computes several square roots and quotients at once.
    static constexpr dim_t most_rows_together = 8;
    static dim_t rows_together(dim_t cols) {
        constexpr dim_t most_elements = 2048;
        return std::clamp(most_elements / cols, dim_t(1), most_rows_together);
    }

    struct row_t {
        const float *x;
        float *y; // may be x
        row_moments_t moments;
        scaled_moments_t scaled;
    };

    /// Rows [begin, begin + count). `scale` and `shift` are both null, or neither is. `converted`:
    /// rows of src, which those of dst replace.
    void execute_rows(const exec_ctx_t &ctx, dim_t begin, dim_t count, const float *scale,
            const float *shift, float *converted) const {
        const dim_t cols = pd_.cols();
        std::array<row_t, most_rows_together> rows;
        for (dim_t i = 0; i < count; ++i) {
            row_t &row = rows[static_cast<size_t>(i)];
            float *const buffer = converted + i * (converted ? cols : 0);
            row.x = src_.input(ctx, begin + i, buffer, cols);
            row.y = dst_.output(ctx, begin + i, buffer);
            row.moments = statistics(ctx, begin + i, row.x);
        }
        for (dim_t i = 0; i < count; ++i) {
            row_t &row = rows[static_cast<size_t>(i)];
            row.scaled = {row.moments, pd_.desc().epsilon};
        }
        for (dim_t i = 0; i < count; ++i) {
            const row_t &row = rows[static_cast<size_t>(i)];
            normalize(row, scale, shift);
            dst_.store(ctx, begin + i, row.y, cols);
        }
    }

    /// Those that are given, or those of x, which are stored where they are an output.
    row_moments_t statistics(const exec_ctx_t &ctx, dim_t row, const float *x) const {
        if (pd_.has_global_stats()) return given_moments(ctx, row);
        const row_moments_t moments = moments_of(x, pd_.cols(), pd_.is_rms());
        if (pd_.writes_stats()) {
            if (!pd_.is_rms()) store_moment(ctx.output(mean_slot_), row, moments.mean);
            store_moment(ctx.output(variance_slot_), row, moments.variance);
        }
        return moments;
    }

    void normalize(const row_t &row, const float *scale, const float *shift) const {
        const dim_t cols = pd_.cols();
        const float *const x = row.x;
        float *const y = row.y;
        row.scaled.with_normalizer(pd_.is_rms(), [&](const auto xhat) {
            if (scale) {
                KILN_ITERATIONS_ARE_INDEPENDENT
                for (dim_t c = 0; c < cols; ++c)
                    y[c] = static_cast<float>(xhat(x[c]) * scale[c] + shift[c]);
            } else {
                KILN_ITERATIONS_ARE_INDEPENDENT
                for (dim_t c = 0; c < cols; ++c) y[c] = static_cast<float>(xhat(x[c]));
            }
        });
    }

    row_tensor_t dst_;
    int shift_slot_;
};

} // namespace

refusal_t accept_forward(layer_normalization_pd_t &pd, plan_ptr_t &plan) {
    pd.set_scratchpad_size(rows_forward_t::scratchpad_bytes(pd));
    return accepted_for<rows_forward_t>(pd, plan);
}

} // namespace kiln::cpu::reference::rows
