// SPDX-License-Identifier: Apache-2.0
// The C entries of shuffle: what a caller may ask for, and why the rest is refused.

#include "common/operations/shuffle_pd.hpp"

#include "common/one_of.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "shuffle";

status_t check_like_src(const memory_desc_t &md, const char *name, const memory_desc_t &src) {
    KILN_TRY(check_tensor(component, md, name));
    KILN_TRY(check_shape(component, md, name, src));
    return check_type(component, md, name, element_types);
}

status_t check_axis(const shuffle_desc_t &desc) {
    KILN_REQUIRE(0 <= desc.axis && desc.axis < desc.src.ndims, dnnl_invalid_arguments, component,
            "the axis is %d; it must be from 0 to %d", desc.axis, desc.src.ndims - 1);
    const dim_t extent = desc.src.dims[desc.axis];
    KILN_REQUIRE(desc.group_size > 0 && desc.group_size <= extent && extent % desc.group_size == 0,
            dnnl_invalid_arguments, component,
            "the group size is %lld; it must divide the extent of axis %d, %lld",
            static_cast<long long>(desc.group_size), desc.axis, static_cast<long long>(extent));
    return dnnl_success;
}

status_t create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine, const shuffle_desc_t &desc,
        const dnnl_primitive_desc *hint, const primitive_attr_t *attr) {
    const char *const src = desc.is_forward() ? "src" : "diff_dst";
    const char *const dst = desc.is_forward() ? "dst" : "diff_src";
    if (desc.is_forward()) KILN_TRY(check_layout_given(component, desc.src, src));
    KILN_TRY(check_like_src(desc.src, src, desc.src));
    KILN_TRY(check_like_src(desc.dst, dst, desc.src));
    KILN_TRY(check_output(component, desc.dst, dst));
    KILN_TRY(check_axis(desc));
    KILN_REQUIRE(desc.src.data_type == desc.dst.data_type, dnnl_unimplemented, component,
            "%s is of data type %s; supported is that of %s, %s", dst,
            dnnl_dt2str(desc.dst.data_type), src, dnnl_dt2str(desc.src.data_type));
    KILN_TRY(check_attr_within(component, attr, attr_t::none));
    return create_primitive_desc(primitive_desc, engine, desc, attr, hint);
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, prop_kind_t prop_kind, const memory_desc_t *src_desc,
        const memory_desc_t *dst_desc, int axis, dim_t group_size, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src_desc == nullptr
            || dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        KILN_REQUIRE(one_of(prop_kind, {dnnl_forward_training, dnnl_forward_inference}),
                dnnl_invalid_arguments, component,
                "the propagation kind is 0x%x; it must be forward_training or forward_inference",
                static_cast<unsigned>(prop_kind));
        return create(primitive_desc, engine, {prop_kind, *src_desc, *dst_desc, axis, group_size},
                nullptr, attr);
    });
}

status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        engine_t *engine, const memory_desc_t *diff_src_desc, const memory_desc_t *diff_dst_desc,
        int axis, dim_t group_size, const dnnl_primitive_desc *hint_fwd_pd,
        const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || diff_src_desc == nullptr
            || diff_dst_desc == nullptr)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        return create(primitive_desc, engine,
                {dnnl_backward_data, *diff_dst_desc, *diff_src_desc, axis, group_size}, hint_fwd_pd,
                attr);
    });
}
