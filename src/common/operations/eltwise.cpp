// SPDX-License-Identifier: Apache-2.0
// The C entries of elementwise functions: what a caller may ask for, and why the rest is refused.

#include "common/operations/eltwise_pd.hpp"

#include "common/attributes/alg_kind.hpp"
#include "common/attributes/post_op_checks.hpp"
#include "common/one_of.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "eltwise";

struct named_md_t {
    const memory_desc_t *md;
    const char *name;
};

status_t check_interval(const eltwise_desc_t &desc) {
    if (one_of(desc.alg,
                {dnnl_eltwise_clip, dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd}))
        KILN_REQUIRE(desc.beta >= desc.alpha, dnnl_invalid_arguments, component,
                "the bounds of a clip are alpha %g and beta %g; beta must not be less than alpha",
                static_cast<double>(desc.alpha), static_cast<double>(desc.beta));
    if (one_of(desc.alg, {dnnl_eltwise_relu_use_dst_for_bwd, dnnl_eltwise_elu_use_dst_for_bwd}))
        KILN_REQUIRE(desc.alpha >= 0, dnnl_invalid_arguments, component,
                "alpha of %s is %g; it must not be negative, since the sign of dst tells that of "
                "src",
                dnnl_alg_kind2str(desc.alg), static_cast<double>(desc.alpha));
    return dnnl_success;
}

status_t check_algorithm(const eltwise_desc_t &desc) {
    KILN_REQUIRE(is_eltwise_alg(desc.alg), dnnl_invalid_arguments, component,
            "algorithm 0x%x is not an elementwise function", static_cast<unsigned>(desc.alg));
    KILN_TRY(check_interval(desc));
    const data_type_t type = desc.data.data_type;
    if (desc.alg == dnnl_eltwise_round)
        KILN_REQUIRE(type == dnnl_f32 && desc.is_forward(), dnnl_invalid_arguments, component,
                "eltwise_round of data type %s; it must be f32, forward", dnnl_dt2str(type));
    if (contains(integer_types, type))
        KILN_REQUIRE(one_of(desc.alg, {dnnl_eltwise_relu, dnnl_eltwise_linear, dnnl_eltwise_clip}),
                dnnl_invalid_arguments, component,
                "%s of data type %s; of integers there are eltwise_relu, eltwise_linear and "
                "eltwise_clip",
                dnnl_alg_kind2str(desc.alg), dnnl_dt2str(type));
    return dnnl_success;
}

status_t check_like_data(
        const memory_desc_t &md, const char *name, const memory_desc_t &data, bool is_output) {
    KILN_TRY(check_tensor(component, md, name));
    KILN_TRY(check_shape(component, md, name, data));
    return is_output ? check_output(component, md, name) : dnnl_success;
}

status_t check_tensors(const eltwise_desc_t &desc) {
    const bool is_forward = desc.is_forward();
    const char *const data = is_forward || !uses_dst_for_backward(desc.alg) ? "src" : "dst";
    KILN_REQUIRE(!is_any(desc.data), is_forward ? dnnl_invalid_arguments : dnnl_unimplemented,
            component, "%s has format any; its layout must be given", data);
    KILN_TRY(check_like_data(desc.data, data, desc.data, false));
    if (is_forward) {
        KILN_TRY(check_like_data(desc.dst, "dst", desc.data, true));
    } else {
        KILN_TRY(check_like_data(desc.diff_dst, "diff_dst", desc.data, false));
        KILN_TRY(check_like_data(desc.diff_src, "diff_src", desc.data, true));
    }
    KILN_TRY(check_type(component, desc.data, data,
            is_forward ? element_types : element_types & ~integer_types));
    const named_md_t others[] = {{&desc.dst.get(), "dst"}, {&desc.diff_dst.get(), "diff_dst"},
            {&desc.diff_src.get(), "diff_src"}};
    for (const auto &[md, name] : others)
        KILN_REQUIRE(is_zero(*md) || md->data_type == desc.data.data_type, dnnl_unimplemented,
                component, "%s is of data type %s; supported is that of %s, %s", name,
                dnnl_dt2str(md->data_type), data, dnnl_dt2str(desc.data.data_type));
    return dnnl_success;
}

/// Forward: dropout, and binary and prelu post-ops. Backward: none.
status_t check_attr(const primitive_attr_t *attr, const eltwise_desc_t &desc) {
    KILN_TRY(check_attr_within(component, attr,
            desc.is_forward() ? attr_t::post_ops | attr_t::dropout : attr_t::none));
    if (attr == nullptr) return dnnl_success;
    for (const post_op_t &entry : attr->post_ops.entries)
        KILN_REQUIRE(one_of(kind_of(entry), {dnnl_binary, dnnl_prelu}), dnnl_unimplemented,
                component, "a post-op of kind %s is not supported; binary and prelu ones are",
                dnnl_prim_kind2str(kind_of(entry)));
    KILN_TRY(check_dropout(component, attr->dropout, desc.dst));
    return check_post_ops(component, attr->post_ops, desc.dst);
}

status_t create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine, const eltwise_desc_t &desc,
        const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    KILN_TRY(check_algorithm(desc));
    KILN_TRY(check_tensors(desc));
    KILN_TRY(check_attr(attr, desc));
    return create_primitive_desc(primitive_desc, engine, desc, attr, hint);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, prop_kind_t prop_kind, alg_kind_t alg_kind, const memory_desc_t *src_desc,
        const memory_desc_t *dst_desc, float alpha, float beta, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src_desc == nullptr
            || dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_REQUIRE(one_of(prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
                dnnl_invalid_arguments, component,
                "the propagation kind is 0x%x; it must be forward_training or forward_inference",
                static_cast<unsigned>(prop_kind));
        return create(primitive_desc, engine,
                {prop_kind, alg_kind, *src_desc, *dst_desc, zero_md, zero_md, alpha, beta}, nullptr,
                attr);
    });
}

status_t dnnl_eltwise_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, alg_kind_t alg_kind, const memory_desc_t *diff_src_desc,
        const memory_desc_t *diff_dst_desc, const memory_desc_t *data_desc, float alpha, float beta,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || diff_src_desc == nullptr
            || diff_dst_desc == nullptr || data_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        return create(primitive_desc, engine,
                {dnnl_backward_data, alg_kind, *data_desc, zero_md, *diff_src_desc, *diff_dst_desc,
                        alpha, beta},
                hint_fwd_pd, attr);
    });
}
