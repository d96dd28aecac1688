// SPDX-License-Identifier: Apache-2.0
// The C entries of PReLU: what a caller may ask for, and why the rest is refused.

#include "common/operations/prelu_pd.hpp"

#include "common/one_of.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "prelu";

status_t check_elements(const memory_desc_t &md, const char *name) {
    KILN_TRY(check_tensor(component, md, name));
    return check_type(component, md, name, element_types);
}

status_t check_weights(const memory_desc_t &weights, const memory_desc_t &src) {
    KILN_TRY(check_ndims(component, weights, "weights", src));
    for (int d = 0; d < src.ndims; ++d)
        KILN_REQUIRE(weights.dims[d] == 1 || weights.dims[d] == src.dims[d], dnnl_invalid_arguments,
                component, "dimension %d of weights is %lld; it must be 1 or src's, %lld", d,
                static_cast<long long>(weights.dims[d]), static_cast<long long>(src.dims[d]));
    return dnnl_success;
}

status_t check_same_type(const memory_desc_t &md, const char *name, const memory_desc_t &model,
        const char *model_name) {
    KILN_REQUIRE(md.data_type == model.data_type, dnnl_unimplemented, component,
            "%s is of data type %s; supported is that of %s, %s", name, dnnl_dt2str(md.data_type),
            model_name, dnnl_dt2str(model.data_type));
    return dnnl_success;
}

/// A tensor of src's shape and type.
status_t check_like_src(const memory_desc_t &md, const char *name, const memory_desc_t &src) {
    KILN_TRY(check_elements(md, name));
    KILN_TRY(check_shape(component, md, name, src));
    return check_same_type(md, name, src, "src");
}

status_t check_gradients(const prelu_desc_t &desc) {
    KILN_TRY(check_like_src(desc.diff_dst, "diff_dst", desc.src));
    KILN_TRY(check_like_src(desc.diff_src, "diff_src", desc.src));
    KILN_TRY(check_output(component, desc.diff_src, "diff_src"));
    const memory_desc_t &diff_weights = desc.diff_weights;
    KILN_TRY(check_elements(diff_weights, "diff_weights"));
    KILN_REQUIRE(same_dims(diff_weights, desc.weights), dnnl_invalid_arguments, component,
            "diff_weights have other dimensions than weights; they must be the same");
    KILN_TRY(check_same_type(diff_weights, "diff_weights", desc.weights, "weights"));
    return check_output(component, diff_weights, "diff_weights");
}

status_t create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine, const prelu_desc_t &desc,
        const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    if (desc.is_forward()) KILN_TRY(check_layout_given(component, desc.src, "src"));
    KILN_TRY(check_elements(desc.src, "src"));
    KILN_TRY(check_elements(desc.weights, "weights"));
    KILN_TRY(check_weights(desc.weights, desc.src));
    if (desc.is_forward()) {
        KILN_TRY(check_like_src(desc.dst, "dst", desc.src));
        KILN_TRY(check_output(component, desc.dst, "dst"));
    } else {
        KILN_TRY(check_gradients(desc));
    }
    KILN_TRY(check_attr_within(component, attr, attr_t::none));
    return create_primitive_desc(primitive_desc, engine, desc, attr, hint);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, prop_kind_t prop_kind, const memory_desc_t *src_desc,
        const memory_desc_t *weights_desc, const memory_desc_t *dst_desc,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src_desc == nullptr
            || weights_desc == nullptr || dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_REQUIRE(one_of(prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
                dnnl_invalid_arguments, component,
                "the propagation kind is 0x%x; it must be forward_training or forward_inference",
                static_cast<unsigned>(prop_kind));
        return create(primitive_desc, engine,
                {prop_kind, *src_desc, *weights_desc, *dst_desc, zero_md, zero_md, zero_md},
                nullptr, attr);
    });
}

status_t dnnl_prelu_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, const memory_desc_t *src_desc, const memory_desc_t *weights_desc,
        const memory_desc_t *diff_src_desc, const memory_desc_t *diff_weights_desc,
        const memory_desc_t *diff_dst_desc, const dnnl_primitive_desc *hint_fwd_pd,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src_desc == nullptr
            || weights_desc == nullptr || diff_src_desc == nullptr || diff_weights_desc == nullptr
            || diff_dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        return create(primitive_desc, engine,
                {dnnl_backward, *src_desc, *weights_desc, zero_md, *diff_src_desc,
                        *diff_weights_desc, *diff_dst_desc},
                hint_fwd_pd, attr);
    });
}
