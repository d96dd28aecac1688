// SPDX-License-Identifier: Apache-2.0
// Rows that careless arithmetic gets wrong: large means, equal values, single elements, exact sums,
// long sums.
#include <cmath>

#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::layer_normalization {

namespace {

/// The normalized axis innermost, and outermost.
const std::vector<std::string> formats{"ab", "ba"};

problem_t of_size(dims_t dims, unsigned flags = 0, const std::string &format = "ab") {
    problem_t problem;
    problem.dims = std::move(dims);
    problem.flags = flags;
    problem.src_format = problem.dst_format = problem.diff_src_format = format;
    return problem;
}

TEST(layer_normalization_numerics, a_large_mean_does_not_drown_the_deviation) {
    for (const dnnl_dim_t cols : {8, 100, 768, 5000})
        for (const auto type : {dnnl_f32, dnnl_f64})
            for (const auto &format : formats) {
                auto problem = of_size({4, cols}, scale | shift, format);
                problem.data = data_t::large_mean;
                problem.src_type = problem.dst_type = problem.diff_src_type = type;
                EXPECT_TRUE(is_forward_right(problem));
                problem.prop_kind = dnnl_backward;
                EXPECT_TRUE(is_backward_right(problem));
            }
}

// Not only within the model's bound: the deviation itself is known.
TEST(layer_normalization_numerics, the_variance_of_a_large_mean_is_that_of_its_deviations) {
    std::vector<double> src;
    for (int at = 0; at < 2000; ++at) src.push_back((at < 1000 ? 1e4 : -1e6) + (at % 2 ? 1 : -1));
    for (const auto &format : formats) {
        forward_case_t forward(of_size({2, 1000}, 0, format));
        forward.set_src(src);
        ASSERT_EQ(forward.execute(), dnnl_success);
        EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), (std::vector<double>{1e4, -1e6}));
        EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(), (std::vector<double>{1, 1}));
    }
}

TEST(layer_normalization_numerics, rows_of_equal_values_have_no_variance) {
    for (const dnnl_dim_t cols : {1, 2, 3, 7, 64, 1000, 1023}) {
        forward_case_t forward(of_size({6, cols}, scale | shift));
        std::vector<double> src;
        for (const double value : {0.0, 1.0, -3.0, 256.0, 0.5, 12.0})
            src.insert(src.end(), static_cast<size_t>(cols), value);
        forward.set_src(src);
        ASSERT_EQ(forward.execute(), dnnl_success);
        EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(), std::vector<double>(6, 0)) << cols;
        EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(),
                (std::vector<double>{0, 1, -3, 256, 0.5, 12}))
                << cols;
        EXPECT_TRUE(forward.is_right());
        // What is left of such a row is the shift, exactly.
        const auto shift_values = forward.tensor(DNNL_ARG_SHIFT).values();
        for (dnnl_dim_t row = 0; row < 6; ++row)
            for (dnnl_dim_t c = 0; c < cols; ++c)
                EXPECT_EQ(forward.tensor(DNNL_ARG_DST).value({row, c}),
                        shift_values[static_cast<size_t>(c)]);
    }
}

TEST(layer_normalization_numerics, equal_values_that_no_sum_holds_exactly) {
    for (const dnnl_dim_t cols : {1, 3, 100, 1000})
        for (const auto &format : formats) {
            auto problem = of_size({5, cols}, scale, format);
            problem.data = data_t::constant;
            EXPECT_TRUE(is_forward_right(problem));
            problem.prop_kind = dnnl_backward;
            EXPECT_TRUE(is_backward_right(problem));
        }
}

TEST(layer_normalization_numerics, rows_of_one_element_are_their_own_mean) {
    for (const unsigned flags : all_flags()) {
        EXPECT_TRUE(is_forward_right(of_size({9, 1}, flags)));
        auto problem = of_size({9, 1}, flags);
        problem.prop_kind = dnnl_backward;
        EXPECT_TRUE(is_backward_right(problem));
    }
    const forward_case_t forward(of_size({4, 1}));
    ASSERT_EQ(forward.execute(), dnnl_success);
    EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), forward.tensor(DNNL_ARG_SRC).values());
    EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(), std::vector<double>(4, 0));
}

/// Whole numbers whose mean is a whole number: every sum of values, deviations and their squares
/// is exact in f32 in any order.
std::vector<double> whole_row(int64_t cols, int64_t mean, uint64_t seed) {
    random_values_t random(seed);
    std::vector<double> row;
    for (int64_t c = 0; c + 1 < cols; c += 2) {
        const double deviation = std::floor(random.between(0, 8));
        row.push_back(static_cast<double>(mean) + deviation);
        row.push_back(static_cast<double>(mean) - deviation);
    }
    if (cols % 2) row.push_back(static_cast<double>(mean));
    return row;
}

