// SPDX-License-Identifier: Apache-2.0
// Reductions against long double: every implementation, algorithm, type and kind of layout; NaN,
// infinities, few and no terms; the same bits for any number of threads.
#include <cmath>

#include <gtest/gtest.h>

#include "reduction/reduction_case.hpp"
#include "support/execution_checks.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::reduction {

namespace {

const std::vector<dnnl_alg_kind_t> algorithms{dnnl_reduction_max, dnnl_reduction_min,
        dnnl_reduction_sum, dnnl_reduction_mul, dnnl_reduction_mean, dnnl_reduction_norm_lp_max,
        dnnl_reduction_norm_lp_sum, dnnl_reduction_norm_lp_power_p_max,
        dnnl_reduction_norm_lp_power_p_sum};

constexpr dnnl_data_type_t types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};

TEST(reduction, is_right_for_every_algorithm_and_pair_of_types) {
    for (const auto alg : algorithms)
        for (const auto src_type : types)
            for (const auto dst_type : types) {
                if (is_norm(alg) && is_integer(src_type)) continue;
                expect_right({alg, {3, 2, 37}, {3, 2, 1}, src_type, dst_type});
            }
}

/// The reduction of so many equal values, as an integer of 32 bits.
double integer_of_equal(dnnl_alg_kind_t alg, double value, dnnl_dim_t terms) {
    switch (alg) {
    case dnnl_reduction_sum: return value * static_cast<double>(terms);
    case dnnl_reduction_mul: return value < 0 && terms % 2 != 0 ? INT32_MIN : INT32_MAX;
    default: return value;
    }
}

/// Sums of bytes are integers of 32 bits, by kernels while f32 holds them.
TEST(reduction, of_bytes_gives_integers) {
    for (const auto alg : {dnnl_reduction_max, dnnl_reduction_min, dnnl_reduction_sum,
                 dnnl_reduction_mean, dnnl_reduction_mul})
        for (const auto type : {dnnl_s8, dnnl_u8}) {
            for (const char *format : {"abc", "acb", "aBc16b"})
                for (const dims_t &dst_dims : {dims_t{3, 17, 1}, {3, 1, 40}, {1, 1, 1}}) {
                    const problem_t problem{alg, {3, 17, 40}, dst_dims, type, dnnl_s32, format};
                    expect_right(problem);
                    if (!generates_kernels()) continue;
                    EXPECT_EQ(implementations(problem).front(), "jit:rows") << format;
                }
            for (const dnnl_dim_t terms : {65793, 65794, 70001}) {
                const double end = type == dnnl_s8 ? -128 : 255;
                const problem_t problem{alg, {terms}, {1}, type, dnnl_s32};
                const std::vector<double> values(static_cast<size_t>(terms), end);
                for (size_t i = 0; i < implementations(problem).size(); ++i) {
                    const case_t tested(problem, i, values);
                    ASSERT_EQ(tested.execute(), dnnl_success);
                    EXPECT_EQ(tested.first(), integer_of_equal(alg, end, terms));
                }
            }
        }
}

TEST(reduction, takes_rows_of_any_length) {
    for (const auto alg : {dnnl_reduction_max, dnnl_reduction_min, dnnl_reduction_sum})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (dnnl_dim_t cols = 1; cols <= 150; cols += cols < 70 ? 1 : 13)
                expect_right({alg, {5, 1, cols, 2}, {5, 1, 1, 1}, type, type});
}

