// SPDX-License-Identifier: Apache-2.0
// Softmax forward against long double: every implementation, axis, layout and pair of types;
// scales, post-ops, masked elements, in place; the same bits for any number of threads.
#include <cfenv>
#include <cmath>
#include <limits>

#include "softmax/softmax_case.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::softmax {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(softmax, is_right_for_every_pair_of_types) {
    for (const bool is_log : softmax_and_log)
        for (const auto src_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8})
            for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8})
                for (const int axis : {0, 1}) {
                    problem_t problem{{5, 37}, axis, is_log};
                    problem.src_type = src_type;
                    problem.dst_type = dst_type;
                    if (is_integer(dst_type)) problem.dst_scale = scale_attr_t{0.0625};
                    expect_right(problem);
                }
}

TEST(softmax, takes_lines_of_any_length) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (dnnl_dim_t length = 1; length <= 300; length += length < 40 ? 1 : 13)
                for (const int axis : {0, 1}) {
                    problem_t problem{
                            axis == 1 ? dims_t{3, length} : dims_t{length, 19}, axis, is_log};
                    problem.src_type = problem.dst_type = type;
                    expect_right(problem);
                }
}

TEST(softmax, takes_any_axis_and_layout) {
    const dims_t dims{4, 16, 3, 5};
    for (const bool is_log : softmax_and_log)
        for (const int axis : {0, 1, 2, 3})
            for (const char *src_format : {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b"})
                for (const char *dst_format : {"any", "abcd", "acdb"}) {
                    problem_t problem{dims, axis, is_log};
                    problem.src_format = src_format;
                    problem.dst_format = dst_format;
                    expect_right(problem);
                }
}

TEST(softmax, reads_elements_that_repeat) {
    for (const int axis : {1, 3})
        for (const char *src_format : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "abcd/abcd"})
            for (const char *dst_format : {"any", "abcd", "acdb", "aBcd16b"}) {
                problem_t problem{{4, 16, 3, 5}, axis};
                problem.src_format = src_format;
                problem.dst_format = dst_format;
                expect_right(problem);
            }
}

TEST(softmax, reduces_axes_of_one_element) {
    for (const bool is_forward : {true, false})
        for (const bool is_log : softmax_and_log)
            for (const int axis : {0, 1, 2})
                for (const char *format : {"abc", "acb"}) {
                    dims_t dims{3, 5, 37};
                    dims[size_t(axis)] = 1;
                    problem_t problem{dims, axis, is_log, is_forward};
                    problem.src_format = problem.dst_format = format;
                    expect_right(problem);
                }
}

TEST(softmax, cuts_long_rows) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dims_t &dims : {dims_t{1, 65535}, {2, 65536}, {3, 70011}}) {
                problem_t problem{dims, 1, is_log};
                problem.src_type = problem.dst_type = type;
                expect_right(problem);
            }
}

// As the cache of 64 KiB has it, in which all tests run once more, these rows have non-temporal
// stores: results of a row are stored with the next one, the last row's alone.
TEST(softmax, stores_rows_that_exceed_the_caches) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const dims_t &dims : {dims_t{7, 5, 208}, {9, 10, 211}, {41, 5, 224}, {9, 5, 401},
                         {5, 7, 1024}, {1, 17, 1031}, {4, 3, 1500}, {2, 3, 4096}, {1, 1, 32768}})
                for (const char *dst_format : {"abc", "bac", "abc+16"}) {
                    problem_t problem{dims, 2, is_log};
                    problem.src_type = problem.dst_type = type;
                    problem.dst_format = dst_format;
                    expect_right(problem);
                    problem.src_type = dnnl_s8;
                    problem.src_scale = scale_attr_t{2.5};
                    expect_right(problem);
                }
}

TEST(softmax, subtracts_the_maximum) {
    for (const bool is_log : softmax_and_log)
        for (const double size : {0.001, 100., 1e4, 3e38})
            for (const dims_t &dims : {dims_t{3, 40}, {2, 700}, {12, 1024}}) {
                const problem_t problem{dims, 1, is_log};
                expect_right(problem, values_of(problem, size));
                const problem_t columns{dims, 0, is_log};
                expect_right(columns, values_of(columns, size));
            }
}

