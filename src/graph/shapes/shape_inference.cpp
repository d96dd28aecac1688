// SPDX-License-Identifier: Apache-2.0
#include "graph/shapes/shape_inference.hpp"

#include <algorithm>

#include "common/verbose/verbose.hpp"

namespace kiln::graph {

status_t infer_shapes(const op_t &op, inputs_t inputs, outputs_t outputs) {
    for (const logical_tensor_t &input : inputs)
        KILN_REQUIRE_SHAPE(has_known_shape(input), "the shape of input %zu is unknown", input.id);
    return find_schema(op.kind)->infer(op, inputs, outputs);
}

std::string to_string(std::span<const dim_t> shape) {
    std::string text;
    for (dim_t dim : shape) text += (text.empty() ? "" : "x") + std::to_string(dim);
    return text.empty() ? "scalar" : text;
}

status_t set_output_shape(const op_t &op, logical_tensor_t &output, const shape_t &shape) {
    if (is_absent(output)) return dnnl_success;
    const auto agrees = [](dim_t given, dim_t inferred) {
        return given == unknown_dim || given == inferred;
    };
    KILN_REQUIRE_SHAPE(
            !has_known_ndims(output) || std::ranges::equal(dims_of(output), shape, agrees),
            "the shape of output %zu is %s, not %s", output.id, to_string(output).c_str(),
            to_string(shape).c_str());
    KILN_REQUIRE_SHAPE(std::ranges::all_of(shape, [](dim_t dim) { return dim >= 0; })
                               && shape.size() <= static_cast<size_t>(max_ndims),
            "the inferred shape %s of output %zu is invalid", to_string(shape).c_str(), output.id);
    set_shape(output, shape);
    return dnnl_success;
}

std::optional<shape_t> broadcast(std::span<const dim_t> lhs, std::span<const dim_t> rhs) {
    if (lhs.size() < rhs.size()) std::swap(lhs, rhs);
    shape_t shape(lhs.begin(), lhs.end());
    const size_t offset = lhs.size() - rhs.size();
    for (size_t d = 0; d < rhs.size(); ++d) {
        dim_t &dim = shape[offset + d];
        if (dim == 1)
            dim = rhs[d];
        else if (rhs[d] != 1 && rhs[d] != dim)
            return std::nullopt;
    }
    return shape;
}

bool is_broadcastable(std::span<const dim_t> from, std::span<const dim_t> to) {
    const auto shape = broadcast(from, to);
    return shape && std::ranges::equal(*shape, to);
}

} // namespace kiln::graph