TEST(reduction, takes_any_axes_and_layouts) {
    const dims_t src_dims{4, 16, 3, 5};
    for (int mask = 1; mask < 16; ++mask) {
        dims_t dst_dims = src_dims;
        for (size_t d = 0; d < 4; ++d)
            if (mask >> d & 1) dst_dims[d] = 1;
        for (const char *src_format : {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b"})
            for (const char *dst_format : {"any", "abcd", "dcba"})
                for (const auto alg : {dnnl_reduction_max, dnnl_reduction_mean})
                    expect_right(
                            {alg, src_dims, dst_dims, dnnl_f32, dnnl_f32, src_format, dst_format});
    }
}

TEST(reduction, reads_elements_that_repeat) {
    const dims_t src_dims{4, 16, 3, 5};
    for (const dims_t &dst_dims : {dims_t{1, 16, 3, 5}, {4, 1, 3, 5}, {4, 16, 1, 1}, {1, 1, 1, 1}})
        for (const char *src_format :
                {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "dcba/cd", "abcd/abcd"})
            for (const char *dst_format : {"any", "abcd", "dcba"})
                for (const auto alg : {dnnl_reduction_max, dnnl_reduction_sum})
                    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
                        expect_right({alg, src_dims, dst_dims, type, type, src_format, dst_format});
}

// Parts smaller than a block, of one block, of several, and with a part of a block.
TEST(reduction, takes_parts_of_blocked_tensors) {
    const char *src_tags[] = {"abcd", "aBcd4b", "aBcd8b", "aBcd16b", "ABcd4b16a4b"};
    const char *dst_tags[] = {"aBcd8b", "aBcd16b", "ABcd16b16a"};
    for (const dnnl_dim_t channels : {1, 2, 11, 16, 32})
        for (const int mask : {2, 8, 14, 15}) {
            const dims_t src_dims{2, channels, 5, 3};
            dims_t dst_dims = src_dims;
            for (size_t d = 0; d < 4; ++d)
                if (mask >> d & 1) dst_dims[d] = 1;
            if (src_dims == dst_dims) continue;
            for (const char *src_tag : src_tags)
                for (const char *dst_tag : dst_tags) {
                    const auto src_formats = part_formats(src_dims, src_tag);
                    const auto dst_formats = part_formats(dst_dims, dst_tag);
                    for (size_t i = 0; i < src_formats.size(); ++i)
                        expect_right({dnnl_reduction_sum, src_dims, dst_dims, dnnl_f32, dnnl_f32,
                                src_formats[i], dst_formats[(i + 2) % dst_formats.size()]});
                }
        }
}

TEST(reduction, cuts_long_rows) {
    for (const auto alg : {dnnl_reduction_min, dnnl_reduction_sum, dnnl_reduction_mean,
                 dnnl_reduction_norm_lp_sum})
        for (const dnnl_dim_t cols : {65535, 65536, 70001, 131077})
            expect_right({alg, {2, cols}, {2, 1}});
}

TEST(reduction, has_norms_of_any_p) {
    for (const float p : {1.f, 1.5f, 2.f, 3.f})
        for (const auto alg : algorithms) {
            if (!is_norm(alg)) continue;
            problem_t problem{alg, {3, 40}, {3, 1}};
            problem.p = p;
            for (const float epsilon : {0.f, 0.5f, 1e4f}) {
                problem.epsilon = epsilon;
                expect_right(problem);
            }
        }
}

TEST(reduction, applies_post_ops) {
    const std::vector<post_op_chain_t> chains{{{dnnl_eltwise_linear, 0.5f, -1}},
            {{dnnl_eltwise_relu}, {dnnl_eltwise_tanh}},
            {{.alg = dnnl_binary_mul, .mask = 3, .type = dnnl_f32}},
            {{dnnl_eltwise_linear, -2, 0.5f},
                    {.alg = dnnl_alg_kind_undef, .mask = 2, .is_prelu = true},
                    {dnnl_eltwise_linear, 2, 1}},
            {{.alg = dnnl_binary_add, .mask = 2, .type = dnnl_bf16},
                    {.alg = dnnl_binary_select, .mask = 1, .type = dnnl_s8},
                    {.alg = dnnl_binary_max, .mask = 0, .type = dnnl_f32}}};
    for (const auto &chain : chains)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const dnnl_dim_t cols : {2, 40, 70000}) {
                problem_t problem{dnnl_reduction_mean, {3, 4, cols}, {3, 4, 1}, dnnl_f32, type};
                if (cols == 70000) problem.src_dims[1] = problem.dst_dims[1] = 1;
                problem.post_ops = chain;
                expect_right(problem);
            }
}

TEST(reduction, adds_to_what_dst_held) {
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "post-ops");
    require(dnnl_post_ops_append_sum(post_ops, 0.5f, 0, dnnl_data_type_undef), "sum");
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
    for (const dims_t &dst_dims : {dims_t{2, 1}, dims_t{1, 3}}) {
        primitive_desc_handle_t pd;
        ASSERT_EQ(dnnl_reduction_primitive_desc_create(pd.out(), cpu_engine(), dnnl_reduction_sum,
                          make_desc({2, 3}, dnnl_f32), make_desc(dst_dims, dnnl_f32), 0, 0, attr),
                dnnl_success);
        do {
            tensor_t src(make_desc({2, 3}, dnnl_f32)), dst(make_desc(dst_dims, dnnl_f32));
            src.fill({1, 2, 3, 4, 5, 6});
            dst.fill(dst_dims[0] == 2 ? std::vector<double>{10, 20}
                                      : std::vector<double>{10, 20, 30});
            ASSERT_EQ(arguments_t()
                              .add(DNNL_ARG_SRC, src.memory())
                              .add(DNNL_ARG_DST, dst.memory())
                              .execute(make_primitive(pd)),
                    dnnl_success);
            EXPECT_EQ(dst.values(), dst_dims[0] == 2 ? (std::vector<double>{11, 25})
                                                     : (std::vector<double>{10, 17, 24}));
        } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    }
}

