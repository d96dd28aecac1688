// SPDX-License-Identifier: Apache-2.0
// Chains of post-ops: the getters return the values that were appended. What post-ops compute is
// tested with the operations.

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace kiln::test {

namespace {

post_ops_handle_t made() {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    return post_ops;
}

constexpr dnnl_alg_kind_t eltwise_algorithms[] = {dnnl_eltwise_relu, dnnl_eltwise_tanh,
        dnnl_eltwise_elu, dnnl_eltwise_square, dnnl_eltwise_abs, dnnl_eltwise_sqrt,
        dnnl_eltwise_linear, dnnl_eltwise_soft_relu, dnnl_eltwise_hardsigmoid,
        dnnl_eltwise_logistic, dnnl_eltwise_exp, dnnl_eltwise_gelu_tanh, dnnl_eltwise_swish,
        dnnl_eltwise_log, dnnl_eltwise_clip, dnnl_eltwise_clip_v2, dnnl_eltwise_pow,
        dnnl_eltwise_gelu_erf, dnnl_eltwise_round, dnnl_eltwise_mish, dnnl_eltwise_hardswish,
        dnnl_eltwise_relu_use_dst_for_bwd, dnnl_eltwise_tanh_use_dst_for_bwd,
        dnnl_eltwise_elu_use_dst_for_bwd, dnnl_eltwise_sqrt_use_dst_for_bwd,
        dnnl_eltwise_logistic_use_dst_for_bwd, dnnl_eltwise_exp_use_dst_for_bwd,
        dnnl_eltwise_clip_v2_use_dst_for_bwd};

constexpr dnnl_alg_kind_t binary_algorithms[] = {dnnl_binary_add, dnnl_binary_mul, dnnl_binary_max,
        dnnl_binary_min, dnnl_binary_div, dnnl_binary_sub, dnnl_binary_ge, dnnl_binary_gt,
        dnnl_binary_le, dnnl_binary_lt, dnnl_binary_eq, dnnl_binary_ne};

TEST(post_ops, an_empty_chain_has_no_entries) {
    const auto post_ops = made();
    EXPECT_EQ(dnnl_post_ops_len(post_ops), 0);
    for (const int index : {0, -1, 1})
        EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, index), dnnl_undefined_primitive) << index;
    EXPECT_EQ(dnnl_post_ops_len(nullptr), 0);
    EXPECT_EQ(dnnl_post_ops_get_kind(nullptr, 0), dnnl_undefined_primitive);
    EXPECT_EQ(dnnl_post_ops_destroy(nullptr), dnnl_success);
}

TEST(post_ops, keep_every_elementwise_algorithm) {
    for (const dnnl_alg_kind_t algorithm : eltwise_algorithms) {
        const auto post_ops = made();
        ASSERT_EQ(dnnl_post_ops_append_eltwise(post_ops, algorithm, 0.25f, 1.5f), dnnl_success)
                << dnnl_alg_kind2str(algorithm);
        EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, 0), dnnl_eltwise);
        dnnl_alg_kind_t found = dnnl_alg_kind_undef;
        float alpha = 0, beta = 0;
        EXPECT_EQ(
                dnnl_post_ops_get_params_eltwise(post_ops, 0, &found, &alpha, &beta), dnnl_success);
        EXPECT_EQ(found, algorithm);
        EXPECT_EQ(alpha, 0.25f);
        EXPECT_EQ(beta, 1.5f);
    }
}

