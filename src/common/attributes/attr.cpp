// SPDX-License-Identifier: Apache-2.0
// Primitive attributes as a whole, dropout, and their post-ops.

#include "common/attributes/attr.hpp"

#include "common/fields.hpp"
#include "common/one_of.hpp"
#include "common/out_parameter.hpp"
#include "common/settings.hpp"
#include "common/verbose/verbose.hpp"

using namespace kiln;

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
    if (mask_desc) *mask_desc = &attr->dropout.user_mask.get();
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
    return guarded([&] {
        attr->dropout = {
                *mask_desc, seed_dt, use_offset != 0, use_host_scalars != 0, true, *mask_desc};
        return dnnl_success;
    });
}

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
