// SPDX-License-Identifier: Apache-2.0
// Data of the reorder driver: src, and dst before a sum post-op.
#include "common/tensor/fill.hpp"
#include "common/tensor/data_type.hpp"
#include "reorder/problem.hpp"
#include "reorder/values.hpp"

namespace benchdnn::reorder {

namespace {

// The value of an entry; values of a tensor are around 1.
double single_value(const quantization_t &quantization, int argument, double standard) {
    const quantization_entry_t *entry = quantization.find(argument);
    if (!entry || !entry->broadcast.is_single_value()) return standard;
    return rounded_to(entry->data_type, entry->value);
}

mapping_t mapping_of(const attributes_t &attributes) {
    mapping_t mapping;
    const double src_scale = single_value(attributes.scales, DNNL_ARG_FROM, 1);
    const double dst_scale = single_value(attributes.scales, DNNL_ARG_TO, 1);
    // A scale of 0 is allowed; no values of src can compensate it.
    if (src_scale != 0 && dst_scale != 0) mapping.factor = src_scale / dst_scale;
    mapping.src_zero_point = single_value(attributes.zero_points, DNNL_ARG_FROM, 0);
    mapping.dst_zero_point = single_value(attributes.zero_points, DNNL_ARG_TO, 0);
    for (const quantization_entry_t &entry : attributes.scales.entries)
        mapping.has_tensor_scales |= !entry.broadcast.is_single_value();
    mapping.computes = !only_converts(attributes);
    using kind_t = post_op_t::kind_t;
    mapping.has_post_ops =
            attributes.post_ops.has(kind_t::eltwise) || attributes.post_ops.has(kind_t::binary);
    return mapping;
}

} // namespace

void fill(const spec_t &spec, const attributes_t &attributes, arguments_t &arguments) {
    tensor_t &src = arguments.at(DNNL_ARG_FROM);
    const src_values_t values(
            spec.src_type, spec.dst_type, mapping_of(attributes), src.layout().elements());
    fill_elements(src, values);
    if (!spec.in_place && attributes.post_ops.has(post_op_t::kind_t::sum))
        fill_prior(arguments.at(DNNL_ARG_TO));
}

} // namespace benchdnn::reorder
