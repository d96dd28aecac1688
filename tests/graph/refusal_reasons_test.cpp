// SPDX-License-Identifier: Apache-2.0
// Verbose lines about refused operations and shapes. A separate program, since the library reads
// the verbose settings once.
#include "graph/op_samples.hpp"
#include "graph/shapes/shape_inference.hpp"
#include "scenario.hpp"

namespace kiln::test {

namespace {

#define ATTR(name) dnnl_graph_op_attr_##name

/// Checks operations with one fault each, in the order of the reasons below.
void refuse_operations() {
    const tensors_t f32 = {tensor(dnnl_f32)};
    for (const graph::op_t &op : {
                 make_op(dnnl_graph_op_relu, {}, f32),
                 make_op(dnnl_graph_op_relu, {tensor(dnnl_s8)}, f32),
                 make_op(dnnl_graph_op_elu, f32, f32),
                 make_op(dnnl_graph_op_relu, f32, f32, {{ATTR(alpha), 1.f}}),
                 make_op(dnnl_graph_op_elu, f32, f32, {{ATTR(alpha), int64_t(1)}}),
                 make_op(dnnl_graph_op_elu, f32, f32, {{ATTR(alpha), -1.f}}),
                 make_op(dnnl_graph_op_gelu, f32, f32, {{ATTR(mode), std::string("fast")}}),
                 make_op(dnnl_graph_op_type_cast, f32, f32),
                 make_op(dnnl_graph_op_layer_norm, f32, f32,
                         {{ATTR(epsilon), 0.f}, {ATTR(keep_stats), false}}),
                 make_op(dnnl_graph_op_layer_norm, f32, f32),
                 make_op(dnnl_graph_op_layer_norm, f32, tensors_t(2, tensor(dnnl_f32))),
                 make_op(dnnl_graph_op_layer_norm_backward, tensors_t(2, tensor(dnnl_f32)), f32,
                         {{ATTR(use_affine), true}}),
                 make_op(dnnl_graph_op_layer_norm_backward, tensors_t(3, tensor(dnnl_f32)), f32,
                         {{ATTR(use_affine), false}}),
                 make_op(dnnl_graph_op_layer_norm_backward, tensors_t(4, tensor(dnnl_f32)),
                         tensors_t(3, tensor(dnnl_f32))),
                 make_op(dnnl_graph_op_layer_norm_backward, tensors_t(2, tensor(dnnl_f32)),
                         tensors_t(3, tensor(dnnl_f32))),
                 make_op(dnnl_graph_op_layer_norm_backward,
                         {tensor(dnnl_f32, {8, 8}), tensor(dnnl_f32, {8, 8}), tensor(dnnl_f32, {8}),
                                 tensor(dnnl_f32, {8})},
                         f32, {{ATTR(use_affine), true}}),
                 make_op(dnnl_graph_op_concat, tensors_t(65, tensor(dnnl_f32)), f32,
                         {{ATTR(axis), int64_t(0)}}),
                 make_op(dnnl_graph_op_quantize, f32, {tensor(dnnl_s8)},
                         {{ATTR(scales), std::vector<float>{1}},
                                 {ATTR(zps), std::vector<int64_t>{int64_t(1) << 32}}}),
         })
        graph::check_op(op);
}

constexpr const char *reasons_of_operations[] = {
        "ReLU has 0 inputs, not 1,",
        "src of ReLU is s8, not f16 or bf16 or f32,",
        "Elu requires attribute alpha,",
        "ReLU does not have attribute alpha (0x1),",
        "attribute alpha of Elu has type s64, not f32,",
        "attribute alpha of Elu is less than 0,",
        "attribute mode of GELU is fast, not gelu_erf or gelu_tanh,",
        "TypeCast: src and dst are both f32; their types must differ,",
        "attribute epsilon of LayerNorm is 0; it must be positive and finite,",
        "LayerNorm: keep_stats is true and there are no outputs for mean and variance; set "
        "keep_stats to false without statistics; an output that is not wanted is a logical tensor "
        "of data type undef (C: one that is initialized with {0}, C++: logical_tensor()),",
        "LayerNorm has 2 outputs, not 1 or 3; an output that is not wanted is a logical tensor of "
        "data type undef (C: one that is initialized with {0}, C++: logical_tensor()),",
        "LayerNormBackward: use_affine is true and gamma is not among the 2 inputs; add gamma or "
        "set use_affine to false,",
        "LayerNormBackward: three inputs are src, diff_dst and gamma, and use_affine is false; "
        "mean and variance are given together or not at all,",
        "LayerNormBackward: diff_gamma and diff_beta require gamma; four inputs are src, diff_dst, "
        "mean and variance unless use_affine is set to true; an output that is not wanted is a "
        "logical tensor of data type undef",
        "LayerNormBackward: diff_gamma and diff_beta require gamma; an output that is not wanted "
        "is a logical tensor of data type undef (C: one that is initialized with {0}, C++: "
        "logical_tensor()),",
        "LayerNormBackward: use_affine is true and inputs 2 and 3 of four have the shape 8 of mean "
        "and variance; pass src, diff_dst and gamma for statistics that are computed, or src, "
        "diff_dst, mean, variance and gamma,",
        "Concat has 65 inputs, not 1 to 64,",
        "zero point 4294967296 is out of the range of s32,",
};

void refuse_shapes() {
    graph::op_t op = make_op(dnnl_graph_op_add, {tensor(dnnl_f32, {2, 3}), tensor(dnnl_f32, {4})},
            {tensor(dnnl_f32)});
    graph::fill_default_attributes(op);
    graph::infer_shapes(op, op.inputs, op.outputs);
    op.inputs[1] = tensor(dnnl_f32, {3});
    op.outputs[0] = tensor(dnnl_f32, {2, 4});
    graph::infer_shapes(op, op.inputs, op.outputs);
}

constexpr const char *reasons_of_shapes[] = {
        "Add: shapes 2x3 and 4 cannot be broadcast to each other,",
        "Add: the shape of output 0 is 2x4, not 2x3,",
};

constexpr scenario_t scenarios[] = {
        {"refuse_operations", refuse_operations},
        {"refuse_shapes", refuse_shapes},
};

void expect_reasons(const char *scenario, std::span<const char *const> reasons) {
    const auto result = run_scenario(scenario, {"ONEDNN_VERBOSE=check"});
    std::vector<std::string> lines;
    for (const std::string &line : result.lines())
        if (line.find("graph,create:check,graph,") != std::string::npos) lines.push_back(line);
    ASSERT_EQ(lines.size(), reasons.size()) << result.output;
    for (size_t i = 0; i < reasons.size(); ++i)
        EXPECT_NE(lines[i].find(reasons[i]), std::string::npos) << lines[i];
    EXPECT_EQ(run_scenario(scenario).output, "");
}

TEST(verbose_mode, reports_why_an_operation_is_refused) {
    expect_reasons("refuse_operations", reasons_of_operations);
}

TEST(verbose_mode, reports_why_shapes_are_refused) {
    expect_reasons("refuse_shapes", reasons_of_shapes);
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
