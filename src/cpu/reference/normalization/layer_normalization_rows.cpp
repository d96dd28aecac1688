// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of rows whose elements are adjacent. bf16 and f16 are converted to
// float first. Sums are in float within a block and in double across blocks, in an order that the
// length of the row fixes. Elements are computed in float about the mean that is rounded to float,
// plus what the rounding left; in double where the mean or 1 / sqrt(variance + epsilon) is beyond
// the range in which that is as precise.

#include "cpu/reference/normalization/layer_normalization_rows.hpp"

#include "cpu/reference/normalization/layer_normalization_rows_impl.hpp"

namespace kiln::cpu::reference {
namespace {

bool is_converted_to_float(data_type_t type) {
    return type == dnnl_f32 || type == dnnl_bf16 || type == dnnl_f16;
}

bool has_adjacent_floats(const memory_desc_t &md) {
    return is_converted_to_float(md.data_type) && is_plain(md) && !has_padding(md)
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
        return refused("a tensor is not f32, bf16 or f16, or its last axis is not dense");
    for (const memory_desc_t *md : {&pd.scale_shift(), &pd.diff_scale_shift()})
        if (!is_zero(*md) && !is_converted_to_float(md->data_type))
            return refused("scale or shift is not f32, bf16 or f16");
    return pd.is_forward() ? rows::accept_forward(pd, plan) : rows::accept_backward(pd, plan);
}

} // namespace kiln::cpu::reference
