// SPDX-License-Identifier: Apache-2.0
// Binary operations against long double: every implementation, algorithm, type, broadcast and kind
// of layout; scales, post-ops, in place, special values; the same bits for any number of threads.
#include <cmath>

#include <gtest/gtest.h>

#include "binary_operation/binary_case.hpp"
#include "support/execution_checks.hpp"
#include "support/post_op_lists.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::binary_operation {

namespace {

constexpr dnnl_data_type_t types[]{
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s32, dnnl_s8, dnnl_u8};

TEST(binary_operation, is_right_for_every_algorithm_and_type) {
    for (const auto alg : binary_algs())
        for (const auto type : types) {
            expect_right({.alg = alg, .type_0 = type, .type_1 = type, .dst_type = type});
            expect_right({.alg = alg, .mask_1 = 2, .type_0 = type});
        }
}

TEST(binary_operation, is_right_for_every_triple_of_types) {
    for (const auto type_0 : types)
        for (const auto type_1 : types)
            for (const auto dst_type : types)
                expect_right({.alg = dnnl_binary_sub,
                        .type_0 = type_0,
                        .type_1 = type_1,
                        .dst_type = dst_type});
    expect_right({.type_0 = dnnl_f64, .type_1 = dnnl_f64, .dst_type = dnnl_f64});
}

TEST(binary_operation, broadcasts_along_any_axes) {
    const dims_t dims{2, 16, 2, 3};
    for (const auto alg : {dnnl_binary_add, dnnl_binary_div, dnnl_binary_select})
        for (int mask_0 = 0; mask_0 < 16; ++mask_0)
            for (int mask_1 = 0; mask_1 < 16; ++mask_1) {
                if ((mask_0 | mask_1) != 15) continue;
                for (const char *format : {"abcd", "acdb", "aBcd8b"}) {
                    if (alg != dnnl_binary_add && (mask_0 + mask_1) % 3 != 0) continue;
                    expect_right({.alg = alg,
                            .dims = dims,
                            .mask_0 = mask_0,
                            .mask_1 = mask_1,
                            .format_0 = format});
                }
            }
}

/// Descriptors of src_0 that are equal, since they differ along axes of one element alone, lead to
/// different layouts of dst, and to different primitives.
TEST(binary_operation, follows_the_order_of_axes_along_which_src_0_is_broadcast) {
    for (const char *format : {"abc", "acb", "cba", "abc"})
        expect_right({.dims = {3, 5, 7}, .mask_0 = 2, .mask_1 = 7, .format_0 = format});
}

TEST(binary_operation, takes_any_layouts) {
    const char *formats[] = {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b", "aBcd16b"};
    for (const dnnl_dim_t channels : {5, 16})
        for (const int mask_1 : {15, 2})
            for (const char *format_0 : formats)
                for (const char *format_1 : formats)
                    for (const char *dst_format : {"any", "abcd", "acdb"}) {
                        if (channels == 5 && mask_1 == 2 && dst_format[0] == 'a') continue;
                        expect_right({.dims = {2, channels, 2, 3},
                                .mask_1 = mask_1,
                                .format_0 = format_0,
                                .format_1 = format_1,
                                .dst_format = dst_format});
                    }
}

// Blocks of 64 rows and 64 elements, and what remains of them.
TEST(binary_operation, takes_transposed_tensors_of_several_blocks) {
    for (const auto type : types)
        for (const dims_t &dims :
                {dims_t{2, 100, 9, 15}, dims_t{1, 8, 4, 2}, dims_t{2, 150, 1, 64}})
            for (const char *format : {"acdb", "aBcd16b"})
                for (const int mask_1 : {15, 14}) {
                    problem_t p{.alg = dnnl_binary_select,
                            .dims = dims,
                            .mask_1 = mask_1,
                            .type_0 = type,
                            .type_1 = type,
                            .format_0 = "abcd",
                            .format_1 = format};
                    expect_right(p);
                    p.format_0 = format, p.format_1 = "abcd";
                    p.dst_format = "abcd";
                    expect_right(p);
                }
}

TEST(binary_operation, reads_elements_that_repeat) {
    const char *formats[] = {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "dcba/cd", "abcd/abcd"};
    for (const int mask_1 : {15, 2})
        for (const char *format_0 : formats)
            for (const char *format_1 : formats)
                for (const char *dst_format : {"any", "abcd", "acdb", "aBcd16b"})
                    expect_right({.dims = {2, 16, 2, 3},
                            .mask_1 = mask_1,
                            .format_0 = format_0,
                            .format_1 = format_1,
                            .dst_format = dst_format});
}

// Results for zeros are zeros, or are not.
TEST(binary_operation, leaves_zeros_in_padding) {
    for (const auto alg : binary_algs())
        for (const dnnl_dim_t channels : {1, 3, 17})
            for (const int mask_1 : {15, 2, 0})
                expect_right({.alg = alg,
                        .dims = {2, channels, 2, 3},
                        .mask_1 = mask_1,
                        .format_0 = "aBcd16b"});
}

TEST(binary_operation, takes_parts_of_blocked_tensors) {
    for (const dnnl_dim_t channels : {1, 2, 11, 16, 32}) {
        const dims_t dims{2, channels, 5, 3};
        for (const char *tag : {"aBcd8b", "aBcd16b"}) {
            const auto formats = part_formats(dims, tag);
            for (size_t i = 0; i < formats.size(); ++i)
                expect_right({.dims = dims,
                        .format_0 = formats[i],
                        .format_1 = formats[(i + 1) % formats.size()],
                        .dst_format = formats[(i + 2) % formats.size()]});
        }
    }
}

TEST(binary_operation, is_right_for_rows_of_any_length) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (dnnl_dim_t cols = 1; cols <= 150; cols += cols < 35 ? 1 : 13)
            for (const int mask_1 : {1, 2, 3})
                expect_right({.dims = {2, cols},
                        .mask_1 = mask_1,
                        .type_0 = type,
                        .type_1 = dnnl_f32,
                        .dst_type = type});
    for (const int mask_1 : {1, 2, 3}) expect_right({.dims = {2, 16385}, .mask_1 = mask_1});
    // Short rows that follow each other.
    for (const dnnl_dim_t cols : {1, 3, 9})
        for (const int mask_1 : {3, 4, 7}) expect_right({.dims = {64, 12, cols}, .mask_1 = mask_1});
}

TEST(binary_operation, scales_both_sources) {
    for (const auto type : {dnnl_f32, dnnl_s8, dnnl_u8})
        for (const bool is_on_host : {false, true})
            for (int mask_0 = 1; mask_0 < 4; ++mask_0)
                for (const auto alg : {dnnl_binary_add, dnnl_binary_sub, dnnl_binary_select}) {
                    problem_t p{.alg = alg,
                            .mask_0 = mask_0,
                            .mask_1 = mask_0 == 3 ? 2 : 3,
                            .type_0 = type,
                            .type_1 = type};
                    p.scale_0 = scale_attr_t{0.5, dnnl_f32, is_on_host};
                    expect_right(p);
                    p.scale_1 = scale_attr_t{-1.25, dnnl_f32, is_on_host};
                    expect_right(p);
                    p.scale_0.reset();
                    expect_right(p);
                }
}

TEST(binary_operation, applies_post_ops) {
    const std::vector<post_op_chain_t> chains{{{dnnl_eltwise_relu, -0.5f}},
            {{dnnl_eltwise_linear, 0.5f, -1}, {.alg = dnnl_binary_mul, .mask = 3}},
            {{.alg = dnnl_alg_kind_undef, .mask = 5, .is_prelu = true}, {dnnl_eltwise_linear, 2, 1},
                    {.alg = dnnl_alg_kind_undef, .mask = 7, .is_prelu = true}},
            {{.alg = dnnl_binary_add, .mask = 2, .type = dnnl_bf16},
                    {.alg = dnnl_binary_select, .mask = 1, .type = dnnl_s8},
                    {.alg = dnnl_binary_max, .mask = 0}}};
    for (const auto &chain : chains)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_s32})
            for (const int mask_1 : {2, 7}) {
                problem_t p{.dims = {2, 21, 13},
                        .mask_1 = mask_1,
                        .type_0 = type,
                        .dst_type = type,
                        .post_ops = chain};
                p.scale_0 = scale_attr_t{0.5};
                expect_right(p);
            }
}

