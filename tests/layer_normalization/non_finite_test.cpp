// SPDX-License-Identifier: Apache-2.0
// Infinities and NaN: they spoil their own row, as IEEE arithmetic says, and no other.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

problem_t of_size(dims_t dims, unsigned flags = 0) {
    problem_t problem;
    problem.dims = std::move(dims);
    problem.flags = flags;
    return problem;
}

constexpr dnnl_dim_t poisoned_rows = 7;
constexpr dnnl_dim_t poisoned_cols = 45;

/// The bits of the rows of a tensor that are not `row`.
std::vector<std::byte> other_rows(const tensor_t &tensor, dnnl_dim_t row) {
    const auto bits = tensor.bits();
    const size_t row_size = bits.size() / static_cast<size_t>(poisoned_rows);
    std::vector<std::byte> rest(
            bits.begin(), bits.begin() + static_cast<ptrdiff_t>(size_t(row) * row_size));
    rest.insert(rest.end(), bits.begin() + static_cast<ptrdiff_t>(size_t(row + 1) * row_size),
            bits.end());
    return rest;
}

TEST(layer_normalization_non_finite, nan_and_infinity_poison_only_their_own_row) {
    for (const std::string format : {"ab", "ba", "ab+3"})
        for (const unsigned flags : {0u, rms, scale | shift, global_stats})
            for (const double poison : {nan, infinity, -infinity})
                for (const dnnl_dim_t row : {0, 3, 6}) {
                    auto problem = of_size({poisoned_rows, poisoned_cols}, flags);
                    problem.src_format = problem.dst_format = format;
                    const forward_case_t clean(problem);
                    ASSERT_EQ(clean.execute(), dnnl_success);
                    forward_case_t sick(problem);
                    auto src = sick.tensor(DNNL_ARG_SRC).values();
                    src[static_cast<size_t>(row * poisoned_cols + 17)] = poison;
                    sick.set_src(src);
                    ASSERT_EQ(sick.execute(), dnnl_success);

                    for (const int arg : {DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) {
                        if (!sick.bindings().has(arg)) continue;
                        EXPECT_TRUE(other_rows(sick.tensor(arg), row)
                                    == other_rows(clean.tensor(arg), row))
                                << to_string(problem) << " poison " << poison << " argument "
                                << arg;
                    }
                    const auto &dst = sick.tensor(DNNL_ARG_DST);
                    if (!(flags & global_stats)) {
                        EXPECT_TRUE(std::isnan(dst.value({row, 17}))) << to_string(problem);
                        const double variance = sick.tensor(DNNL_ARG_VARIANCE).value({row});
                        EXPECT_FALSE(std::isfinite(variance)) << to_string(problem);
                    } else if (std::isinf(poison)) {
                        EXPECT_EQ(dst.value({row, 17}), poison);
                    } else {
                        EXPECT_TRUE(std::isnan(dst.value({row, 17})));
                    }
                }
}

TEST(layer_normalization_non_finite, statistics_of_poisoned_rows_are_those_of_ieee) {
    forward_case_t forward(of_size({3, 20}));
    std::vector<double> src(60, 1);
    src[5] = nan;
    src[25] = infinity;
    src[45] = -infinity;
    forward.set_src(src);
    ASSERT_EQ(forward.execute(), dnnl_success);
    const auto mean = forward.tensor(DNNL_ARG_MEAN).values();
    EXPECT_TRUE(std::isnan(mean[0]));
    EXPECT_EQ(mean[1], infinity);
    EXPECT_EQ(mean[2], -infinity);
    for (const double variance : forward.tensor(DNNL_ARG_VARIANCE).values())
        EXPECT_TRUE(std::isnan(variance)); // infinity minus infinity
    for (const double value : forward.tensor(DNNL_ARG_DST).values()) EXPECT_TRUE(std::isnan(value));
}

TEST(layer_normalization_non_finite, nan_in_one_row_reaches_no_other_gradient_of_src) {
    for (const unsigned flags : {scale | shift, rms | scale, global_stats | scale})
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST}) {
            auto problem = of_size({poisoned_rows, poisoned_cols}, flags);
            problem.prop_kind = dnnl_backward;
            const backward_case_t clean(problem);
            ASSERT_EQ(clean.execute(), dnnl_success);
            backward_case_t sick(problem);
            auto values = sick.tensor(arg).values();
            values[2 * poisoned_cols + 9] = nan;
            sick.bindings().refill(arg, values);
            ASSERT_EQ(sick.execute(), dnnl_success);
            EXPECT_TRUE(other_rows(sick.tensor(DNNL_ARG_DIFF_SRC), 2)
                        == other_rows(clean.tensor(DNNL_ARG_DIFF_SRC), 2))
                    << to_string(problem);
            // diff_scale sums over rows: its column is NaN, the others are as they were.
            const auto got = sick.tensor(DNNL_ARG_DIFF_SCALE).values();
            const auto want = clean.tensor(DNNL_ARG_DIFF_SCALE).values();
            for (size_t c = 0; c < got.size(); ++c) {
                if (c == 9)
                    EXPECT_TRUE(std::isnan(got[c])) << to_string(problem);
                else
                    EXPECT_EQ(got[c], want[c]) << to_string(problem);
            }
        }
}

// A float result is NaN where the value is; an integer has one value for it, whatever the row.
TEST(layer_normalization_non_finite, nan_becomes_one_value_among_integers) {
    for (const auto type : {dnnl_s8, dnnl_u8}) {
        auto problem = of_size({3, 20}, scale | shift);
        problem.dst_type = type;
        forward_case_t forward(problem);
        auto src = forward.tensor(DNNL_ARG_SRC).values();
        src[20] = nan;
        forward.set_src(src);
        ASSERT_EQ(forward.execute(), dnnl_success);
        const auto dst = forward.tensor(DNNL_ARG_DST).values();
        for (size_t c = 1; c < 20; ++c) EXPECT_EQ(dst[20 + c], dst[20]);
    }
}

} // namespace

} // namespace kiln::test::layer_normalization
