// SPDX-License-Identifier: Apache-2.0
// Each fusion rule of src/graph/fusion/rules.cpp, compared with the truth: fused, in place and one
// operation at a time. The fused partition must be one primitive with a generated kernel.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "graph/networks.hpp"
#include "kiln/refusals.h"
#include "oneapi/dnnl/dnnl.h"

namespace kiln::test {

namespace {

const dims_t matrix{12, 72}, image{3, 7, 16};

/// Checks the results, and that the first partition ran as `steps` says with generated kernels.
void expect_fused(const network_t &network, const std::string &steps, size_t parts = 1) {
    const outcome_t outcome = expect_right(network);
    EXPECT_EQ(outcome.parts.size(), parts);
    EXPECT_EQ(steps_of(outcome.parts[0]), steps) << outcome.parts[0].plan;
    const bool has_kernels =
            (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2;
    const bool is_reference = outcome.parts[0].plan.find("ref:") != std::string::npos;
    EXPECT_FALSE(has_kernels && is_reference) << outcome.parts[0].plan;
}

/// Checks the results, and that the partition could not be fused into one primitive.
void expect_one_by_one(const network_t &network, size_t least_steps) {
    const outcome_t outcome = expect_right(network);
    ASSERT_EQ(outcome.parts.size(), 1U);
    const std::string steps = steps_of(outcome.parts[0]);
    EXPECT_GE(std::stoul(steps.substr(steps.find(':') + 1)), least_steps) << steps;
    EXPECT_EQ(std::count(steps.begin(), steps.end(), ';') + 1, outcome.parts[0].ops.size());
}

// ---- residual_add

TEST(fusion, a_residual_is_added_before_row_norms) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm})
        for (const type_t type : floats)
            for (const bool is_visible : {false, true}) {
                network_t net;
                const size_t sum = add_sum(net, type, matrix);
                add_norm(net, kind, sum);
                if (is_visible) add_end(net, sum);
                expect_fused(net, name_of(kind) + "+residual_add:1", is_visible ? 2 : 1);
            }
}

TEST(fusion, a_residual_is_added_with_statistics) {
    for (const type_t type : floats)
        for (const bool is_visible : {false, true}) {
            network_t net;
            const size_t sum = add_sum(net, type, matrix);
            net.add(kind_t::LayerNorm, {sum}, types_t{type, f32, f32});
            if (is_visible) add_end(net, sum);
            expect_fused(net, "LayerNorm+residual_add:1", is_visible ? 2 : 1);
        }
}

TEST(fusion, a_sum_whose_layout_needs_a_copy_is_added_first) {
    for (const bool is_visible : {false, true}) {
        network_t net;
        const size_t x = net.input(f32, image, {.strides = {1, 3, 21}});
        const size_t sum = net.add(kind_t::Add, {x, net.input(f32, image)});
        net.set_strides(sum, {1, 3, 21});
        net.add(kind_t::LayerNorm, {sum}, f32,
                attributes_t{{attr_name_t::begin_norm_axis, int64_t(1)},
                        {attr_name_t::keep_stats, false}, {attr_name_t::use_affine, false}});
        if (is_visible) add_end(net, sum);
        expect_right(net);
    }
}

TEST(fusion, a_residual_has_any_type_and_layout_and_may_be_src_itself) {
    network_t mixed, strided, twice;
    const size_t x = mixed.input(f32, matrix);
    add_norm(mixed, kind_t::LayerNorm, mixed.add(kind_t::Add, {x, mixed.input(bf16, matrix)}, f32));
    expect_right(mixed);
    const size_t sum =
            strided.add(kind_t::Add, {strided.input(f32, matrix, {.strides = {80, 1}}),
                                             strided.input(f32, matrix, {.strides = {1, 12}})});
    add_norm(strided, kind_t::RMSNorm, sum);
    add_end(strided, sum);
    expect_right(strided);
    const size_t same = twice.input(f32, matrix);
    add_norm(twice, kind_t::RMSNorm, twice.add(kind_t::Add, {same, same}));
    expect_right(twice);
}

