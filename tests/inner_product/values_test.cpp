// SPDX-License-Identifier: Apache-2.0
// Inner products against long double: every implementation, direction, type and kind of layout;
// bias, scales, post-ops; the same bits for any number of threads.
#include "inner_product/inner_product_case.hpp"
#include "support/execution_checks.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::inner_product {
namespace {

constexpr dnnl_prop_kind_t directions[] = {
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward_data, dnnl_backward_weights};

TEST(inner_product_values, are_right_in_every_direction_and_floating_point_type) {
    for (const auto direction : directions)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
            for (const auto result : {type, dnnl_f32}) {
                if (type == dnnl_f64 && result != type) continue;
                problem_t p{.src = {5, 19},
                        .outputs = 33,
                        .prop_kind = direction,
                        .has_bias = direction != dnnl_backward_data,
                        .src_type = type,
                        .weights_type = type,
                        .dst_type = type,
                        .bias_type = type};
                (direction == dnnl_backward_data ? p.src_type
                        : p.is_forward()         ? p.dst_type
                                                 : p.weights_type) = result;
                expect_right(p);
            }
}

TEST(inner_product_values, are_right_for_integers_with_scales) {
    for (const auto src : {dnnl_u8, dnnl_s8})
        for (const auto dst : {dnnl_s32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8}) {
            problem_t p{.src = {5, 19},
                    .outputs = 33,
                    .has_bias = true,
                    .src_type = src,
                    .weights_type = dnnl_s8,
                    .dst_type = dst};
            expect_right(p);
            p.src_scale = scale_attr_t{0.25};
            p.dst_scale = scale_attr_t{2};
            p.has_weights_scales = true;
            expect_right(p);
        }
}

TEST(inner_product_values, are_right_for_every_kind_of_layout) {
    for (const auto direction : directions)
        for (const char *src : {"", "acdb", "aBcd8b", "any"})
            for (const char *weights : {"", "acdb", "any"})
                for (const char *dst : {"", "ba", "any"})
                    expect_right({.src = {4, 8, 3, 2},
                            .outputs = 6,
                            .prop_kind = direction,
                            .has_bias = direction != dnnl_backward_data,
                            .src_format = src,
                            .weights_format = weights,
                            .dst_format = dst});
    expect_right({.src = {3, 2, 2, 2, 2}, .outputs = 4});
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const char *src : {"", "acdb", "any"})
            for (const dnnl_dim_t samples : {1, 2, 40})
                expect_right({.src = {samples, 6, 3, 5},
                        .outputs = 35,
                        .src_type = type,
                        .weights_type = type,
                        .dst_type = type,
                        .src_format = src,
                        .weights_format = "any"});
    expect_right({.src = {3, 7, 5}, .outputs = 4, .src_format = "abc+3"});
}

TEST(inner_product_values, come_from_kernels_of_matrix_multiplication) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementation_names(describe(p)).front(); };
    for (const auto direction : directions)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const char *format : {"", "any"})
                EXPECT_EQ(best({.src = {5, 19, 3, 2},
                                  .outputs = 33,
                                  .prop_kind = direction,
                                  .has_bias = direction != dnnl_backward_data,
                                  .src_type = type,
                                  .weights_type = type,
                                  .dst_type = type,
                                  .bias_type = type,
                                  .weights_format = format}),
                        "jit:matmul")
                        << direction << " " << dnnl_dt2str(type) << " " << format;
}

TEST(inner_product_values, of_axes_in_unlike_orders_copy_a_tensor) {
    const std::pair<const char *, const char *> orders[] = {
            {"", "acdb"}, {"acdb", ""}, {"aBcd8b", ""}, {"", "aBcd8b"}, {"aBcd8b", "acdb"}};
    for (const auto &[src, weights] : orders)
        for (const auto direction : directions)
            for (const dnnl_dim_t outputs : {3, 33}) {
                const problem_t p{.src = {5, 19, 3, 2},
                        .outputs = outputs,
                        .prop_kind = direction,
                        .has_bias = direction != dnnl_backward_data,
                        .src_format = src,
                        .weights_format = weights};
                expect_right(p);
                if (!generates_kernels()) continue;
                EXPECT_EQ(implementation_names(describe(p)).front(), "jit:relaid") << to_string(p);
            }
}

TEST(inner_product_values, are_right_with_post_ops) {
    const post_op_chain_t chains[] = {
            {{.alg = dnnl_eltwise_relu, .alpha = 0.5f}},
            {{.alg = dnnl_binary_add, .mask = 3}, {.alg = dnnl_eltwise_linear, .alpha = 2}},
            {{.alg = dnnl_binary_mul, .mask = 2, .type = dnnl_s8}},
            {{.alg = dnnl_alg_kind_undef, .mask = 2, .is_prelu = true}},
    };
    for (const auto &chain : chains)
        for (const char *src : {"", "acb"})
            expect_right({.src = {4, 8, 3},
                    .outputs = 17,
                    .has_bias = true,
                    .src_format = src,
                    .post_ops = chain});
}

TEST(inner_product_values, of_no_samples_are_none_and_their_gradients_zeros) {
    for (const auto direction : directions)
        expect_right({.src = {0, 8},
                .outputs = 3,
                .prop_kind = direction,
                .has_bias = direction != dnnl_backward_data});
}

TEST(inner_product_values, have_the_same_bits_for_any_number_of_threads) {
    for (const auto direction : directions) {
        const problem_t p{.src = {70, 129},
                .outputs = 140,
                .prop_kind = direction,
                .has_bias = direction != dnnl_backward_data};
        for (size_t i = 0; i < implementation_names(describe(p)).size(); ++i) {
            expect_same_bits_for_any_number_of_threads([&] { return case_t(p, i); });
        }
    }
}

TEST(inner_product_values, need_all_arguments) {
    for (const auto direction : directions)
        expect_refusals_of_spoiled_arguments(
                case_t({.src = {4, 8}, .outputs = 16, .prop_kind = direction}, 0));
}

} // namespace
} // namespace kiln::test::inner_product
