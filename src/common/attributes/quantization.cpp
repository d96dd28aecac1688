// SPDX-License-Identifier: Apache-2.0
// Quantization in primitive attributes: scales, zero points, precomputed reductions, and the
// parameters of recurrent cells.

#include "common/attributes/attr.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

using namespace kiln;

namespace {

constexpr type_set_t eight_bit_scales = type_set({dnnl_e8m0, dnnl_f8_e4m3});

bool can_have_zero_points(int arg) {
    return one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_SRC_2, DNNL_ARG_DST, DNNL_ARG_WEIGHTS,
                               DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2});
}

bool can_have_scales(int arg) {
    constexpr int depthwise = DNNL_ARG_ATTR_POST_OP_DW;
    return can_have_zero_points(arg) || (arg > 0 && (arg & DNNL_ARG_MULTIPLE_SRC))
           || one_of(arg, {DNNL_ARG_SRC_1, depthwise | DNNL_ARG_SRC, depthwise | DNNL_ARG_WEIGHTS,
                                  depthwise | DNNL_ARG_DST});
}

/// Checks and stores what scales, zero points and precomputed reductions have in common.
status_t set_quantization(
        quantization_map_t &map, int arg, const quantization_t &base, const dim_t *group_dims) {
    KILN_REQUIRE(base.mask >= 0, dnnl_invalid_arguments, "attr",
            "the mask is %d; it must not be negative", base.mask);
    KILN_REQUIRE(one_of(base.group_ndims, {0, 2}), dnnl_invalid_arguments, "attr",
            "there are groups of %d dimensions; there must be 0 or 2", base.group_ndims);
    quantization_t entry = base;
    if (entry.group_ndims > 0) {
        KILN_REQUIRE(group_dims && group_dims[0] > 0 && group_dims[1] > 0, dnnl_invalid_arguments,
                "attr", "the two sizes of a group must be given and positive");
        KILN_REQUIRE(entry.mask > 0, dnnl_invalid_arguments, "attr",
                "the mask is 0; with groups it must name their dimensions");
        entry.group_dims = {group_dims[0], group_dims[1]};
    }
    KILN_REQUIRE(!entry.on_host || (entry.mask == 0 && entry.group_ndims == 0),
            dnnl_invalid_arguments, "attr",
            "a host scalar is a single value; its mask must be 0, without groups");
    return guarded([&] {
        map[arg] = entry;
        return dnnl_success;
    });
}

} // namespace

status_t dnnl_primitive_attr_set_scales_mask(primitive_attr_t *attr, int arg, int mask) {
    return dnnl_primitive_attr_set_scales(attr, arg, mask, 0, nullptr, dnnl_f32);
}

status_t dnnl_primitive_attr_set_scales(primitive_attr_t *attr, int arg, int mask, int group_ndims,
        const dims_t group_dims, data_type_t data_type) {
    return dnnl_primitive_attr_set_scales_v2(
            attr, arg, mask, group_ndims, group_dims, data_type, 0);
}

status_t dnnl_primitive_attr_set_scales_v2(primitive_attr_t *attr, int arg, int mask, int ndims,
        const dims_t group_dims, data_type_t data_type, int is_on_host) {
    return dnnl_primitive_attr_set_scales_v3(attr, arg, mask, ndims, group_dims, data_type,
            is_on_host, dnnl_quantization_mode_static_sazp);
}

status_t dnnl_primitive_attr_set_scales_v3(primitive_attr_t *attr, int arg, int mask, int ndims,
        const dims_t group_dims, data_type_t data_type, int is_on_host,
        dnnl_quantization_mode_t qmode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(
            one_of(qmode, {dnnl_quantization_mode_static_sazp, dnnl_quantization_mode_dynamic_mx,
                                  dnnl_quantization_mode_dynamic_fp}),
            dnnl_invalid_arguments, "attr", "quantization mode %d is unknown",
            static_cast<int>(qmode));
    KILN_REQUIRE(contains(float_types | eight_bit_scales, data_type), dnnl_invalid_arguments,
            "attr", "scales are of data type %s; they must be f32, bf16, f16, e8m0 or f8_e4m3",
            dnnl_dt2str(data_type));
    KILN_REQUIRE(mask > 0 || !contains(eight_bit_scales, data_type), dnnl_invalid_arguments, "attr",
            "a single scale (mask 0) is of data type %s; it must be f32, bf16 or f16",
            dnnl_dt2str(data_type));
    KILN_REQUIRE(can_have_scales(arg), dnnl_invalid_arguments, "attr", "%s can have no scales",
            arg_name(arg).c_str());
    return set_quantization(
            attr->scales, arg, {mask, data_type, ndims, {}, is_on_host != 0, qmode}, group_dims);
}

