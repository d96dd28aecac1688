// SPDX-License-Identifier: Apache-2.0
// Binary operations through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_binary : public testing::Test {
protected:
    const engine cpu_{engine::kind::cpu, 0};
    const desc md_{{2, 3}, dt::f32, tag::ab};
    const desc row_{{1, 3}, dt::f32, tag::ab};
    const desc any_{{2, 3}, dt::f32, tag::any};
    const desc condition_{{2, 3}, dt::s8, tag::ab};

    memory filled(const desc &md, float first, float step) const {
        const memory result(md, cpu_);
        float *values = static_cast<float *>(result.get_data_handle());
        for (size_t i = 0; i < md.get_size() / sizeof(float); ++i)
            values[i] = first + step * static_cast<float>(i);
        return result;
    }
};

TEST_F(wrapper_binary, combines_two_tensors) {
    const memory src0 = filled(md_, 1, 1), src1 = filled(row_, 10, 10), dst(md_, cpu_);
    stream astream(cpu_);
    const binary::primitive_desc pd(cpu_, algorithm::binary_add, md_, row_, any_);
    binary(pd).execute(
            astream, {{DNNL_ARG_SRC_0, src0}, {DNNL_ARG_SRC_1, src1}, {DNNL_ARG_DST, dst}});
    astream.wait();
    const float expected[] = {11, 22, 33, 14, 25, 36};
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(static_cast<const float *>(dst.get_data_handle())[i], expected[i]);
}

TEST_F(wrapper_binary, selects_by_a_third_one) {
    const memory src0 = filled(md_, 1, 1), src1 = filled(md_, 10, 10), dst(md_, cpu_);
    const memory condition(condition_, cpu_);
    for (int i = 0; i < 6; ++i)
        static_cast<int8_t *>(condition.get_data_handle())[i] = static_cast<int8_t>(i % 2);
    stream astream(cpu_);
    const binary::primitive_desc pd(cpu_, algorithm::binary_select, md_, md_, condition_, any_);
    binary(pd).execute(astream, {{DNNL_ARG_SRC_0, src0}, {DNNL_ARG_SRC_1, src1},
                                        {DNNL_ARG_SRC_2, condition}, {DNNL_ARG_DST, dst}});
    astream.wait();
    const float expected[] = {10, 2, 30, 4, 50, 6};
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(static_cast<const float *>(dst.get_data_handle())[i], expected[i]);
}

TEST_F(wrapper_binary, answers_its_queries) {
    const binary::primitive_desc pd(cpu_, algorithm::binary_select, md_, row_, condition_, any_);
    EXPECT_EQ(pd.get_kind(), primitive::kind::binary);
    EXPECT_EQ(pd.get_algorithm(), algorithm::binary_select);
    EXPECT_EQ(pd.src_desc(), md_);
    EXPECT_EQ(pd.src_desc(1), row_);
    EXPECT_EQ(pd.src0_desc(), md_);
    EXPECT_EQ(pd.src1_desc(), row_);
    EXPECT_EQ(pd.src2_desc(), condition_);
    EXPECT_EQ(pd.dst_desc(), md_);
    EXPECT_EQ(binary::primitive_desc(pd.get()).dst_desc(), md_);
}

TEST_F(wrapper_binary, of_nothing_throws_or_is_empty) {
    const auto alg = algorithm::eltwise_relu;
    EXPECT_EQ(status_of([&] { binary::primitive_desc(cpu_, alg, md_, md_, md_); }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(binary::primitive_desc(cpu_, alg, md_, md_, md_, primitive_attr(), true));
    EXPECT_FALSE(binary());
}