TEST(fusion, a_residual_is_added_with_several_normalized_axes) {
    for (const int64_t axis : {0, 1, 2}) {
        network_t net;
        const size_t sum = add_sum(net, f32, image);
        net.add(kind_t::RMSNorm, {sum}, with_axis(axis));
        add_end(net, sum);
        expect_fused(net, "RMSNorm+residual_add:1", 2);
    }
}

// ---- conversion

TEST(fusion, norms_read_bf16_and_f16) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm})
        for (const type_t type : {bf16, f16}) {
            network_t net;
            const size_t src = net.add(kind_t::TypeCast, {net.input(type, image)}, f32);
            add_norm(net, kind, src);
            expect_fused(net, name_of(kind) + "+conversion:1");
        }
    network_t statistics;
    const size_t src = statistics.add(kind_t::TypeCast, {statistics.input(bf16, matrix)}, f32);
    statistics.add(kind_t::LayerNorm, {src}, types_t{f32, f32, f32});
    expect_fused(statistics, "LayerNorm+conversion:1");
}

TEST(fusion, norms_read_integers_and_epsilon_follows_the_scale) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm})
        for (const type_t type : {s8, u8})
            for (const float scale : {1.f, 0.0625f, 0.001f})
                for (const int64_t point : {0, 3}) {
                    network_t net;
                    const size_t src = net.add(kind_t::Dequantize, {net.input(type, image)}, f32,
                            with_scale(scale, point));
                    // Epsilon is large so that a wrong scale of it is detected.
                    add_norm(net, kind, src, f32, with_epsilon(0.01f));
                    const auto outcome = expect_right(net);
                    if (kind == kind_t::GroupNorm || (kind == kind_t::RMSNorm && point != 0))
                        continue;
                    EXPECT_EQ(steps_of(outcome.parts[0]), name_of(kind) + "+conversion:1");
                }
}

TEST(fusion, a_scale_that_makes_epsilon_infinite_runs_one_by_one) {
    network_t net;
    const size_t src =
            net.add(kind_t::Dequantize, {net.input(s8, matrix)}, f32, with_scale(1e-22f));
    add_norm(net, kind_t::LayerNorm, src);
    expect_one_by_one(net, 2);
}

TEST(fusion, that_is_not_possible_is_a_refusal_that_is_kept) {
    network_t net;
    const size_t src =
            net.add(kind_t::Dequantize, {net.input(s8, matrix)}, f32, with_scale(1e-22f));
    add_norm(net, kind_t::LayerNorm, src);
    kiln_record_refusals(1);
    expect_one_by_one(net, 2);
    kiln_record_refusals(0);
    const std::string reasons = kiln_recorded_refusals();
    EXPECT_NE(reasons.find("graph: partition "), std::string::npos) << reasons;
    EXPECT_NE(reasons.find("its operations run one by one"), std::string::npos) << reasons;
}

// ---- relu_backward

TEST(fusion, relu_backward_is_fused_with_batch_norm_backward) {
    for (const type_t type : floats)
        for (const bool of_dst : {false, true})
            for (const char *format : {"NXC", "NCX"}) {
                network_t net;
                const size_t operand = net.input(type, {3, 16, 16});
                const size_t gated =
                        net.add(kind_t::ReLUBackward, {operand, net.input(type, {3, 16, 16})},
                                attributes_t{{attr_name_t::use_dst, of_dst}});
                const size_t src = net.input(type, {3, 16, 16});
                const auto [mean, variance] = add_statistics(net, f32, {16});
                net.add(kind_t::BatchNormTrainingBackward,
                        {src, gated, mean, variance, net.weight(f32, {16}, 0.5, 1.5)},
                        types_t{type, f32, f32}, with_epsilon(1e-3f) + with_format(format));
                expect_fused(net, "BatchNormTrainingBackward+relu_backward:1");
            }
}

// ---- dynamic_quantize

