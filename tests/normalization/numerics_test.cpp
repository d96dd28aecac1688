// SPDX-License-Identifier: Apache-2.0
// Sets of elements that careless arithmetic gets wrong: large means, equal values, single elements,
// exact sums, long sums.
#include <cmath>

#include "normalization/operation_test.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::normalization {

namespace {

using values_t = std::vector<double>;

/// src in which the elements of each set are, in order, those that `values_of` gives for the set.
values_t src_of_sets(const problem_t &problem, const std::function<values_t(int64_t)> &values_of) {
    std::vector<values_t> sets;
    for (int64_t set = 0; set < problem.sets(); ++set) sets.push_back(values_of(set));
    std::vector<size_t> used(sets.size());
    values_t src;
    for (int64_t element = 0; element < volume(problem.dims); ++element) {
        const auto set = static_cast<size_t>(problem.set_of(element));
        src.push_back(sets[set][used[set]++]);
    }
    return src;
}

void expect_statistics(const case_t &forward, const values_t &means, const values_t &variances) {
    ASSERT_EQ(forward.execute(), dnnl_success);
    if (forward.problem().has_mean()) {
        EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means) << forward.name();
    }
    EXPECT_EQ(forward.tensor(DNNL_ARG_VARIANCE).values(), variances) << forward.name();
}

/// Whole numbers whose mean is a whole number: every sum of values, deviations and their squares
/// is exact in f32 in any order.
values_t whole_numbers(int64_t count, int64_t mean, uint64_t seed) {
    random_values_t random(seed);
    values_t values;
    for (int64_t i = 0; i + 1 < count; i += 2) {
        const double deviation = std::floor(random.between(0, 8));
        values.push_back(static_cast<double>(mean) + deviation);
        values.push_back(static_cast<double>(mean) - deviation);
    }
    if (count % 2) values.push_back(static_cast<double>(mean));
    return values;
}

double variance_of(const values_t &values, double mean) {
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum / static_cast<double>(values.size());
}

class normalization_numerics : public operation_test_t {
protected:
    static std::vector<problem_t> problems(
            const std::vector<dims_t> &layer_dims, const std::vector<dims_t> &channel_dims) {
        return problems_of(layer_dims, channel_dims, {1, 3, 6});
    }

    /// Matrices of so many rows, one for each of the lengths.
    static std::vector<dims_t> rows_of(dnnl_dim_t rows, const std::vector<dnnl_dim_t> &lengths) {
        std::vector<dims_t> dims;
        for (const auto length : lengths) dims.push_back({rows, length});
        return dims;
    }

    static void expect_both_directions_right(problem_t problem) {
        EXPECT_TRUE(is_right(problem));
        problem.prop_kind = dnnl_backward;
        EXPECT_TRUE(is_right(problem));
    }
};

TEST_P(normalization_numerics, a_large_mean_does_not_drown_the_deviation) {
    for (auto &problem : problems(rows_of(4, {8, 100, 768, 5000}), {{3, 6, 5, 5}, {2, 6, 40, 50}}))
        for (const auto type : {dnnl_f32, dnnl_f64}) {
            problem.flags = scale | shift;
            problem.data = data_t::large_mean;
            problem.set_types(type);
            expect_both_directions_right(problem);
        }
}

// Not only within the model's bound: the deviation itself is known.
TEST_P(normalization_numerics, the_variance_of_a_large_mean_is_that_of_its_deviations) {
    for (const auto &problem : problems({{2, 1000}}, {{2, 6, 10, 10}}))
        for_each_case(problem, [&](case_t &forward) {
            values_t means;
            forward.set_src(src_of_sets(problem, [&](int64_t set) {
                means.push_back(set % 2 ? -1e6 : 1e4);
                values_t values;
                for (int64_t i = 0; i < problem.set_size(); ++i)
                    values.push_back(means.back() + (i % 2 ? 1 : -1));
                return values;
            }));
            expect_statistics(forward, means, values_t(means.size(), 1));
        });
}

