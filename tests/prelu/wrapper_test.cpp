// SPDX-License-Identifier: Apache-2.0
// PReLU through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_prelu : public testing::Test {
protected:
    prelu_forward::primitive_desc forward() const {
        return {cpu_, prop_kind::forward_training, md_, any_, any_};
    }
    prelu_backward::primitive_desc backward() const {
        return {cpu_, md_, any_, any_, any_, any_, forward()};
    }
    memory filled(const std::vector<float> &values) const {
        const memory result(md_, cpu_);
        std::copy(values.begin(), values.end(), static_cast<float *>(result.get_data_handle()));
        return result;
    }
    static std::vector<float> values(const memory &m) {
        const float *first = static_cast<const float *>(m.get_data_handle());
        return {first, first + 4};
    }

    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{2, 2}, dt::f32, tag::ab};
    const desc any_{{2, 2}, dt::f32, tag::any};
};

TEST_F(wrapper_prelu, computes_forward_and_backward) {
    const memory src = filled({-2, -1, 0, 3}), weights = filled({0.5f, 2, 3, 4}),
                 diff_dst = filled({1, 2, 3, 4});
    const memory dst(md_, cpu_), diff_src(md_, cpu_), diff_weights(md_, cpu_);
    stream astream(cpu_);
    prelu_forward(forward()).execute(
            astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    prelu_backward(backward())
            .execute(astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                      {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src},
                                      {DNNL_ARG_DIFF_WEIGHTS, diff_weights}});
    astream.wait();
    EXPECT_EQ(values(dst), (std::vector<float>{-1, -2, 0, 3}));
    EXPECT_EQ(values(diff_src), (std::vector<float>{0.5f, 4, 9, 4}));
    EXPECT_EQ(values(diff_weights), (std::vector<float>{-2, -2, 0, 0}));
}

TEST_F(wrapper_prelu, answers_its_queries) {
    const auto pd = forward();
    EXPECT_EQ(pd.get_kind(), primitive::kind::prelu);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_training);
    EXPECT_EQ(pd.src_desc(), md_);
    EXPECT_EQ(pd.weights_desc(), md_);
    EXPECT_EQ(pd.dst_desc(), md_);
    EXPECT_EQ(prelu_forward::primitive_desc(pd.get()).dst_desc(), md_);
    const auto gradient = backward();
    EXPECT_EQ(gradient.get_prop_kind(), prop_kind::backward);
    EXPECT_EQ(gradient.diff_src_desc(), md_);
    EXPECT_EQ(gradient.diff_weights_desc(), md_);
    EXPECT_EQ(gradient.diff_dst_desc(), md_);
    EXPECT_EQ(status_of([&] { prelu_backward::primitive_desc(pd.get()); }), dnnl_invalid_arguments);
}

TEST_F(wrapper_prelu, of_nothing_throws_or_is_empty) {
    const desc other({3, 2}, dt::f32, tag::ab);
    const auto wrong = [&](bool allow_empty) {
        return prelu_forward::primitive_desc(
                cpu_, prop_kind::forward_training, md_, other, md_, primitive_attr(), allow_empty);
    };
    EXPECT_EQ(status_of([&] { wrong(false); }), dnnl_invalid_arguments);
    EXPECT_FALSE(wrong(true));
    EXPECT_FALSE(prelu_forward());
    EXPECT_FALSE(prelu_backward());
}
