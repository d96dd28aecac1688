// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of groups, as compressed weights have them, and elements and scales of
// e8m0.
#include <string>
#include <utility>

#include "reorder/quantized_reorder.hpp"
#include "support/implementations.hpp"

namespace kiln::test {
namespace {

struct grouping_t {
    dims_t dims, scales, zero_points;
};

const grouping_t groupings[] = {
        {{128, 16}, {8, 1}, {8, 1}},
        {{32, 96}, {1, 16}, {1, 16}},
        {{32, 96}, {1, 32}, {1, 16}},
        {{24, 70}, {4, 2}, {2, 14}},
        {{4, 16, 7}, {8, 1}, {16, 1}},
        {{2, 5, 6, 33}, {3, 11}, {2, 33}},
};

/// All axes, or the grouped ones alone.
std::vector<int> masks_of(const dims_t &dims) {
    const int all = (1 << dims.size()) - 1, last_two = 3 << (dims.size() - 2);
    return {all, last_two};
}

std::string row_major(const dims_t &dims) { return std::string("abcd").substr(0, dims.size()); }
std::string column_major(const dims_t &dims) {
    std::string tag = row_major(dims);
    std::swap(tag[tag.size() - 1], tag[tag.size() - 2]);
    return tag;
}

TEST(reorder_groups, share_scales_and_zero_points) {
    for (const grouping_t &g : groupings)
        for (const int mask : masks_of(g.dims))
            for (const auto src_type : {dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4})
                for (const auto &dst : {std::pair(dnnl_f32, row_major(g.dims)),
                             {dnnl_bf16, column_major(g.dims)}, {dnnl_f16, row_major(g.dims)}}) {
                    quantized_reorder_t problem;
                    problem.src_scale = scales(DNNL_ARG_FROM, g.dims, mask, dnnl_f16, g.scales);
                    const auto check = [&] {
                        expect_true(problem, g.dims, src_type, row_major(g.dims), dst.first,
                                dst.second);
                    };
                    check();
                    for (const auto type : {dnnl_s32, dnnl_s8, dnnl_s4, dnnl_u4}) {
                        problem.src_zero_point =
                                zero_points(DNNL_ARG_FROM, g.dims, mask, type, g.zero_points);
                        check();
                    }
                    problem.src_scale.reset();
                    check();
                }
}

TEST(reorder_groups, are_taken_between_other_layouts) {
    const dims_t dims = {6, 32, 4, 16};
    for (const dims_t &groups : {dims_t{1, 8}, dims_t{2, 4}, dims_t{4, 16}})
        for (const char *src : {"abcd", "acdb", "aBcd16b", "aBCd2b4c2b", "abcd*3"})
            for (const char *dst : {"abcd", "cdab", "aBcd8b", "ABcd8b8a"}) {
                quantized_reorder_t problem;
                problem.src_scale = scales(DNNL_ARG_FROM, dims, 15, dnnl_f32, groups);
                problem.dst_scale = scales(DNNL_ARG_TO, dims, 12, dnnl_bf16, groups);
                problem.sum = {2, 0};
                expect_true(problem, dims, dnnl_f32, src, dnnl_f32, dst);
                problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, 13, dnnl_u8, groups);
                expect_true(problem, dims, dnnl_s8, src, dnnl_s8, dst);
            }
}

TEST(reorder_groups, are_computed_in_generated_code) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const dims_t dims = {128, 192};
    const auto expect_rows = [&](dnnl_data_type_t type, dnnl_data_type_t zero_point_type,
                                     const dims_t &groups) {
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, 3, dnnl_f32, groups);
        problem.src_zero_point = zero_points(DNNL_ARG_FROM, dims, 3, zero_point_type, groups);
        primitive_desc_handle_t pd;
        ASSERT_EQ(create_reorder(
                          pd, make_desc(dims, type), make_desc(dims, dnnl_bf16), problem.attr()),
                dnnl_success);
        EXPECT_EQ(implementation_names(std::move(pd)).front(), "jit:rows")
                << dnnl_dt2str(type) << " " << groups[0] << "x" << groups[1];
    };
    for (const auto type : {dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4}) {
        for (const dims_t &groups : {dims_t{32, 1}, dims_t{1, 32}, dims_t{64, 1}})
            expect_rows(type, dnnl_s8, groups);
        // Zero points of half a byte have whole bytes for the elements of a row.
        for (const auto zero_point_type : {dnnl_s4, dnnl_u4})
            expect_rows(type, zero_point_type, {32, 1});
    }
}