TEST_P(normalization_numerics, equal_values_have_no_variance) {
    const double levels[]{0, 1, -3, 256, 0.5, 12};
    for (auto &problem : problems(rows_of(6, {1, 2, 3, 7, 64, 1000, 1023}),
                 {{2, 6, 1, 1}, {2, 6, 5, 7}, {1, 6, 40, 51}})) {
        problem.flags = scale | shift;
        for_each_case(problem, [&](case_t &forward) {
            values_t means;
            forward.set_src(src_of_sets(problem, [&](int64_t set) {
                means.push_back(levels[set % 6]);
                return values_t(static_cast<size_t>(problem.set_size()), means.back());
            }));
            expect_statistics(forward, means, values_t(means.size(), 0));
            EXPECT_TRUE(forward.is_right());
            // What is left of them is the shift, exactly.
            const auto shifts = forward.tensor(DNNL_ARG_SHIFT).values();
            const auto dst = forward.tensor(DNNL_ARG_DST).values();
            for (size_t at = 0; at < dst.size(); ++at)
                EXPECT_EQ(dst[at], shifts[size_t(problem.weight_of(int64_t(at)))])
                        << forward.name();
        });
    }
}

TEST_P(normalization_numerics, equal_values_that_no_sum_holds_exactly) {
    for (auto &problem : problems(rows_of(5, {1, 3, 100, 1000}), {{2, 6, 10, 11}})) {
        problem.flags = scale;
        problem.data = data_t::constant;
        expect_both_directions_right(problem);
    }
}

TEST_P(normalization_numerics, sets_of_one_element_are_their_own_mean) {
    for (auto &problem : problems_of({{9, 1}}, {{1, 6, 1, 1}}, {6})) {
        for (const unsigned flags : all_flags()) {
            problem.flags = flags;
            expect_both_directions_right(problem);
        }
        problem.flags = 0;
        for_each_case(problem, [](const case_t &forward) {
            const auto src = forward.tensor(DNNL_ARG_SRC).values();
            expect_statistics(forward, src, values_t(src.size(), 0));
        });
    }
}

TEST_P(normalization_numerics, sets_of_one_element_have_no_gradient_of_src) {
    for (auto &problem : problems_of({{9, 1}}, {{1, 6, 1, 1}}, {6}))
        for (const unsigned flags : {0u, scale | shift}) {
            problem.prop_kind = dnnl_backward;
            problem.flags = flags;
            for_each_case(problem, [](const case_t &backward) {
                ASSERT_EQ(backward.execute(), dnnl_success);
                for (const double gradient : backward.tensor(DNNL_ARG_DIFF_SRC).values())
                    EXPECT_EQ(gradient, 0) << backward.name();
            });
        }
}

// Rounded once, by the division. (A product with a rounded 1 / n would differ for many n.)
TEST_P(normalization_numerics, exact_sums_give_exact_statistics) {
    std::vector<dnnl_data_type_t> types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};
    if (is_layer()) types.insert(types.end(), {dnnl_s8, dnnl_u8});
    const auto all = problems(rows_of(4, {1, 2, 3, 5, 6, 7, 10, 11, 13, 16, 31, 49, 100, 127, 333,
                                                 768, 1000, 1023, 1025, 2047, 3000}),
            {{1, 6, 1, 1}, {3, 6, 1, 1}, {2, 6, 1, 5}, {1, 6, 7, 7}, {3, 18, 11, 3}, {2, 6, 31, 33},
                    {1, 30, 28, 28}});
    for (auto problem : all)
        for (const auto type : types)
            for (const unsigned flags : is_layer() ? std::vector{0u, rms} : std::vector{0u}) {
                problem.set_types(type);
                if (is_layer()) problem.dst_type = dnnl_f32;
                problem.flags = flags;
                for_each_case(problem, [&](case_t &forward) {
                    values_t means, variances;
                    forward.set_src(src_of_sets(problem, [&](int64_t set) {
                        const int64_t mean = 8 + set * 13 % 93;
                        const auto seed = static_cast<uint64_t>(problem.set_size() + mean);
                        const auto values = whole_numbers(problem.set_size(), mean, seed);
                        means.push_back(static_cast<double>(mean));
                        variances.push_back(rounded(dnnl_f32,
                                variance_of(values, flags ? 0 : static_cast<double>(mean))));
                        return values;
                    }));
                    expect_statistics(forward, means, variances);
                });
            }
}