TEST(reduction, hands_nan_on_from_any_place) {
    for (const auto alg : algorithms)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const dnnl_dim_t cols : {3, 16, 33, 67, 200})
                for (dnnl_dim_t at = 0; at < cols; at += 1 + cols / 9) {
                    const problem_t problem{alg, {2, cols}, {2, 1}, type, type};
                    auto values = values_of(problem);
                    values[static_cast<size_t>(at)] = nan;
                    for (size_t i = 0; i < implementations(problem).size(); ++i) {
                        const case_t tested(problem, i, values);
                        ASSERT_EQ(tested.execute(), dnnl_success);
                        EXPECT_TRUE(std::isnan(tested.first()))
                                << dnnl_alg_kind2str(alg) << " " << cols << " at " << at;
                    }
                }
}

TEST(reduction, hands_nan_on_from_pieces_of_long_rows) {
    const problem_t problem{dnnl_reduction_max, {1, 100000}, {1, 1}};
    auto values = values_of(problem);
    values[70000] = nan;
    const case_t tested(problem, 0, values);
    ASSERT_EQ(tested.execute(), dnnl_success);
    EXPECT_TRUE(std::isnan(tested.first()));
}

TEST(reduction, knows_infinities) {
    for (const auto alg : {dnnl_reduction_max, dnnl_reduction_min}) {
        const problem_t problem{alg, {3, 19}, {3, 1}};
        std::vector<double> values(57, alg == dnnl_reduction_max ? -infinity : infinity);
        expect_right(problem, values);
        values[5] = 1;
        values[25] = -values[0];
        expect_right(problem, values);
    }
}

TEST(reduction, of_no_terms_is_the_value_before_the_first) {
    struct {
        dnnl_alg_kind_t alg;
        dnnl_data_type_t type;
        double expected;
    } const cases[]{{dnnl_reduction_max, dnnl_f32, -infinity},
            {dnnl_reduction_min, dnnl_f32, infinity}, {dnnl_reduction_max, dnnl_s8, -128},
            {dnnl_reduction_min, dnnl_u8, 255}, {dnnl_reduction_sum, dnnl_f32, 0},
            {dnnl_reduction_mul, dnnl_f32, 1}, {dnnl_reduction_norm_lp_sum, dnnl_f32, 2}};
    for (const auto &each : cases) {
        problem_t problem{each.alg, {2, 0}, {2, 1}, each.type, each.type};
        problem.epsilon = 4;
        const case_t tested(problem, 0, {});
        ASSERT_EQ(tested.execute(), dnnl_success);
        EXPECT_EQ(tested.first(), each.expected) << dnnl_alg_kind2str(each.alg);
    }
    const problem_t mean{dnnl_reduction_mean, {2, 0}, {2, 1}};
    const case_t tested(mean, 0, {});
    ASSERT_EQ(tested.execute(), dnnl_success);
    EXPECT_TRUE(std::isnan(tested.first()));
}

TEST(reduction, has_the_same_bits_for_any_number_of_threads) {
    for (const dims_t &src_dims : {dims_t{700, 1000}, dims_t{3, 300001}, dims_t{1, 1000003}}) {
        const problem_t problem{dnnl_reduction_sum, src_dims, {src_dims[0], 1}};
        expect_same_bits_for_any_number_of_threads(
                [&] { return case_t(problem, 0, values_of(problem)); });
    }
}

