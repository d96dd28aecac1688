// SPDX-License-Identifier: Apache-2.0
// Setting and reading primitive attributes: the C entries of dnnl_primitive_attr_t.

#include "common/attributes/attr.hpp"

#include "common/fields.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "common/out_parameter.hpp"
#include "common/settings.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

using namespace kiln;

namespace {

constexpr type_set_t eight_bit_scales = type_set({dnnl_e8m0, dnnl_f8_e4m3});

/// Copies a value out of `attr`; both pointers are the caller's.
template <typename T, typename value_t>
status_t get(const primitive_attr_t *attr, T *out, value_t dnnl_primitive_attr::*member) {
    if (attr == nullptr || out == nullptr) return dnnl_invalid_arguments;
    *out = static_cast<T>(attr->*member);
    return dnnl_success;
}

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

dnnl_primitive_attr::dnnl_primitive_attr() { fpmath.mode = default_fpmath_mode(); }

const char *dnnl_primitive_attr::first_set_beyond(attr_t honoured) const {
    const auto beyond = [&](attr_t attr, bool set) {
        return set && !(static_cast<unsigned>(attr) & static_cast<unsigned>(honoured));
    };
    const bool accumulates = !one_of(
            accumulation_mode, {dnnl_accumulation_mode_strict, dnnl_accumulation_mode_relaxed,
                                       dnnl_accumulation_mode_any});
    const auto is_neutral = [](const rnn_weights_qparams_t &qparams) {
        return qparams.mask == 0
               && (qparams.scales.empty()
                       || (qparams.scales.size() == 1 && qparams.scales.front() == 1.f));
    };
    const bool rnn = !same(rnn_data_qparams, rnn_data_qparams_t())
                     || !is_neutral(rnn_weights_qparams)
                     || !is_neutral(rnn_weights_projection_qparams);
    if (beyond(attr_t::scales, !scales.empty())) return "scales are set, which is not supported";
    if (beyond(attr_t::zero_points, !zero_points.empty()))
        return "zero points are set, which is not supported";
    if (beyond(attr_t::precomputed_reductions, !precomputed_reductions.empty()))
        return "precomputed reductions are set, which is not supported";
    if (beyond(attr_t::post_ops, !post_ops.entries.empty()))
        return "post-ops are set, which is not supported";
    if (beyond(attr_t::accumulation_mode, accumulates))
        return "an accumulation mode other than strict, relaxed and any is set, which is not "
               "supported";
    if (beyond(attr_t::rounding, !rounding.empty()))
        return "a rounding mode is set, which is not supported";
    if (beyond(attr_t::dropout, dropout.requested)) return "dropout is set, which is not supported";
    if (beyond(attr_t::rnn_qparams, rnn))
        return "quantization parameters of recurrent cells are set, which is not supported";
    if (beyond(attr_t::ranks, ranks.is_set()))
        return "results are combined over ranks, which is not supported";
    return nullptr;
}

status_t dnnl_primitive_attr_create(primitive_attr_t **attr) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *attr = new primitive_attr_t();
        return dnnl_success;
    });
}

status_t dnnl_primitive_attr_clone(primitive_attr_t **attr, const primitive_attr_t *existing_attr) {
    if (attr == nullptr || existing_attr == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *attr = new primitive_attr_t(*existing_attr);
        return dnnl_success;
    });
}

status_t dnnl_primitive_attr_destroy(primitive_attr_t *attr) {
    delete attr;
    return dnnl_success;
}

// ---- scales, zero points, precomputed reductions ----

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

// ---- modes ----

