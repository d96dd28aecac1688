// SPDX-License-Identifier: Apache-2.0
// The C entry of matrix multiplication: what a caller may ask for, and why the rest is refused.

#include "common/memory/compensation.hpp"
#include "common/operations/matmul_pd.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "matmul";
constexpr type_set_t f64_type = type_set({dnnl_f64});
constexpr type_set_t narrow_types = f8_types | f4_types;
constexpr type_set_t integer_weights = int8_types | int4_types;

long long shown(dim_t value) { return static_cast<long long>(value); }

status_t check_operand(const memory_desc_t &md, const char *name) {
    KILN_TRY(check_dense(component, md, name));
    KILN_REQUIRE(md.extra.flags == 0, dnnl_unimplemented, component,
            "%s has a layout with compensation, which is not supported", name);
    return dnnl_success;
}

/// Behind weights may lie the sums that a zero point of src is multiplied by.
status_t check_weights(const memory_desc_t &md) {
    if (md.extra.flags != has_zero_point_compensation) return check_operand(md, "weights");
    KILN_REQUIRE(has_known_extra(md) && md.data_type == dnnl_s8, dnnl_unimplemented, component,
            "weights have compensation that is not supported; its mask must name axes of the "
            "tensor, which must be of s8");
    return check_dense(component, md, "weights");
}

status_t check_equal(dim_t extent, const char *name, int axis, dim_t other, const char *other_name,
        int other_axis) {
    KILN_REQUIRE(extent == other, dnnl_invalid_arguments, component,
            "dimension %d of %s is %lld; it must be dimension %d of %s, %lld", axis, name,
            shown(extent), other_axis, other_name, shown(other));
    return dnnl_success;
}

status_t check_batch_axis(const matmul_desc_t &desc, int d) {
    const dim_t src = desc.src.dims[d], weights = desc.weights.dims[d], dst = desc.dst.dims[d];
    const bool is_open = src == runtime_dim || weights == runtime_dim || dst == runtime_dim;
    KILN_REQUIRE(!is_open || (src == dst && weights == dst), dnnl_invalid_arguments, component,
            "dimension %d is known only at execution in one of src, weights and dst; it must be so "
            "in all of them",
            d);
    KILN_REQUIRE(is_open || ((src == 1 || src == dst) && (weights == 1 || weights == dst)),
            dnnl_invalid_arguments, component,
            "dimension %d is %lld in src, %lld in weights and %lld in dst; those of src and "
            "weights must be 1 or dst's",
            d, shown(src), shown(weights), shown(dst));
    KILN_REQUIRE(is_open || src == dst || weights == dst, dnnl_invalid_arguments, component,
            "dimension %d of dst is %lld; it must be that of src or of weights", d, shown(dst));
    return dnnl_success;
}

status_t check_bias(const memory_desc_t &bias, const memory_desc_t &dst) {
    if (is_zero(bias)) return dnnl_success;
    KILN_REQUIRE(bias.ndims == dst.ndims, dnnl_invalid_arguments, component,
            "bias has %d dimensions; it must have those of dst, %d", bias.ndims, dst.ndims);
    for (int d = 0; d < dst.ndims; ++d)
        KILN_REQUIRE(bias.dims[d] == 1 || bias.dims[d] == dst.dims[d], dnnl_invalid_arguments,
                component, "dimension %d of bias is %lld; it must be 1 or dst's, %lld", d,
                shown(bias.dims[d]), shown(dst.dims[d]));
    return dnnl_success;
}