// The mean of whole numbers is the nearest f32 to their quotient.
TEST_P(normalization_numerics, means_are_rounded_once) {
    for (const auto &problem : problems(rows_of(3, {3, 7, 11, 13, 49, 97, 1001}),
                 {{1, 6, 1, 3}, {1, 6, 7, 7}, {7, 6, 11, 13}}))
        for_each_case(problem, [&](case_t &forward) {
            values_t means;
            forward.set_src(src_of_sets(problem, [&](int64_t set) {
                random_values_t random(static_cast<uint64_t>(set + 40));
                values_t values;
                double sum = 0;
                for (int64_t i = 0; i < problem.set_size(); ++i) {
                    values.push_back(std::floor(random.between(-20, 40)));
                    sum += values.back();
                }
                means.push_back(rounded(dnnl_f32, sum / static_cast<double>(values.size())));
                return values;
            }));
            ASSERT_EQ(forward.execute(), dnnl_success);
            EXPECT_EQ(forward.tensor(DNNL_ARG_MEAN).values(), means) << forward.name();
        });
}

// f32 sums of this many terms, if kept in one accumulator, would have lost their last digits.
TEST_P(normalization_numerics, long_sums_keep_their_precision) {
    for (auto &problem : problems_of({{2, 100003}}, {{1, 2, 301, 333}}, {1}))
        for (const unsigned flags : is_layer() ? std::vector{0u, rms} : std::vector{0u}) {
            problem.flags = flags | scale | shift;
            expect_both_directions_right(problem);
        }
}

TEST_P(normalization_numerics, many_sets_keep_the_precision_of_weight_gradients) {
    for (auto &problem : problems_of({{30011, 3}}, {{3001, 3, 1, 3}}, {1}))
        for (const unsigned flags : is_layer() ? std::vector{0u, rms} : std::vector{0u}) {
            problem.flags = flags | scale | shift;
            problem.prop_kind = dnnl_backward;
            EXPECT_TRUE(is_right(problem));
        }
}

// Squares of 1e15 overflow no f32, squares of 1e-15 are still normal numbers.
TEST_P(normalization_numerics, sizes_far_from_one) {
    for (auto &problem : problems({{3, 50}}, {{2, 6, 4, 5}}))
        for (const double size : {1e15, 1e-15})
            for (const unsigned flags : is_layer() ? std::vector{0u, rms} : std::vector{0u}) {
                problem.flags = flags;
                problem.epsilon = std::numeric_limits<float>::min();
                for_each_case(problem, [&](case_t &forward) {
                    forward.set_src(random_values_t(7).many(volume(problem.dims), -size, 2 * size));
                    ASSERT_EQ(forward.execute(), dnnl_success);
                    EXPECT_TRUE(forward.is_right()) << size;
                });
            }
}

// r is of the order of 1e18 and the mean of scale * diff_dst * xhat of 1e3; the result is a number.
TEST_P(normalization_numerics, gradients_of_small_deviations) {
    if (!is_layer()) GTEST_SKIP() << "a property of rows";
    for (auto &problem : problems({{3, 50}}, {}))
        for (const unsigned flags : {0u, rms}) {
            problem.flags = flags;
            problem.prop_kind = dnnl_backward;
            problem.epsilon = std::numeric_limits<float>::min();
            for_each_case(problem, [&](case_t &backward) {
                backward.set_src(random_values_t(7).many(150, -1e-18, 2e-18));
                backward.refill(DNNL_ARG_DIFF_DST, random_values_t(8).many(150, -5e3, 2e4));
                ASSERT_EQ(backward.execute(), dnnl_success);
                EXPECT_TRUE(backward.is_right());
            });
        }
}

INSTANTIATE_FOR_OPERATIONS(normalization_numerics);

} // namespace

} // namespace kiln::test::normalization
