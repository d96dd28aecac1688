// SPDX-License-Identifier: Apache-2.0
// The C entries of inner products: what a caller may ask for, and why the rest is refused.

#include "common/attributes/post_op_checks.hpp"
#include "common/one_of.hpp"
#include "common/operations/products/inner_product_pd.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "inner_product";
constexpr type_set_t s32_type = type_set({dnnl_s32});
constexpr type_set_t f64_type = type_set({dnnl_f64});

long long shown(dim_t value) { return static_cast<long long>(value); }

status_t check_dims(const inner_product_desc_t &desc) {
    const memory_desc_t &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    KILN_REQUIRE(2 <= src.ndims && src.ndims <= 5, dnnl_invalid_arguments, component,
            "src has %d dimensions; it must have 2 to 5", src.ndims);
    KILN_REQUIRE(weights.ndims == src.ndims && dst.ndims == 2, dnnl_invalid_arguments, component,
            "weights have %d dimensions and dst has %d; they must have those of src, %d, and 2",
            weights.ndims, dst.ndims, src.ndims);
    KILN_REQUIRE(src.dims[0] == dst.dims[0] && weights.dims[0] == dst.dims[1],
            dnnl_invalid_arguments, component,
            "dst is %lldx%lld; it must be dimension 0 of src, %lld, by that of weights, %lld",
            shown(dst.dims[0]), shown(dst.dims[1]), shown(src.dims[0]), shown(weights.dims[0]));
    for (int d = 1; d < src.ndims; ++d)
        KILN_REQUIRE(src.dims[d] == weights.dims[d], dnnl_invalid_arguments, component,
                "dimension %d of src is %lld; it must be that of weights, %lld", d,
                shown(src.dims[d]), shown(weights.dims[d]));
    KILN_REQUIRE(is_zero(desc.bias) || (desc.bias.ndims == 1 && desc.bias.dims[0] == dst.dims[1]),
            dnnl_invalid_arguments, component,
            "bias must have one dimension, that of dst's columns, %lld", shown(dst.dims[1]));
    return dnnl_success;
}

status_t check_tensors(const inner_product_desc_t &desc) {
    KILN_TRY(check_tensor(component, desc.src, "src"));
    KILN_TRY(check_tensor(component, desc.weights, "weights"));
    if (!is_zero(desc.bias)) KILN_TRY(check_tensor(component, desc.bias, "bias"));
    KILN_TRY(check_tensor(component, desc.dst, "dst"));
    return check_dims(desc);
}

/// The types of one computation: what is multiplied, what comes out, and the bias.
struct types_t {
    data_type_t one, other, result, bias;
};

bool are_supported(const types_t &types, type_set_t results) {
    const bool has_f64 = types.one == dnnl_f64;
    if (has_f64) return types.other == dnnl_f64 && types.result == dnnl_f64;
    return types.one == types.other && contains(float_types, types.one)
           && contains(results, types.result);
}

status_t check_types(const inner_product_desc_t &desc) {
    const data_type_t src = desc.src.data_type, weights = desc.weights.data_type;
    const data_type_t dst = desc.dst.data_type, bias = desc.bias.data_type;
    bool is_supported = false;
    type_set_t bias_types = float_types | f64_type;
    if (desc.prop_kind == dnnl_backward_data) {
        is_supported = are_supported({dst, weights, src, bias}, float_types);
    } else if (desc.prop_kind == dnnl_backward_weights) {
        is_supported = are_supported({src, dst, weights, bias}, float_types);
    } else if (contains(int8_types, src)) {
        is_supported = weights == dnnl_s8 && contains(float_types | int8_types | s32_type, dst);
        bias_types = float_types | int8_types | s32_type;
    } else {
        is_supported = are_supported({src, weights, dst, bias}, float_types | int8_types);
    }
    KILN_REQUIRE(is_supported, dnnl_unimplemented, component,
            "src of %s, weights of %s and dst of %s are not supported together", dnnl_dt2str(src),
            dnnl_dt2str(weights), dnnl_dt2str(dst));
    return is_zero(desc.bias) ? dnnl_success : check_type(component, desc.bias, "bias", bias_types);
}

