// SPDX-License-Identifier: Apache-2.0
// The C entry of concatenation: what a caller may ask for, and why the rest is refused.

#include "common/operations/concat_pd.hpp"

#include "common/operations/source_checks.hpp"
#include "common/operations/tensor_checks.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

constexpr const char *component = "concat";

std::string name_of(size_t source) { return "src_" + std::to_string(source); }

/// The dimensions are those of src_0 except along the axis.
status_t check_dims(const memory_desc_t &md, const char *name, const memory_desc_t &first, int axis,
        dim_t extent) {
    KILN_REQUIRE(md.ndims == first.ndims, dnnl_invalid_arguments, component,
            "%s has %d dimensions; it must have those of src_0, %d", name, md.ndims, first.ndims);
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t right = d == axis ? extent : first.dims[d];
        KILN_REQUIRE(md.dims[d] == right, dnnl_invalid_arguments, component,
                "dimension %d of %s is %lld; it must be %lld, %s", d, name,
                static_cast<long long>(md.dims[d]), static_cast<long long>(right),
                d == axis ? "the sum of the sources'" : "that of src_0");
    }
    return dnnl_success;
}

status_t check_sources(const std::vector<memory_desc_t> &srcs, int axis) {
    for (size_t i = 0; i < srcs.size(); ++i) {
        const std::string name = name_of(i);
        KILN_TRY(check_source(component, srcs[i], name.c_str()));
        KILN_REQUIRE(0 <= axis && axis < srcs.front().ndims, dnnl_invalid_arguments, component,
                "the axis is %d; it must be one of the %d dimensions, counted from 0", axis,
                srcs.front().ndims);
        const dim_t extent = axis < srcs[i].ndims ? srcs[i].dims[axis] : 0;
        KILN_TRY(check_dims(srcs[i], name.c_str(), srcs.front(), axis, extent));
        KILN_REQUIRE(srcs[i].data_type == srcs.front().data_type, dnnl_invalid_arguments, component,
                "%s is of data type %s; it must be that of src_0, %s", name.c_str(),
                dnnl_dt2str(srcs[i].data_type), dnnl_dt2str(srcs.front().data_type));
    }
    return dnnl_success;
}

/// The sum of the extents of the sources along the axis.
status_t add_extents(const std::vector<memory_desc_t> &srcs, int axis, dim_t &sum) {
    sum = 0;
    for (const memory_desc_t &src : srcs)
        KILN_REQUIRE(!__builtin_add_overflow(sum, src.dims[axis], &sum), dnnl_invalid_arguments,
                component, "the sum of the sources' dimensions %d does not fit into 64 bits", axis);
    return dnnl_success;
}

status_t check_attr(const primitive_attr_t *attr, size_t sources) {
    KILN_TRY(check_attr_within(component, attr, attr_t::scales));
    if (attr == nullptr) return dnnl_success;
    for (const auto &[arg, scale] : attr->scales) {
        const int source = arg - DNNL_ARG_MULTIPLE_SRC;
        KILN_REQUIRE(0 <= source && source < static_cast<int>(sources), dnnl_unimplemented,
                component, "%s has scales; only sources may have them", arg_name(arg).c_str());
        KILN_REQUIRE(scale.mask == 0 && scale.group_ndims == 0
                             && scale.mode == dnnl_quantization_mode_static_sazp
                             && contains(element_types, scale.data_type),
                dnnl_unimplemented, component,
                "scales of %s (mask %d) are not supported; there must be one static value, of one "
                "of %s",
                arg_name(arg).c_str(), scale.mask, names_of(element_types).c_str());
    }
    return dnnl_success;
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc, engine_t *engine,
        const memory_desc_t *dst_desc, int n, int concat_dimension,
        const memory_desc_t *const *src_descs, const primitive_attr_t *attr) {
    if (primitive_desc == nullptr || engine == nullptr || src_descs == nullptr || n <= 0)
        return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        concat_desc_t desc{.axis = concat_dimension, .srcs = {}, .dst = {}};
        const size_t slots = attr != nullptr && !attr->scales.empty() ? 2 : 1;
        KILN_TRY(take_sources(component, n, src_descs, desc.srcs, slots));
        KILN_TRY(check_sources(desc.srcs, desc.axis));
        dim_t extent;
        KILN_TRY(add_extents(desc.srcs, desc.axis, extent));
        if (dst_desc != nullptr) {
            desc.dst = *dst_desc;
        } else {
            desc.dst = with_open_format(desc.srcs.front());
            desc.dst.dims[desc.axis] = desc.dst.padded_dims[desc.axis] = extent;
        }
        KILN_TRY(check_dims(desc.dst, "dst", desc.srcs.front(), desc.axis, extent));
        KILN_TRY(check_destination(component, desc.dst));
        KILN_TRY(check_attr(attr, desc.srcs.size()));
        return create_primitive_desc(primitive_desc, engine, desc, attr, nullptr);
    });
}
