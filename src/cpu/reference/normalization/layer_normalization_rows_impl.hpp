// SPDX-License-Identifier: Apache-2.0
// What both directions of layer normalization of rows in loops have.
#pragma once

#include <array>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/normalization/layer_normalization_impl.hpp"
#include "cpu/reference/normalization/row_conversion.hpp"
#include "cpu/reference/normalization/row_sums.hpp"
#include "cpu/reference/normalization/vectorized_loop.hpp"

namespace kiln::cpu::reference::rows {

/// Offsets of a tensor by the number of a row, in logical order of the first axes.
class row_offsets_t {
public:
    row_offsets_t(const memory_desc_t &md, int axes)
        : md_(md)
        , layout_(md)
        , axes_(axes)
        , pitch_(pitch_of(md, axes)) {}
    dim_t operator()(dim_t row) const {
        if (pitch_ >= 0) return layout_.offset0() + row * pitch_;
        return odometer_t(axes_, md_.dims, row).offset(layout_);
    }

private:
    /// The distance of adjacent rows; -1 if it is not the same everywhere.
    static dim_t pitch_of(const memory_desc_t &md, int axes) {
        if (!is_plain(md) || has_padding(md)) return -1;
        dim_t pitch = 0, rows = 1;
        for (int d = axes - 1; d >= 0; --d) {
            const dim_t stride = md.format_desc.blocking.strides[d];
            if (md.dims[d] == 1) continue;
            if (rows == 1) pitch = stride;
            if (stride != rows * pitch) return -1;
            rows *= md.dims[d];
        }
        return pitch;
    }

    const memory_desc_t &md_;
    layout_t layout_;
    int axes_;
    dim_t pitch_;
};

/// Rows of a tensor as floats: in memory, if that is their type, else in a buffer.
struct row_tensor_t {
    data_type_t type;
    row_offsets_t offset;
    int slot;

    row_tensor_t(const memory_desc_t &md, int slot)
        : type(md.data_type)
        , offset(md, md.ndims - 1)
        , slot(slot) {}
    bool is_converted() const { return type != dnnl_f32; }
    const float *input(const exec_ctx_t &ctx, dim_t row, float *buffer, dim_t cols) const {
        if (!is_converted()) return static_cast<const float *>(ctx.input(slot)) + offset(row);
        load_floats(type, ctx.input(slot), offset(row), buffer, cols);
        return buffer;
    }
    /// Where a row is computed before store().
    float *output(const exec_ctx_t &ctx, dim_t row, float *buffer) const {
        return is_converted() ? buffer : static_cast<float *>(ctx.output(slot)) + offset(row);
    }
    /// Converts a computed row, if it is in a buffer.
    void store(const exec_ctx_t &ctx, dim_t row, const float *values, dim_t cols) const {
        if (is_converted()) store_floats(type, values, ctx.output(slot), offset(row), cols);
    }
};

/// Rows of a task as floats; on the stack, if they are few.
class row_buffer_t {
public:
    explicit row_buffer_t(dim_t floats)
        : many_(floats > dim_t(few_.size()) ? static_cast<size_t>(floats) : 0) {}
    float *data() { return many_.empty() ? few_.data() : many_.data(); }

private:
    std::array<float, 4096> few_;
    std::vector<float> many_;
};

class rows_t : public primitive_impl_t {
protected:
    explicit rows_t(const layer_normalization_pd_t &pd)
        : pd_(pd)
        , src_(pd.src(), pd.slot_of(DNNL_ARG_SRC))
        , stat_(pd.stat())
        , stat_offset_(pd.stat(), pd.stat().ndims)
        , mean_slot_(pd.slot_of(DNNL_ARG_MEAN))
        , variance_slot_(pd.slot_of(DNNL_ARG_VARIANCE))
        , scale_slot_(pd.slot_of(DNNL_ARG_SCALE)) {}

    row_moments_t given_moments(const exec_ctx_t &ctx, dim_t row) const {
        const dim_t offset = stat_offset_(row);
        return {pd_.is_rms() ? 0. : stat_.load(ctx.input(mean_slot_), offset),
                stat_.load(ctx.input(variance_slot_), offset)};
    }
    void store_moment(void *to, dim_t row, double value) const {
        const dim_t offset = stat_offset_(row);
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
    row_offsets_t stat_offset_;
    int mean_slot_, variance_slot_, scale_slot_;
};

refusal_t accept_forward(layer_normalization_pd_t &pd, plan_ptr_t &plan);
refusal_t accept_backward(layer_normalization_pd_t &pd, plan_ptr_t &plan);

} // namespace kiln::cpu::reference::rows