TEST(binary_operation, works_in_place) {
    for (const char *format : {"abc", "acb", "aBc16b", "abc+3"})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const int mask_1 : {0, 2, 7})
                expect_right({.dims = {2, 21, 13},
                        .mask_1 = mask_1,
                        .type_0 = type,
                        .type_1 = type,
                        .dst_type = type,
                        .format_0 = format,
                        .dst_format = format,
                        .in_place = true});
}

TEST(binary_operation, adds_to_what_dst_held) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_sum(post_ops, 0.5f, 0, dnnl_data_type_undef), "sum");
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    for (const char *format : {"ab", "AB16b16a"}) {
        const auto desc = make_desc({2, 2}, dnnl_f32, format);
        primitive_desc_handle_t pd;
        require(dnnl_binary_primitive_desc_create(
                        pd.out(), cpu_engine(), dnnl_binary_mul, desc, desc, desc, attr),
                "binary");
        do {
            tensor_t src_0(desc), src_1(desc), dst(desc);
            src_0.fill({1, 2, 3, 4});
            src_1.fill({5, 6, 7, 8});
            dst.fill({10, 20, 30, 40});
            dst.mark_padding();
            ASSERT_EQ(arguments_t()
                              .add(DNNL_ARG_SRC_0, src_0.memory())
                              .add(DNNL_ARG_SRC_1, src_1.memory())
                              .add(DNNL_ARG_DST, dst.memory())
                              .execute(make_primitive(pd)),
                    dnnl_success);
            EXPECT_EQ(dst.values(), (std::vector<double>{10, 22, 36, 52}));
            EXPECT_TRUE(dst.is_tidy());
        } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    }
}