TEST(post_ops, elementwise_parameters_without_a_meaning_are_refused) {
    const struct {
        dnnl_alg_kind_t algorithm;
        float alpha, beta;
    } cases[] = {
            {dnnl_eltwise_clip, 2, 1},
            {dnnl_eltwise_clip_v2, 2, 1},
            {dnnl_eltwise_clip_v2_use_dst_for_bwd, 2, 1},
            {dnnl_eltwise_relu_use_dst_for_bwd, -1, 0},
            {dnnl_eltwise_elu_use_dst_for_bwd, -1, 0},
            {dnnl_alg_kind_undef, 0, 0},
            {dnnl_binary_add, 0, 0},
            {dnnl_convolution_direct, 0, 0},
            {static_cast<dnnl_alg_kind_t>(dnnl_eltwise_relu - 1), 0, 0},
    };
    const auto post_ops = made();
    for (const auto &[algorithm, alpha, beta] : cases)
        EXPECT_EQ(dnnl_post_ops_append_eltwise(post_ops, algorithm, alpha, beta),
                dnnl_invalid_arguments)
                << algorithm << " " << alpha << " " << beta;
    EXPECT_EQ(dnnl_post_ops_len(post_ops), 0);
    EXPECT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_clip, 1, 1), dnnl_success);
}

TEST(post_ops, keep_a_sum) {
    const auto post_ops = made();
    ASSERT_EQ(dnnl_post_ops_append_sum(post_ops, 0.5f, -3, dnnl_s8), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, 0), dnnl_sum);
    float scale = 0;
    int32_t zero_point = 0;
    dnnl_data_type_t data_type = dnnl_f64;
    EXPECT_EQ(dnnl_post_ops_get_params_sum(post_ops, 0, &scale, &zero_point, &data_type),
            dnnl_success);
    EXPECT_EQ(scale, 0.5f);
    EXPECT_EQ(zero_point, -3);
    EXPECT_EQ(data_type, dnnl_s8);
    EXPECT_EQ(dnnl_post_ops_get_params_sum(post_ops, 1, &scale, &zero_point, &data_type),
            dnnl_success);
    EXPECT_EQ(scale, 1.f);
    EXPECT_EQ(data_type, dnnl_data_type_undef);
}

TEST(post_ops, keep_every_binary_algorithm_and_its_operand) {
    for (const dnnl_alg_kind_t algorithm : binary_algorithms) {
        const auto post_ops = made();
        {
            const auto operand = make_desc({1, 16}, dnnl_bf16);
            ASSERT_EQ(dnnl_post_ops_append_binary(post_ops, algorithm, operand), dnnl_success)
                    << dnnl_alg_kind2str(algorithm);
        }
        EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, 0), dnnl_binary);
        dnnl_alg_kind_t found = dnnl_alg_kind_undef;
        const_dnnl_memory_desc_t operand = nullptr;
        EXPECT_EQ(dnnl_post_ops_get_params_binary(post_ops, 0, &found, &operand), dnnl_success);
        EXPECT_EQ(found, algorithm);
        EXPECT_TRUE(dnnl_memory_desc_equal(operand, make_desc({1, 16}, dnnl_bf16)));
    }
}

TEST(post_ops, keep_a_selection_and_its_condition) {
    const auto post_ops = made();
    const auto operand = make_desc({4, 16}, dnnl_f32), condition = make_desc({4, 1}, dnnl_s8);
    ASSERT_EQ(dnnl_post_ops_append_binary_v2(post_ops, dnnl_binary_select, operand, condition),
            dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_binary_v2(post_ops, dnnl_binary_add, operand, nullptr),
            dnnl_success);
    dnnl_alg_kind_t algorithm = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t src1 = nullptr, src2 = nullptr;
    EXPECT_EQ(dnnl_post_ops_get_params_binary_v2(post_ops, 0, &algorithm, &src1, &src2),
            dnnl_success);
    EXPECT_EQ(algorithm, dnnl_binary_select);
    EXPECT_TRUE(dnnl_memory_desc_equal(src1, operand));
    EXPECT_TRUE(dnnl_memory_desc_equal(src2, condition));

    EXPECT_EQ(dnnl_post_ops_get_params_binary_v2(post_ops, 1, &algorithm, &src1, &src2),
            dnnl_success);
    EXPECT_EQ(algorithm, dnnl_binary_add);
    int ndims = -1;
    EXPECT_EQ(dnnl_memory_desc_query(src2, dnnl_query_ndims_s32, &ndims), dnnl_success);
    EXPECT_EQ(ndims, 0);
}

