// SPDX-License-Identifier: Apache-2.0
// Sets of elements that careless arithmetic gets wrong: large means, equal values, single elements,
// exact sums, long sums.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::channel_normalization {

namespace {

/// Channels outside, inside and blocked.
const std::vector<std::string> formats{"abcd", "acdb", "aBcd16b"};

/// Batch normalization, and groups of channels.
const std::vector<int64_t> groupings{0, 1, 3, 6};

problem_t of_size(dims_t dims, int64_t groups, const std::string &format = "abcd") {
    problem_t problem;
    problem.dims = std::move(dims);
    problem.groups = groups;
    problem.set_formats(format);
    return problem;
}

int64_t sets_of(const problem_t &problem) { return volume(problem.stat_dims()); }
int64_t set_size(const problem_t &problem) { return volume(problem.dims) / sets_of(problem); }

/// src in which the elements of each set are, in order, those that `values_of` gives for the set.
std::vector<double> src_of_sets(
        const problem_t &problem, const std::function<std::vector<double>(int64_t)> &values_of) {
    std::vector<std::vector<double>> sets;
    for (int64_t set = 0; set < sets_of(problem); ++set) sets.push_back(values_of(set));
    std::vector<size_t> used(sets.size());
    std::vector<double> src;
    for (int64_t plane = 0; plane < problem.planes(); ++plane) {
        const auto set = static_cast<size_t>(problem.statistic_of(plane));
        for (int64_t i = 0; i < problem.plane_size(); ++i) src.push_back(sets[set][used[set]++]);
    }
    return src;
}

/// Calls `check` with a case of each implementation.
void for_each_forward(
        const problem_t &problem, const std::function<void(forward_case_t &)> &check) {
    for (size_t at = 0; at < implementations(problem).size(); ++at) {
        forward_case_t forward(problem, at);
        check(forward);
    }
}

TEST(channel_normalization_numerics, a_large_mean_does_not_drown_the_deviation) {
    for (const auto groups : groupings)
        for (const auto &format : formats)
            for (const auto type : {dnnl_f32, dnnl_f64})
                for (const dims_t &dims : {dims_t{3, 6, 5, 5}, dims_t{2, 6, 40, 50}}) {
                    auto problem = of_size(dims, groups, format);
                    problem.flags = scale | shift;
                    problem.data = data_t::large_mean;
                    problem.set_types(type);
                    EXPECT_TRUE(is_forward_right(problem));
                    problem.prop_kind = dnnl_backward;
                    EXPECT_TRUE(is_backward_right(problem));
                }
}

// Not only within the model's bound: the deviation itself is known.
TEST(channel_normalization_numerics, the_variance_of_a_large_mean_is_that_of_its_deviations) {
    for (const auto groups : groupings)
        for (const auto &format : formats) {
            const auto problem = of_size({2, 6, 10, 10}, groups, format);
            for_each_forward(problem, [&](forward_case_t &forward) {
                std::vector<double> means;
                for (int64_t set = 0; set < sets_of(problem); ++set)
                    means.push_back(set % 2 ? -1e6 : 1e4);
                forward.set_src(src_of_sets(problem, [&](int64_t set) {
                    std::vector<double> values;
                    for (int64_t i = 0; i < set_size(problem); ++i)
                        values.push_back(means[size_t(set)] + (i % 2 ? 1 : -1));
                    return values;
                }));
                ASSERT_EQ(forward.execute(), dnnl_success);
                EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means) << to_string(problem);
                EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(),
                        std::vector<double>(means.size(), 1))
                        << to_string(problem);
            });
        }
}

TEST(channel_normalization_numerics, equal_values_have_no_variance) {
    const double levels[]{0, 1, -3, 256, 0.5, 12};
    for (const auto groups : groupings)
        for (const auto &format : formats)
            for (const dims_t &dims :
                    {dims_t{2, 6, 1, 1}, dims_t{2, 6, 5, 7}, dims_t{1, 6, 40, 51}}) {
                auto problem = of_size(dims, groups, format);
                problem.flags = scale | shift;
                for_each_forward(problem, [&](forward_case_t &forward) {
                    std::vector<double> means;
                    for (int64_t set = 0; set < sets_of(problem); ++set)
                        means.push_back(levels[set % 6]);
                    forward.set_src(src_of_sets(problem, [&](int64_t set) {
                        return std::vector<double>(size_t(set_size(problem)), levels[set % 6]);
                    }));
                    ASSERT_EQ(forward.execute(), dnnl_success);
                    EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means) << to_string(problem);
                    EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(),
                            std::vector<double>(means.size(), 0))
                            << to_string(problem);
                    EXPECT_TRUE(forward.is_right());
                    // What is left of them is the shift, exactly.
                    const auto shifts = forward.tensor(DNNL_ARG_SHIFT).values();
                    for_each_index(problem.dims, [&](const dims_t &index) {
                        EXPECT_EQ(
                                forward.tensor(DNNL_ARG_DST).value(index), shifts[size_t(index[1])])
                                << to_string(problem);
                    });
                });
            }
}