status_t check_attr(const inner_product_desc_t &desc, const primitive_attr_t *attr) {
    if (attr == nullptr) return dnnl_success;
    const bool is_int8 = contains(int8_types, desc.src.data_type);
    attr_t honoured = attr_t::post_ops | attr_t::accumulation_mode;
    if (is_int8) honoured = honoured | attr_t::scales;
    KILN_TRY(check_attr_within(component, attr, honoured));
    for (const auto &[arg, scale] : attr->scales) {
        KILN_REQUIRE(one_of(arg, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}),
                dnnl_unimplemented, component,
                "%s has scales; only src, weights and dst may have them", arg_name(arg).c_str());
        KILN_REQUIRE(scale.group_ndims == 0 && scale.mode == dnnl_quantization_mode_static_sazp
                             && contains(float_types, scale.data_type)
                             && (scale.mask == 0 || (arg == DNNL_ARG_WEIGHTS && scale.mask == 1)),
                dnnl_unimplemented, component,
                "scales of %s (mask %d) are not supported as they are set; there may be one of "
                "f32, bf16 or f16, and of weights one for each output (mask 1)",
                arg_name(arg).c_str(), scale.mask);
    }
    return check_post_ops(component, attr->post_ops, desc.dst, sum_type_t::of_same_size);
}

/// The output's elements have addresses of their own.
status_t check_outputs(const inner_product_desc_t &desc) {
    if (desc.prop_kind == dnnl_backward_data) return check_output(component, desc.src, "diff_src");
    if (desc.prop_kind != dnnl_backward_weights) return check_output(component, desc.dst, "dst");
    KILN_TRY(check_output(component, desc.weights, "diff_weights"));
    return is_zero(desc.bias) ? dnnl_success : check_output(component, desc.bias, "diff_bias");
}

status_t check_hint(const dnnl_primitive_desc *hint, const memory_desc_t &dst) {
    KILN_REQUIRE(hint == nullptr || same_dims(hint->pd->md_of(DNNL_ARG_DST), dst),
            dnnl_invalid_arguments, component, "the hint's dst has another shape than diff_dst");
    return dnnl_success;
}

status_t create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine, prop_kind_t prop_kind,
        const memory_desc_t *src, const memory_desc_t *weights, const memory_desc_t *bias,
        const memory_desc_t *dst, const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_TRY(check_given(component, src, "src"));
        KILN_TRY(check_given(component, weights, "weights"));
        KILN_TRY(check_given(component, dst, "dst"));
        const inner_product_desc_t desc{prop_kind, *src, *weights, bias ? *bias : zero_md, *dst};
        KILN_TRY(check_tensors(desc));
        KILN_TRY(check_types(desc));
        KILN_TRY(check_outputs(desc));
        const bool is_backward = one_of(prop_kind, {dnnl_backward_data, dnnl_backward_weights});
        KILN_TRY(is_backward ? check_attr_within(component, attr, attr_t::accumulation_mode)
                             : check_attr(desc, attr));
        KILN_TRY(check_hint(hint, desc.dst));
        return create_primitive_desc(primitive_desc, engine, desc, attr, hint);
    });
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_inner_product_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, prop_kind_t prop_kind, const memory_desc_t *src_desc,
        const memory_desc_t *weights_desc, const memory_desc_t *bias_desc,
        const memory_desc_t *dst_desc, const primitive_attr_t *attr) {
    KILN_REQUIRE(one_of(prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
            dnnl_invalid_arguments, component,
            "the kind of propagation must be forward_training or forward_inference");
    return create(primitive_desc, engine, prop_kind, src_desc, weights_desc, bias_desc, dst_desc,
            nullptr, attr);
}

status_t dnnl_inner_product_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, const memory_desc_t *diff_src_desc,
        const memory_desc_t *weights_desc, const memory_desc_t *diff_dst_desc,
        const dnnl_primitive_desc *hint_fwd_pd, const primitive_attr_t *attr) {
    return create(primitive_desc, engine, dnnl_backward_data, diff_src_desc, weights_desc, nullptr,
            diff_dst_desc, hint_fwd_pd, attr);
}

status_t dnnl_inner_product_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, engine_t *engine, const memory_desc_t *src_desc,
        const memory_desc_t *diff_weights_desc, const memory_desc_t *diff_bias_desc,
        const memory_desc_t *diff_dst_desc, const dnnl_primitive_desc *hint_fwd_pd,
        const primitive_attr_t *attr) {
    return create(primitive_desc, engine, dnnl_backward_weights, src_desc, diff_weights_desc,
            diff_bias_desc, diff_dst_desc, hint_fwd_pd, attr);
}
