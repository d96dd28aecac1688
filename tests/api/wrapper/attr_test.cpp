// SPDX-License-Identifier: Apache-2.0
// dnnl::primitive_attr and dnnl::post_ops: the getters return what was set. Only the C++ interface
// is called.
#include "oneapi/dnnl/dnnl.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using dt = memory::data_type;
using tag = memory::format_tag;

TEST(wrapper_attr, defaults_ask_for_nothing) {
    const primitive_attr attr;
    EXPECT_EQ(attr.get_fpmath_mode(), get_default_fpmath_mode());
    EXPECT_EQ(attr.get_accumulation_mode(), accumulation_mode::strict);
    EXPECT_EQ(attr.get_scratchpad_mode(), scratchpad_mode::library);
    EXPECT_EQ(attr.get_rounding_mode(DNNL_ARG_DST), rounding_mode::environment);
    EXPECT_FALSE(attr.get_deterministic());
    EXPECT_EQ(attr.get_post_ops().len(), 0);
    memory::desc mask({1}, dt::u8, tag::a);
    attr.get_dropout(mask);
    EXPECT_TRUE(mask.is_zero());
}

TEST(wrapper_attr, modes_are_read_back) {
    primitive_attr attr;
    attr.set_accumulation_mode(accumulation_mode::relaxed);
    EXPECT_EQ(attr.get_accumulation_mode(), accumulation_mode::relaxed);
    attr.set_scratchpad_mode(scratchpad_mode::user);
    EXPECT_EQ(attr.get_scratchpad_mode(), scratchpad_mode::user);
    attr.set_deterministic(true);
    EXPECT_TRUE(attr.get_deterministic());
    attr.set_deterministic(false);
    EXPECT_FALSE(attr.get_deterministic());
    attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::stochastic);
    EXPECT_EQ(attr.get_rounding_mode(DNNL_ARG_DST), rounding_mode::stochastic);
}

TEST(wrapper_attr, the_math_mode_is_read_back_with_its_reach) {
    primitive_attr attr;
    fpmath_mode mode = fpmath_mode::any;
    bool apply_to_int = true;
    attr.set_fpmath_mode(fpmath_mode::tf32);
    EXPECT_EQ(attr.get_fpmath_mode(), fpmath_mode::tf32);
    attr.get_fpmath_mode(mode, apply_to_int);
    EXPECT_EQ(mode, fpmath_mode::tf32);
    EXPECT_FALSE(apply_to_int);
    attr.set_fpmath_mode(fpmath_mode::f16, true);
    attr.get_fpmath_mode(mode, apply_to_int);
    EXPECT_EQ(mode, fpmath_mode::f16);
    EXPECT_TRUE(apply_to_int);
}

TEST(wrapper_attr, dropout_is_read_back) {
    primitive_attr attr;
    const memory::desc mask({4, 6}, dt::u8, tag::ab);
    memory::desc got;
    dt seed_type = dt::undef;
    bool use_offset = true, use_host_scalars = true;
    attr.set_dropout(mask);
    attr.get_dropout(got);
    EXPECT_EQ(got, mask);
    attr.get_dropout(got, seed_type, use_offset, use_host_scalars);
    EXPECT_EQ(seed_type, dt::s32);
    EXPECT_FALSE(use_offset);
    EXPECT_FALSE(use_host_scalars);
    attr.set_dropout(mask, dt::s64, true, true);
    attr.get_dropout(got, seed_type, use_offset, use_host_scalars);
    EXPECT_EQ(got, mask);
    EXPECT_EQ(seed_type, dt::s64);
    EXPECT_TRUE(use_offset);
    EXPECT_TRUE(use_host_scalars);
}

TEST(wrapper_attr, scales_and_zero_points_are_accepted_in_every_form) {
    primitive_attr attr;
    EXPECT_NO_THROW(attr.set_scales_mask(DNNL_ARG_SRC, 0));
    EXPECT_NO_THROW(attr.set_scales(DNNL_ARG_WEIGHTS, 3, {2, 1}, dt::bf16));
    EXPECT_NO_THROW(attr.set_host_scale(DNNL_ARG_DST));
    EXPECT_NO_THROW(attr.set_zero_points_mask(DNNL_ARG_SRC, 0));
    EXPECT_NO_THROW(attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {2, 1}, dt::s8));
    EXPECT_NO_THROW(attr.set_host_zero_point(DNNL_ARG_DST));
    EXPECT_NO_THROW(attr.set_precomputed_reductions(DNNL_ARG_SRC, 3, {1, 2}));
}

