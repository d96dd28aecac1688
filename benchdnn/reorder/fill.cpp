// SPDX-License-Identifier: Apache-2.0
// Data of the reorder driver: src, and what a sum finds in dst.
#include <functional>
#include <vector>

#include "common/tensor/data_type.hpp"
#include "common/tensor/segments.hpp"
#include "reorder/problem.hpp"
#include "reorder/values.hpp"

namespace benchdnn::reorder {

namespace {

// An entry's single value; the values of a tensor lie about 1.
double single_value(const quantization_t &quantization, int argument, double standard) {
    const quantization_entry_t *entry = quantization.find(argument);
    if (!entry || !entry->broadcast.is_single_value()) return standard;
    return rounded_to(entry->data_type, entry->value);
}

mapping_t mapping_of(const attributes_t &attributes) {
    mapping_t mapping;
    const double src_scale = single_value(attributes.scales, DNNL_ARG_FROM, 1);
    const double dst_scale = single_value(attributes.scales, DNNL_ARG_TO, 1);
    // A scale of 0 is allowed; data cannot make up for it.
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

void fill_all(tensor_t &tensor, const std::function<double(dim_t index)> &value) {
    parallel_segments(tensor.layout(), [&](int, const segment_t &segment) {
        std::vector<double> values(segment.count);
        const dim_t index = segment.index(tensor.cols());
        for (dim_t i = 0; i < segment.count; ++i) values[i] = value(index + i);
        tensor.store_span(segment.row, segment.first, segment.count, values.data());
    });
}

} // namespace

void fill(const spec_t &spec, const attributes_t &attributes, arguments_t &arguments) {
    tensor_t &src = arguments.at(DNNL_ARG_FROM);
    const src_values_t values(
            spec.src_type, spec.dst_type, mapping_of(attributes), src.layout().elements());
    fill_all(src, values);
    if (!spec.in_place && attributes.post_ops.has(post_op_t::kind_t::sum))
        fill_all(arguments.at(DNNL_ARG_TO),
                [&](dim_t index) { return prior_value(spec.dst_type, index); });
}

} // namespace benchdnn::reorder
