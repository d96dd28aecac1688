// SPDX-License-Identifier: Apache-2.0
// Graphs as JSON text.
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graph/dump/json.hpp"
#include "graph/op_samples.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::test {

namespace {

using json_t = nlohmann::json;

#define ATTR(name) dnnl_graph_op_attr_##name

json_t written(const graph::graph_view_t &view) {
    std::ostringstream stream;
    graph::write_json(stream, view);
    EXPECT_EQ(stream.str().back(), '\n');
    return json_t::parse(stream.str());
}

json_t written(const graph::op_t &op) {
    graph::graph_view_t view;
    view.ops = {&op, 1};
    return written(view)["graph"][0];
}

TEST(json, has_the_properties_of_the_graph) {
    graph::graph_view_t view;
    view.fpmath_mode = dnnl_fpmath_mode_bf16;
    view.applies_fpmath_to_int = true;
    view.input_ports = {0, 3};
    view.output_ports = {7};
    const json_t json = written(view);
    EXPECT_EQ(json["version"], "3.13.1");
    EXPECT_EQ(json["engine_kind"], "cpu");
    EXPECT_EQ(json["fpmath_mode"], "bf16");
    EXPECT_EQ(json["fpmath_mode_apply_to_int"], "true");
    EXPECT_EQ(json["input_ports"], json_t({0, 3}));
    EXPECT_EQ(json["output_ports"], json_t::array({7}));
    EXPECT_EQ(json["graph"], json_t::array());
}

TEST(json, has_the_properties_of_an_operation) {
    graph::op_t op = make_op(dnnl_graph_op_quantize, {tensor(dnnl_f32, {2, 3})}, {tensor(dnnl_s8)},
            {{ATTR(qtype), std::string("per_tensor")}, {ATTR(axis), int64_t(-1)},
                    {ATTR(scales), std::vector<float>{0.1f, 1e-5f}},
                    {ATTR(zps), std::vector<int64_t>{3}}});
    op.id = 12;
    op.name = "quantize";
    const json_t json = written(op);
    EXPECT_EQ(json["id"], 12);
    EXPECT_EQ(json["name"], "quantize");
    EXPECT_EQ(json["kind"], "Quantize");
    EXPECT_EQ(json["attrs"]["qtype"], json_t({{"type", "string"}, {"value", "per_tensor"}}));
    EXPECT_EQ(json["attrs"]["axis"], json_t({{"type", "s64"}, {"value", -1}}));
    EXPECT_EQ(json["attrs"]["zps"]["type"], "s64[]");
    EXPECT_EQ(json["attrs"]["zps"]["value"], json_t::array({3}));
    EXPECT_EQ(json["attrs"]["scales"]["type"], "f32[]");
    EXPECT_EQ(json["attrs"]["scales"]["value"].dump(), "[0.1,1e-05]"); // the shortest decimal form
}

TEST(json, writes_booleans_as_numbers) {
    const json_t json = written(make_op(
            dnnl_graph_op_matmul, {}, {}, {{ATTR(transpose_a), true}, {ATTR(transpose_b), false}}));
    EXPECT_EQ(json["attrs"]["transpose_a"].dump(), R"({"type":"bool","value":1})");
    EXPECT_EQ(json["attrs"]["transpose_b"].dump(), R"({"type":"bool","value":0})");
}

TEST(json, writes_infinities_as_strings) {
    const float infinity = std::numeric_limits<float>::infinity();
    const json_t json = written(
            make_op(dnnl_graph_op_clamp, {}, {}, {{ATTR(min), -infinity}, {ATTR(max), infinity}}));
    EXPECT_EQ(json["attrs"]["min"]["value"], "-inf");
    EXPECT_EQ(json["attrs"]["max"]["value"], "inf");
}

TEST(json, keeps_utf_8_and_escapes_and_replaces_what_is_none) {
    graph::op_t op = make_op(dnnl_graph_op_relu, {tensor(dnnl_f32, {2})}, {tensor(dnnl_f32)}, {});
    const std::pair<std::string, std::string> names[] = {{"\xff", "\ufffd"}, {"a\xc3", "a\ufffd"},
            {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
            {"\xc0\xaf", "\ufffd\ufffd"},                     // longer than it has to be
            {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},           // half a pair of UTF-16
            {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"}, // beyond Unicode
            {"\"\\\n\t\x01 \x7f", "\"\\\n\t\x01 \x7f"}};
    for (const auto &[name, read] : names) {
        op.name = name;
        EXPECT_EQ(written(op)["name"], read);
        EXPECT_EQ(written(op)["kind"], "ReLU");
    }
}

TEST(json, writes_numbers_that_read_back_as_the_same_floats) {
    for (const float number : {0.f, -1.f, 100000.f, 0.1f, 1e-5f, 16777216.f, 1e20f, 3.4e38f, 1e-45f,
                 std::numeric_limits<float>::max(), std::numeric_limits<float>::min()}) {
        const json_t value = written(make_op(
                dnnl_graph_op_elu, {}, {}, {{ATTR(alpha), number}}))["attrs"]["alpha"]["value"];
        EXPECT_TRUE(value.is_number_float()) << value;
        EXPECT_EQ(value.get<float>(), number);
    }
}

TEST(json, has_what_is_known_of_tensors) {
    graph::logical_tensor_t constant = tensor(dnnl_bf16, {4});
    constant.property = dnnl_graph_tensor_property_constant;
    const json_t json = written(
            make_op(dnnl_graph_op_add, {tensor(dnnl_f32, {2, 4}), constant}, {tensor(dnnl_f32)}));
    EXPECT_EQ(json["inputs"][0],
            json_t({{"id", 0}, {"dtype", "f32"}, {"shape", {2, 4}}, {"stride", {4, 1}},
                    {"layout_type", "strided"}, {"property_type", "undef"}}));
    EXPECT_EQ(json["inputs"][1]["id"], 1);
    EXPECT_EQ(json["inputs"][1]["dtype"], "bf16");
    EXPECT_EQ(json["inputs"][1]["property_type"], "constant");
    EXPECT_EQ(json["outputs"][0]["shape"], json_t::array({DNNL_GRAPH_UNKNOWN_DIM}));
    EXPECT_EQ(json["outputs"][0]["stride"], json_t::array({DNNL_GRAPH_UNKNOWN_DIM}));
    const json_t scalar = written(make_op(dnnl_graph_op_end, {tensor(dnnl_f32, {})}, {}));
    EXPECT_EQ(scalar["inputs"][0]["shape"], json_t::array());
}

TEST(json, has_the_partition_of_each_operation_if_given) {
    const graph::op_t ops[] = {
            make_op(dnnl_graph_op_relu, {}, {}), make_op(dnnl_graph_op_exp, {}, {})};
    const size_t partitions[] = {5, 9};
    graph::graph_view_t view;
    view.ops = ops;
    view.partition_ids = partitions;
    const json_t json = written(view);
    EXPECT_EQ(json["graph"][0]["attrs"]["partition_id"]["value"], "5");
    EXPECT_EQ(json["graph"][1]["attrs"]["partition_id"]["value"], "9");
    EXPECT_EQ(json["graph"][1]["attrs"]["backend"]["type"], "string");
}

TEST(json, has_every_kind_of_operation_and_every_attribute) {
    for (const graph::op_t &op : largest_forms()) {
        const json_t json = written(op);
        EXPECT_EQ(graph::op_kind_of(json["kind"].get<std::string>()), op.kind);
        EXPECT_EQ(json["attrs"].size(), op.attributes.size());
        for (const auto &[attr, value] : op.attributes)
            EXPECT_EQ(json["attrs"][graph::name_of(attr)]["type"],
                    graph::name_of(graph::type_of(value)));
    }
}

} // namespace

} // namespace kiln::test
