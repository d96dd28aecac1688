// SPDX-License-Identifier: Apache-2.0
// Infinities and NaN: they spoil what shares their statistics, as IEEE arithmetic says, and nothing
// else.
#include <algorithm>
#include <cmath>
#include <limits>

#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool is_same(double got, double want) { return std::isnan(want) ? std::isnan(got) : got == want; }

class normalization_non_finite : public operation_test_t {
protected:
    static std::vector<problem_t> problems(
            const std::vector<unsigned> &flags, dnnl_prop_kind_t prop_kind) {
        auto of_sizes = problems_of({{7, 45}}, {{2, 18, 3, 5}}, {1, 6, 18});
        if (is_layer()) of_sizes.push_back(problem_of({7, 45}, 0, "ab+3"));
        std::vector<problem_t> problems;
        for (auto &problem : of_sizes)
            for (const unsigned bits : flags) {
                problem.flags = bits;
                problem.prop_kind = prop_kind;
                problems.push_back(problem);
            }
        return problems;
    }

    /// Compares the elements whose set is not that of `poisoned`: bit by bit where sets are rows;
    /// last digits of channels may differ, since a channel is summed anew when its neighbour is.
    static void expect_same_elsewhere(
            const case_t &sick, int arg, const std::vector<double> &want, size_t poisoned) {
        const problem_t &problem = sick.problem();
        const bool is_of_sets = arg == DNNL_ARG_MEAN || arg == DNNL_ARG_VARIANCE;
        const auto got = sick.tensor(arg).values();
        const auto poisoned_set = problem.set_of(static_cast<int64_t>(poisoned));
        for (size_t at = 0; at < got.size(); ++at) {
            const auto place = static_cast<int64_t>(at);
            if ((is_of_sets ? place : problem.set_of(place)) == poisoned_set) continue;
            const double tolerance = is_layer() ? 0 : 1e-5 * (1 + std::fabs(want[at]));
            ASSERT_NEAR(got[at], want[at], tolerance)
                    << sick.name() << " argument " << arg << " element " << at;
        }
    }

    /// What the statistics and the element itself become.
    static void expect_poisoned(const case_t &sick, size_t place, double poison) {
        const auto dst = sick.tensor(DNNL_ARG_DST).values();
        const problem_t &problem = sick.problem();
        if (problem.has(global_stats)) {
            EXPECT_TRUE(is_same(dst[place], poison)) << sick.name();
            return;
        }
        const auto set = problem.set_of(static_cast<int64_t>(place));
        const double variance = sick.tensor(DNNL_ARG_VARIANCE).values()[size_t(set)];
        EXPECT_TRUE(std::isnan(dst[place])) << sick.name();
        if (!problem.has_mean()) {
            EXPECT_FALSE(std::isfinite(variance)) << sick.name();
            return;
        }
        EXPECT_TRUE(std::isnan(variance)) << sick.name(); // infinity minus infinity
        EXPECT_TRUE(is_same(sick.tensor(DNNL_ARG_MEAN).values()[size_t(set)], poison))
                << sick.name();
        for (size_t at = 0; at < dst.size(); ++at)
            if (problem.set_of(static_cast<int64_t>(at)) == set) {
                EXPECT_TRUE(std::isnan(dst[at])) << sick.name() << " element " << at;
            }
    }
};

TEST_P(normalization_non_finite, forward_spoils_only_its_own_set) {
    std::vector<unsigned> flags{0, scale | shift, global_stats};
    if (is_layer()) flags.push_back(rms);
    for (const auto &problem : problems(flags, dnnl_forward_training))
        for (size_t by = 0; by < implementations(problem).size(); ++by) {
            const case_t clean(problem, by);
            ASSERT_EQ(clean.execute(), dnnl_success);
            for (const double poison : {nan, infinity, -infinity})
                for (const size_t place :
                        {size_t(0), size_t(17), size_t(152), size_t(volume(problem.dims) - 1)}) {
                    case_t sick(problem, by);
                    auto src = sick.tensor(DNNL_ARG_SRC).values();
                    src[place] = poison;
                    sick.set_src(src);
                    ASSERT_EQ(sick.execute(), dnnl_success);
                    for (const int arg : {DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
                        if (sick.has(arg))
                            expect_same_elsewhere(sick, arg, clean.tensor(arg).values(), place);
                    expect_poisoned(sick, place, poison);
                }
        }
}

// Neither a sum about an infinity nor one over infinities says what the other one is about.
TEST_P(normalization_non_finite, a_channel_of_infinities_does_not_hide_behind_another) {
    if (operation() != operation_t::group) GTEST_SKIP() << "sets are of one channel";
    for (const auto &problem : problems({0}, dnnl_forward_training)) {
        if (problem.groups == 18) continue;
        for_each_case(problem, [&](case_t &sick) {
            auto src = sick.tensor(DNNL_ARG_SRC).values();
            constexpr size_t plane = 15;
            std::fill_n(src.begin(), plane, infinity);
            src[2 * plane + 1] = infinity;
            sick.set_src(src);
            ASSERT_EQ(sick.execute(), dnnl_success);
            EXPECT_EQ(sick.tensor(DNNL_ARG_MEAN).values()[0], infinity) << sick.name();
        });
    }
}

// The gradients of weights are sums over all sets: that of the poisoned element's weight is NaN,
// the others are as they were.
TEST_P(normalization_non_finite, backward_spoils_only_its_own_set) {
    std::vector<unsigned> flags{scale | shift, global_stats | scale};
    if (is_layer()) flags.push_back(rms | scale);
    constexpr size_t place = 99;
    for (const auto &problem : problems(flags, dnnl_backward))
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST})
            for_each_case(problem, [&](case_t &tested) {
                ASSERT_EQ(tested.execute(), dnnl_success);
                const auto clean = tested.tensor(DNNL_ARG_DIFF_SRC).values();
                const auto clean_scale = tested.tensor(DNNL_ARG_DIFF_SCALE).values();
                auto values = tested.tensor(arg).values();
                values[place] = nan;
                tested.refill(arg, values);
                ASSERT_EQ(tested.execute(), dnnl_success);
                expect_same_elsewhere(tested, DNNL_ARG_DIFF_SRC, clean, place);
                const auto got_scale = tested.tensor(DNNL_ARG_DIFF_SCALE).values();
                for (size_t c = 0; c < got_scale.size(); ++c)
                    EXPECT_TRUE(is_same(got_scale[c],
                            int64_t(c) == problem.weight_of(place) ? nan : clean_scale[c]))
                            << tested.name() << " weight " << c;
            });
}

INSTANTIATE_FOR_OPERATIONS(normalization_non_finite);

} // namespace

} // namespace kiln::test::normalization
