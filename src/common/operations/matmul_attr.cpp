// SPDX-License-Identifier: Apache-2.0
// The attributes of matrix multiplication: which scales, zero points and other attributes a caller
// may set, and why the rest is refused.

#include "common/attributes/post_op_checks.hpp"
#include "common/one_of.hpp"
#include "common/operations/matmul_pd.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "matmul";
constexpr type_set_t quantized_weights = int8_types | int4_types | f8_types | f4_types;

const memory_desc_t &tensor_of(const matmul_desc_t &desc, int arg) {
    return arg == DNNL_ARG_SRC ? desc.src : arg == DNNL_ARG_WEIGHTS ? desc.weights : desc.dst;
}

/// The size of a group along the last axis; 0 without groups.
dim_t last_group(const quantization_t &quantization) {
    return quantization.group_ndims == 0 ? 0 : quantization.group_dims[1];
}

/// Scales that an execution computes: for each 32 elements of a row a power of two, or for each 16
/// a number of f8_e4m3.
status_t check_dynamic(const matmul_desc_t &desc, int arg, const quantization_t &scale) {
    if (scale.mode == dnnl_quantization_mode_static_sazp) return dnnl_success;
    const bool is_mx = scale.mode == dnnl_quantization_mode_dynamic_mx;
    const dim_t group = is_mx ? 32 : 16;
    KILN_REQUIRE(arg == DNNL_ARG_DST && contains(f8_types | f4_types, desc.dst.data_type)
                         && scale.mask == (1 << desc.dst.ndims) - 1 && scale.group_ndims == 2
                         && scale.group_dims[0] == 1 && last_group(scale) == group
                         && scale.data_type == (is_mx ? dnnl_e8m0 : dnnl_f8_e4m3),
            dnnl_unimplemented, component,
            "dynamic scales of %s are not supported as they are set; those of dst must be of %s, "
            "one for %lld elements of a row, with dst of f8 or f4",
            arg_name(arg).c_str(), is_mx ? "e8m0" : "f8_e4m3", static_cast<long long>(group));
    return dnnl_success;
}

status_t check_scales(const matmul_desc_t &desc, const quantization_map_t &scales) {
    const int ndims = desc.dst.ndims, all = (1 << ndims) - 1;
    const int last = 1 << (ndims - 1), before_last = 1 << (ndims - 2);
    for (const auto &[arg, scale] : scales) {
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}),
                dnnl_unimplemented, component,
                "%s has scales; only src, weights and dst may have them", arg_name(arg).c_str());
        KILN_REQUIRE(arg == DNNL_ARG_WEIGHTS
                             || one_of(scale.mask, {0, last, before_last, last | before_last, all}),
                dnnl_unimplemented, component,
                "scales of %s have mask %d; it must name none or all of the axes, or one or both "
                "of the last two",
                arg_name(arg).c_str(), scale.mask);
        KILN_TRY(check_mask_and_groups(component, "scales", arg, scale, tensor_of(desc, arg)));
        KILN_TRY(check_dynamic(desc, arg, scale));
    }
    return dnnl_success;
}

status_t check_zero_points(const matmul_desc_t &desc, const quantization_map_t &zero_points) {
    const int ndims = desc.dst.ndims, all = (1 << ndims) - 1;
    const int last = 1 << (ndims - 1), before_last = 1 << (ndims - 2);
    const bool is_int8 = contains(int8_types, desc.src.data_type);
    for (const auto &[arg, zero_point] : zero_points) {
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}),
                dnnl_unimplemented, component,
                "%s has zero points; only src, weights and dst may have them",
                arg_name(arg).c_str());
        KILN_REQUIRE(is_int8
                             || (arg == DNNL_ARG_WEIGHTS
                                     && contains(quantized_weights, desc.weights.data_type)),
                dnnl_unimplemented, component,
                "%s has zero points and src is of data type %s; src must be s8 or u8, or the zero "
                "points be those of integer, f8 or f4 weights",
                arg_name(arg).c_str(), dnnl_dt2str(desc.src.data_type));
        KILN_REQUIRE(
                arg != DNNL_ARG_SRC || one_of(zero_point.mask, {0, last, last | before_last, all}),
                dnnl_unimplemented, component,
                "zero points of DNNL_ARG_SRC have mask %d; it must name no axis, the last one, the "
                "last two or all",
                zero_point.mask);
        KILN_REQUIRE(arg != DNNL_ARG_DST || one_of(zero_point.mask, {0, last}), dnnl_unimplemented,
                component,
                "zero points of DNNL_ARG_DST have mask %d; it must name no axis or the last one",
                zero_point.mask);
        KILN_TRY(check_mask_and_groups(
                component, "zero points", arg, zero_point, tensor_of(desc, arg)));
    }
    return dnnl_success;
}

/// Sums of src along K, for weights with zero points.
status_t check_reductions(const matmul_desc_t &desc, const primitive_attr_t &attr) {
    for (const auto &[arg, reduction] : attr.precomputed_reductions) {
        KILN_REQUIRE(contains(int8_types, desc.src.data_type)
                             && attr.zero_points.contains(DNNL_ARG_WEIGHTS)
                             && reduction.mask == (1 << desc.src.ndims) - 1,
                dnnl_unimplemented, component,
                "precomputed reductions of %s are not supported as they are set; src must be s8 or "
                "u8, the mask name all axes, and weights have zero points",
                arg_name(arg).c_str());
        KILN_TRY(check_mask_and_groups(
                component, "precomputed reductions", arg, reduction, tensor_of(desc, arg)));
    }
    return dnnl_success;
}

status_t check_rounding(const std::map<int, dnnl_rounding_mode_t> &rounding, data_type_t dst) {
    if (rounding.empty()) return dnnl_success;
    KILN_REQUIRE(rounding.size() == 1 && rounding.contains(DNNL_ARG_DST)
                         && contains(type_set({dnnl_bf16, dnnl_f16}) | f8_types, dst),
            dnnl_unimplemented, component,
            "stochastic rounding is set for another tensor than a dst of bf16, f16 or f8");
    return dnnl_success;
}

} // namespace

status_t check_matmul_attr(const matmul_desc_t &desc, const primitive_attr_t *attr) {
    if (attr == nullptr) return dnnl_success;
    KILN_TRY(check_attr_within(component, attr,
            attr_t::scales | attr_t::zero_points | attr_t::precomputed_reductions | attr_t::post_ops
                    | attr_t::accumulation_mode | attr_t::dropout | attr_t::rounding));
    KILN_TRY(check_scales(desc, attr->scales));
    KILN_TRY(check_zero_points(desc, attr->zero_points));
    KILN_TRY(check_reductions(desc, *attr));
    KILN_TRY(check_rounding(attr->rounding, desc.dst.data_type));
    KILN_TRY(check_dropout(component, attr->dropout, desc.dst));
    return check_post_ops(component, attr->post_ops, desc.dst, sum_type_t::of_same_size);
}

} // namespace kiln
