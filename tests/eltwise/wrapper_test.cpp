// SPDX-License-Identifier: Apache-2.0
// Elementwise functions through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_eltwise : public testing::Test {
protected:
    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{2, 3}, dt::f32, tag::ab};
    const desc any_{{2, 3}, dt::f32, tag::any};

    memory filled(float first, float step) const {
        const memory result(md_, cpu_);
        float *values = static_cast<float *>(result.get_data_handle());
        for (int i = 0; i < 6; ++i) values[i] = first + step * static_cast<float>(i);
        return result;
    }
};

TEST_F(wrapper_eltwise, computes_forward_and_backward) {
    const memory src = filled(-2, 1), diff_dst = filled(1, 1), dst(md_, cpu_), diff_src(md_, cpu_);
    stream astream(cpu_);
    const eltwise_forward::primitive_desc forward(
            cpu_, prop_kind::forward_training, algorithm::eltwise_relu, md_, any_, 0.5f);
    eltwise_forward(forward).execute(astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    const eltwise_backward::primitive_desc backward(
            cpu_, algorithm::eltwise_relu, any_, any_, md_, 0.5f, forward);
    eltwise_backward(backward).execute(astream,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    astream.wait();
    const float expected[] = {-1, -0.5f, 0, 1, 2, 3}, gradients[] = {0.5f, 1, 1.5f, 4, 5, 6};
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(static_cast<const float *>(dst.get_data_handle())[i], expected[i]);
        EXPECT_EQ(static_cast<const float *>(diff_src.get_data_handle())[i], gradients[i]);
    }
}

TEST_F(wrapper_eltwise, answers_its_queries) {
    const eltwise_forward::primitive_desc forward(
            cpu_, prop_kind::forward_inference, algorithm::eltwise_clip, md_, any_, -1.f, 2.f);
    EXPECT_EQ(forward.get_kind(), primitive::kind::eltwise);
    EXPECT_EQ(forward.get_prop_kind(), prop_kind::forward_inference);
    EXPECT_EQ(forward.get_algorithm(), algorithm::eltwise_clip);
    EXPECT_EQ(forward.get_alpha(), -1.f);
    EXPECT_EQ(forward.get_beta(), 2.f);
    EXPECT_EQ(forward.src_desc(), md_);
    EXPECT_EQ(forward.dst_desc(), md_);
    const eltwise_backward::primitive_desc backward(
            cpu_, algorithm::eltwise_exp_use_dst_for_bwd, any_, any_, md_, forward);
    EXPECT_EQ(backward.get_prop_kind(), prop_kind::backward_data);
    EXPECT_EQ(backward.dst_desc(), md_);
    EXPECT_EQ(backward.diff_src_desc(), md_);
    EXPECT_EQ(backward.diff_dst_desc(), md_);
    EXPECT_EQ(eltwise_forward::primitive_desc(forward.get()).dst_desc(), md_);
    EXPECT_EQ(eltwise_backward::primitive_desc(backward.get()).diff_src_desc(), md_);
    EXPECT_EQ(status_of([&] { (void)eltwise_backward::primitive_desc(forward.get()); }),
            dnnl_invalid_arguments);
}

TEST_F(wrapper_eltwise, of_nothing_throws_or_is_empty) {
    const auto kind = prop_kind::forward_training;
    const auto alg = algorithm::binary_add;
    EXPECT_EQ(status_of([&] { eltwise_forward::primitive_desc(cpu_, kind, alg, md_, md_); }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(eltwise_forward::primitive_desc(
            cpu_, kind, alg, md_, md_, 0.f, 0.f, primitive_attr(), true));
    EXPECT_FALSE(eltwise_forward());
    EXPECT_FALSE(eltwise_backward());
}
