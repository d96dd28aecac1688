// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements lie more than 4 GiB apart, through address space of which only the pages
// of elements exist: an offset that loses its upper half hits an unmapped page or a wrong element.
#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

// More than 2^32 bytes whatever the type, more than 2^31 elements, and no power of two.
constexpr dnnl_dim_t huge = (dnnl_dim_t(1) << 32) + 48;

struct spread_t {
    dims_t dims;
    dims_t strides;
};

const std::vector<spread_t> spreads{
        {{3, 21}, {huge, 1}},
        {{2, 9}, {huge, 5}},
        {{5, 3}, {1, huge}},
        {{2, 3, 7}, {huge, 7, 1}},
        {{3, 2, 7}, {7, huge, 1}},
};

void expect_right(const dims_t &dims, const_dnnl_memory_desc_t data_desc) {
    problem_t problem;
    problem.dims = dims;
    problem.flags = scale | shift;
    problem.data_desc = data_desc;
    problem.set_types(layout_t(data_desc).type());
    EXPECT_TRUE(is_right(problem));
    problem.prop_kind = dnnl_backward;
    EXPECT_TRUE(is_right(problem));
}

TEST(layer_normalization_large_offsets, strides_beyond_4_gib) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const auto &[dims, strides] : spreads)
            expect_right(dims, make_desc(dims, type, strides));
}

TEST(layer_normalization_large_offsets, a_submemory_that_begins_beyond_4_gib) {
    const dims_t parent_dims{70000, 3, 65536};
    const dims_t dims{3, 2, 29};
    const dims_t offsets{69000, 1, 60001};
    for (const auto type : {dnnl_f32, dnnl_bf16}) {
        memory_desc_handle_t box;
        require(dnnl_memory_desc_create_submemory(
                        box.out(), make_desc(parent_dims, type), dims.data(), offsets.data()),
                "dnnl_memory_desc_create_submemory");
        EXPECT_GT(layout_t(box).offset({0, 0, 0}), dnnl_dim_t(1) << 32);
        expect_right(dims, box);
    }
}

TEST(layer_normalization_large_offsets, a_submemory_of_a_small_tensor) {
    const dims_t dims{3, 4, 17};
    const dims_t offsets{1, 2, 5};
    for (const std::string format : {"abc", "acb", "bca", "abc+3"}) {
        memory_desc_handle_t box;
        require(dnnl_memory_desc_create_submemory(box.out(),
                        make_desc({5, 7, 31}, dnnl_f32, format), dims.data(), offsets.data()),
                "dnnl_memory_desc_create_submemory");
        expect_right(dims, box);
    }
}

} // namespace

} // namespace kiln::test::normalization
