// SPDX-License-Identifier: Apache-2.0
// Reading graphs from JSON text.
#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "graph/model/deserialize.hpp"

namespace benchdnn::graph {

namespace {

std::string tensor(int id, const std::string &shape, const std::string &more = "") {
    return R"({"id": )" + std::to_string(id) + R"(, "dtype": "f32", "shape": )" + shape + more
           + "}";
}

std::string op(int id, const std::string &kind, const std::string &inputs,
        const std::string &outputs, const std::string &attributes = "{}") {
    return R"({"id": )" + std::to_string(id) + R"(, "name": "n", "kind": ")" + kind
           + R"(", "attrs": )" + attributes + R"(, "inputs": [)" + inputs + R"(], "outputs": [)"
           + outputs + "]}";
}

graph_t parsed(const std::string &ops) { return parse_graph(R"({"graph": [)" + ops + "]}"); }

TEST(deserialize, reads_tensors_with_strides_types_and_properties) {
    const graph_t graph = parsed(op(7, "ReLU",
            R"({"id": 3, "dtype": "bf16", "shape": [2, 4], "stride": [1, 2],
                "layout_type": "strided", "property_type": "constant"})",
            tensor(4, "[2, 4]")));
    ASSERT_EQ(graph.ops.size(), 1u);
    EXPECT_EQ(graph.ops[0].id, 7u);
    const logical_tensor_t &src = graph.tensor(3), &dst = graph.tensor(4);
    EXPECT_EQ(src.type, dnnl_bf16);
    EXPECT_EQ(src.strides, (dims_t{1, 2}));
    EXPECT_EQ(src.property, dnnl_graph_tensor_property_constant);
    EXPECT_EQ(dst.strides, (dims_t{4, 1})) << "dense where nothing is said";
    EXPECT_TRUE(graph.is_input(3));
    EXPECT_FALSE(graph.is_input(4));
}

TEST(deserialize, reads_attributes_of_every_type) {
    const graph_t graph = parsed(op(0, "X", "", "", R"({
        "a": {"type": "bool", "value": 1}, "b": {"type": "bool", "value": false},
        "c": {"type": "s64", "value": -2}, "d": {"type": "s64[]", "value": [1, 2]},
        "e": {"type": "f32", "value": 1}, "f": {"type": "f32[]", "value": [0.5]},
        "g": {"type": "string", "value": "NXC"}})"));
    const op_t &op = graph.ops[0];
    EXPECT_TRUE(op.get<bool>("a", false));
    EXPECT_FALSE(op.get<bool>("b", true));
    EXPECT_EQ(op.get<int64_t>("c", 0), -2);
    EXPECT_EQ(op.get<std::vector<int64_t>>("d", {}), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(op.get<double>("e", 0), 1);
    EXPECT_EQ(op.get<std::vector<double>>("f", {}), std::vector<double>{0.5});
    EXPECT_EQ(op.text("g", ""), "NXC");
    EXPECT_EQ(op.text("h", "standard"), "standard");
    EXPECT_THROW(op.get<double>("g", 0), bad_value_t) << "of another type";
}

TEST(deserialize, leaves_out_what_partitioning_adds_to_a_dump) {
    const graph_t graph = parsed(op(0, "X", "", "", R"({
        "a": {"type": "f32", "value": 1}, "partition_id": {"type": "string", "value": "3"},
        "backend": {"type": "string", "value": "kiln"}})"));
    ASSERT_EQ(graph.ops[0].attributes.size(), 1U);
    EXPECT_EQ(graph.ops[0].get<double>("a", 0), 1);
}

TEST(deserialize, operations_come_after_those_they_wait_for) {
    const graph_t graph = parsed(op(0, "Abs", tensor(1, "[2]"), tensor(2, "[2]")) + ","
                                 + op(1, "ReLU", tensor(0, "[2]"), tensor(1, "[2]")));
    EXPECT_EQ(graph.ops[0].kind, "ReLU");
    EXPECT_EQ(graph.ops[1].kind, "Abs");
    ASSERT_EQ(graph.consumers(1).size(), 1u);
    EXPECT_EQ(graph.consumers(1)[0].op->kind, "Abs");
}

TEST(deserialize, a_circle_is_refused) {
    EXPECT_THROW(parsed(op(0, "Abs", tensor(1, "[2]"), tensor(2, "[2]")) + ","
                         + op(1, "ReLU", tensor(2, "[2]"), tensor(1, "[2]"))),
            bad_value_t);
}

TEST(deserialize, text_that_is_no_graph_is_refused) {
    for (const char *text : {"", "{", "{}", R"({"graph": [{"id": 0}]})",
                 R"({"graph": [{"id": 0, "kind": "Abs", "inputs": 1, "outputs": []}]})"})
        EXPECT_THROW(parse_graph(text), bad_value_t) << text;
    EXPECT_THROW(
            parsed(op(0, "Abs", R"({"id": 0, "dtype": "f31", "shape": []})", "")), bad_value_t);
}

TEST(deserialize, reads_the_math_mode) {
    const graph_t graph = parse_graph(
            R"({"fpmath_mode": "bf16", "fpmath_mode_apply_to_int": "true", "graph": []})");
    EXPECT_EQ(graph.fpmath_mode, "bf16");
    EXPECT_TRUE(graph.fpmath_for_integers);
}

} // namespace

} // namespace benchdnn::graph
