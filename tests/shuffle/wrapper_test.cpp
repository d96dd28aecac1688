// SPDX-License-Identifier: Apache-2.0
// Shuffle through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_shuffle : public testing::Test {
protected:
    shuffle_forward::primitive_desc forward() const {
        return {cpu_, prop_kind::forward_training, md_, any_, 1, 2};
    }

    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{1, 6}, dt::f32, tag::ab};
    const desc any_{{1, 6}, dt::f32, tag::any};
};

TEST_F(wrapper_shuffle, transposes_the_axis_there_and_back) {
    const memory src(md_, cpu_), dst(md_, cpu_), diff_src(md_, cpu_);
    const auto values = [](const memory &m) { return static_cast<float *>(m.get_data_handle()); };
    for (int i = 0; i < 6; ++i) values(src)[i] = static_cast<float>(i);
    stream astream(cpu_);
    shuffle_forward(forward()).execute(astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    const shuffle_backward::primitive_desc pd(cpu_, any_, any_, 1, 2, forward());
    shuffle_backward(pd).execute(
            astream, {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    astream.wait();
    const float expected[] = {0, 2, 4, 1, 3, 5};
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(values(dst)[i], expected[i]);
        EXPECT_EQ(values(diff_src)[i], static_cast<float>(i));
    }
}

TEST_F(wrapper_shuffle, answers_its_queries) {
    const auto pd = forward();
    EXPECT_EQ(pd.get_kind(), primitive::kind::shuffle);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_training);
    EXPECT_EQ(pd.get_axis(), 1);
    EXPECT_EQ(pd.get_group_size(), 2);
    EXPECT_EQ(pd.src_desc(), md_);
    EXPECT_EQ(pd.dst_desc(), md_);
    EXPECT_EQ(shuffle_forward::primitive_desc(pd.get()).dst_desc(), md_);
    const shuffle_backward::primitive_desc backward(cpu_, any_, any_, 1, 2, pd);
    EXPECT_EQ(backward.get_prop_kind(), prop_kind::backward_data);
    EXPECT_EQ(backward.diff_src_desc(), md_);
    EXPECT_EQ(backward.diff_dst_desc(), md_);
    EXPECT_EQ(
            status_of([&] { shuffle_backward::primitive_desc(pd.get()); }), dnnl_invalid_arguments);
}

TEST_F(wrapper_shuffle, of_nothing_throws_or_is_empty) {
    const auto wrong = [&](bool allow_empty) {
        return shuffle_forward::primitive_desc(
                cpu_, prop_kind::forward_training, md_, md_, 1, 4, primitive_attr(), allow_empty);
    };
    EXPECT_EQ(status_of([&] { wrong(false); }), dnnl_invalid_arguments);
    EXPECT_FALSE(wrong(true));
    EXPECT_FALSE(shuffle_forward());
    EXPECT_FALSE(shuffle_backward());
}