TEST(reduction, of_columns_and_mixed_axes_has_the_same_bits_for_any_number_of_threads) {
    const std::pair<dims_t, dims_t> shapes[] = {{{3000, 70}, {1, 70}}, {{2, 1500, 33}, {2, 1, 33}},
            {{40, 33, 300}, {1, 33, 1}}, {{300, 3, 400}, {300, 1, 400}}};
    for (const auto &[src_dims, dst_dims] : shapes) {
        const problem_t problem{dnnl_reduction_sum, src_dims, dst_dims};
        expect_same_bits_for_any_number_of_threads(
                [&] { return case_t(problem, 0, values_of(problem)); });
    }
}

/// Kept innermost, reduced on both sides of what is kept, and both at once.
const std::pair<dims_t, dims_t> not_innermost[] = {{{9, 37}, {1, 37}}, {{3, 5, 16}, {3, 1, 16}},
        {{3, 5, 37}, {1, 5, 1}}, {{4, 3, 5, 7}, {1, 3, 1, 7}}, {{7, 300, 2}, {1, 300, 1}}};

TEST(reduction, over_axes_that_are_not_innermost_is_right_for_every_algorithm_and_pair_of_types) {
    for (const auto &[src_dims, dst_dims] : not_innermost)
        for (const auto alg : algorithms)
            for (const auto src_type : types)
                for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_u8}) {
                    if (is_norm(alg) && is_integer(src_type)) continue;
                    if (alg == dnnl_reduction_mul && volume(src_dims) > 1000) continue;
                    expect_right({alg, src_dims, dst_dims, src_type, dst_type});
                }
}

TEST(reduction, over_axes_that_are_not_innermost_has_norms_of_any_p) {
    for (const auto &[src_dims, dst_dims] : not_innermost)
        for (const float p : {1.f, 1.5f, 3.f})
            for (const auto alg : {dnnl_reduction_norm_lp_max, dnnl_reduction_norm_lp_power_p_sum,
                         dnnl_reduction_norm_lp_sum}) {
                problem_t problem{alg, src_dims, dst_dims};
                problem.p = p;
                expect_right(problem);
            }
}

TEST(reduction, takes_lines_of_any_length_over_axes_that_are_not_innermost) {
    for (const auto alg : {dnnl_reduction_min, dnnl_reduction_sum})
        for (const auto type : {dnnl_f32, dnnl_f16, dnnl_s8})
            for (dnnl_dim_t cols = 1; cols <= 150; cols += cols < 70 ? 1 : 13)
                expect_right({alg, {2, 5, cols}, {2, 1, cols}, type, type});
}

TEST(reduction, cuts_long_columns) {
    for (const auto alg : {dnnl_reduction_max, dnnl_reduction_mean})
        for (const dnnl_dim_t rows : {1023, 1024, 1500})
            for (const dnnl_dim_t cols : {3, 20}) {
                expect_right({alg, {rows, cols}, {1, cols}});
                expect_right({alg, {2, rows, cols}, {2, 1, cols}, dnnl_bf16, dnnl_f32});
            }
    expect_right({dnnl_reduction_sum, {5, 2, 70000}, {1, 2, 1}});
}

TEST(reduction, takes_padded_tensors) {
    for (const char *src_format : {"abcd", "aBcd16b", "ABcd8b8a", "ABcd4b16a4b"})
        for (const char *dst_format : {"any", "abcd", "aBcd16b"})
            for (int mask = 1; mask < 16; ++mask) {
                const dims_t src_dims{3, 19, 2, 5};
                dims_t dst_dims = src_dims;
                for (size_t d = 0; d < 4; ++d)
                    if (mask >> d & 1) dst_dims[d] = 1;
                const problem_t problem{dnnl_reduction_sum, src_dims, dst_dims, dnnl_f32, dnnl_f32,
                        src_format, dst_format};
                expect_right(problem);
                if (generates_kernels()) {
                    EXPECT_EQ(implementations(problem).front(), "jit:rows");
                }
            }
}

