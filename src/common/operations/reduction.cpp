// SPDX-License-Identifier: Apache-2.0
// Reduction's C entry: what a caller may ask for, and why the rest is refused.

#include "common/operations/reduction_pd.hpp"

#include <cmath>

#include "common/attributes/alg_kind.hpp"
#include "common/attributes/post_op_checks.hpp"
#include "common/memory/data_type.hpp"
#include "common/memory/type_set.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "reduction";

status_t check_algorithm(const reduction_desc_t &desc) {
    KILN_REQUIRE(is_reduction_alg(desc.alg), dnnl_invalid_arguments, component, "bad algorithm");
    if (!is_norm_alg(desc.alg)) return dnnl_success;
    KILN_REQUIRE(desc.p >= 1 && !std::isinf(desc.p), dnnl_invalid_arguments, component,
            "a norm with p %g", static_cast<double>(desc.p));
    KILN_REQUIRE(contains(float_types, desc.src.data_type), dnnl_invalid_arguments, component,
            "a norm of src in %s", dnnl_dt2str(desc.src.data_type));
    return dnnl_success;
}

status_t check_shapes(const memory_desc_t &src, const memory_desc_t &dst) {
    KILN_REQUIRE(src.ndims == dst.ndims, dnnl_invalid_arguments, component,
            "tensors src and dst have inconsistent number of dimensions (%d and %d)", src.ndims,
            dst.ndims);
    for (int d = 0; d < src.ndims; ++d)
        KILN_REQUIRE(dst.dims[d] == 1 || dst.dims[d] == src.dims[d], dnnl_invalid_arguments,
                component, "dimension src:%d is inconsistent with dst:%d", d, d);
    KILN_REQUIRE(!same_dims(src, dst), dnnl_invalid_arguments, component,
            "dst has src's shape, nothing is reduced");
    return dnnl_success;
}

status_t check_tensors(const memory_desc_t &src, const memory_desc_t &dst) {
    KILN_REQUIRE(!is_host_scalar(src) && !is_host_scalar(dst), dnnl_invalid_arguments, component,
            "src or dst is a host scalar");
    KILN_TRY(check_shapes(src, dst));
    KILN_REQUIRE(
            is_blocked(src), dnnl_invalid_arguments, component, "unsupported format kind for src");
    KILN_REQUIRE(is_blocked(dst) || is_any(dst), dnnl_invalid_arguments, component,
            "unsupported format kind for dst");
    KILN_REQUIRE(broadcast_axis(dst) < 0, dnnl_invalid_arguments, component,
            "dst has stride 0 along axis %d", broadcast_axis(dst));
    KILN_REQUIRE(!has_runtime_values(src) && !has_runtime_values(dst), dnnl_unimplemented,
            component, "runtime dimension is not supported");
    for (const memory_desc_t *md : {&src, &dst})
        KILN_REQUIRE(has_element_type(md->data_type), dnnl_unimplemented, component,
                "unsupported datatype %s", dnnl_dt2str(md->data_type));
    return dnnl_success;
}

status_t check_attr(const primitive_attr_t *attr, const memory_desc_t &dst) {
    if (attr == nullptr) return dnnl_success;
    const char *reason = attr->first_set_beyond(attr_t::post_ops);
    KILN_REQUIRE(reason == nullptr, dnnl_unimplemented, component, "%s", reason);
    return check_post_ops(component, attr->post_ops, dst);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, alg_kind_t alg_kind, const memory_desc_t *src_desc,
        const memory_desc_t *dst_desc, float p, float eps, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src_desc == nullptr
            || dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_REQUIRE(!is_any(*src_desc), dnnl_invalid_arguments, component,
                "unsupported format tag for src");
        const reduction_desc_t desc{alg_kind, *src_desc, *dst_desc, p, eps};
        KILN_TRY(check_algorithm(desc));
        KILN_TRY(check_tensors(desc.src, desc.dst));
        KILN_TRY(check_attr(attr, desc.dst));
        return create_primitive_desc<reduction_pd_t>(primitive_desc, engine, desc, attr, nullptr);
    });
}