/// A sum may read dst's bytes as another type of the same size.
TEST(binary_operation, adds_what_dst_held_in_another_type) {
    const struct {
        dnnl_data_type_t dst, sum;
        double held;
    } rows[] = {{dnnl_u8, dnnl_s8, 255}, {dnnl_s8, dnnl_u8, -1}, {dnnl_f32, dnnl_s32, 0x1p-149},
            {dnnl_s32, dnnl_f32, 0x3f800000}, {dnnl_bf16, dnnl_f16, 1}};
    const double added[] = {-1, 255, 1, 1, 1.875};
    for (size_t row = 0; row < std::size(rows); ++row) {
        post_ops_handle_t post_ops;
        require(dnnl_post_ops_create(post_ops.out()), "post-ops");
        require(dnnl_post_ops_append_sum(post_ops, 2, 0, rows[row].sum), "sum");
        const attr_handle_t attr = make_attr();
        require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
        const auto desc = make_desc({37}, dnnl_f32), dst_desc = make_desc({37}, rows[row].dst);
        primitive_desc_handle_t pd;
        require(dnnl_binary_primitive_desc_create(
                        pd.out(), cpu_engine(), dnnl_binary_add, desc, desc, dst_desc, attr),
                "binary");
        do {
            tensor_t src_0(desc), src_1(desc), dst(dst_desc);
            src_0.fill(std::vector<double>(37, 3));
            src_1.fill(std::vector<double>(37, 4));
            dst.fill(std::vector<double>(37, rows[row].held));
            ASSERT_EQ(arguments_t()
                              .add(DNNL_ARG_SRC_0, src_0.memory())
                              .add(DNNL_ARG_SRC_1, src_1.memory())
                              .add(DNNL_ARG_DST, dst.memory())
                              .execute(make_primitive(pd)),
                    dnnl_success);
            const double result = rounded(rows[row].dst, 7 + 2 * added[row]);
            EXPECT_EQ(dst.values(), std::vector<double>(37, result)) << row;
        } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    }
}

