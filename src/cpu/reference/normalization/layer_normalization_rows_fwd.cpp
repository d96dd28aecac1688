// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of rows of floats.

#include "cpu/parallel.hpp"
#include "cpu/reference/normalization/layer_normalization_rows_impl.hpp"

namespace kiln::cpu::reference::rows {
namespace {

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
        const bool has_weights = ctx.has(scale_slot_) || ctx.has(shift_slot_);
        const float *const scale = has_weights ? vector_of(ctx, scale_slot_, buffer, 1.f) : nullptr;
        const float *const shift =
                has_weights ? vector_of(ctx, shift_slot_, buffer + pd_.cols(), 0.f) : nullptr;
        parallel_chunks(pd_.rows(), rows_per_task(pd_.cols()), [&](dim_t begin, dim_t end) {
            odometer_t row = row_at(begin);
            for (dim_t i = begin; i < end; ++i, row.next()) execute_row(ctx, row, scale, shift);
        });
        return dnnl_success;
    }

private:
    /// `scale` and `shift` are both null, or neither is.
    void execute_row(const exec_ctx_t &ctx, const odometer_t &row, const float *scale,
            const float *shift) const {
        const dim_t cols = pd_.cols();
        const float *const x = src_.input(ctx, row);
        float *const y = dst_.output(ctx, row);
        const row_moments_t moments = pd_.has_global_stats() ? given_moments(ctx, row)
                                                             : moments_of(x, cols, pd_.is_rms());
        if (pd_.writes_stats()) {
            const dim_t offset = row.offset(stat_.layout());
            if (!pd_.is_rms()) store_moment(ctx.output(mean_slot_), offset, moments.mean);
            store_moment(ctx.output(variance_slot_), offset, moments.variance);
        }
        scaled_moments_t(moments, pd_.desc().epsilon)
                .with_normalizer(pd_.is_rms(), [&](const auto xhat) {
                    // y may be x
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
