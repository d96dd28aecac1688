// SPDX-License-Identifier: Apache-2.0
#include "graph/op/names.hpp"

namespace kiln::graph {

namespace {

struct attr_name_t {
    op_attr_t attr;
    const char *name;
};

#define NAMED(name)                                                                                \
    { dnnl_graph_op_attr_##name, #name }
constexpr attr_name_t attr_names[] = {NAMED(alpha), NAMED(beta), NAMED(epsilon), NAMED(max),
        NAMED(min), NAMED(momentum), NAMED(scales), NAMED(axis), NAMED(begin_norm_axis),
        NAMED(groups), NAMED(axes), NAMED(dilations), NAMED(dst_shape), NAMED(kernel), NAMED(order),
        NAMED(output_padding), NAMED(pads_begin), NAMED(pads_end), NAMED(shape), NAMED(sizes),
        NAMED(src_shape), NAMED(strides), NAMED(weights_shape), NAMED(zps), NAMED(group_shape),
        NAMED(exclude_pad), NAMED(keep_dims), NAMED(keep_stats), NAMED(per_channel_broadcast),
        NAMED(special_zero), NAMED(transpose_a), NAMED(transpose_b), NAMED(use_affine),
        NAMED(use_dst), NAMED(auto_broadcast), NAMED(auto_pad),
        NAMED(coordinate_transformation_mode), NAMED(data_format), NAMED(mode), NAMED(qtype),
        NAMED(rounding_type), NAMED(weights_format), NAMED(accumulation_mode)};
#undef NAMED

} // namespace

const char *name_of(op_attr_t attr) {
    for (const auto &row : attr_names)
        if (row.attr == attr) return row.name;
    return nullptr;
}

std::optional<op_attr_t> op_attr_of(std::string_view name) {
    for (const auto &row : attr_names)
        if (name == row.name) return row.attr;
    return std::nullopt;
}

const char *name_of(attr_type_t type) {
    static constexpr const char *names[] = {"f32", "f32[]", "s64", "s64[]", "bool", "string"};
    return names[static_cast<size_t>(type)];
}

attr_type_t type_of(op_attr_t attr) {
    // The enumeration is laid out by type.
    if (attr < dnnl_graph_op_attr_scales) return attr_type_t::f32;
    if (attr < dnnl_graph_op_attr_axis) return attr_type_t::f32_list;
    if (attr < dnnl_graph_op_attr_axes) return attr_type_t::s64;
    if (attr < dnnl_graph_op_attr_exclude_pad) return attr_type_t::s64_list;
    if (attr < dnnl_graph_op_attr_auto_broadcast) return attr_type_t::boolean;
    return attr_type_t::string;
}

const char *name_of(dnnl_graph_layout_type_t type) {
    static constexpr const char *names[] = {"undef", "any", "strided", "opaque"};
    return static_cast<size_t>(type) < std::size(names) ? names[type] : "unknown layout_type";
}

const char *name_of(dnnl_graph_tensor_property_t property) {
    static constexpr const char *names[] = {"undef", "variable", "constant", "host_scalar"};
    return static_cast<size_t>(property) < std::size(names) ? names[property]
                                                            : "unknown property_type";
}

} // namespace kiln::graph
