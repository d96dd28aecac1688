// SPDX-License-Identifier: Apache-2.0
// Each fusion rule of src/graph/fusion/rules.cpp for norms, compared with the truth: fused, in
// place and one operation at a time. The fused partition must be one primitive with a generated
// kernel.
#include <string>

#include "graph/fusion/fusion_checks.hpp"
#include "graph/networks.hpp"
#include "kiln/refusals.h"

namespace kiln::test {

namespace {

const dims_t matrix{12, 72}, image{3, 7, 16};

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

} // namespace

} // namespace kiln::test