TEST(fusion, rows_are_quantized_by_their_largest_absolute_value) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm})
        for (const bool reshapes : {false, true})
            for (const bool has_residual : {false, true})
                for (const bool are_scales_used : {false, true}) {
                    network_t net;
                    size_t src = net.input(f32, matrix);
                    if (has_residual) src = net.add(kind_t::Add, {src, net.input(f32, matrix)});
                    const auto quantized =
                            add_dynamic_quantization(net, add_norm(net, kind, src), reshapes);
                    if (has_residual) add_end(net, src);
                    if (are_scales_used) add_end(net, quantized.scales);
                    expect_fused(net,
                            name_of(kind) + (has_residual ? "+residual_add" : "")
                                    + "+dynamic_quantize:1",
                            1 + has_residual + are_scales_used);
                }
}

TEST(fusion, rows_of_bf16_and_f16_are_quantized_after_a_cast) {
    for (const type_t type : {bf16, f16}) {
        network_t net;
        const size_t sum = add_sum(net, type, matrix);
        const size_t dst = add_norm(net, kind_t::RMSNorm, sum);
        const size_t wide = net.add(kind_t::TypeCast, {dst}, f32);
        add_dynamic_quantization(net, wide, true, u8);
        add_end(net, sum);
        expect_fused(net, "RMSNorm+residual_add+type_cast+dynamic_quantize:1", 2);
    }
}

TEST(fusion, rows_of_zeros_are_quantized_to_zeros) {
    network_t net;
    const size_t src = net.input(f32, {3, 8}, {.values = std::vector<double>(24, 0)});
    add_dynamic_quantization(net, net.add(kind_t::RMSNorm, {src}), true);
    expect_fused(net, "RMSNorm+dynamic_quantize:1");
}

TEST(fusion, a_factor_for_each_row_is_multiplied_one_by_one) {
    network_t net;
    const size_t dst = add_norm(net, kind_t::LayerNorm, net.input(f32, matrix));
    const attributes_t rows{
            {attr_name_t::axes, std::vector<int64_t>{1}}, {attr_name_t::keep_dims, true}};
    const size_t max = net.add(kind_t::ReduceMax, {net.add(kind_t::Abs, {dst})}, rows);
    const size_t factors = net.input(f32, {12, 1}, {.low = 0.01, .high = 0.02});
    const size_t scales = net.add(kind_t::Multiply, {max, factors});
    net.add(kind_t::DynamicQuantize, {dst, scales}, s8,
            attributes_t{{attr_name_t::qtype, std::string("per_channel")},
                    {attr_name_t::axis, int64_t(0)}});
    expect_one_by_one(net, 4);
}

// ---- add_relu, silu, eltwise

TEST(fusion, batch_norm_inference_ends_in_relu) {
    for (const type_t type : floats)
        for (const bool adds : {false, true})
            for (const bool is_second : {false, true}) {
                network_t net;
                size_t dst = add_norm(net, kind_t::BatchNormInference, net.input(type, image));
                const size_t other = net.input(type, image);
                if (adds)
                    dst = net.add(kind_t::Add, is_second ? std::vector<size_t>{other, dst}
                                                         : std::vector<size_t>{dst, other});
                net.add(kind_t::ReLU, {dst});
                expect_fused(net,
                        std::string("BatchNormInference+") + (adds ? "add_relu:1" : "eltwise:1"));
            }
}

TEST(fusion, an_operand_that_is_broadcast_or_has_another_layout_is_added_after_batch_norm) {
    for (const dims_t &dims : {dims_t{16}, dims_t{7, 1}}) {
        network_t net;
        const size_t dst = add_norm(net, kind_t::BatchNormInference, net.input(f32, image));
        net.add(kind_t::ReLU, {net.add(kind_t::Add, {dst, net.input(f32, dims)})});
        expect_right(net);
    }
    network_t net;
    const size_t dst = add_norm(net, kind_t::BatchNormInference, net.input(f32, image));
    const size_t other = net.input(f32, image, {.strides = {1, 48, 3}});
    net.add(kind_t::ReLU, {net.add(kind_t::Add, {dst, other})});
    expect_right(net);
}