double variance_of(const std::vector<double> &row, double mean) {
    double sum = 0;
    for (const double value : row) sum += (value - mean) * (value - mean);
    return sum / static_cast<double>(row.size());
}

// Rounded once, by the division. (A product with a rounded 1 / n would differ for many n.)
TEST(layer_normalization_numerics, exact_sums_give_exact_statistics) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_f64})
        for (const dnnl_dim_t cols : {1, 2, 3, 5, 6, 7, 10, 11, 13, 16, 31, 49, 100, 127, 333, 768,
                     1000, 1023, 1025, 2047, 3000})
            for (const unsigned flags : {0u, rms})
                for (const auto &format : formats) {
                    auto problem = of_size({4, cols}, flags, format);
                    problem.src_type = type;
                    forward_case_t forward(problem);
                    std::vector<double> src, means, variances;
                    for (const int64_t mean : {8, 11, 40, 100}) {
                        const auto row = whole_row(cols, mean, static_cast<uint64_t>(cols + mean));
                        src.insert(src.end(), row.begin(), row.end());
                        means.push_back(static_cast<double>(mean));
                        variances.push_back(rounded(dnnl_f32,
                                variance_of(row, flags ? 0.0 : static_cast<double>(mean))));
                    }
                    forward.set_src(src);
                    ASSERT_EQ(forward.execute(), dnnl_success);
                    if (!flags) {
                        EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means)
                                << to_string(problem);
                    }
                    EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(), variances)
                            << to_string(problem);
                }
}

// The mean of whole numbers is the nearest f32 to their quotient.
TEST(layer_normalization_numerics, means_are_rounded_once) {
    for (const dnnl_dim_t cols : {3, 7, 11, 13, 49, 97, 1001})
        for (const auto &format : formats) {
            forward_case_t forward(of_size({3, cols}, 0, format));
            random_values_t random(static_cast<uint64_t>(cols));
            std::vector<double> src, means;
            for (int row = 0; row < 3; ++row) {
                double sum = 0;
                for (dnnl_dim_t c = 0; c < cols; ++c) {
                    src.push_back(std::floor(random.between(-20, 40)));
                    sum += src.back();
                }
                means.push_back(rounded(dnnl_f32, sum / static_cast<double>(cols)));
            }
            forward.set_src(src);
            ASSERT_EQ(forward.execute(), dnnl_success);
            EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means) << cols << ' ' << format;
        }
}

// f32 sums of this many terms, if kept in one accumulator, would have lost their last digits.
TEST(layer_normalization_numerics, long_rows_keep_their_precision) {
    for (const unsigned flags : {0u, rms})
        for (const auto &format : formats) {
            EXPECT_TRUE(is_forward_right(of_size({2, 100003}, flags, format)));
            auto problem = of_size({2, 100003}, flags | scale | shift, format);
            problem.prop_kind = dnnl_backward;
            EXPECT_TRUE(is_backward_right(problem));
        }
}

TEST(layer_normalization_numerics, many_rows_keep_the_precision_of_weight_gradients) {
    for (const unsigned flags : {scale | shift, scale | shift | rms})
        for (const auto &format : formats) {
            auto problem = of_size({30011, 3}, flags, format);
            problem.prop_kind = dnnl_backward;
            EXPECT_TRUE(is_backward_right(problem));
        }
}

// Squares of 1e15 overflow no f32, squares of 1e-15 are still normal numbers.
TEST(layer_normalization_numerics, sizes_far_from_one) {
    for (const double size : {1e15, 1e-15})
        for (const unsigned flags : {0u, rms}) {
            auto problem = of_size({3, 50}, flags);
            problem.epsilon = 0;
            forward_case_t forward(problem);
            auto src = random_values_t(7).many(150, -size, 2 * size);
            forward.set_src(src);
            ASSERT_EQ(forward.execute(), dnnl_success);
            EXPECT_TRUE(forward.is_right()) << size;
        }
}

// r is of the order of 1e18 and the mean of scale * diff_dst * xhat of 1e3; the result is a number.
TEST(layer_normalization_numerics, gradients_of_small_deviations) {
    for (const unsigned flags : {0u, rms})
        for (const auto &format : formats) {
            auto problem = of_size({3, 50}, flags, format);
            problem.prop_kind = dnnl_backward;
            problem.epsilon = 0;
            backward_case_t backward(problem);
            backward.set_src(random_values_t(7).many(150, -1e-18, 2e-18));
            backward.set_diff_dst(random_values_t(8).many(150, -5e3, 2e4));
            ASSERT_EQ(backward.execute(), dnnl_success);
            EXPECT_TRUE(backward.is_right()) << format;
        }
}

} // namespace

} // namespace kiln::test::layer_normalization