TEST(softmax, applies_scales) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const bool is_on_host : {false, true})
                for (const dnnl_dim_t length : {30, 300})
                    for (const int axis : {0, 1}) {
                        problem_t problem{{length, 17}, axis, is_log};
                        if (axis == 1) problem.dims = {4, length};
                        problem.src_type = dnnl_s8;
                        problem.dst_type = type;
                        problem.src_scale = scale_attr_t{2.5, dnnl_f32, is_on_host};
                        expect_right(problem);
                        problem.dst_type = dnnl_u8;
                        problem.dst_scale = scale_attr_t{0.0078125, dnnl_f32, is_on_host};
                        expect_right(problem);
                        problem.post_ops = {{dnnl_eltwise_linear, 2, 0.5f}};
                        expect_right(problem);
                    }
}

TEST(softmax, applies_post_ops) {
    const std::vector<post_op_chain_t> chains{{{dnnl_eltwise_linear, 0.5f, -1}},
            {{dnnl_eltwise_relu}, {dnnl_eltwise_tanh}},
            {{.alg = dnnl_binary_mul, .mask = 3, .type = dnnl_f32}},
            {{dnnl_eltwise_linear, 8, -1},
                    {.alg = dnnl_alg_kind_undef, .mask = 6, .is_prelu = true}},
            {{.alg = dnnl_binary_mul, .mask = 7, .type = dnnl_f32}},
            {{.alg = dnnl_binary_add, .mask = 2, .type = dnnl_bf16},
                    {.alg = dnnl_binary_select, .mask = 4, .type = dnnl_s8},
                    {.alg = dnnl_binary_max, .mask = 0, .type = dnnl_f32}}};
    for (const auto &chain : chains)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const dnnl_dim_t cols : {2, 40, 300})
                for (const int axis : {1, 2}) {
                    problem_t problem{{2, 3, cols}, axis, cols == 40};
                    problem.dst_type = type;
                    problem.post_ops = chain;
                    expect_right(problem);
                }
}

TEST(softmax, applies_post_ops_to_rows_that_are_cut) {
    for (const bool is_log : softmax_and_log) {
        problem_t problem{{1, 2, 67000}, 2, is_log};
        problem.post_ops = {{.alg = dnnl_binary_mul, .mask = 7, .type = dnnl_f32},
                {.alg = dnnl_binary_add, .mask = 2, .type = dnnl_bf16}};
        expect_right(problem);
    }
}

TEST(softmax, applies_scales_to_rows_that_are_cut) {
    for (const bool is_log : softmax_and_log)
        for (const bool has_post_op : {false, true}) {
            problem_t problem{{1, 2, 67000}, 2, is_log};
            problem.src_type = dnnl_s8;
            problem.src_scale = scale_attr_t{0.25, dnnl_f32, false};
            if (has_post_op) problem.post_ops = {{dnnl_eltwise_linear, 2, 0.5f}};
            expect_right(problem);
            problem.src_type = dnnl_bf16;
            problem.dst_type = dnnl_s8;
            problem.dst_scale = scale_attr_t{0x1p-20, dnnl_f32, false};
            expect_right(problem);
        }
}

TEST(softmax, works_in_place) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const dims_t &dims : {dims_t{5, 30}, {3, 700}, {2, 17000}})
                for (const int axis : {0, 1}) {
                    problem_t problem{dims, axis, is_log};
                    problem.src_type = problem.dst_type = type;
                    problem.in_place = true;
                    expect_right(problem);
                }
}

/// Results of every implementation, one after another.
std::vector<std::vector<double>> results_of(
        const problem_t &problem, const std::vector<double> &values) {
    std::vector<std::vector<double>> results;
    for (size_t at = 0; at < implementations(problem).size(); ++at) {
        const case_t tested(problem, at, values);
        EXPECT_EQ(tested.execute(), dnnl_success) << tested.name();
        results.push_back(tested.results());
    }
    return results;
}

// What masks of attention are: elements of -infinity have a probability of exactly 0.
TEST(softmax, of_masked_elements_is_zero) {
    for (const dnnl_dim_t length : {3, 40, 700, 70000})
        for (const int axis : {0, 1}) {
            const problem_t problem{axis == 1 ? dims_t{1, length} : dims_t{length, 1}, axis};
            auto values = values_of(problem);
            for (size_t i = 0; i < values.size(); ++i)
                if (i % 3 == 1 || i > values.size() / 2) values[i] = -infinity;
            expect_right(problem, values);
            for (const auto &results : results_of(problem, values))
                for (size_t i = 0; i < values.size(); ++i) {
                    EXPECT_EQ(results[i] == 0, values[i] == -infinity) << to_string(problem) << i;
                }
        }
}