TEST(fusion, an_operand_of_batch_norm_may_have_another_layout_than_dst) {
    for (const bool is_transposed : {false, true}) {
        network_t net;
        const size_t norm = add_norm(net, kind_t::BatchNormInference, net.input(f32, image));
        const size_t sum = net.add(kind_t::Add, {norm, net.input(f32, image)});
        const size_t dst = net.add(kind_t::Square, {net.add(kind_t::ReLU, {sum})});
        if (is_transposed) net.set_strides(dst, {1, 48, 3});
        if (is_transposed)
            expect_one_by_one(net, 2);
        else
            expect_fused(net, "BatchNormInference+add_relu+eltwise:1");
    }
}

TEST(fusion, batch_norm_training_ends_in_relu) {
    for (const type_t type : floats) {
        network_t net;
        net.add(kind_t::ReLU,
                {add_norm(net, kind_t::BatchNormForwardTraining, net.input(type, image))});
        // Two more primitives update each running statistic.
        const auto outcome = expect_right(net);
        ASSERT_EQ(outcome.parts.size(), 1U);
        EXPECT_TRUE(outcome.parts[0].plan.starts_with("BatchNormForwardTraining+eltwise:"));
    }
}

TEST(fusion, norms_end_in_silu) {
    for (const kind_t kind :
            {kind_t::GroupNorm, kind_t::LayerNorm, kind_t::RMSNorm, kind_t::BatchNormInference})
        for (const type_t type : floats) {
            network_t net;
            add_silu(net, add_norm(net, kind, net.input(type, image)));
            expect_fused(net, name_of(kind) + "+silu:1");
        }
}

TEST(fusion, norms_end_in_elementwise_operations) {
    for (const kind_t eltwise :
            {kind_t::Abs, kind_t::Exp, kind_t::GELU, kind_t::HardSwish, kind_t::Mish, kind_t::ReLU,
                    kind_t::Round, kind_t::Sigmoid, kind_t::Square, kind_t::Tanh})
        for (const kind_t kind : {kind_t::LayerNorm, kind_t::GroupNorm}) {
            network_t net;
            net.add(eltwise, {add_norm(net, kind, net.input(f32, image))});
            expect_fused(net, name_of(kind) + "+eltwise:1");
        }
}

// ---- binary, gradient_add

TEST(fusion, norms_end_in_binary_operations) {
    for (const kind_t binary : {kind_t::Add, kind_t::Divide, kind_t::Maximum, kind_t::Minimum,
                 kind_t::Multiply, kind_t::SquaredDifference, kind_t::Subtract})
        for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm})
            for (const dims_t &dims : {image, dims_t{16}, dims_t{7, 1}, dims_t{}}) {
                network_t net;
                const size_t dst = add_norm(net, kind, net.input(f32, image));
                net.add(binary, {dst, net.input(f32, dims, {.low = 0.5, .high = 2})});
                expect_fused(net, name_of(kind) + "+binary:1");
            }
}

TEST(fusion, src_of_the_norm_may_be_the_operand) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm}) {
        network_t net;
        const size_t src = net.input(f32, image);
        net.add(kind_t::Add, {src, add_norm(net, kind, src)});
        expect_fused(net, name_of(kind) + "+binary:1");
    }
}

TEST(fusion, a_gradient_is_added_after_layer_norm_backward) {
    for (const type_t type : floats)
        for (const bool is_second : {false, true}) {
            network_t net;
            const auto gradients =
                    add_layer_norm_backward(net, net.input(type, matrix), net.input(type, matrix));
            const size_t other = net.input(type, matrix);
            net.add(kind_t::Add, is_second ? std::vector<size_t>{other, gradients[0]}
                                           : std::vector<size_t>{gradients[0], other});
            expect_fused(net, "LayerNormBackward+gradient_add:1");
        }
}