status_t dnnl_primitive_attr_set_zero_points_mask(primitive_attr_t *attr, int arg, int mask) {
    return dnnl_primitive_attr_set_zero_points(attr, arg, mask, 0, nullptr, dnnl_s32);
}

status_t dnnl_primitive_attr_set_zero_points(primitive_attr_t *attr, int arg, int mask,
        int group_ndims, const dims_t group_dims, data_type_t data_type) {
    return dnnl_primitive_attr_set_zero_points_v2(
            attr, arg, mask, group_ndims, group_dims, data_type, 0);
}

status_t dnnl_primitive_attr_set_zero_points_v2(primitive_attr_t *attr, int arg, int mask,
        int ndims, const dims_t group_dims, data_type_t data_type, int is_on_host) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(contains(integer_types, data_type), dnnl_invalid_arguments, "attr",
            "zero points are of data type %s; they must be s32, s8, u8, s4 or u4",
            dnnl_dt2str(data_type));
    KILN_REQUIRE(mask > 0 || !contains(int4_types, data_type), dnnl_invalid_arguments, "attr",
            "a single zero point (mask 0) is of data type %s; it must be s32, s8 or u8",
            dnnl_dt2str(data_type));
    KILN_REQUIRE(can_have_zero_points(arg), dnnl_invalid_arguments, "attr",
            "%s can have no zero points", arg_name(arg).c_str());
    const bool takes_groups =
            one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2});
    KILN_REQUIRE(takes_groups || (data_type == dnnl_s32 && ndims == 0), dnnl_invalid_arguments,
            "attr", "zero points of %s must be s32, without groups", arg_name(arg).c_str());
    return set_quantization(attr->zero_points, arg,
            {mask, data_type, ndims, {}, is_on_host != 0, dnnl_quantization_mode_static_sazp},
            group_dims);
}

status_t dnnl_primitive_attr_set_precomputed_reductions(primitive_attr_t *attr, int arg, int mask,
        int group_ndims, const dims_t group_dims, data_type_t data_type) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(arg == DNNL_ARG_SRC, dnnl_invalid_arguments, "attr",
            "%s can have no precomputed reductions; DNNL_ARG_SRC can", arg_name(arg).c_str());
    KILN_REQUIRE(data_type == dnnl_s32, dnnl_invalid_arguments, "attr",
            "precomputed reductions are of data type %s; they must be s32", dnnl_dt2str(data_type));
    return set_quantization(attr->precomputed_reductions, arg,
            {mask, data_type, group_ndims, {}, false, dnnl_quantization_mode_static_sazp},
            group_dims);
}

// ---- parameters of recurrent cells ----

namespace {

status_t set_qparams(rnn_weights_qparams_t &qparams, dim_t count, int mask, const float *scales) {
    if (scales == nullptr || count <= 0 || mask < 0) return dnnl_invalid_arguments;
    return guarded([&] {
        qparams = {mask, std::vector<float>(scales, scales + count)};
        return dnnl_success;
    });
}

void give_qparams(
        const rnn_weights_qparams_t &qparams, dim_t *count, int *mask, const float **scales) {
    static const float one = 1.f;
    const bool is_set = !qparams.scales.empty();
    give(count, is_set ? static_cast<dim_t>(qparams.scales.size()) : dim_t(1));
    give(mask, qparams.mask);
    give(scales, is_set ? qparams.scales.data() : &one);
}

} // namespace

status_t dnnl_primitive_attr_set_rnn_data_qparams(
        primitive_attr_t *attr, const float scale, const float shift) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    attr->rnn_data_qparams = {scale, shift};
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_rnn_data_qparams(
        const primitive_attr_t *attr, float *scale, float *shift) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    give(scale, attr->rnn_data_qparams.scale), give(shift, attr->rnn_data_qparams.shift);
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_rnn_weights_qparams(
        primitive_attr_t *attr, dim_t count, int mask, const float *scales) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    return set_qparams(attr->rnn_weights_qparams, count, mask, scales);
}

status_t dnnl_primitive_attr_get_rnn_weights_qparams(
        const primitive_attr_t *attr, dim_t *count, int *mask, const float **scales) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    give_qparams(attr->rnn_weights_qparams, count, mask, scales);
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
        primitive_attr_t *attr, dim_t count, int mask, const float *scales) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    return set_qparams(attr->rnn_weights_projection_qparams, count, mask, scales);
}

status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const primitive_attr_t *attr, dim_t *count, int *mask, const float **scales) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    give_qparams(attr->rnn_weights_projection_qparams, count, mask, scales);
    return dnnl_success;
}