/// Underflow takes some processors as long as a hundred instructions. Lanes behind a row, and
/// elements that are masked, must not cause it.
TEST(softmax, of_masked_elements_does_not_underflow) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dnnl_dim_t length : {10, 49, 197, 700, 3000})
                for (const int axis : {0, 1}) {
                    problem_t problem{
                            axis == 1 ? dims_t{3, length} : dims_t{length, 3}, axis, is_log};
                    problem.src_type = problem.dst_type = type;
                    auto values = values_of(problem);
                    for (size_t i = 0; i < values.size(); ++i)
                        if (i % 5 == 1) values[i] = i % 2 == 0 ? -infinity : -1e4;
                    const case_t tested(problem, 0, values);
                    std::feclearexcept(FE_UNDERFLOW);
                    ASSERT_EQ(tested.execute(), dnnl_success);
                    EXPECT_EQ(std::fetestexcept(FE_UNDERFLOW), 0) << to_string(problem);
                }
}

TEST(softmax, of_nothing_but_masked_elements_is_nan) {
    for (const bool is_log : softmax_and_log)
        for (const dnnl_dim_t length : {1, 40, 700, 70000})
            for (const int axis : {0, 1}) {
                const problem_t problem{
                        axis == 1 ? dims_t{1, length} : dims_t{length, 16}, axis, is_log};
                const std::vector<double> values(
                        static_cast<size_t>(volume(problem.dims)), -infinity);
                for (const auto &results : results_of(problem, values))
                    for (const double result : results)
                        ASSERT_TRUE(std::isnan(result)) << to_string(problem);
            }
}

TEST(softmax, of_lines_with_nan_or_infinity_is_nan) {
    for (const bool is_log : softmax_and_log)
        for (const double bad : {nan, infinity})
            for (const dnnl_dim_t length : {3, 17, 40, 700, 70000})
                for (const dnnl_dim_t at : {dnnl_dim_t(0), length / 2, length - 1}) {
                    const problem_t problem{{1, length}, 1, is_log};
                    auto values = values_of(problem);
                    values[static_cast<size_t>(at)] = bad;
                    for (const auto &results : results_of(problem, values)) {
                        EXPECT_TRUE(std::isnan(results[static_cast<size_t>(at)]));
                        if (std::isnan(bad) || !is_log) {
                            EXPECT_TRUE(std::isnan(results[0])) << to_string(problem);
                        }
                    }
                }
}

TEST(softmax, has_the_same_bits_for_any_number_of_threads) {
    for (const bool is_log : softmax_and_log)
        for (const dims_t &dims : {dims_t{600, 100}, {16, 9000}, {3, 20001}})
            for (const int axis : {0, 1}) {
                const problem_t problem{dims, axis, is_log};
                expect_same_bits_for_any_number_of_threads(
                        [&] { return case_t(problem, 0, values_of(problem)); });
            }
    problem_t blocked{{3, 64, 500}, 1};
    blocked.src_format = "aBc16b";
    expect_same_bits_for_any_number_of_threads(
            [&] { return case_t(blocked, 0, values_of(blocked)); });
}

TEST(softmax, goes_by_rows_or_columns) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](dims_t dims, int axis, const char *format) {
        problem_t problem{std::move(dims), axis};
        problem.src_format = format;
        return implementations(problem).front();
    };
    EXPECT_EQ(best({8, 5}, 1, "ab"), "jit:rows");
    EXPECT_EQ(best({8, 5}, 0, "ba"), "jit:rows");
    EXPECT_EQ(best({8, 5, 7}, 2, "abc+3"), "jit:rows");
    EXPECT_EQ(best({8, 5, 7, 3}, 1, "acdb"), "jit:rows");
    EXPECT_EQ(best({8, 5}, 0, "ab"), "jit:columns");
    EXPECT_EQ(best({8, 1}, 1, "ab"), "jit:columns");
    EXPECT_EQ(best({1, 5, 7}, 0, "acb"), "jit:columns");
    EXPECT_EQ(best({8, 5, 7, 3}, 1, "abcd"), "jit:columns");
    EXPECT_EQ(best({8, 5, 7, 3}, 2, "acdb"), "jit:columns");
    EXPECT_EQ(best({8, 16, 7, 3}, 2, "aBcd8b"), "jit:columns");
    EXPECT_EQ(best({8, 16, 7, 3}, 1, "aBcd8b"), "jit:columns");
    EXPECT_EQ(best({8, 12, 7, 3}, 1, "aBcd8b"), "jit:columns");
    EXPECT_EQ(best({8, 5, 7, 3}, 1, "aBcd16b"), "jit:columns");
    EXPECT_EQ(best({8, 300, 7, 3}, 1, "aBcd16b"), "jit:columns");
    EXPECT_EQ(best({8, 12, 7, 3}, 2, "aBcd8b"), "jit:relaid");
}

} // namespace

} // namespace kiln::test::softmax
