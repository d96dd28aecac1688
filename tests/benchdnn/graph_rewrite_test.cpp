// SPDX-License-Identifier: Apache-2.0
// Changes of a graph by knobs, and the inferred shapes.
#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "graph/operations.hpp"
#include "graph/rewrite.hpp"
#include "graph_case.hpp"

namespace benchdnn::graph {

namespace {

// x + r -> LayerNorm with statistics -> ReLU
graph_t chain() {
    return graph_of({{"Add", {{0, {4, 6}}, {1, {4, 6}}}, {{2, {4, 6}}}},
            {"LayerNorm", {{2, {4, 6}}, {3, {6}}, {4, {6}}}, {{5, {4, 6}}, {6, {4}}, {7, {4}}}},
            {"ReLU", {{5, {4, 6}}}, {{8, {4, 6}}}}});
}

graph_t rewritten(graph_t graph, const rewriting_t &rewriting) {
    rewrite(graph, rewriting);
    return graph;
}

rewriting_t with_shapes(const std::string &text) {
    rewriting_t rewriting;
    rewriting.shapes = parse_by_id(text);
    return rewriting;
}

rewriting_t with_attributes(const std::string &text) {
    rewriting_t rewriting;
    rewriting.attributes = parse_by_id(text);
    return rewriting;
}

TEST(rewriting, shapes_go_through_the_graph) {
    const graph_t graph = rewritten(chain(), with_shapes("0:2x3x5+1:3x1+3:5+4:5"));
    for (const size_t id : {2, 5, 8}) EXPECT_EQ(graph.tensor(id).dims, (dims_t{2, 3, 5})) << id;
    EXPECT_EQ(graph.tensor(6).dims, (dims_t{2, 3}));
    EXPECT_EQ(graph.tensor(8).strides, (dims_t{15, 5, 1}));
}

TEST(rewriting, letters_and_numbers_are_strides) {
    const graph_t letters = rewritten(chain(), with_shapes("0:2x3x5*cab+1:2x3x5+3:5+4:5"));
    EXPECT_EQ(letters.tensor(0).strides, (dims_t{3, 1, 6}));
    const graph_t numbers = rewritten(chain(), with_shapes("0:*10x1"));
    EXPECT_EQ(numbers.tensor(0).dims, (dims_t{4, 6}));
    EXPECT_EQ(numbers.tensor(0).strides, (dims_t{10, 1}));
}

TEST(rewriting, outputs_lie_as_the_input_that_a_knob_laid_out) {
    const graph_t graph = rewritten(chain(), with_shapes("0:*ba+1:*ba"));
    for (const size_t id : {2, 5, 8}) EXPECT_EQ(graph.tensor(id).strides, (dims_t{1, 4})) << id;
}

TEST(rewriting, a_shape_may_be_a_scalars) {
    const graph_t graph = rewritten(chain(), with_shapes("1:-"));
    EXPECT_TRUE(graph.tensor(1).dims.empty());
    EXPECT_EQ(graph.tensor(2).dims, (dims_t{4, 6}));
}

TEST(rewriting, shapes_that_contradict_each_other_are_refused) {
    for (const char *text : {"0:4x5", "0:*abc", "0:*aa", "0:*1", "0:4x6*b*a", "0:4y6"})
        EXPECT_THROW(rewritten(chain(), with_shapes(text)), bad_value_t) << text;
}

TEST(rewriting, attributes_have_the_types_of_their_names) {
    const graph_t graph = rewritten(
            chain(), with_attributes("1:epsilon:0.25*begin_norm_axis:-2*keep_stats:1*axes:0x1*"
                                     "scales:0.5x2*data_format:NCX"));
    const op_t &op = graph.ops[1];
    EXPECT_EQ(op.get<double>("epsilon", 0), 0.25);
    EXPECT_EQ(op.get<int64_t>("begin_norm_axis", 0), -2);
    EXPECT_TRUE(op.get<bool>("keep_stats", false));
    EXPECT_EQ(op.get<std::vector<int64_t>>("axes", {}), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(op.get<std::vector<double>>("scales", {}), (std::vector<double>{0.5, 2}));
    EXPECT_EQ(op.text("data_format", ""), "NCX");
}

TEST(rewriting, unknown_ids_names_and_values_are_refused) {
    for (const char *text : {"9:epsilon:1", "1:epsilom:1", "1:epsilon", "1:epsilon:x"})
        EXPECT_THROW(rewritten(chain(), with_attributes(text)), bad_value_t) << text;
    for (const char *text : {"1", "1:", "x:1", "1:a+1:b"})
        EXPECT_THROW(parse_by_id(text), bad_value_t) << text;
    rewriting_t rewriting;
    rewriting.types = parse_types("12:bf16");
    EXPECT_THROW(rewritten(chain(), rewriting), bad_value_t);
}

TEST(rewriting, a_type_for_all_leaves_weights_and_statistics) {
    rewriting_t rewriting;
    rewriting.types = parse_types("bf16");
    const graph_t graph = rewritten(chain(), rewriting);
    for (const size_t id : {0, 1, 2, 5, 8}) EXPECT_EQ(graph.tensor(id).type, dnnl_bf16) << id;
    for (const size_t id : {3, 4, 6, 7}) EXPECT_EQ(graph.tensor(id).type, dnnl_f32) << id;
}

TEST(rewriting, types_and_properties_are_set_one_by_one) {
    rewriting_t rewriting;
    rewriting.types = parse_types("3:bf16+8:f16");
    rewriting.properties = parse_by_id("3:constant");
    const graph_t graph = rewritten(chain(), rewriting);
    EXPECT_EQ(graph.tensor(3).type, dnnl_bf16);
    EXPECT_EQ(graph.tensor(8).type, dnnl_f16);
    EXPECT_EQ(graph.tensor(0).type, dnnl_f32);
    EXPECT_EQ(graph.tensor(3).property, dnnl_graph_tensor_property_constant);
}

TEST(rewriting, kinds_change_within_their_family) {
    rewriting_t rewriting;
    rewriting.kinds = parse_by_id("0:Subtract+2:Tanh");
    const graph_t graph = rewritten(chain(), rewriting);
    EXPECT_EQ(graph.ops[0].kind, "Subtract");
    EXPECT_EQ(graph.ops[2].kind, "Tanh");
    for (const char *text : {"0:Tanh", "1:RMSNorm", "2:NoSuchKind"}) {
        rewriting.kinds = parse_by_id(text);
        EXPECT_THROW(rewritten(chain(), rewriting), bad_value_t) << text;
    }
}

TEST(rewriting, the_number_of_images_changes_with_all_inputs_along_them) {
    rewriting_t rewriting;
    rewriting.images = 9;
    const graph_t graph = rewritten(chain(), rewriting);
    EXPECT_EQ(graph.tensor(0).dims, (dims_t{9, 6}));
    EXPECT_EQ(graph.tensor(1).dims, (dims_t{9, 6}));
    EXPECT_EQ(graph.tensor(3).dims, (dims_t{6}));
    EXPECT_EQ(graph.tensor(7).dims, (dims_t{9}));
}

struct shape_case_t {
    op_words_t op;
    std::vector<dims_t> dims; // of the outputs
};

TEST(shapes, follow_from_inputs_and_attributes) {
    using integers_t = std::vector<int64_t>;
    const dims_t any{1};
    const shape_case_t cases[] = {
            {{"Add", {{0, {3, 1}}, {1, {2, 1, 4}}}, {{2, any}}}, {{2, 3, 4}}},
            {{"ReduceSum", {{0, {2, 3, 4}}}, {{1, any}}, {{"axes", integers_t{-1, 0}}}}, {{3}}},
            {{"ReduceMax", {{0, {2, 3, 4}}}, {{1, any}},
                     {{"axes", integers_t{1}}, {"keep_dims", true}}},
                    {{2, 1, 4}}},
            {{"StaticReshape", {{0, {2, 3, 4}}}, {{1, any}},
                     {{"shape", integers_t{0, -1}}, {"special_zero", true}}},
                    {{2, 12}}},
            {{"StaticTranspose", {{0, {2, 3, 4}}}, {{1, any}}, {{"order", integers_t{1, -1, 0}}}},
                    {{3, 4, 2}}},
            {{"LayerNorm", {{0, {2, 3, 4}}}, {{1, any}, {2, {1, 1}}, {3, {1, 1, 1}}},
                     {{"begin_norm_axis", int64_t(1)}, {"use_affine", false}}},
                    {{2, 3, 4}, {2}, {2, 1, 1}}},
            {{"GroupNorm", {{0, {2, 6, 4}}}, {{1, any}, {2, any}, {3, any}},
                     {{"groups", int64_t(3)}}},
                    {{2, 6, 4}, {2, 3}, {2, 3}}},
            {{"BatchNormForwardTraining", {{0, {2, 6, 4}}, {1, {4}}, {2, {4}}},
                     {{3, any}, {4, any}, {5, any}, {6, any}, {7, any}}},
                    {{2, 6, 4}, {4}, {4}, {4}, {4}}},
            {{"LayerNormBackward", {{0, {2, 3, 4}}, {1, {2, 3, 4}}, {2, {4}}, {3, {4}}},
                     {{4, any}, {5, any}, {6, any}}},
                    {{2, 3, 4}, {4}, {4}}},
    };
    for (const shape_case_t &shape : cases) {
        graph_t graph = graph_of({shape.op});
        rewrite(graph, {});
        for (size_t i = 0; i < shape.dims.size(); ++i)
            EXPECT_EQ(graph.tensor(graph.ops[0].outputs[i]).dims, shape.dims[i])
                    << shape.op.kind << " output " << i;
    }
}

TEST(shapes, that_cannot_be_are_refused) {
    using integers_t = std::vector<int64_t>;
    const op_words_t cases[] = {
            {"Add", {{0, {3}}, {1, {4}}}, {{2, {3}}}},
            {"ReduceSum", {{0, {2, 3}}}, {{1, {1}}}, {{"axes", integers_t{2}}}},
            {"StaticReshape", {{0, {2, 3}}}, {{1, {1}}}, {{"shape", integers_t{4}}}},
            {"StaticTranspose", {{0, {2, 3}}}, {{1, {1}}}, {{"order", integers_t{0, 0}}}},
            {"LayerNorm", {{0, {2, 3}}}, {{1, {1}}}, {{"begin_norm_axis", int64_t(2)}}},
    };
    for (const op_words_t &op : cases) {
        graph_t graph = graph_of({op});
        EXPECT_THROW(rewrite(graph, {}), bad_value_t) << op.kind;
    }
}

TEST(operations, of_every_kind_in_the_interface_have_a_row) {
    std::vector<bool> found(dnnl_graph_op_last_symbol);
    for (const std::string &name : operation_names()) found[operation_of(name).kind] = true;
    for (size_t kind = 0; kind < found.size(); ++kind) EXPECT_TRUE(found[kind]) << kind;
}

} // namespace

} // namespace benchdnn::graph