/// Rows of half bytes that begin within a byte, that end within one, and that are apart.
TEST(reorder_groups, of_half_bytes_of_any_extent) {
    for (const auto type : {dnnl_s4, dnnl_u4})
        for (const dims_t &dims : {dims_t{3, 7}, {5, 16}, {4, 33}, {2, 40}, {1, 1001}, {64, 2}})
            for (const char *src : {"ab", "ba", "ab+2", "ab+1"})
                for (const auto dst_type : {dnnl_f32, dnnl_f16, dnnl_s8, dnnl_s4, dnnl_u4}) {
                    quantized_reorder_t problem;
                    expect_true(problem, dims, type, src, dst_type, "ab");
                    problem.src_scale = scales(DNNL_ARG_FROM, dims, 2);
                    expect_true(problem, dims, type, src, dst_type, "ab");
                    problem.dst_zero_point =
                            dst_type == dnnl_s8 ? std::optional(zero_points(DNNL_ARG_TO, dims, 1))
                                                : std::nullopt;
                    expect_true(problem, dims, type, src, dst_type, "ab");
                }
}

TEST(reorder_groups, to_half_bytes_in_any_layout) {
    for (const auto type : {dnnl_s4, dnnl_u4})
        for (const dims_t &dims :
                {dims_t{1, 1}, {1, 2}, {3, 7}, {5, 16}, {4, 33}, {1, 1001}, {64, 2}, {70, 130}})
            for (const auto src_type : {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4})
                for (const char *dst : {"ab", "ba", "ab+2", "ab+1", "BA16a64b", "BA16a16b4a"}) {
                    quantized_reorder_t problem;
                    expect_true(problem, dims, src_type, "ab", type, dst);
                    problem.dst_scale = scales(DNNL_ARG_TO, dims, 2);
                    expect_true(problem, dims, src_type, "ba", type, dst);
                    problem.sum = {2, 0};
                    expect_true(problem, dims, src_type, "ab", type, dst);
                }
}

TEST(reorder_groups, of_half_bytes_are_moved_in_generated_code) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (const auto &[src, dst] : {std::pair("ab", "ba"), {"ba", "ab"}, {"ab", "BA16a64b"}})
        for (const auto src_type : {dnnl_s4, dnnl_u4, dnnl_s8, dnnl_f32}) {
            primitive_desc_handle_t pd;
            ASSERT_EQ(create_reorder(pd, make_desc({130, 70}, src_type, src),
                              make_desc({130, 70}, dnnl_s4, dst), nullptr),
                    dnnl_success);
            EXPECT_EQ(implementation_names(std::move(pd)).front().substr(0, 4), "jit:")
                    << dnnl_dt2str(src_type) << " " << src << " " << dst;
        }
}

TEST(reorder_e8m0, takes_scales) {
    const dims_t dims = {8, 64};
    for (const dims_t &groups : {dims_t{}, dims_t{1, 32}}) {
        quantized_reorder_t problem;
        problem.src_scale = scales(DNNL_ARG_FROM, dims, 3, dnnl_e8m0, groups);
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            expect_true(problem, dims, type, "ab", dnnl_f32, "ba");
    }
}

TEST(reorder_e8m0, converts_to_the_power_of_two_below) {
    const std::vector<double> values = {1, 1.5, 2, 3.99, -4, .25, 0, 1e-40, 0x1p127, 0x1.8p-126};
    const std::vector<double> powers = {1, 1, 2, 2, 4, .25, 0x1p-127, 0x1p-127, 0x1p127, 0x1p-126};
    for (const auto type : {dnnl_f32, dnnl_f64}) {
        tensor_t src(make_desc({2, 5}, type));
        const tensor_t dst(make_desc({2, 5}, dnnl_e8m0, "ba")), back(make_desc({2, 5}, type));
        src.fill(values);
        ASSERT_EQ(reorder(src, dst), dnnl_success);
        EXPECT_TRUE(holds(dst, powers));
        ASSERT_EQ(reorder(dst, back), dnnl_success);
        EXPECT_TRUE(holds(back, powers));
    }
}

} // namespace
} // namespace kiln::test