TEST(wrapper_attr, wrong_scales_and_zero_points_are_refused) {
    primitive_attr attr;
    EXPECT_EQ(status_of([&] { attr.set_scales_mask(DNNL_ARG_SRC, -1); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { attr.set_zero_points_mask(DNNL_ARG_SRC, -1); }),
            dnnl_invalid_arguments);
    // A scale on the host is a single value.
    EXPECT_EQ(status_of([&] { attr.set_scales(DNNL_ARG_SRC, 1, {}, dt::f32, true); }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { attr.set_zero_points(DNNL_ARG_SRC, 1, {}, dt::s32, true); }),
            dnnl_invalid_arguments);
}

TEST(wrapper_attr, recurrent_quantization_is_read_back) {
    primitive_attr attr;
    attr.set_rnn_data_qparams(0.5f, 3.f);
    float scale = 0, shift = 0;
    attr.get_rnn_data_qparams(scale, shift);
    EXPECT_EQ(scale, 0.5f);
    EXPECT_EQ(shift, 3.f);

    int mask = -1;
    std::vector<float> scales;
    attr.set_rnn_weights_qparams(2, {1.f, 2.f, 4.f});
    attr.get_rnn_weights_qparams(mask, scales);
    EXPECT_EQ(mask, 2);
    EXPECT_EQ(scales, std::vector<float>({1.f, 2.f, 4.f}));
    attr.set_rnn_weights_projection_qparams(0, {8.f});
    attr.get_rnn_weights_projection_qparams(mask, scales);
    EXPECT_EQ(mask, 0);
    EXPECT_EQ(scales, std::vector<float>({8.f}));
}

TEST(wrapper_attr, post_ops_are_copied_in_and_out) {
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    ops.append_sum();
    post_ops got = attr.get_post_ops();
    EXPECT_EQ(got.len(), 1);
    got.append_sum();
    EXPECT_EQ(attr.get_post_ops().len(), 1);
}

TEST(wrapper_attr, copies_of_the_object_share_the_attributes) {
    primitive_attr attr;
    primitive_attr copy = attr;
    copy.set_deterministic(true);
    EXPECT_TRUE(attr.get_deterministic());
}

TEST(wrapper_post_ops, an_eltwise_is_read_back) {
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_linear, 2.f, -1.f);
    algorithm alg = algorithm::undef;
    float alpha = 0, beta = 0;
    ops.get_params_eltwise(0, alg, alpha, beta);
    EXPECT_EQ(ops.kind(0), primitive::kind::eltwise);
    EXPECT_EQ(alg, algorithm::eltwise_linear);
    EXPECT_EQ(alpha, 2.f);
    EXPECT_EQ(beta, -1.f);
}

TEST(wrapper_post_ops, a_sum_is_read_back_in_every_form) {
    post_ops ops;
    ops.append_sum();
    ops.append_sum(0.25f, 7, dt::s8);
    float scale = 0;
    int32_t zero_point = -1;
    dt type = dt::f64;
    ops.get_params_sum(0, scale);
    EXPECT_EQ(scale, 1.f);
    ops.get_params_sum(0, scale, zero_point, type);
    EXPECT_EQ(zero_point, 0);
    EXPECT_EQ(type, dt::undef);
    ops.get_params_sum(1, scale, type);
    EXPECT_EQ(scale, 0.25f);
    EXPECT_EQ(type, dt::s8);
    ops.get_params_sum(1, scale, zero_point, type);
    EXPECT_EQ(zero_point, 7);
    EXPECT_EQ(ops.kind(1), primitive::kind::sum);
}

TEST(wrapper_post_ops, a_binary_is_read_back) {
    post_ops ops;
    const memory::desc src1({1, 6}, dt::bf16, tag::ab);
    ops.append_binary(algorithm::binary_mul, src1);
    algorithm alg = algorithm::undef;
    memory::desc got;
    ops.get_params_binary(0, alg, got);
    EXPECT_EQ(ops.kind(0), primitive::kind::binary);
    EXPECT_EQ(alg, algorithm::binary_mul);
    EXPECT_EQ(got, src1);
}

TEST(wrapper_post_ops, a_binary_of_three_operands_is_read_back) {
    post_ops ops;
    const memory::desc src1({4, 6}, dt::f32, tag::ab), src2({4, 6}, dt::s8, tag::ab);
    ops.append_binary(algorithm::binary_select, src1, src2);
    algorithm alg = algorithm::undef;
    memory::desc got1, got2;
    ops.get_params_binary(0, alg, got1, got2);
    EXPECT_EQ(alg, algorithm::binary_select);
    EXPECT_EQ(got1, src1);
    EXPECT_EQ(got2, src2);
}

TEST(wrapper_post_ops, a_depthwise_convolution_is_read_back) {
    post_ops ops;
    ops.append_dw(dt::s8, dt::f32, dt::u8, 3, 2, 1);
    dt weights = dt::undef, bias = dt::undef, dst = dt::undef;
    memory::dim kernel = 0, stride = 0, padding = 0;
    ops.get_params_dw(0, weights, bias, dst, kernel, stride, padding);
    EXPECT_EQ(ops.kind(0), primitive::kind::convolution);
    EXPECT_EQ(weights, dt::s8);
    EXPECT_EQ(bias, dt::f32);
    EXPECT_EQ(dst, dt::u8);
    EXPECT_EQ(kernel, 3);
    EXPECT_EQ(stride, 2);
    EXPECT_EQ(padding, 1);
}

TEST(wrapper_post_ops, a_prelu_is_read_back) {
    post_ops ops;
    ops.append_prelu(2);
    int mask = 0;
    ops.get_params_prelu(0, mask);
    EXPECT_EQ(ops.kind(0), primitive::kind::prelu);
    EXPECT_EQ(mask, 2);
}

TEST(wrapper_post_ops, wrong_indices_and_kinds_throw) {
    post_ops ops;
    EXPECT_EQ(ops.len(), 0);
    EXPECT_EQ(status_of([&] { ops.kind(0); }), dnnl_invalid_arguments);
    ops.append_sum();
    algorithm alg = algorithm::undef;
    float alpha = 0, beta = 0;
    EXPECT_EQ(status_of([&] { ops.kind(1); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { ops.kind(-1); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { ops.get_params_eltwise(0, alg, alpha, beta); }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { ops.append_eltwise(algorithm::binary_add, 0.f, 0.f); }),
            dnnl_invalid_arguments);
    EXPECT_EQ(ops.len(), 1);
}