status_t dnnl_primitive_attr_get_fpmath_mode(
        const primitive_attr_t *attr, dnnl_fpmath_mode_t *mode) {
    if (attr == nullptr || mode == nullptr) return dnnl_invalid_arguments;
    *mode = attr->fpmath.mode;
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_fpmath_mode(primitive_attr_t *attr, dnnl_fpmath_mode_t mode) {
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

status_t dnnl_primitive_attr_get_fpmath_mode_v2(
        const primitive_attr_t *attr, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    give(mode, attr->fpmath.mode);
    give(apply_to_int, int(attr->fpmath.apply_to_int));
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_fpmath_mode_v2(
        primitive_attr_t *attr, dnnl_fpmath_mode_t mode, int apply_to_int) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(dnnl_fpmath_mode_strict <= mode && mode <= dnnl_fpmath_mode_tf32,
            dnnl_invalid_arguments, "attr", "fpmath mode %d is unknown", static_cast<int>(mode));
    attr->fpmath = {mode, apply_to_int != 0};
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_accumulation_mode(
        const primitive_attr_t *attr, dnnl_accumulation_mode_t *mode) {
    return get(attr, mode, &primitive_attr_t::accumulation_mode);
}

status_t dnnl_primitive_attr_set_accumulation_mode(
        primitive_attr_t *attr, dnnl_accumulation_mode_t mode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(dnnl_accumulation_mode_strict <= mode && mode <= dnnl_accumulation_mode_f16,
            dnnl_invalid_arguments, "attr", "accumulation mode %d is unknown",
            static_cast<int>(mode));
    attr->accumulation_mode = mode;
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_deterministic(const primitive_attr_t *attr, int *value) {
    return get(attr, value, &primitive_attr_t::deterministic);
}

status_t dnnl_primitive_attr_set_deterministic(primitive_attr_t *attr, int value) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    attr->deterministic = value != 0;
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_scratchpad_mode(
        const primitive_attr_t *attr, dnnl_scratchpad_mode_t *mode) {
    return get(attr, mode, &primitive_attr_t::scratchpad_mode);
}

status_t dnnl_primitive_attr_set_scratchpad_mode(
        primitive_attr_t *attr, dnnl_scratchpad_mode_t mode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(mode, {dnnl_scratchpad_mode_library, dnnl_scratchpad_mode_user}),
            dnnl_invalid_arguments, "attr", "scratchpad mode %d is unknown",
            static_cast<int>(mode));
    attr->scratchpad_mode = mode;
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_rounding(
        primitive_attr_t *attr, int arg, dnnl_rounding_mode_t *mode) {
    if (attr == nullptr || mode == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        const auto found = attr->rounding.find(arg);
        *mode = found == attr->rounding.end() ? dnnl_rounding_mode_environment : found->second;
        return dnnl_success;
    });
}

status_t dnnl_primitive_attr_set_rounding(
        primitive_attr_t *attr, int arg, dnnl_rounding_mode_t mode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(mode, {dnnl_rounding_mode_environment, dnnl_rounding_mode_stochastic}),
            dnnl_invalid_arguments, "attr", "rounding mode %d is unknown", static_cast<int>(mode));
    if (mode == dnnl_rounding_mode_environment)
        return guarded([&] {
            attr->rounding.erase(arg);
            return dnnl_success;
        });
    KILN_REQUIRE(one_of(arg, {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS}),
            dnnl_invalid_arguments, "attr",
            "%s can have no rounding mode; dst, diff_src and diff_weights can",
            arg_name(arg).c_str());
    return guarded([&] {
        attr->rounding[arg] = mode;
        return dnnl_success;
    });
}

// ---- dropout ----

status_t dropout_t::resolve_format(const memory_desc_t &dst) {
    if (!is_any(mask)) return dnnl_success;
    return init_like(mask, mask.ndims, mask.dims, mask.data_type, dst);
}

status_t dnnl_primitive_attr_get_dropout(
        const primitive_attr_t *attr, const memory_desc_t **mask_desc) {
    return dnnl_primitive_attr_get_dropout_v2(attr, mask_desc, nullptr, nullptr, nullptr);
}

status_t dnnl_primitive_attr_set_dropout(primitive_attr_t *attr, const memory_desc_t *mask_desc) {
    return dnnl_primitive_attr_set_dropout_v2(attr, mask_desc, dnnl_s32, 0, 0);
}

status_t dnnl_primitive_attr_get_dropout_v2(const primitive_attr_t *attr,
        const memory_desc_t **mask_desc, data_type_t *seed_dt, int *use_offset,
        int *use_host_scalars) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    if (mask_desc) *mask_desc = &attr->dropout.user_mask;
    give(seed_dt, attr->dropout.seed_type);
    give(use_offset, int(attr->dropout.use_offset));
    give(use_host_scalars, int(attr->dropout.use_host_scalars));
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_dropout_v2(primitive_attr_t *attr, const memory_desc_t *mask_desc,
        data_type_t seed_dt, int use_offset, int use_host_scalars) {
    if (attr == nullptr || mask_desc == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(mask_desc->data_type, {dnnl_u8, dnnl_data_type_undef}),
            dnnl_invalid_arguments, "attr", "the dropout mask is of data type %s; it must be u8",
            dnnl_dt2str(mask_desc->data_type));
    KILN_REQUIRE(one_of(seed_dt, {dnnl_s32, dnnl_s64}), dnnl_invalid_arguments, "attr",
            "the dropout seed is of data type %s; it must be s32 or s64", dnnl_dt2str(seed_dt));
    attr->dropout = {*mask_desc, seed_dt, use_offset != 0, use_host_scalars != 0, true, *mask_desc};
    return dnnl_success;
}

// ---- post-ops ----

status_t dnnl_primitive_attr_get_post_ops(
        const primitive_attr_t *attr, const post_ops_t **post_ops) {
    if (attr == nullptr || post_ops == nullptr) return dnnl_invalid_arguments;
    *post_ops = &attr->post_ops;
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_post_ops(primitive_attr_t *attr, const post_ops_t *post_ops) {
    if (attr == nullptr || post_ops == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        attr->post_ops = *post_ops;
        return dnnl_success;
    });
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
