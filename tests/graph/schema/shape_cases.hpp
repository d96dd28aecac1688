// SPDX-License-Identifier: Apache-2.0
// Inferences of shapes: of operations and the shapes of their inputs.
#pragma once

#include <gtest/gtest.h>

#include "graph/op_samples.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::test {

using graph::attr_value_t;
using graph::logical_tensor_t;
using graph::op_t;
using graph::shape_t;
using shapes_t = std::vector<shape_t>;
using list_t = std::vector<int64_t>;

#define ATTR(name) dnnl_graph_op_attr_##name
constexpr dnnl_dim_t unknown = DNNL_GRAPH_UNKNOWN_DIM;

/// One inference: shapes of inputs and expected shapes of outputs; without outputs a refusal.
struct case_t {
    dnnl_graph_op_kind_t kind;
    attributes_t attributes;
    shapes_t inputs, outputs;
};

/// An operation with these inputs; types do not affect shapes.
inline op_t op_of(const case_t &c, size_t output_count) {
    tensors_t inputs;
    for (const shape_t &shape : c.inputs) inputs.push_back(tensor(dnnl_f32, shape));
    return make_op(c.kind, inputs, tensors_t(output_count, tensor(dnnl_f32)), c.attributes);
}

inline dnnl_status_t infer(op_t &op) {
    graph::fill_default_attributes(op);
    return graph::infer_shapes(op, op.inputs, op.outputs);
}

inline std::string describe(const case_t &c) {
    std::string text = graph::name_of(c.kind);
    for (const shape_t &shape : c.inputs) {
        text += " (";
        for (dnnl_dim_t dim : shape) text += std::to_string(dim) + ",";
        text += ")";
    }
    return text;
}

inline void expect_inferred(const case_t &c) {
    SCOPED_TRACE(describe(c));
    op_t op = op_of(c, c.outputs.size());
    ASSERT_EQ(infer(op), dnnl_success);
    for (size_t i = 0; i < c.outputs.size(); ++i) {
        EXPECT_EQ(graph::shape_of(op.outputs[i]), c.outputs[i]) << i;
        EXPECT_TRUE(graph::has_known_strides(op.outputs[i])) << i; // row-major
    }
    // Inferred shapes are accepted as given ones.
    EXPECT_EQ(infer(op), dnnl_success);
    for (logical_tensor_t &output : op.outputs) {
        const logical_tensor_t right = output;
        output = tensor(dnnl_f32, shape_t(static_cast<size_t>(right.ndims) + 1, unknown));
        EXPECT_EQ(infer(op), dnnl_invalid_shape) << "one dim too many";
        for (int d = 0; d < right.ndims; ++d) {
            output = right;
            output.dims[d] += 1;
            EXPECT_EQ(infer(op), dnnl_invalid_shape) << "another dim " << d;
            output.dims[d] = unknown;
            EXPECT_EQ(infer(op), dnnl_success) << "an unknown dim " << d;
            EXPECT_EQ(graph::shape_of(output), graph::shape_of(right));
        }
        output = right;
    }
}

inline void expect_refused(const case_t &c, dnnl_status_t status = dnnl_invalid_shape) {
    SCOPED_TRACE(describe(c));
    op_t op = op_of(c, 1);
    EXPECT_EQ(infer(op), status);
}

inline std::pair<const dnnl_graph_op_attr_t, attr_value_t> data_format(const char *name) {
    return {ATTR(data_format), std::string(name)};
}

} // namespace kiln::test