TEST(fusion, a_gradient_is_added_with_computed_statistics) {
    network_t net;
    const size_t src = net.input(f32, matrix), diff_dst = net.input(f32, matrix);
    const auto gradients = net.add(kind_t::LayerNormBackward,
            {src, diff_dst, net.weight(f32, {72}), net.weight(f32, {72})}, types_t{f32, f32, f32},
            with_affine(true));
    net.add(kind_t::Add, {gradients[0], diff_dst});
    expect_fused(net, "LayerNormBackward+gradient_add:1");
}

TEST(fusion, a_gradient_is_added_with_a_gamma_that_differs_between_rows) {
    network_t net;
    const size_t src = net.input(f32, matrix), diff_dst = net.input(f32, matrix);
    const auto gradients = net.add(kind_t::LayerNormBackward,
            {src, diff_dst, net.weight(f32, matrix, 0.5, 1.5)}, types_t{f32, f32, f32});
    net.add(kind_t::Add, {gradients[0], diff_dst});
    expect_right(net);
}

// ---- type_cast, quantize

TEST(fusion, norms_end_in_integers) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm})
        for (const type_t type : {s8, u8})
            for (const attributes_t &scales : {with_scale(0.02f), with_scale(0.02f, 5),
                         with_scales(16, 2), with_scales(16, -1, true)}) {
                network_t net;
                net.add(kind_t::Quantize, {add_norm(net, kind, net.input(f32, image))}, type,
                        scales);
                expect_fused(net, name_of(kind) + "+quantize:1");
            }
}

TEST(fusion, norms_end_in_chains_that_end_in_integers) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm})
        for (const type_t type : floats) {
            network_t net;
            size_t tensor = add_norm(net, kind, net.input(type, image));
            tensor = net.add(kind_t::Multiply, {add_silu(net, tensor), net.input(type, {16})});
            if (type != f32) tensor = net.add(kind_t::TypeCast, {tensor}, f32);
            net.add(kind_t::Quantize, {tensor}, u8, with_scale(0.03f, 100));
            expect_fused(net, name_of(kind) + "+silu+binary" + (type == f32 ? "" : "+type_cast")
                                      + "+quantize:1");
        }
}

TEST(fusion, integers_are_read_and_written) {
    network_t net;
    const size_t src =
            net.add(kind_t::Dequantize, {net.input(u8, matrix)}, f32, with_scale(0.05f, 128));
    const size_t dst = add_norm(net, kind_t::LayerNorm, src);
    net.add(kind_t::Quantize, {net.add(kind_t::GELU, {dst})}, s8, with_scale(0.02f));
    expect_fused(net, "LayerNorm+conversion+eltwise+quantize:1");
}

TEST(fusion, scales_along_one_of_several_normalized_axes_run_one_by_one) {
    network_t net;
    const size_t dst = net.add(kind_t::RMSNorm, {net.input(f32, image)}, with_axis(1));
    net.add(kind_t::Quantize, {dst}, s8, with_scales(7, 1, true));
    expect_one_by_one(net, 2);
}

TEST(fusion, norms_end_in_other_floats) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm, kind_t::GroupNorm})
        for (const type_t type : {bf16, f16}) {
            network_t down, up;
            down.add(kind_t::TypeCast, {add_norm(down, kind, down.input(f32, image))}, type);
            expect_fused(down, name_of(kind) + "+type_cast:1");
            up.add(kind_t::TypeCast, {add_norm(up, kind, up.input(type, image))}, f32);
            expect_fused(up, name_of(kind) + "+type_cast:1");
        }
}

