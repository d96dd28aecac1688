// SPDX-License-Identifier: Apache-2.0
// Softmax's C entries: what a caller may ask for, and why the rest is refused.

#include "common/one_of.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/operations/softmax_pd.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "softmax";
constexpr type_set_t forward_types = float_types | int8_types | f8_types | type_set({dnnl_f64});
constexpr type_set_t backward_types = float_types | type_set({dnnl_f64});

status_t check_problem(const softmax_desc_t &desc) {
    KILN_REQUIRE(one_of(desc.alg, {dnnl_softmax_accurate, dnnl_softmax_log}),
            dnnl_invalid_arguments, component,
            "algorithm 0x%x is not a softmax; it must be softmax_accurate or softmax_log",
            static_cast<unsigned>(desc.alg));
    KILN_REQUIRE(0 <= desc.axis && desc.axis < desc.dst.ndims, dnnl_invalid_arguments, component,
            "axis %d is not one of dst's; dst has %d dimensions", desc.axis, desc.dst.ndims);
    return dnnl_success;
}

status_t check_tensors(const memory_desc_t &model, type_set_t types, const memory_desc_t &output,
        const char *output_name,
        std::initializer_list<std::pair<const memory_desc_t *, const char *>> tensors) {
    for (const auto &[md, name] : tensors) KILN_TRY(check_tensor(component, *md, name, model));
    for (const auto &[md, name] : tensors) KILN_TRY(check_type(component, *md, name, types));
    return check_output(component, output, output_name);
}

status_t check_forward(const softmax_desc_t &desc, const primitive_attr_t *attr) {
    KILN_REQUIRE(one_of(desc.prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, component,
            "the kind of propagation must be forward_training or forward_inference");
    KILN_TRY(check_problem(desc));
    KILN_TRY(check_layout_given(component, desc.src, "src"));
    KILN_TRY(check_tensors(desc.src, forward_types, desc.dst, "dst",
            {{&desc.src.get(), "src"}, {&desc.dst, "dst"}}));
    if (attr == nullptr) return dnnl_success;
    KILN_TRY(check_attr_within(
            component, attr, attr_t::scales | attr_t::post_ops | attr_t::dropout));
    KILN_TRY(check_dropout(component, attr->dropout, desc.dst));
    KILN_TRY(check_scales(component, attr->scales, desc.src, desc.dst, int8_types | f8_types));
    return check_normalization_post_ops(component, attr->post_ops, desc.dst);
}

status_t check_backward(
        const softmax_desc_t &desc, const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    KILN_TRY(check_problem(desc));
    KILN_TRY(check_layout_given(component, desc.dst, "dst"));
    KILN_TRY(check_tensors(desc.dst, backward_types, desc.diff_src, "diff_src",
            {{&desc.dst, "dst"}, {&desc.diff_dst.get(), "diff_dst"},
                    {&desc.diff_src.get(), "diff_src"}}));
    KILN_REQUIRE(hint == nullptr || same_dims(hint->pd->md_of(DNNL_ARG_DST), desc.dst),
            dnnl_invalid_arguments, component, "the hint's dst has another shape than dst");
    return check_attr_within(component, attr, attr_t::none);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, prop_kind_t prop_kind, alg_kind_t alg_kind, const memory_desc_t *src_desc,
        const memory_desc_t *dst_desc, int softmax_axis, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_TRY(check_given(component, src_desc, "src"));
        KILN_TRY(check_given(component, dst_desc, "dst"));
        softmax_desc_t desc{};
        desc.prop_kind = prop_kind;
        desc.alg = alg_kind;
        desc.axis = softmax_axis;
        desc.src = *src_desc;
        desc.dst = *dst_desc;
        KILN_TRY(check_forward(desc, attr));
        return create_primitive_desc(primitive_desc, engine, desc, attr, nullptr);
    });
}

status_t dnnl_softmax_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, alg_kind_t alg_kind, const memory_desc_t *diff_src_desc,
        const memory_desc_t *diff_dst_desc, const memory_desc_t *dst_desc, int softmax_axis,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_TRY(check_given(component, diff_src_desc, "diff_src"));
        KILN_TRY(check_given(component, diff_dst_desc, "diff_dst"));
        KILN_TRY(check_given(component, dst_desc, "dst"));
        softmax_desc_t desc{};
        desc.prop_kind = dnnl_backward_data;
        desc.alg = alg_kind;
        desc.axis = softmax_axis;
        desc.dst = *dst_desc;
        desc.diff_src = *diff_src_desc;
        desc.diff_dst = *diff_dst_desc;
        KILN_TRY(check_backward(desc, hint_fwd_pd, attr));
        return create_primitive_desc(primitive_desc, engine, desc, attr, hint_fwd_pd);
    });
}
