// SPDX-License-Identifier: Apache-2.0
// Reduction through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_reduction : public testing::Test {
protected:
    const engine cpu_{engine::kind::cpu, 0};
    const desc src_{{2, 3}, dt::f32, tag::ab};
    const desc dst_{{2, 1}, dt::f32, tag::ab};
};

TEST_F(wrapper_reduction, reduces) {
    const memory src(src_, cpu_), dst(dst_, cpu_);
    float *values = static_cast<float *>(src.get_data_handle());
    for (int i = 0; i < 6; ++i) values[i] = static_cast<float>(i % 4);
    stream astream(cpu_);
    const reduction::primitive_desc pd(cpu_, algorithm::reduction_max, src_, dst_, 0.f, 0.f);
    reduction(pd).execute(astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    astream.wait();
    EXPECT_EQ(static_cast<const float *>(dst.get_data_handle())[0], 2);
    EXPECT_EQ(static_cast<const float *>(dst.get_data_handle())[1], 3);
}

TEST_F(wrapper_reduction, answers_its_queries) {
    reduction::primitive_desc pd(cpu_, algorithm::reduction_norm_lp_sum, src_,
            desc({2, 1}, dt::f32, tag::any), 2.f, 0.5f);
    EXPECT_EQ(pd.get_kind(), primitive::kind::reduction);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::undef);
    EXPECT_EQ(pd.get_algorithm(), algorithm::reduction_norm_lp_sum);
    EXPECT_EQ(pd.get_p(), 2.f);
    EXPECT_EQ(pd.get_epsilon(), 0.5f);
    EXPECT_EQ(pd.src_desc(), src_);
    EXPECT_EQ(pd.dst_desc(), dst_);
    EXPECT_EQ(reduction(pd).get_kind(), primitive::kind::reduction);
    EXPECT_EQ(reduction::primitive_desc(pd.get()).dst_desc(), dst_);
    while (pd.next_impl()) {
    }
}

TEST_F(wrapper_reduction, of_nothing_throws_or_is_empty) {
    EXPECT_EQ(status_of([&] {
        reduction::primitive_desc(cpu_, algorithm::reduction_sum, src_, src_, 0.f, 0.f);
    }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(reduction::primitive_desc(
            cpu_, algorithm::reduction_sum, src_, src_, 0.f, 0.f, primitive_attr(), true));
    EXPECT_FALSE(reduction());
}