TEST(binary_operation, of_no_elements_does_nothing) { expect_right({.dims = {3, 0}}); }

/// NaN of either source gives NaN in maxima and minima, and is unequal to everything.
TEST(binary_operation, knows_special_values) {
    struct {
        dnnl_alg_kind_t alg;
        std::vector<double> expected; // of (NaN, 1), (1, NaN), (inf, -inf), (-0, 0)
    } const rows[]{{dnnl_binary_max, {nan, nan, infinity, 0}},
            {dnnl_binary_min, {nan, nan, -infinity, 0}}, {dnnl_binary_add, {nan, nan, nan, 0}},
            {dnnl_binary_ge, {0, 0, 1, 1}}, {dnnl_binary_gt, {0, 0, 1, 0}},
            {dnnl_binary_le, {0, 0, 0, 1}}, {dnnl_binary_lt, {0, 0, 0, 0}},
            {dnnl_binary_eq, {0, 0, 0, 1}}, {dnnl_binary_ne, {1, 1, 1, 0}}};
    for (const auto &row : rows)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
            const problem_t p{
                    .alg = row.alg, .dims = {4}, .type_0 = type, .type_1 = type, .dst_type = type};
            for (size_t at = 0; at < implementations(p).size(); ++at) {
                case_t tested(p, at);
                tested.refill(DNNL_ARG_SRC_0, {nan, 1, infinity, -0.});
                tested.refill(DNNL_ARG_SRC_1, {1, nan, -infinity, 0});
                ASSERT_EQ(tested.execute(), dnnl_success);
                const auto results = tested.results();
                for (size_t i = 0; i < 4; ++i)
                    EXPECT_TRUE(results[i] == row.expected[i]
                                || (std::isnan(results[i]) && std::isnan(row.expected[i])))
                            << tested.name() << " at " << i << ": " << results[i];
            }
        }
}

TEST(binary_operation, has_the_same_bits_for_any_number_of_threads) {
    for (const int mask_1 : {3, 2})
        for (const dims_t &dims : {dims_t{150, 500}, dims_t{1, 70003}, dims_t{7003, 9}}) {
            expect_same_bits_for_any_number_of_threads([&] {
                return case_t({.alg = dnnl_binary_div, .dims = dims, .mask_1 = mask_1}, 0);
            });
        }
}

TEST(binary_operation, goes_by_rows_unless_layouts_or_types_forbid_it) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementations(p).front(); };
    const dims_t dims{4, 21, 3, 5};
    for (const char *format : {"abcd", "acdb", "abcd+3", "aBcd8b", "ABcd16b16a"})
        for (const int mask_1 : {15, 2, 13, 0})
            EXPECT_EQ(best({.dims = dims, .mask_1 = mask_1, .format_0 = format}), "jit:rows")
                    << format << " " << mask_1;
    EXPECT_EQ(best({.dims = dims, .mask_0 = 2, .mask_1 = 15}), "jit:rows");
    EXPECT_EQ(best({.dims = dims, .type_1 = dnnl_f64}), "ref:any");
    EXPECT_EQ(
            best({.dims = dims, .format_0 = "abcd*2", .dst_format = "abcd*2"}), "jit:strided_rows");
    EXPECT_EQ(best({.dims = dims, .format_0 = "abcd", .format_1 = "abcd*2"}), "jit:strided_rows");
    for (const char *format : {"dcba", "aBcd16b"}) // runs of 4 and 5 rows
        EXPECT_EQ(best({.dims = dims, .format_0 = "abcd", .format_1 = format}), "jit:relaid");
    EXPECT_EQ(best({.dims = dims, .format_0 = "abcd", .format_1 = "acdb"}), "jit:rows");
    EXPECT_EQ(best({.dims = dims, .format_0 = "acdb", .format_1 = "dcba", .dst_format = "abcd"}),
            "jit:relaid");
}

} // namespace

} // namespace kiln::test::binary_operation