TEST(fusion, softmax_ends_in_other_types_and_operations) {
    const attributes_t last{{attr_name_t::axis, int64_t(-1)}};
    for (const auto &[kind, name] :
            {std::pair(kind_t::SoftMax, "SoftMax"), std::pair(kind_t::LogSoftmax, "LogSoftmax")}) {
        const auto expect = [&, kind = kind, name = name](
                                    const char *steps, const auto &add_after) {
            network_t net;
            add_after(net, net.add(kind, {net.input(f32, image)}, last));
            expect_fused(net, std::string(name) + steps);
        };
        for (const type_t type : {bf16, f16})
            expect("+type_cast:1", [&](network_t &net, size_t shares) {
                net.add(kind_t::TypeCast, {shares}, type);
            });
        for (const type_t type : {s8, u8})
            expect("+quantize:1", [&](network_t &net, size_t shares) {
                net.add(kind_t::Quantize, {shares}, type, with_scale(0.01f));
            });
        expect("+binary+eltwise:1", [&](network_t &net, size_t shares) {
            const size_t factor = net.input(f32, {1, 7, 1});
            net.add(kind_t::Tanh, {net.add(kind_t::Multiply, {shares, factor})});
        });
    }
}

// ---- pre_ops

/// One operation before softmax, applied to `scores`; returns its output.
struct pre_op_t {
    const char *name;
    size_t (*add)(network_t &net, size_t scores, type_t type, const dims_t &broadcast);
};

const pre_op_t pre_ops[] = {
        {"multiply",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    return net.add(kind_t::Multiply, {scores, net.input(type, dims)});
                }},
        {"divide",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    const size_t divisor = net.input(type, dims, {.low = 1, .high = 3});
                    return net.add(kind_t::Divide, {scores, divisor});
                }},
        {"add to the second operand",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    return net.add(kind_t::Add, {net.input(type, dims), scores});
                }},
        {"subtract",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    return net.add(kind_t::Subtract, {scores, net.input(type, dims)});
                }},
        {"select",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    const size_t condition = net.input(type_t::boolean, dims);
                    const size_t low = net.input(type, {1}, {.low = -5, .high = -4});
                    return net.add(kind_t::Select, {condition, scores, low}, type);
                }},
};

const attributes_t last_axis{{attr_name_t::axis, int64_t(-1)}};

// Lengths: a row in registers, a row with a tail, few long rows that are cut into chunks.
TEST(fusion, softmax_takes_in_each_operation_before_it) {
    for (const pre_op_t &pre_op : pre_ops)
        for (const kind_t kind : {kind_t::SoftMax, kind_t::LogSoftmax})
            for (const type_t type : floats)
                for (const dims_t &dims : {dims_t{2, 3, 5, 16}, {2, 3, 5, 301}, {1, 1, 2, 20000}})
                    for (const dims_t &broadcast :
                            {dims_t{1}, {dims[3]}, {dims[0], 1, dims[2], dims[3]}, dims}) {
                        const bool is_long = dims[3] > 301;
                        if (is_long && type == f16) continue; // as bf16
                        network_t net;
                        const size_t x = pre_op.add(net, net.input(type, dims), type, broadcast);
                        net.add(kind, {x}, last_axis);
                        const std::string name = kind == kind_t::SoftMax ? "SoftMax" : "LogSoftmax";
                        SCOPED_TRACE(pre_op.name + std::string(" ") + std::to_string(dims[3]));
                        expect_fused(net, name + "+pre_ops:1");
                    }
}

TEST(fusion, softmax_takes_in_chains_on_both_sides) {
    for (const type_t type : floats) {
        network_t net;
        const dims_t dims{2, 3, 5, 130};
        size_t x = net.input(type, dims);
        for (const pre_op_t &pre_op : {pre_ops[0], pre_ops[2], pre_ops[4]})
            x = pre_op.add(net, x, type, {2, 1, 5, 130});
        x = net.add(kind_t::SoftMax, {x}, last_axis);
        if (type != f32) x = net.add(kind_t::TypeCast, {x}, f32);
        x = net.add(kind_t::Multiply, {x, net.input(f32, {1})});
        net.add(kind_t::Quantize, {x}, u8, with_scale(0.01f));
        expect_fused(net, std::string("SoftMax+pre_ops") + (type == f32 ? "" : "+type_cast")
                                  + "+binary+quantize:1");
    }
}