TEST(post_ops, an_operand_may_leave_its_layout_open) {
    const auto post_ops = made();
    const auto open = make_desc({4, 16}, dnnl_f32, "any");
    ASSERT_EQ(dnnl_post_ops_append_binary(post_ops, dnnl_binary_mul, open), dnnl_success);
    const_dnnl_memory_desc_t found = nullptr;
    EXPECT_EQ(dnnl_post_ops_get_params_binary(post_ops, 0, nullptr, &found), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(found, open));
}

TEST(post_ops, bad_binaries_are_refused) {
    const auto post_ops = made();
    const auto operand = make_desc({4, 16}, dnnl_f32);
    for (const auto algorithm : {dnnl_alg_kind_undef, dnnl_eltwise_relu, dnnl_reduction_max,
                 static_cast<dnnl_alg_kind_t>(dnnl_binary_select + 1)})
        EXPECT_EQ(dnnl_post_ops_append_binary(post_ops, algorithm, operand), dnnl_invalid_arguments)
                << algorithm;
    const dims_t dims = {DNNL_RUNTIME_DIM_VAL, 16};
    memory_desc_handle_t runtime;
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(runtime.out(), 2, dims.data(), dnnl_f32, dnnl_ab),
            dnnl_success);
    EXPECT_EQ(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, runtime),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_post_ops_append_binary_v2(post_ops, dnnl_binary_select, operand, runtime),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_post_ops_len(post_ops), 0);
}

TEST(post_ops, keep_a_depthwise_convolution) {
    const auto post_ops = made();
    ASSERT_EQ(dnnl_post_ops_append_dw(post_ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 2, 1), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, 0), dnnl_convolution);
    dnnl_data_type_t weights{}, bias{}, dst{};
    dnnl_dim_t kernel = 0, stride = 0, padding = 0;
    EXPECT_EQ(dnnl_post_ops_get_params_dw(
                      post_ops, 0, &weights, &bias, &dst, &kernel, &stride, &padding),
            dnnl_success);
    EXPECT_EQ(weights, dnnl_s8);
    EXPECT_EQ(bias, dnnl_f32);
    EXPECT_EQ(dst, dnnl_u8);
    EXPECT_EQ(kernel, 3);
    EXPECT_EQ(stride, 2);
    EXPECT_EQ(padding, 1);
}

TEST(post_ops, bad_depthwise_convolutions_are_refused) {
    const struct {
        dnnl_data_type_t weights, dst;
        dnnl_dim_t kernel, stride, padding;
    } cases[] = {
            {dnnl_data_type_undef, dnnl_f32, 3, 1, 1}, {dnnl_f32, dnnl_data_type_undef, 3, 1, 1},
            {dnnl_f32, dnnl_f32, 0, 1, 0}, {dnnl_f32, dnnl_f32, -3, 1, 0},
            {dnnl_f32, dnnl_f32, 3, 0, 1},
            {dnnl_f32, dnnl_f32, 3, 1, 3}, // the kernel would lie in the padding
    };
    const auto post_ops = made();
    for (const auto &[weights, dst, kernel, stride, padding] : cases)
        EXPECT_EQ(dnnl_post_ops_append_dw(
                          post_ops, weights, dnnl_data_type_undef, dst, kernel, stride, padding),
                dnnl_invalid_arguments)
                << kernel << " " << stride << " " << padding;
    EXPECT_EQ(dnnl_post_ops_append_dw(post_ops, dnnl_f32, dnnl_data_type_undef, dnnl_f32, 3, 1, 2),
            dnnl_success);
}

TEST(post_ops, keep_a_prelu) {
    const auto post_ops = made();
    ASSERT_EQ(dnnl_post_ops_append_prelu(post_ops, 2), dnnl_success);
    EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, 0), dnnl_prelu);
    int mask = 0;
    EXPECT_EQ(dnnl_post_ops_get_params_prelu(post_ops, 0, &mask), dnnl_success);
    EXPECT_EQ(mask, 2);
}

post_ops_handle_t one_of_each() {
    auto post_ops = made();
    require(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_f32), "sum");
    require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_tanh, 0, 0), "eltwise");
    require(dnnl_post_ops_append_dw(post_ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1), "dw");
    require(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc({1, 1}, dnnl_f32)),
            "binary");
    require(dnnl_post_ops_append_prelu(post_ops, 0), "prelu");
    return post_ops;
}

