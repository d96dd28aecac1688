// SPDX-License-Identifier: Apache-2.0
// What happens to sums of products before they are stored.

#include "cpu/reference/products/matmul_output.hpp"

#include <algorithm>
#include <cmath>

#include "common/memory/data_type.hpp"
#include "cpu/reference/stochastic_rounding.hpp"

namespace kiln::cpu::reference {
namespace {

/// The largest finite value of a type that has dynamic scales.
double largest_of(data_type_t type) {
    switch (type) {
    case dnnl_f4_e2m1: return 6;
    case dnnl_f4_e3m0: return 16;
    case dnnl_f8_e4m3: return 448;
    default: return 57344; // f8_e5m2
    }
}

} // namespace

matmul_output_t::matmul_output_t(const primitive_desc_t &pd, const memory_desc_t &bias)
    : bias_md_(bias)
    , dst_md_(pd.md_of(DNNL_ARG_DST))
    , bias_(bias)
    , dst_(dst_md_)
    , bias_slot_(pd.slot_of(DNNL_ARG_BIAS))
    , dst_slot_(pd.slot_of(DNNL_ARG_DST))
    , seed_slot_(pd.slot_of(DNNL_ARG_ATTR_ROUNDING_SEED))
    , axis_(dst_md_.ndims - 1)
    , post_ops_(pd)
    , scales_(pd, pd.attr().scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_DST)
    , zero_points_(pd, pd.attr().zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_DST)
    , is_stochastic_(pd.attr().rounding.contains(DNNL_ARG_DST)) {
    const auto scale = pd.attr().scales.find(DNNL_ARG_DST);
    if (scale == pd.attr().scales.end() || scale->second.mode == dnnl_quantization_mode_static_sazp)
        return;
    dynamic_group_ = scale->second.group_dims[1];
    is_mx_ = scale->second.mode == dnnl_quantization_mode_dynamic_mx;
}

void matmul_output_t::add_bias(
        const exec_ctx_t &ctx, const dim_t *position, std::span<double> sums) const {
    dims_t at;
    for (int d = 0; d <= axis_; ++d) at[d] = bias_md_.dims[d] == 1 ? 0 : position[d];
    const bool is_single = bias_md_.dims[axis_] == 1;
    std::vector<double> values(is_single ? 1 : sums.size());
    const dim_t first = at[axis_];
    at[axis_] = 0;
    bias_.load(ctx.input(bias_slot_), bias_.layout().offset(at), axis_, first, values);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += values[is_single ? 0 : i];
}

void matmul_output_t::divide_by_scales(
        const exec_ctx_t &ctx, const dim_t *position, std::span<double> values) const {
    if (dynamic_group_ != 0) return store_dynamic_scales(ctx, position, values);
    std::vector<double> scales(values.size());
    scales_.load(ctx, position, axis_, scales);
    for (size_t i = 0; i < values.size(); ++i) values[i] /= scales[i];
}

void matmul_output_t::store_dynamic_scales(
        const exec_ctx_t &ctx, const dim_t *position, std::span<double> values) const {
    const data_type_t type = scales_.data_type();
    const double largest = largest_of(dst_md_.data_type);
    const auto group = static_cast<size_t>(dynamic_group_);
    dims_t at;
    std::copy_n(position, axis_ + 1, at);
    for (size_t first = 0; first < values.size(); first += group, at[axis_] += dynamic_group_) {
        const auto part = values.subspan(first, std::min(group, values.size() - first));
        double greatest = 0;
        for (const double value : part) greatest = std::max(greatest, std::fabs(value));
        double scale = 1;
        if (is_mx_)
            scale = rounded_to_type(
                    type, rounded_to_type(type, greatest) / rounded_to_type(type, largest));
        else if (greatest != 0)
            scale = std::max(rounded_to_type(type, greatest / largest), 0x1p-9); // not 0
        scales_.store(ctx, at, scale);
        for (double &value : part) value = std::clamp(value / scale, -largest, largest);
    }
}

void matmul_output_t::round(
        const exec_ctx_t &ctx, const dim_t *position, std::span<double> values) const {
    const void *const given = ctx.has(seed_slot_) ? ctx.input(seed_slot_) : nullptr;
    const auto seed = static_cast<uint32_t>(given ? load_element<int32_t>(given, 0) : 0);
    dim_t index = 0;
    for (int d = 0; d <= axis_; ++d) index = index * dst_md_.dims[d] + position[d];
    for (double &value : values)
        value = static_cast<double>(round_stochastically(static_cast<float>(value),
                dst_md_.data_type, static_cast<uint64_t>(index++), seed));
}

void matmul_output_t::store(
        const exec_ctx_t &ctx, const dim_t *position, std::span<double> sums) const {
    if (bias_slot_ >= 0) add_bias(ctx, position, sums);
    post_ops_.apply(axis_, position, sums, ctx);
    if (scales_.is_given()) divide_by_scales(ctx, position, sums);
    if (zero_points_.is_given()) {
        std::vector<double> zero_points(sums.size());
        zero_points_.load(ctx, position, axis_, zero_points);
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += zero_points[i];
    }
    if (is_stochastic_) round(ctx, position, sums);
    dims_t at;
    std::copy_n(position, axis_, at);
    at[axis_] = 0;
    dst_.store(ctx.output(dst_slot_), dst_.layout().offset(at), axis_, position[axis_], sums);
}

} // namespace kiln::cpu::reference