/// Whether the library multiplies elements of these types.
bool are_types_supported(const matmul_desc_t &desc, const primitive_attr_t *attr) {
    const data_type_t src = desc.src.data_type, weights = desc.weights.data_type;
    const data_type_t dst = desc.dst.data_type;
    if (contains(int8_types, src))
        return contains(integer_weights, weights)
               && contains(float_types | int8_types | type_set({dnnl_s32}), dst);
    if (src == dnnl_f64 || weights == dnnl_f64 || dst == dnnl_f64)
        return src == weights && weights == dst;
    const bool decompresses = attr != nullptr && attr->fpmath.apply_to_int;
    return contains(float_types | narrow_types, src)
           && contains(float_types | narrow_types | (decompresses ? integer_weights : 0), weights)
           && contains(float_types | narrow_types | int8_types, dst);
}

status_t check_types(const matmul_desc_t &desc, const primitive_attr_t *attr) {
    KILN_REQUIRE(are_types_supported(desc, attr), dnnl_unimplemented, component,
            "src of %s, weights of %s and dst of %s are not supported together; integer weights "
            "with a floating-point src need an fpmath mode with apply_to_int",
            dnnl_dt2str(desc.src.data_type), dnnl_dt2str(desc.weights.data_type),
            dnnl_dt2str(desc.dst.data_type));
    if (is_zero(desc.bias)) return dnnl_success;
    const bool is_int8 = contains(int8_types, desc.src.data_type);
    type_set_t types = float_types | f8_types;
    if (is_int8) types = float_types | int8_types | type_set({dnnl_s32});
    if (desc.src.data_type == dnnl_f64) types = f64_type | type_set({dnnl_f32});
    return check_type(component, desc.bias, "bias", types);
}

status_t check_tensors(const matmul_desc_t &desc, const primitive_attr_t *attr) {
    KILN_TRY(check_operand(desc.src, "src"));
    KILN_TRY(check_weights(desc.weights));
    if (!is_zero(desc.bias)) KILN_TRY(check_operand(desc.bias, "bias"));
    KILN_TRY(check_operand(desc.dst, "dst"));
    KILN_TRY(check_shapes(desc));
    KILN_TRY(check_types(desc, attr));
    return check_output(component, desc.dst, "dst");
}

} // namespace

status_t check_shapes(const matmul_desc_t &desc) {
    const int ndims = desc.dst.ndims;
    KILN_REQUIRE(ndims >= 2, dnnl_invalid_arguments, component,
            "dst has %d dimensions; it must have at least 2", ndims);
    KILN_REQUIRE(desc.src.ndims == ndims && desc.weights.ndims == ndims, dnnl_invalid_arguments,
            component, "src has %d dimensions, weights %d and dst %d; all must have as many",
            desc.src.ndims, desc.weights.ndims, ndims);
    const int m = ndims - 2, n = ndims - 1;
    KILN_TRY(check_equal(desc.dst.dims[m], "dst", m, desc.src.dims[m], "src", m));
    KILN_TRY(check_equal(desc.dst.dims[n], "dst", n, desc.weights.dims[n], "weights", n));
    KILN_TRY(check_equal(desc.src.dims[n], "src", n, desc.weights.dims[m], "weights", m));
    for (int d = 0; d < m; ++d) KILN_TRY(check_batch_axis(desc, d));
    return check_bias(desc.bias, desc.dst);
}

status_t check_matmul(const matmul_desc_t &desc, const primitive_attr_t *attr) {
    KILN_TRY(check_tensors(desc, attr));
    return check_matmul_attr(desc, attr);
}

} // namespace kiln

using namespace kiln;

status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        const memory_desc_t *src_desc, const memory_desc_t *weights_desc,
        const memory_desc_t *bias_desc, const memory_desc_t *dst_desc,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_TRY(check_given(component, src_desc, "src"));
        KILN_TRY(check_given(component, weights_desc, "weights"));
        KILN_TRY(check_given(component, dst_desc, "dst"));
        const matmul_desc_t desc{
                *src_desc, *weights_desc, bias_desc ? *bias_desc : zero_md, *dst_desc};
        KILN_TRY(check_matmul(desc, attr));
        return create_primitive_desc(primitive_desc, engine, desc, attr, nullptr);
    });
}
