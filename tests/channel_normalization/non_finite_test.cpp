// SPDX-License-Identifier: Apache-2.0
// Infinities and NaN: they spoil what shares their statistics, as IEEE arithmetic says, and nothing
// else.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<int64_t> groupings{0, 1, 6, 18};
const std::vector<std::string> formats{"abcd", "acdb", "aBcd16b"};

problem_t small(dnnl_prop_kind_t prop_kind, unsigned flags, int64_t groups) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {2, 18, 3, 5};
    problem.groups = groups;
    problem.flags = flags;
    return problem;
}

/// The set whose statistics an element shares.
int64_t set_of(const problem_t &problem, size_t element) {
    return problem.statistic_of(static_cast<int64_t>(element) / problem.plane_size());
}

/// Compares the elements whose set is not that of `poisoned`. Their last digits may differ: a set
/// may be summed anew when its neighbour has to be.
void expect_same_elsewhere(
        const problem_t &problem, const tensor_t &sick, const tensor_t &clean, size_t poisoned) {
    const auto got = sick.values();
    const auto want = clean.values();
    for (size_t at = 0; at < got.size(); ++at)
        if (set_of(problem, at) != set_of(problem, poisoned)) {
            ASSERT_NEAR(got[at], want[at], 1e-5 * (1 + std::fabs(want[at])))
                    << to_string(problem) << " element " << at;
        }
}

TEST(channel_normalization_non_finite, forward_spoils_only_its_own_set) {
    for (const auto groups : groupings)
        for (const auto &format : formats)
            for (const unsigned flags : {0u, scale | shift, global_stats})
                for (const double poison : {nan, infinity, -infinity})
                    for (const size_t place : {size_t(0), size_t(17), size_t(2 * 18 * 15 - 1)}) {
                        auto problem = small(dnnl_forward_training, flags, groups);
                        problem.set_formats(format);
                        for (size_t by = 0; by < implementations(problem).size(); ++by) {
                            const forward_case_t clean(problem, by);
                            ASSERT_EQ(clean.execute(), dnnl_success);
                            forward_case_t sick(problem, by);
                            auto src = sick.tensor(DNNL_ARG_SRC).values();
                            src[place] = poison;
                            sick.set_src(src);
                            ASSERT_EQ(sick.execute(), dnnl_success);
                            const auto &dst = sick.tensor(DNNL_ARG_DST);
                            expect_same_elsewhere(problem, dst, clean.tensor(DNNL_ARG_DST), place);
                            const double value = dst.values()[place];
                            if (flags & global_stats)
                                EXPECT_TRUE(
                                        std::isnan(poison) ? std::isnan(value) : value == poison);
                            else
                                EXPECT_TRUE(std::isnan(value)) << to_string(problem);
                            if (flags & global_stats) continue;
                            const auto set = static_cast<size_t>(set_of(problem, place));
                            const auto mean = sick.tensor(DNNL_ARG_MEAN).values();
                            EXPECT_TRUE(std::isnan(poison) ? std::isnan(mean[set])
                                                           : mean[set] == poison)
                                    << to_string(problem) << ' ' << mean[set];
                            EXPECT_TRUE(std::isnan(sick.tensor(DNNL_ARG_VARIANCE).values()[set]));
                        }
                    }
}

// Neither a sum about an infinity nor one over infinities says what the other one is about.
TEST(channel_normalization_non_finite, a_channel_of_infinities_does_not_hide_behind_another) {
    for (const auto groups : {1, 6})
        for (const auto &format : formats) {
            auto problem = small(dnnl_forward_training, 0, groups);
            problem.set_formats(format);
            const auto plane = static_cast<size_t>(problem.plane_size());
            for (size_t by = 0; by < implementations(problem).size(); ++by) {
                forward_case_t sick(problem, by);
                auto src = sick.tensor(DNNL_ARG_SRC).values();
                std::fill_n(src.begin(), plane, infinity);
                src[2 * plane + 1] = infinity;
                sick.set_src(src);
                ASSERT_EQ(sick.execute(), dnnl_success);
                EXPECT_EQ(sick.tensor(DNNL_ARG_MEAN).values()[0], infinity) << to_string(problem);
            }
        }
}

TEST(channel_normalization_non_finite, backward_spoils_only_its_own_set) {
    for (const auto groups : groupings)
        for (const auto &format : formats)
            for (const unsigned flags : {scale | shift, global_stats | scale})
                for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST}) {
                    auto problem = small(dnnl_backward, flags, groups);
                    problem.set_formats(format);
                    const auto forward = executed_forward(problem);
                    const auto names = implementations(problem, forward.primitive_desc());
                    for (size_t by = 0; by < names.size(); ++by) {
                        const backward_case_t clean(problem, forward, by);
                        ASSERT_EQ(clean.execute(), dnnl_success);
                        backward_case_t sick(problem, forward, by);
                        constexpr size_t place = 3 * 15 + 4;
                        auto values = sick.tensor(arg).values();
                        values[place] = nan;
                        sick.bindings().refill(arg, values);
                        ASSERT_EQ(sick.execute(), dnnl_success);
                        expect_same_elsewhere(problem, sick.tensor(DNNL_ARG_DIFF_SRC),
                                clean.tensor(DNNL_ARG_DIFF_SRC), place);
                        // The gradients of weights are sums over a channel.
                        const auto got = sick.tensor(DNNL_ARG_DIFF_SCALE).values();
                        const auto want = clean.tensor(DNNL_ARG_DIFF_SCALE).values();
                        for (size_t c = 0; c < got.size(); ++c)
                            EXPECT_TRUE(c == 3 ? std::isnan(got[c]) : got[c] == want[c])
                                    << to_string(problem) << " channel " << c;
                    }
                }
}

} // namespace

} // namespace kiln::test::channel_normalization
