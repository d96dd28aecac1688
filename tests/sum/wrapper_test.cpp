// SPDX-License-Identifier: Apache-2.0
// Sums through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_sum : public testing::Test {
protected:
    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{2, 3}, dt::f32, tag::ab};
};

TEST_F(wrapper_sum, adds_its_sources) {
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60}, c[6];
    const memory src0(md_, cpu_, a), src1(md_, cpu_, b), dst(md_, cpu_, c);
    stream astream(cpu_);
    const sum::primitive_desc pd(cpu_, md_, {2.f, -1.f}, {md_, md_});
    sum(pd).execute(astream, {{DNNL_ARG_MULTIPLE_SRC, src0}, {DNNL_ARG_MULTIPLE_SRC + 1, src1},
                                     {DNNL_ARG_DST, dst}});
    astream.wait();
    for (int i = 0; i < 6; ++i) EXPECT_EQ(c[i], 2 * a[i] - b[i]);
}

TEST_F(wrapper_sum, answers_its_queries) {
    const desc other({2, 3}, dt::bf16, tag::ba);
    const sum::primitive_desc pd(cpu_, {1.f, 1.f}, {md_, other});
    EXPECT_EQ(pd.get_kind(), primitive::kind::sum);
    EXPECT_EQ(pd.src_desc(), md_);
    EXPECT_EQ(pd.src_desc(1), other);
    EXPECT_EQ(pd.dst_desc(), md_);
    EXPECT_EQ(sum::primitive_desc(pd.get()).dst_desc(), md_);
    EXPECT_EQ(status_of([&] { concat::primitive_desc{pd.get()}; }), dnnl_invalid_arguments);
}

TEST_F(wrapper_sum, of_nothing_throws_or_is_empty) {
    const desc other({2, 4}, dt::f32, tag::ab);
    EXPECT_EQ(status_of([&] {
        sum::primitive_desc(cpu_, {1.f}, {md_, md_});
    }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] {
        sum::primitive_desc(cpu_, {1.f, 1.f}, {md_, other});
    }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(sum::primitive_desc(cpu_, {1.f, 1.f}, {md_, other}, primitive_attr(), true));
    EXPECT_FALSE(sum());
}
