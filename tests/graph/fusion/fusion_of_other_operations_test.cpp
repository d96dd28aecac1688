// SPDX-License-Identifier: Apache-2.0
// Fusion of conversions and of operations without a norm, and what is found when shapes are known,
// compared with the truth.
#include "graph/fusion/fusion_checks.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

const dims_t matrix{12, 72}, image{3, 7, 16};

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

TEST(fusion, integers_are_added_and_quantized_by_one_primitive) {
    for (const type_t type : {s8, u8})
        for (const float scale : {1.f, 0.25f}) {
            network_t net;
            const size_t lhs =
                    net.add(kind_t::Dequantize, {net.input(type, image)}, f32, with_scale(0.5f, 2));
            const size_t rhs =
                    net.add(kind_t::Dequantize, {net.input(s8, image)}, f32, with_scale(scale, 5));
            net.add(kind_t::Quantize, {net.add(kind_t::Add, {lhs, rhs})}, type, with_scale(0.5f));
            expect_fused(net, "Dequantize+dequantized_operand+quantize:1");
        }
    network_t net; // scales of channels are not those of a binary operand
    const size_t channels =
            net.add(kind_t::Dequantize, {net.input(s8, image)}, f32, with_scales(16, 2, true));
    net.add(kind_t::Add, {net.input(f32, image), channels});
    expect_right(net);
}

TEST(fusion, a_reduction_takes_elementwise_and_binary_operations) {
    for (const type_t type : floats)
        for (const std::vector<int64_t> &axes :
                {std::vector<int64_t>{-1}, {0}, {1}, {0, 2}, {0, 1, 2}})
            for (const bool keeps : {false, true}) {
                if (axes.size() == 3 && !keeps) continue; // a number: operands would add an axis
                network_t net;
                const size_t sum = net.add(kind_t::ReduceSum, {net.input(type, image)},
                        {{attr_name_t::axes, axes}, {attr_name_t::keep_dims, keeps}});
                const size_t scaled =
                        net.add(kind_t::Multiply, {sum, net.input(type, net.dims_of(sum))});
                const size_t shifted = net.add(kind_t::Add, {scaled, net.input(type, {1})});
                net.add(kind_t::Abs, {shifted});
                expect_fused(net, "ReduceSum+binary+binary+eltwise:1");
            }
}

/// The operand is aligned at the last axis of a result that lacks the reduced one.
TEST(fusion, an_operand_of_fewer_axes_is_aligned_with_a_reduced_result) {
    for (const int64_t axis : {0, 1, 2, 3})
        for (const dims_t &operand : {dims_t{4}, dims_t{4, 1}, dims_t{4, 1, 1}, dims_t{1, 4}}) {
            network_t net;
            const size_t sum = net.add(kind_t::ReduceSum, {net.input(f32, {4, 4, 4, 4})},
                    {{attr_name_t::axes, std::vector<int64_t>{axis}},
                            {attr_name_t::keep_dims, false}});
            net.add(kind_t::Subtract, {sum, net.input(f32, operand)});
            expect_fused(net, "ReduceSum+binary:1");
        }
}

TEST(fusion, a_layout_between_dequantization_and_quantization_is_one_reorder) {
    network_t net;
    const size_t src = net.add(kind_t::Dequantize, {net.input(u8, image)}, f32, with_scale(0.5f));
    const size_t moved = net.add(kind_t::Reorder, {src});
    net.set_strides(moved, {112, 1, 7});
    net.set_strides(net.add(kind_t::Quantize, {moved}, s8, with_scale(0.5f)), {112, 1, 7});
    expect_fused(net, "Dequantize+reorder+quantize:1");
}

// ---- operations that move elements

attributes_t with_order(const std::vector<int64_t> &order) { return {{attr_name_t::order, order}}; }
attributes_t with_shape(const std::vector<int64_t> &shape) {
    return {{attr_name_t::shape, shape}, {attr_name_t::special_zero, false}};
}

TEST(fusion, heads_are_split_and_joined_by_one_reorder) {
    for (const type_t type : floats) {
        network_t split;
        const size_t heads = split.add(
                kind_t::StaticReshape, {split.input(type, {2, 6, 20})}, with_shape({2, 6, 4, 5}));
        split.add(kind_t::StaticTranspose, {heads}, with_order({0, 2, 1, 3}));
        expect_fused(split, "StaticReshape+transpose:1");
        network_t join;
        const size_t tokens = join.add(kind_t::StaticTranspose, {join.input(type, {2, 4, 6, 5})},
                with_order({0, 2, 1, 3}));
        join.add(kind_t::StaticReshape, {tokens}, with_shape({2, 6, 20}));
        expect_fused(join, "StaticTranspose+reshape:1");
    }
}

TEST(fusion, channels_are_shuffled_by_one_reorder) {
    network_t net;
    const size_t groups = net.add(
            kind_t::StaticReshape, {net.input(f32, {2, 12, 5, 7})}, with_shape({2, 3, 4, 5, 7}));
    const size_t moved = net.add(kind_t::StaticTranspose, {groups}, with_order({0, 2, 1, 3, 4}));
    net.add(kind_t::StaticReshape, {moved}, with_shape({2, 12, 5, 7}));
    expect_fused(net, "StaticReshape+transpose+reshape:1");
}

TEST(fusion, transposes_follow_each_other_and_take_post_ops) {
    network_t net;
    const size_t first = net.add(kind_t::StaticTranspose,
            {net.input(f32, {2, 7, 16}, {.strides = {400, 50, 3}})}, with_order({2, 0, 1}));
    const size_t second = net.add(kind_t::StaticTranspose, {first}, with_order({1, 0, 2}));
    const size_t sum = net.add(kind_t::Add, {second, net.input(f32, {16, 1})});
    net.add(kind_t::ReLU, {sum});
    expect_fused(net, "StaticTranspose+transpose+binary+eltwise:1");
}

TEST(fusion, elements_that_are_moved_behind_a_post_op_are_another_primitive) {
    network_t net;
    const size_t moved =
            net.add(kind_t::StaticTranspose, {net.input(f32, {7, 16})}, with_order({1, 0}));
    const size_t sum = net.add(kind_t::Add, {moved, net.input(f32, {16, 1})});
    net.add(kind_t::StaticTranspose, {sum}, with_order({1, 0}));
    EXPECT_EQ(expect_right(net).parts.size(), 2U);
}

TEST(fusion, a_layout_that_cannot_be_reshaped_runs_one_by_one) {
    network_t net;
    const size_t moved =
            net.add(kind_t::StaticTranspose, {net.input(f32, {5, 6})}, with_order({1, 0}));
    net.set_strides(net.add(kind_t::StaticReshape, {moved}, with_shape({10, 3})), {1, 10});
    expect_one_by_one(net, 2);
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
