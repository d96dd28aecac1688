// SPDX-License-Identifier: Apache-2.0
// Reduction's C entry: what a caller may ask for, and why the rest is refused.

#include "common/operations/reduction_pd.hpp"

#include <cmath>

#include "common/attributes/alg_kind.hpp"
#include "common/attributes/post_op_checks.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "reduction";

status_t check_algorithm(const reduction_desc_t &desc) {
    KILN_REQUIRE(is_reduction_alg(desc.alg), dnnl_invalid_arguments, component,
            "algorithm 0x%x is not a reduction", static_cast<unsigned>(desc.alg));
    if (!is_norm_alg(desc.alg)) return dnnl_success;
    KILN_REQUIRE(desc.p >= 1 && !std::isinf(desc.p), dnnl_invalid_arguments, component,
            "p of the norm is %g; it must be finite and at least 1", static_cast<double>(desc.p));
    KILN_REQUIRE(contains(float_types, desc.src.data_type), dnnl_invalid_arguments, component,
            "src of a norm is of data type %s; it must be one of %s",
            dnnl_dt2str(desc.src.data_type), names_of(float_types).c_str());
    return dnnl_success;
}

status_t check_shapes(const memory_desc_t &src, const memory_desc_t &dst) {
    KILN_TRY(check_ndims(component, dst, "dst", src));
    for (int d = 0; d < src.ndims; ++d)
        KILN_REQUIRE(dst.dims[d] == 1 || dst.dims[d] == src.dims[d], dnnl_invalid_arguments,
                component, "dimension %d of dst is %lld; it must be 1 or src's, %lld", d,
                static_cast<long long>(dst.dims[d]), static_cast<long long>(src.dims[d]));
    KILN_REQUIRE(!same_dims(src, dst), dnnl_invalid_arguments, component,
            "dst has src's shape; at least one of its dimensions must be 1 where src's is not");
    return dnnl_success;
}

status_t check_tensors(const memory_desc_t &src, const memory_desc_t &dst) {
    KILN_TRY(check_layout_given(component, src, "src"));
    KILN_REQUIRE(!is_host_scalar(src) && !is_host_scalar(dst), dnnl_invalid_arguments, component,
            "src or dst is a host scalar; both must be tensors");
    KILN_TRY(check_shapes(src, dst));
    KILN_TRY(check_format(component, src, "src"));
    KILN_TRY(check_format(component, dst, "dst"));
    KILN_TRY(check_output(component, dst, "dst"));
    for (const auto &[md, name] : {std::pair{&src, "src"}, std::pair{&dst, "dst"}})
        KILN_TRY(check_no_runtime_values(component, *md, name));
    for (const auto &[md, name] : {std::pair{&src, "src"}, std::pair{&dst, "dst"}})
        KILN_TRY(check_type(component, *md, name, element_types));
    return dnnl_success;
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
        const reduction_desc_t desc{alg_kind, *src_desc, *dst_desc, p, eps};
        KILN_TRY(check_algorithm(desc));
        KILN_TRY(check_tensors(desc.src, desc.dst));
        KILN_TRY(check_attr_within(component, attr, attr_t::post_ops));
        if (attr) KILN_TRY(check_post_ops(component, attr->post_ops, desc.dst));
        return create_primitive_desc(primitive_desc, engine, desc, attr, nullptr);
    });
}