TEST(reduction, applies_post_ops_over_axes_that_are_not_innermost) {
    const std::vector<post_op_chain_t> chains{{{dnnl_eltwise_relu}, {dnnl_eltwise_tanh}},
            {{.alg = dnnl_binary_mul, .mask = 7, .type = dnnl_f32}},
            {{.alg = dnnl_binary_mul, .mask = 5, .type = dnnl_f32, .format = "cba"}},
            {{.alg = dnnl_binary_add, .mask = 4, .type = dnnl_bf16},
                    {.alg = dnnl_binary_select, .mask = 1, .type = dnnl_s8},
                    {.alg = dnnl_binary_max, .mask = 0, .type = dnnl_f32}}};
    const std::pair<dims_t, dims_t> shapes[] = {{{3, 5, 37}, {3, 1, 37}}, {{3, 5, 37}, {1, 5, 1}},
            {{2, 1500, 20}, {2, 1, 20}}, {{3, 5, 37}, {1, 1, 37}}};
    for (const auto &[src_dims, dst_dims] : shapes)
        for (const auto &chain : chains)
            for (const auto type : {dnnl_f32, dnnl_s8})
                for (const char *dst_format : {"abc", "cba", "aBc16b"}) {
                    problem_t problem{dnnl_reduction_mean, src_dims, dst_dims, dnnl_f32, type, "",
                            dst_format};
                    problem.post_ops = chain;
                    expect_right(problem);
                }
}

// Each addition to a long sum of equal terms rounds the same way.
TEST(reduction, of_many_equal_terms_keeps_its_precision) {
    struct {
        dims_t src_dims, dst_dims;
        const char *format;
    } const cases[]{{{1000003}, {1}, "a"}, {{200000, 2, 3}, {1, 2, 1}, "abc"},
            {{200000, 2, 3}, {1, 2, 1}, "acb"}, {{200000, 2, 3}, {1, 1, 1}, "abc+1"},
            {{300000, 2}, {1, 2}, "ab"}, {{20000, 30, 5}, {1, 30, 1}, "abc"},
            {{3000, 300, 5}, {1, 1, 1}, "abc+1"}, {{5, 300, 3000}, {1, 1, 1}, "cba+1"}};
    for (const auto &[src_dims, dst_dims, format] : cases)
        for (const auto alg : {dnnl_reduction_mean, dnnl_reduction_norm_lp_power_p_sum}) {
            problem_t problem{alg, src_dims, dst_dims};
            problem.src_format = format;
            problem.epsilon = 0;
            const std::vector<double> equal(static_cast<size_t>(volume(src_dims)), 0.7f);
            const case_t tested(problem, 0, equal);
            ASSERT_EQ(tested.execute(), dnnl_success);
            const auto terms = static_cast<double>(volume(src_dims) / volume(dst_dims));
            const double truth = alg == dnnl_reduction_mean ? 0.7f : terms * 0.7f * 0.7f;
            EXPECT_NEAR(tested.first(), truth, truth * 1e-5) << to_string(problem);
        }
}

TEST(reduction, hands_nan_on_to_its_column_alone) {
    for (const auto alg : algorithms)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dims_t &src_dims : {dims_t{5, 70}, dims_t{1300, 9}})
                for (dnnl_dim_t at = 0; at < volume(src_dims); at += 1 + volume(src_dims) / 13) {
                    const dims_t dst_dims{1, src_dims[1]};
                    const problem_t problem{alg, src_dims, dst_dims, type, type};
                    auto values = values_of(problem);
                    values[static_cast<size_t>(at)] = nan;
                    expect_right(problem, values);
                }
}

TEST(reduction, goes_by_rows_over_any_axes) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &problem) { return implementations(problem).front(); };
    for (const auto alg : algorithms) {
        EXPECT_EQ(best({alg, {8, 5, 7}, {8, 1, 1}}), "jit:rows");
        EXPECT_EQ(best({alg, {8, 5, 7}, {8, 5, 1}}), "jit:rows");
        EXPECT_EQ(best({alg, {8, 5, 7}, {1, 1, 1}}), "jit:rows");
        EXPECT_EQ(best({alg, {8, 5}, {1, 5}, dnnl_f32, dnnl_f32, "ba"}), "jit:rows");
        EXPECT_EQ(best({alg, {8, 5, 7}, {1, 5, 7}}), "jit:rows");
        EXPECT_EQ(best({alg, {8, 5, 7}, {1, 5, 1}}), "jit:rows");
    }
    EXPECT_EQ(best({dnnl_reduction_max, {8, 5, 7}, {1, 5, 1}, dnnl_f64, dnnl_f64}), "ref:any");
}

} // namespace

} // namespace kiln::test::reduction
