// SPDX-License-Identifier: Apache-2.0
#include "graph/operations/schema_checks.hpp"

#include <algorithm>
#include <utility>

#include "common/verbose/verbose.hpp"
#include "graph/shapes/shape_inference.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::graph {

#define REQUIRE(condition, format, ...)                                                            \
    KILN_REQUIRE(condition, dnnl_invalid_graph_op, "graph", "%s: " format,                         \
            name_of(op.kind) __VA_OPT__(, ) __VA_ARGS__)

// ---- axes

namespace {

status_t check_range(const op_t &op, int64_t axis, int ndims) {
    REQUIRE(axis_from_front(axis, ndims) >= 0, "axis %lld is out of range for src of %d dims",
            static_cast<long long>(axis), ndims);
    return dnnl_success;
}

} // namespace

template <op_attr_t attr> status_t check_axis(const op_t &op) {
    const logical_tensor_t &src = op.inputs[0];
    return has_known_ndims(src) ? check_range(op, op.attr<int64_t>(attr), src.ndims) : dnnl_success;
}
template status_t check_axis<dnnl_graph_op_attr_axis>(const op_t &);
template status_t check_axis<dnnl_graph_op_attr_begin_norm_axis>(const op_t &);

template <op_attr_t attr> status_t check_axes(const op_t &op) {
    const logical_tensor_t &src = op.inputs[0];
    if (!has_known_ndims(src) || !op.has_attr(attr)) return dnnl_success;
    unsigned seen = 0;
    for (int64_t axis : op.attr<std::vector<int64_t>>(attr)) {
        KILN_TRY(check_range(op, axis, src.ndims));
        const unsigned bit = 1u << axis_from_front(axis, src.ndims);
        REQUIRE((seen & bit) == 0, "axis %lld is repeated", static_cast<long long>(axis));
        seen |= bit;
    }
    return dnnl_success;
}
template status_t check_axes<dnnl_graph_op_attr_axes>(const op_t &);
template status_t check_axes<dnnl_graph_op_attr_order>(const op_t &);

// ---- data types

status_t check_weight_types(const op_t &op) {
    const data_type_t src = op.inputs[0].data_type;
    const auto check = [&](const logical_tensor_t &tensor) {
        REQUIRE(is_absent(tensor) || tensor.data_type == dnnl_f32 || tensor.data_type == src,
                "tensor %zu is %s; weights and statistics must be f32 or have the type of src (%s)",
                tensor.id, dnnl_dt2str(tensor.data_type), dnnl_dt2str(src));
        return dnnl_success;
    };
    for (const logical_tensor_t &input : op.inputs) KILN_TRY(check(input));
    for (const logical_tensor_t &output : op.outputs) KILN_TRY(check(output));
    return dnnl_success;
}

status_t check_output_is_f32_or_like_input(const op_t &op) {
    const data_type_t dst = op.outputs[0].data_type;
    REQUIRE(dst == dnnl_f32 || dst == op.inputs[0].data_type,
            "the output is %s, not f32 or the type of the first input (%s)", dnnl_dt2str(dst),
            dnnl_dt2str(op.inputs[0].data_type));
    return dnnl_success;
}

status_t check_types_are_alike_or_one_is_f32(const op_t &op) {
    return op.inputs[0].data_type == dnnl_f32 ? dnnl_success
                                              : check_output_is_f32_or_like_input(op);
}

status_t check_type_cast(const op_t &op) {
    const data_type_t src = op.inputs[0].data_type;
    const data_type_t dst = op.outputs[0].data_type;
    REQUIRE(src != dst, "src and dst are both %s; their types must differ", dnnl_dt2str(src));
    REQUIRE(src == dnnl_f32 || dst == dnnl_f32, "src is %s and dst is %s; one of them must be f32",
            dnnl_dt2str(src), dnnl_dt2str(dst));
    return dnnl_success;
}

// ---- normalizations

status_t check_kept_statistics(const op_t &op) {
    REQUIRE(!op.attr<bool>(dnnl_graph_op_attr_keep_stats) || op.outputs.size() == 3,
            "keep_stats is true and there are no outputs for mean and variance; set keep_stats to "
            "false without statistics; " KILN_UNWANTED_OUTPUT);
    return dnnl_success;
}

status_t check_affine(const op_t &op) {
    REQUIRE(!has_use_affine(op, true) || find_input(op, "gamma") >= 0,
            "use_affine is true and gamma is not among the %zu inputs; add gamma or set use_affine "
            "to false",
            op.inputs.size());
    return dnnl_success;
}

skipped_inputs_t skipped_inputs_of_layer_norm_backward(const op_t &op) {
    const size_t count = op.inputs.size();
    const bool has_no_statistics = count == 3 || (count == 4 && has_use_affine(op, true));
    return {.first = 2, .count = has_no_statistics ? 2 : 0};
}