TEST(channel_normalization_numerics, equal_values_that_no_sum_holds_exactly) {
    for (const auto groups : groupings)
        for (const auto &format : formats) {
            auto problem = of_size({2, 6, 10, 11}, groups, format);
            problem.flags = scale;
            problem.data = data_t::constant;
            EXPECT_TRUE(is_forward_right(problem));
            problem.prop_kind = dnnl_backward;
            EXPECT_TRUE(is_backward_right(problem));
        }
}

/// Whole numbers whose mean is a whole number: every sum of values, deviations and their squares
/// is exact in f32 in any order.
std::vector<double> whole_numbers(int64_t count, int64_t mean, uint64_t seed) {
    random_values_t random(seed);
    std::vector<double> values;
    for (int64_t i = 0; i + 1 < count; i += 2) {
        const double deviation = std::floor(random.between(0, 8));
        values.push_back(static_cast<double>(mean) + deviation);
        values.push_back(static_cast<double>(mean) - deviation);
    }
    if (count % 2) values.push_back(static_cast<double>(mean));
    return values;
}

double variance_of(const std::vector<double> &values, double mean) {
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum / static_cast<double>(values.size());
}

// Rounded once, by the division. (A product with a rounded 1 / n would differ for many n.)
TEST(channel_normalization_numerics, exact_sums_give_exact_statistics) {
    for (const auto groups : groupings)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
            for (const auto &format : formats)
                for (const dims_t &dims : {dims_t{1, 6, 1, 1}, dims_t{3, 6, 1, 1},
                             dims_t{2, 6, 1, 5}, dims_t{1, 6, 7, 7}, dims_t{3, 18, 11, 3},
                             dims_t{2, 6, 31, 33}, dims_t{1, 30, 28, 28}}) {
                    auto problem = of_size(dims, groups, format);
                    problem.set_types(type);
                    for_each_forward(problem, [&](forward_case_t &forward) {
                        std::vector<double> means, variances;
                        forward.set_src(src_of_sets(problem, [&](int64_t set) {
                            const int64_t mean = 8 + set * 13 % 90;
                            const auto values = whole_numbers(
                                    set_size(problem), mean, static_cast<uint64_t>(set + 1));
                            means.push_back(static_cast<double>(mean));
                            variances.push_back(rounded(
                                    dnnl_f32, variance_of(values, static_cast<double>(mean))));
                            return values;
                        }));
                        ASSERT_EQ(forward.execute(), dnnl_success);
                        EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means)
                                << to_string(problem);
                        EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(), variances)
                                << to_string(problem);
                    });
                }
}

// The mean of whole numbers is the nearest f32 to their quotient.
TEST(channel_normalization_numerics, means_are_rounded_once) {
    for (const auto groups : groupings)
        for (const auto &format : formats)
            for (const dims_t &dims :
                    {dims_t{1, 6, 1, 3}, dims_t{1, 6, 7, 7}, dims_t{7, 6, 11, 13}}) {
                const auto problem = of_size(dims, groups, format);
                for_each_forward(problem, [&](forward_case_t &forward) {
                    std::vector<double> means;
                    forward.set_src(src_of_sets(problem, [&](int64_t set) {
                        random_values_t random(static_cast<uint64_t>(set + 40));
                        std::vector<double> values;
                        double sum = 0;
                        for (int64_t i = 0; i < set_size(problem); ++i) {
                            values.push_back(std::floor(random.between(-20, 40)));
                            sum += values.back();
                        }
                        means.push_back(
                                rounded(dnnl_f32, sum / static_cast<double>(values.size())));
                        return values;
                    }));
                    ASSERT_EQ(forward.execute(), dnnl_success);
                    EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means) << to_string(problem);
                });
            }
}

// f32 sums of this many terms, if kept in one accumulator, would have lost their last digits.
TEST(channel_normalization_numerics, long_sums_keep_their_precision) {
    for (const int64_t groups : {0, 1})
        for (const auto &format : formats) {
            auto problem = of_size({1, 2, 301, 333}, groups, format);
            problem.flags = scale | shift;
            EXPECT_TRUE(is_forward_right(problem));
            problem.prop_kind = dnnl_backward;
            EXPECT_TRUE(is_backward_right(problem));
        }
}

// Squares of 1e15 overflow no f32, squares of 1e-15 are still normal numbers.
TEST(channel_normalization_numerics, sizes_far_from_one) {
    for (const auto groups : groupings)
        for (const auto &format : formats)
            for (const double size : {1e15, 1e-15}) {
                auto problem = of_size({2, 6, 4, 5}, groups, format);
                problem.epsilon = 0;
                for_each_forward(problem, [&](forward_case_t &forward) {
                    forward.set_src(random_values_t(7).many(volume(problem.dims), -size, 2 * size));
                    ASSERT_EQ(forward.execute(), dnnl_success);
                    EXPECT_TRUE(forward.is_right()) << to_string(problem) << ' ' << size;
                });
            }
}

} // namespace

} // namespace kiln::test::channel_normalization