TEST(fusion, masked_rows_give_zeros_or_numbers) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const int64_t length : {4, 40}) {
        network_t net;
        std::vector<double> mask(static_cast<size_t>(3 * length), -infinity);
        mask[0] = mask[static_cast<size_t>(2 * length) - 1] = 0; // the last row is all masked
        const size_t scores = net.input(f32, {2, 3, length});
        const size_t masked =
                net.add(kind_t::Add, {scores, net.input(f32, {3, length}, {.values = mask})});
        attributes_t attributes = last_axis;
        attributes[attr_name_t::mode] = std::string("inf_as_zero");
        net.add(kind_t::SoftMax, {masked}, attributes);
        expect_fused(net, "SoftMax+pre_ops:1");
    }
}

TEST(fusion, statistics_are_those_of_the_scores_after_the_operations) {
    for (const int64_t length : {16, 300}) {
        network_t net;
        const size_t scaled =
                net.add(kind_t::Multiply, {net.input(f32, {3, 5, length}), net.input(f32, {1})});
        net.add(kind_t::SoftMax, {scaled}, types_t{f32, f32}, last_axis);
        expect_fused(net, "SoftMax+pre_ops:1");
    }
}

TEST(fusion, softmax_leaves_operations_outside_that_others_read) {
    network_t net;
    const size_t scaled = net.add(kind_t::Multiply, {net.input(f32, image), net.input(f32, {1})});
    net.add(kind_t::SoftMax, {scaled}, last_axis);
    add_end(net, scaled);
    const outcome_t outcome = expect_right(net);
    EXPECT_EQ(steps_of(outcome.parts[0]), "Multiply:1");
    EXPECT_EQ(steps_of(outcome.parts[1]), "SoftMax:1");
}

TEST(fusion, operations_before_softmax_run_one_by_one_where_kernels_would_not_suit) {
    network_t other_axis, broadcast_source, many_operands;
    other_axis.add(kind_t::SoftMax,
            {other_axis.add(
                    kind_t::Multiply, {other_axis.input(f32, image), other_axis.input(f32, {1})})},
            attributes_t{{attr_name_t::axis, int64_t(1)}});
    expect_one_by_one(other_axis, 2);
    const size_t vector = broadcast_source.input(f32, {16});
    const size_t sum = broadcast_source.add(kind_t::Subtract, {vector, vector});
    const size_t scores = broadcast_source.add(kind_t::Subtract,
            {broadcast_source.input(f32, {16}), broadcast_source.input(f32, image)});
    broadcast_source.add(kind_t::SoftMax, {scores}, last_axis);
    add_end(broadcast_source, sum);
    expect_right(broadcast_source);
}

// Scales whose quotients are exact, so that ties are ties in both.
TEST(fusion, dequantized_tensors_are_concatenated_as_integers) {
    const attributes_t along{{attr_name_t::axis, int64_t(1)}};
    const auto build = [&](types_t src_types, type_t dst_type, int64_t zero_point) {
        network_t net;
        std::vector<size_t> srcs;
        for (size_t i = 0; i < src_types.size(); ++i)
            srcs.push_back(net.add(kind_t::Dequantize,
                    {net.input(src_types[i], {2, 3 + static_cast<int64_t>(i), 16})}, f32,
                    with_scale(i == 1 ? 0.125f : 0.5f, i == 0 ? zero_point : 0)));
        net.add(kind_t::Quantize, {net.add(kind_t::Concat, srcs, along)}, dst_type,
                with_scale(0.5f));
        return net;
    };
    for (const type_t type : {s8, u8}) {
        const network_t net = build({type, type, type}, type, 0);
        const auto outcome = expect_right(net);
        ASSERT_EQ(outcome.parts.size(), 1U);
        EXPECT_EQ(outcome.parts[0].ops.size(), 5U);
    }
    for (const network_t &net : {build({s8, u8}, s8, 0), build({s8, s8}, s8, 3)}) {
        const auto outcome = expect_right(net);
        EXPECT_GT(outcome.parts.size(), 1U);
    }
}

