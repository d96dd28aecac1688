// SPDX-License-Identifier: Apache-2.0
// Normalizations of tensors without elements.

#include "cpu/reference/normalization/empty_normalization.hpp"

#include <cmath>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// Sets each element of an output, if it is there, to `value_of(i)`; i counts in logical order.
template <typename value_of_t>
void fill_output(const exec_ctx_t &ctx, int arg, const value_of_t &value_of) {
    const int slot = ctx.pd().slot_of(arg);
    if (slot < 0 || ctx.pd().slots()[static_cast<size_t>(slot)].use != arg_use_t::output) return;
    void *const data = ctx.output(slot);
    const memory_desc_t &md = ctx.pd().md_of(arg);
    const dim_t count = data ? element_count(md) : 0;
    if (count == 0) return;
    const tensor_t tensor(md);
    odometer_t at(md.ndims, md.dims, 0);
    for (dim_t i = 0; i < count; ++i, at.next())
        tensor.store(data, at.offset(tensor.layout()), value_of(i));
}

} // namespace

status_t empty_normalization_t::execute(const exec_ctx_t &ctx) const {
    set_to_zero(ctx);
    if (!is_exchanged(ctx)) return dnnl_success;
    auto *const buffer = reinterpret_cast<double *>(ctx.scratchpad());
    std::fill_n(buffer, 1 + 2 * (size_.statistics + size_.weights), 0.);
    rank_message_t message(ranks_, size_, buffer);
    KILN_TRY(is_forward_ ? message.combine_moments() : message.combine_sums());
    if (is_forward_) set_statistics(ctx, message);
    if (combines_weight_gradients_) set_weight_gradients(ctx, message);
    return dnnl_success;
}

bool empty_normalization_t::is_exchanged(const exec_ctx_t &ctx) const {
    const auto has = [&](int arg) { return ctx.has(ctx.pd().slot_of(arg)); };
    if (size_.is_empty() || is_forward_) return !size_.is_empty();
    const bool has_weights = has(DNNL_ARG_DIFF_SCALE) || has(DNNL_ARG_DIFF_SHIFT);
    return has_weights || (combines_statistics_ && has(DNNL_ARG_DIFF_SRC));
}

void empty_normalization_t::set_to_zero(const exec_ctx_t &ctx) const {
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_DST_2, DNNL_ARG_DIFF_SCALE,
                 DNNL_ARG_DIFF_SHIFT})
        fill_output(ctx, arg, [](dim_t) { return 0.; });
}

void empty_normalization_t::set_statistics(const exec_ctx_t &ctx, rank_message_t &message) const {
    if (!(message.count() > 0)) return;
    fill_output(ctx, DNNL_ARG_MEAN, [&](dim_t i) { return message.first()[i]; });
    fill_output(
            ctx, DNNL_ARG_VARIANCE, [&](dim_t i) { return message.second()[i] / message.count(); });
}

void empty_normalization_t::set_weight_gradients(
        const exec_ctx_t &ctx, rank_message_t &message) const {
    if (size_.weights != 0) {
        fill_output(ctx, DNNL_ARG_DIFF_SHIFT, [&](dim_t i) { return message.first_weights()[i]; });
        fill_output(ctx, DNNL_ARG_DIFF_SCALE, [&](dim_t i) { return message.second_weights()[i]; });
        return;
    }
    // Batch normalization: the sums of channels, and the variance of each.
    const tensor_t variance(ctx.pd().md_of(DNNL_ARG_VARIANCE));
    const void *const variances = ctx.input(ctx.pd().slot_of(DNNL_ARG_VARIANCE));
    fill_output(ctx, DNNL_ARG_DIFF_SHIFT, [&](dim_t i) { return message.first()[i]; });
    fill_output(ctx, DNNL_ARG_DIFF_SCALE, [&](dim_t i) {
        return message.second()[i] / std::sqrt(variance.load(variances, i) + epsilon_);
    });
}

} // namespace kiln::cpu::reference
