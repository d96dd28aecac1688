// SPDX-License-Identifier: Apache-2.0
// Concatenations through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_concat : public testing::Test {
protected:
    const engine cpu_{engine::kind::cpu, 0};
    const desc wide_{{2, 3}, dt::f32, tag::ab};
    const desc narrow_{{2, 1}, dt::f32, tag::ab};
    const desc dst_{{2, 4}, dt::f32, tag::ab};
};

TEST_F(wrapper_concat, joins_its_sources) {
    float a[] = {1, 2, 3, 5, 6, 7}, b[] = {4, 8}, c[8];
    const memory src0(wide_, cpu_, a), src1(narrow_, cpu_, b), dst(dst_, cpu_, c);
    stream astream(cpu_);
    const concat::primitive_desc pd(cpu_, dst_, 1, {wide_, narrow_});
    concat(pd).execute(astream, {{DNNL_ARG_MULTIPLE_SRC, src0}, {DNNL_ARG_MULTIPLE_SRC + 1, src1},
                                        {DNNL_ARG_DST, dst}});
    astream.wait();
    for (int i = 0; i < 8; ++i) EXPECT_EQ(c[i], static_cast<float>(i + 1));
}

TEST_F(wrapper_concat, answers_its_queries) {
    const concat::primitive_desc pd(cpu_, 1, {wide_, narrow_});
    EXPECT_EQ(pd.get_kind(), primitive::kind::concat);
    EXPECT_EQ(pd.src_desc(), wide_);
    EXPECT_EQ(pd.src_desc(1), narrow_);
    EXPECT_EQ(pd.dst_desc(), dst_);
    EXPECT_EQ(concat::primitive_desc(pd.get()).dst_desc(), dst_);
    EXPECT_EQ(status_of([&] { sum::primitive_desc{pd.get()}; }), dnnl_invalid_arguments);
}

TEST_F(wrapper_concat, of_nothing_throws_or_is_empty) {
    EXPECT_EQ(status_of([&] {
        concat::primitive_desc(cpu_, 0, {wide_, narrow_});
    }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(concat::primitive_desc(cpu_, 0, {wide_, narrow_}, primitive_attr(), true));
    EXPECT_EQ(status_of([&] { concat::primitive_desc(cpu_, 1, {}); }), dnnl_invalid_arguments);
    EXPECT_FALSE(concat());
}