status_t check_layer_norm_backward(const op_t &op) {
    constexpr size_t with_gamma_alone = 3;
    const bool has_gamma = find_input(op, "gamma") >= 0;
    REQUIRE(has_gamma || op.inputs.size() != with_gamma_alone,
            "three inputs are src, diff_dst and gamma, and use_affine is false; mean and variance "
            "are given together or not at all");
    REQUIRE(has_gamma || (find_output(op, "diff_gamma") < 0 && find_output(op, "diff_beta") < 0),
            "diff_gamma and diff_beta require gamma%s; " KILN_UNWANTED_OUTPUT, hint_of_form(op));
    const auto is_known = [](const logical_tensor_t &lt) { return has_known_shape(lt); };
    if (!std::ranges::all_of(op.inputs, is_known)) return dnnl_success;
    return check_layer_norm_form(op, op.inputs) == dnnl_success ? dnnl_success
                                                                : dnnl_invalid_graph_op;
}

status_t check_batch_norm_gradients(const op_t &op) {
    REQUIRE((find_output(op, "diff_gamma") < 0) == (find_output(op, "diff_beta") < 0),
            "only one of diff_gamma and diff_beta is wanted; both must be or "
            "neither; " KILN_UNWANTED_OUTPUT);
    return dnnl_success;
}

// ---- quantization

status_t check_quantization(const op_t &op) {
    const logical_tensor_t &src = op.inputs[0];
    const auto &qtype = op.attr<std::string>(dnnl_graph_op_attr_qtype);
    const size_t count = op.attr<std::vector<float>>(dnnl_graph_op_attr_scales).size();
    if (qtype == "per_tensor") {
        REQUIRE(count == 1, "there are %zu scales, not 1 (qtype is per_tensor)", count);
    } else if (check_quantization_scales(op, src) != dnnl_success) {
        return dnnl_invalid_graph_op;
    }
    if (!op.has_attr(dnnl_graph_op_attr_zps)) return dnnl_success;
    const auto is_f8 = [](const logical_tensor_t &lt) { return contains(f8_types, lt.data_type); };
    REQUIRE(!is_f8(src) && !is_f8(op.outputs[0]), "zero points are given for an 8-bit float type");
    const auto &zero_points = op.attr<std::vector<int64_t>>(dnnl_graph_op_attr_zps);
    REQUIRE(zero_points.size() == count, "there are %zu zero points and %zu scales",
            zero_points.size(), count);
    for (const int64_t point : zero_points)
        REQUIRE(std::in_range<int32_t>(point), "zero point %lld is out of the range of s32",
                static_cast<long long>(point));
    return dnnl_success;
}

status_t check_dynamic_quantization(const op_t &op) {
    if (op.attr<std::string>(dnnl_graph_op_attr_qtype) == "per_channel")
        KILN_TRY(check_axis<dnnl_graph_op_attr_axis>(op));
    return check_quantization_operands(op, op.inputs) == dnnl_success ? dnnl_success
                                                                      : dnnl_invalid_graph_op;
}

// ---- the rest

status_t check_clamp(const op_t &op) {
    const float lowest = op.attr<float>(dnnl_graph_op_attr_min);
    const float highest = op.attr<float>(dnnl_graph_op_attr_max);
    REQUIRE(lowest <= highest, "min is %g, greater than max (%g)", lowest, highest);
    return dnnl_success;
}

status_t check_dilations(const op_t &op) {
    using list_t = std::vector<int64_t>;
    if (!op.has_attr(dnnl_graph_op_attr_dilations)) return dnnl_success;
    const auto &dilations = op.attr<list_t>(dnnl_graph_op_attr_dilations);
    const auto &kernel = op.attr<list_t>(dnnl_graph_op_attr_kernel);
    // The default that oneDNN writes into files.
    if (dilations == list_t(DNNL_MAX_NDIMS, 1)) return dnnl_success;
    REQUIRE(dilations.size() == kernel.size(), "there are %zu dilations for a kernel of %zu dims",
            dilations.size(), kernel.size());
    return dnnl_success;
}

namespace {

template <typename T> bool has_list(const op_t &op, op_attr_t name) {
    return op.has_attr(name) && !op.attr<std::vector<T>>(name).empty();
}

} // namespace

status_t check_reduction(const op_t &op) {
    if (op.inputs.size() == 2) {
        REQUIRE(!has_list<int64_t>(op, dnnl_graph_op_attr_axes),
                "axes are both an attribute and an input");
    } else {
        REQUIRE(op.has_attr(dnnl_graph_op_attr_axes), "axes are neither an attribute nor an input");
    }
    return dnnl_success;
}

status_t check_interpolation(const op_t &op) {
    const bool has_sizes = has_list<int64_t>(op, dnnl_graph_op_attr_sizes);
    const bool has_scales = has_list<float>(op, dnnl_graph_op_attr_scales);
    REQUIRE(!has_sizes || !has_scales, "both sizes and scales are given; one of them is expected");
    REQUIRE(has_sizes || has_scales || find_input(op, "sizes") >= 0,
            "neither sizes nor scales are given");
    return dnnl_success;
}

} // namespace kiln::graph
