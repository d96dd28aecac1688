// SPDX-License-Identifier: Apache-2.0
// What both directions of layer normalization of rows in loops have.
#pragma once

#include "common/primitive/primitive.hpp"
#include "cpu/reference/normalization/layer_normalization_impl.hpp"
#include "cpu/reference/normalization/row_sums.hpp"

namespace kiln::cpu::reference::rows {

/// Rows of a tensor as floats: in memory, if that is their type, else in a buffer.
struct row_tensor_t {
    tensor_t tensor;
    int slot;

    bool is_converted() const { return tensor.data_type() != dnnl_f32; }
    const float *input(
            const exec_ctx_t &ctx, const odometer_t &row, float *buffer, dim_t cols) const {
        const dim_t offset = row.offset(tensor.layout());
        if (!is_converted()) return static_cast<const float *>(ctx.input(slot)) + offset;
        load_floats(tensor.data_type(), ctx.input(slot), offset, buffer, cols);
        return buffer;
    }
    /// Where a row is computed before store(); `offset` is that of its first element.
    float *output(const exec_ctx_t &ctx, dim_t offset, float *buffer) const {
        return is_converted() ? buffer : static_cast<float *>(ctx.output(slot)) + offset;
    }
    /// Converts a computed row, if it is in a buffer.
    void store(const exec_ctx_t &ctx, dim_t offset, const float *values, dim_t cols) const {
        if (is_converted())
            store_floats(tensor.data_type(), values, ctx.output(slot), offset, cols);
    }
};

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
    void store_moment(void *to, dim_t offset, double value) const {
        if (stat_.data_type() == dnnl_f32) // the usual type, without asking for others
            return store_element(static_cast<float>(value), to, offset);
        stat_.store(to, offset, value);
    }
    /// The vector of an argument as floats, in memory or in `buffer`; without it, `neutral` in each
    /// element.
    const float *vector_of(const exec_ctx_t &ctx, int slot, float *buffer, float neutral) const {
        const void *data = ctx.input(slot);
        const data_type_t type = pd_.scale_shift().data_type;
        if (data && type == dnnl_f32) return static_cast<const float *>(data);
        if (data)
            load_floats(type, data, 0, buffer, pd_.cols());
        else
            std::fill_n(buffer, pd_.cols(), neutral);
        return buffer;
    }

    const layer_normalization_pd_t &pd_;
    row_tensor_t src_;
    tensor_t stat_;
    int mean_slot_, variance_slot_, scale_slot_;
};

refusal_t accept_forward(layer_normalization_pd_t &pd, plan_ptr_t &plan);
refusal_t accept_backward(layer_normalization_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference::rows