TEST(fusion, elementwise_operations_are_one_primitive) {
    for (const type_t type : floats) {
        network_t net;
        const size_t sum = net.add(kind_t::Add, {net.input(type, image), net.input(type, {16})});
        net.add(kind_t::Subtract, {add_silu(net, sum), net.input(type, image)});
        expect_fused(net, "Add+silu+binary:1");
    }
    network_t integers;
    const size_t src = integers.add(
            kind_t::Dequantize, {integers.input(s8, image)}, f32, with_scales(16, 2, true));
    integers.add(
            kind_t::Quantize, {integers.add(kind_t::ReLU, {src})}, u8, with_scales(7, 1, true));
    expect_fused(integers, "Dequantize+eltwise+quantize:1");
}

// ---- shapes that are unknown until compilation

TEST(fusion, residuals_found_to_be_broadcast_run_one_by_one) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm})
        for (const bool is_visible : {false, true}) {
            network_t net;
            const size_t x = net.input(f32, matrix), residual = net.input(f32, {72});
            const size_t sum = net.add(kind_t::Add, {x, residual});
            const size_t dst = add_norm(net, kind, sum);
            if (is_visible) add_end(net, sum);
            for (const size_t tensor : {x, residual, sum, dst}) net.forget_shape(tensor);
            const auto outcome = expect_right(net);
            ASSERT_EQ(outcome.parts.size(), is_visible ? 2U : 1U);
            EXPECT_EQ(outcome.parts[0].ops.size(), 2U);
            EXPECT_EQ(steps_of(outcome.parts[0]), "Add;" + name_of(kind) + ":2");
        }
}

TEST(fusion, a_result_found_to_be_broadcast_runs_one_by_one) {
    network_t net;
    const size_t src = net.input(f32, {1, 7, 16}), operand = net.input(f32, image);
    const size_t dst = add_norm(net, kind_t::GroupNorm, src);
    const size_t product = net.add(kind_t::Multiply, {dst, operand});
    for (const size_t tensor : {src, operand, dst, product}) net.forget_shape(tensor);
    expect_one_by_one(net, 2);
}

TEST(fusion, shapes_found_to_be_equal_are_one_primitive) {
    network_t net;
    const size_t x = net.input(f32, matrix), residual = net.input(f32, matrix);
    const size_t sum = net.add(kind_t::Add, {x, residual});
    const size_t dst = add_norm(net, kind_t::RMSNorm, sum);
    const size_t product = net.add(kind_t::Multiply, {dst, residual});
    for (const size_t tensor : {x, residual, sum, dst, product}) net.forget_shape(tensor);
    expect_fused(net, "RMSNorm+residual_add+binary:1");
}

TEST(fusion, a_sum_whose_axes_cannot_be_joined_is_right) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm})
        for (const dims_t &strides : {dims_t{16, 48, 1}, dims_t{200, 20, 1}})
            for (const bool is_visible : {false, true}) {
                network_t net;
                const size_t x = net.input(f32, image, {.strides = strides});
                const size_t sum = net.add(kind_t::Add, {x, net.input(f32, image)});
                net.set_strides(sum, strides);
                net.add(kind, {sum}, types_t{f32},
                        with_axis(1)
                                + (kind == kind_t::LayerNorm ? without_statistics()
                                                             : attributes_t()));
                if (is_visible) add_end(net, sum);
                expect_right(net);
            }
}

TEST(fusion, layouts_without_a_kernel_are_right) {
    network_t net;
    const size_t x = net.input(f32, image, {.strides = {1, 48, 3}});
    const size_t sum = net.add(kind_t::Add, {x, net.input(f32, image, {.strides = {16, 48, 1}})});
    const size_t dst = net.add(kind_t::LayerNorm, {sum}, types_t{f32, f32, f32}, with_axis(1))[0];
    net.set_strides(net.add(kind_t::Tanh, {dst}), {112, 1, 7});
    add_end(net, sum);
    expect_right(net);
}

} // namespace

} // namespace kiln::test
