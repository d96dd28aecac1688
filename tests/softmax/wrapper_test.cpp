// SPDX-License-Identifier: Apache-2.0
// Softmax through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_softmax : public testing::Test {
protected:
    softmax_forward::primitive_desc forward(algorithm alg = algorithm::softmax_accurate) const {
        return {cpu_, prop_kind::forward_training, alg, md_, md_, 1};
    }

    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{2, 4}, dt::f32, tag::ab};
};

TEST_F(wrapper_softmax, gives_probabilities_and_gradients) {
    const memory src(md_, cpu_), dst(md_, cpu_), diff_dst(md_, cpu_), diff_src(md_, cpu_);
    const auto values = [](const memory &m) { return static_cast<float *>(m.get_data_handle()); };
    for (int i = 0; i < 8; ++i) values(src)[i] = 1;
    for (int i = 0; i < 8; ++i) values(diff_dst)[i] = i % 4 == 0 ? 1.f : 0.f;
    stream astream(cpu_);
    softmax_forward(forward()).execute(astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    const softmax_backward::primitive_desc pd(
            cpu_, algorithm::softmax_accurate, md_, md_, md_, 1, forward());
    softmax_backward(pd).execute(astream,
            {{DNNL_ARG_DST, dst}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    astream.wait();
    for (int i = 0; i < 8; ++i) EXPECT_EQ(values(dst)[i], 0.25f);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(values(diff_src)[i], i % 4 == 0 ? 0.1875f : -0.0625f);
}

TEST_F(wrapper_softmax, answers_its_queries) {
    const auto pd = forward(algorithm::softmax_log);
    EXPECT_EQ(pd.get_kind(), primitive::kind::softmax);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_training);
    EXPECT_EQ(pd.get_algorithm(), algorithm::softmax_log);
    EXPECT_EQ(pd.get_axis(), 1);
    EXPECT_EQ(pd.src_desc(), md_);
    EXPECT_EQ(pd.dst_desc(), md_);
    EXPECT_EQ(softmax_forward::primitive_desc(pd.get()).dst_desc(), md_);
    const softmax_backward::primitive_desc backward(
            cpu_, algorithm::softmax_log, md_, md_, md_, 1, pd);
    EXPECT_EQ(backward.get_prop_kind(), prop_kind::backward_data);
    EXPECT_EQ(backward.diff_src_desc(), md_);
    EXPECT_EQ(backward.diff_dst_desc(), md_);
    EXPECT_EQ(
            status_of([&] { softmax_backward::primitive_desc(pd.get()); }), dnnl_invalid_arguments);
}

TEST_F(wrapper_softmax, of_nothing_throws_or_is_empty) {
    const auto wrong = [&](bool allow_empty) {
        return softmax_forward::primitive_desc(cpu_, prop_kind::forward_training,
                algorithm::softmax_accurate, md_, md_, 5, primitive_attr(), allow_empty);
    };
    EXPECT_EQ(status_of([&] { wrong(false); }), dnnl_invalid_arguments);
    EXPECT_FALSE(wrong(true));
    EXPECT_FALSE(softmax_forward());
    EXPECT_FALSE(softmax_backward());
}
