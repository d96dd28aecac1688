// SPDX-License-Identifier: Apache-2.0
// Reorder through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_reorder : public testing::Test {
protected:
    /// Memory of md with the values 0, 1, 2, ... in memory order.
    memory counted(const desc &md) const {
        const memory mem(md, cpu_);
        float *values = static_cast<float *>(mem.get_data_handle());
        for (size_t i = 0; i < md.get_size() / sizeof(float); ++i)
            values[i] = static_cast<float>(i);
        return mem;
    }

    const engine cpu_{engine::kind::cpu, 0};
    const desc plain_{{2, 3}, dt::f32, tag::ab};
    const desc transposed_{{2, 3}, dt::f32, tag::ba};
};

TEST_F(wrapper_reorder, copies_between_layouts) {
    memory src = counted(plain_), dst(transposed_, cpu_);
    stream astream(cpu_);
    reorder(src, dst).execute(astream, src, dst);
    astream.wait();
    const float *got = static_cast<const float *>(dst.get_data_handle());
    for (int row = 0; row < 2; ++row)
        for (int col = 0; col < 3; ++col)
            EXPECT_EQ(got[col * 2 + row], static_cast<float>(row * 3 + col));
}

TEST_F(wrapper_reorder, converts_to_another_data_type) {
    const memory src = counted(plain_), dst({{2, 3}, dt::s8, tag::ab}, cpu_);
    static_cast<float *>(src.get_data_handle())[5] = 1000.f;
    static_cast<float *>(src.get_data_handle())[4] = -2.5f;
    stream astream(cpu_);
    reorder(src, dst).execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    astream.wait();
    const int8_t *got = static_cast<const int8_t *>(dst.get_data_handle());
    EXPECT_EQ(got[3], 3);
    EXPECT_EQ(got[4], -2);
    EXPECT_EQ(got[5], 127);
}

TEST_F(wrapper_reorder, fills_the_padding_of_blocks_with_zeros) {
    const memory src = counted({{2, 3, 1}, dt::f32, tag::abc}),
                 dst = counted({{2, 3, 1}, dt::f32, tag::aBc4b});
    stream astream(cpu_);
    reorder(src, dst).execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    astream.wait();
    const float *got = static_cast<const float *>(dst.get_data_handle());
    const float expected[] = {0, 1, 2, 0, 3, 4, 5, 0};
    for (int i = 0; i < 8; ++i) EXPECT_EQ(got[i], expected[i]) << "at " << i;
}

TEST_F(wrapper_reorder, answers_its_queries) {
    const reorder::primitive_desc pd(cpu_, plain_, cpu_, transposed_);
    EXPECT_EQ(pd.get_kind(), primitive::kind::reorder);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::undef);
    EXPECT_EQ(pd.get_src_engine(), cpu_);
    EXPECT_EQ(pd.get_dst_engine(), cpu_);
    EXPECT_EQ(pd.src_desc(), plain_);
    EXPECT_EQ(pd.dst_desc(), transposed_);
    EXPECT_EQ(pd.query_md(query::exec_arg_md, DNNL_ARG_TO), transposed_);
    EXPECT_STRNE(pd.impl_info_str(), "");
    EXPECT_EQ(reorder(pd).get_kind(), primitive::kind::reorder);
    const reorder::primitive_desc copy(pd.get());
    EXPECT_EQ(copy.dst_desc(), transposed_);
}

TEST_F(wrapper_reorder, is_described_by_memory_too) {
    const memory src(plain_, cpu_), dst(transposed_, cpu_);
    const reorder::primitive_desc pd(src, dst);
    EXPECT_EQ(pd.src_desc(), plain_);
    EXPECT_EQ(pd.dst_desc(), transposed_);
}

TEST_F(wrapper_reorder, between_shapes_throws_or_is_empty) {
    const desc other({3, 2}, dt::f32, tag::ab);
    EXPECT_EQ(status_of([&] { reorder::primitive_desc(cpu_, plain_, cpu_, other); }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(reorder::primitive_desc(cpu_, plain_, cpu_, other, primitive_attr(), true));
    EXPECT_FALSE(reorder());
}