TEST(post_ops, an_entry_answers_questions_of_its_own_kind_only) {
    constexpr dnnl_primitive_kind_t kinds[] = {
            dnnl_sum, dnnl_eltwise, dnnl_convolution, dnnl_binary, dnnl_prelu};
    const auto post_ops = one_of_each();
    ASSERT_EQ(dnnl_post_ops_len(post_ops), 5);
    for (int index = -1; index <= 5; ++index) {
        const bool exists = 0 <= index && index < 5;
        const dnnl_primitive_kind_t kind = exists ? kinds[index] : dnnl_undefined_primitive;
        EXPECT_EQ(dnnl_post_ops_get_kind(post_ops, index), kind) << index;
        const auto expected = [&](dnnl_primitive_kind_t asked) {
            return kind == asked ? dnnl_success : dnnl_invalid_arguments;
        };
        // The pointer of a result that is not needed may be null.
        EXPECT_EQ(dnnl_post_ops_get_params_sum(post_ops, index, nullptr, nullptr, nullptr),
                expected(dnnl_sum));
        EXPECT_EQ(dnnl_post_ops_get_params_eltwise(post_ops, index, nullptr, nullptr, nullptr),
                expected(dnnl_eltwise));
        EXPECT_EQ(dnnl_post_ops_get_params_dw(
                          post_ops, index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
                expected(dnnl_convolution));
        EXPECT_EQ(dnnl_post_ops_get_params_binary(post_ops, index, nullptr, nullptr),
                expected(dnnl_binary));
        EXPECT_EQ(dnnl_post_ops_get_params_binary_v2(post_ops, index, nullptr, nullptr, nullptr),
                expected(dnnl_binary));
    }
}

TEST(post_ops, only_a_prelu_answers_as_a_prelu) {
    const auto post_ops = one_of_each();
    int mask = -7;
    for (const int index : {-1, 0, 1, 2, 3, 5})
        EXPECT_EQ(dnnl_post_ops_get_params_prelu(post_ops, index, &mask), dnnl_invalid_arguments)
                << index;
    EXPECT_EQ(mask, -7);
    EXPECT_EQ(dnnl_post_ops_get_params_prelu(post_ops, 4, nullptr), dnnl_success);
}

TEST(post_ops, a_chain_is_full_at_32_entries) {
    const auto post_ops = made();
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_linear, 1.f * i, 0),
                dnnl_success);
    EXPECT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), dnnl_out_of_memory);
    EXPECT_EQ(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_f32), dnnl_out_of_memory);
    EXPECT_EQ(dnnl_post_ops_append_dw(post_ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1),
            dnnl_out_of_memory);
    EXPECT_EQ(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, make_desc({1}, dnnl_f32)),
            dnnl_out_of_memory);
    EXPECT_EQ(dnnl_post_ops_append_prelu(post_ops, 0), dnnl_out_of_memory);
    EXPECT_EQ(dnnl_post_ops_len(post_ops), 32);
    for (int i = 0; i < 32; ++i) {
        float alpha = -1;
        EXPECT_EQ(dnnl_post_ops_get_params_eltwise(post_ops, i, nullptr, &alpha, nullptr),
                dnnl_success);
        EXPECT_EQ(alpha, i);
    }
}

TEST(post_ops, a_copy_goes_its_own_way) {
    post_ops_handle_t copy;
    {
        const auto original = one_of_each();
        ASSERT_EQ(dnnl_post_ops_clone(copy.out(), original), dnnl_success);
        ASSERT_EQ(dnnl_post_ops_append_prelu(original, 1), dnnl_success);
    }
    ASSERT_EQ(dnnl_post_ops_len(copy), 5);
    EXPECT_EQ(dnnl_post_ops_get_kind(copy, 0), dnnl_sum);
    EXPECT_EQ(dnnl_post_ops_get_kind(copy, 4), dnnl_prelu);
}

} // namespace

} // namespace kiln::test
