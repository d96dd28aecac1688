// SPDX-License-Identifier: Apache-2.0
// Elementwise functions against the documented formulas in long double, and their edges.
#include "cpu/eltwise_scalar.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::test {

namespace {

using wide_t = long double;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

wide_t sigmoid(wide_t v) { return v < 0 ? expl(v) / (1 + expl(v)) : 1 / (1 + expl(-v)); }

wide_t clamp(wide_t v, wide_t low, wide_t high) { return fminl(fmaxl(v, low), high); }

struct function_t {
    const char *name;
    std::vector<dnnl_alg_kind_t> algs;
    std::function<wide_t(wide_t x, wide_t alpha, wide_t beta)> formula;
    wide_t largest_x = 3e38L; // to where the formula works in long double
};

const std::vector<function_t> &functions() {
    static const std::vector<function_t> list{
            {"relu", {dnnl_eltwise_relu, dnnl_eltwise_relu_use_dst_for_bwd},
                    [](wide_t x, wide_t a, wide_t) { return x > 0 ? x : a * x; }},
            {"tanh", {dnnl_eltwise_tanh, dnnl_eltwise_tanh_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return tanhl(x); }},
            {"elu", {dnnl_eltwise_elu, dnnl_eltwise_elu_use_dst_for_bwd},
                    [](wide_t x, wide_t a, wide_t) { return x > 0 ? x : a * expm1l(x); }},
            {"square", {dnnl_eltwise_square}, [](wide_t x, wide_t, wide_t) { return x * x; }},
            {"abs", {dnnl_eltwise_abs}, [](wide_t x, wide_t, wide_t) { return fabsl(x); }},
            {"sqrt", {dnnl_eltwise_sqrt, dnnl_eltwise_sqrt_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return sqrtl(x); }},
            {"linear", {dnnl_eltwise_linear},
                    [](wide_t x, wide_t a, wide_t b) { return a * x + b; }},
            {"soft_relu", {dnnl_eltwise_soft_relu},
                    [](wide_t x, wide_t a, wide_t) { return log1pl(expl(a * x)) / a; }, 2000},
            {"hardsigmoid", {dnnl_eltwise_hardsigmoid},
                    [](wide_t x, wide_t a, wide_t b) { return clamp(a * x + b, 0, 1); }},
            {"logistic", {dnnl_eltwise_logistic, dnnl_eltwise_logistic_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return sigmoid(x); }},
            {"exp", {dnnl_eltwise_exp, dnnl_eltwise_exp_use_dst_for_bwd},
                    [](wide_t x, wide_t, wide_t) { return expl(x); }},
            {"gelu_tanh", {dnnl_eltwise_gelu_tanh},
                    [](wide_t x, wide_t, wide_t) {
                        const wide_t g = sqrtl(2 / acosl(-1)) * (x + 0.044715L * x * x * x);
                        return x * expl(g) / (expl(g) + expl(-g));
                    },
                    50},
            {"swish", {dnnl_eltwise_swish},
                    [](wide_t x, wide_t a, wide_t) { return x * sigmoid(a * x); }},
            {"log", {dnnl_eltwise_log}, [](wide_t x, wide_t, wide_t) { return logl(x); }},
            {"clip",
                    {dnnl_eltwise_clip, dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd},
                    [](wide_t x, wide_t a, wide_t b) { return clamp(x, a, b); }},
            {"pow", {dnnl_eltwise_pow},
                    [](wide_t x, wide_t a, wide_t b) { return a * powl(x, b); }},
            {"gelu_erf", {dnnl_eltwise_gelu_erf},
                    [](wide_t x, wide_t, wide_t) { return x / 2 * erfcl(-x / sqrtl(2)); }},
            {"round", {dnnl_eltwise_round}, [](wide_t x, wide_t, wide_t) { return rintl(x); }},
            {"mish", {dnnl_eltwise_mish},
                    [](wide_t x, wide_t, wide_t) { return x * tanhl(log1pl(expl(x))); }, 2000},
            {"hardswish", {dnnl_eltwise_hardswish},
                    [](wide_t x, wide_t a, wide_t b) { return x * clamp(a * x + b, 0, 1); }},
    };
    return list;
}

std::vector<float> samples() {
    std::vector<float> magnitudes{0, std::numeric_limits<float>::denorm_min(), 1e-42f,
            std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
    for (float x = 1e-37f; x < 3e38f; x *= 1.37f) magnitudes.push_back(x);
    for (float x = 1.0f / 64; x < 128; x += 1.0f / 32) magnitudes.push_back(x);
    for (float x = 0.5f; x < 20; x += 1) magnitudes.push_back(x);
    std::vector<float> both;
    for (const float x : magnitudes) both.insert(both.end(), {x, -x});
    return both;
}

// Whether `actual` is the float nearest to `truth`; at a tie, or so close to one that double
// arithmetic may fall to the other side, either neighbour is.
::testing::AssertionResult is_rounded(float actual, wide_t truth) {
    if (std::isnan(truth)) {
        if (std::isnan(actual)) return ::testing::AssertionSuccess();
    } else if (const wide_t limit = 0x1.ffffffp127L; fabsl(truth) >= limit) {
        if (actual == std::copysign(infinity, static_cast<float>(truth)))
            return ::testing::AssertionSuccess();
    } else {
        const int exponent = std::max(truth == 0 ? -126 : ilogbl(truth), -126);
        if (fabsl(actual - truth) <= 0.50001L * ldexpl(1, exponent - 23))
            return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << actual << " is not the float nearest to " << truth;
}

TEST(eltwise_scalar, is_the_documented_formula_rounded_to_float) {
    const std::array<std::array<float, 2>, 7> parameters{
            {{1, 0}, {0.5f, 0.25f}, {2, 3}, {-1, 0.5f}, {0.01f, 1}, {1.0f / 6, 0.5f}, {-0.7f, 6}}};
    for (const auto &function : functions())
        for (const auto &[alpha, beta] : parameters)
            for (const float x : samples()) {
                if (std::fabs(x) > function.largest_x) continue;
                const wide_t truth = function.formula(x, alpha, beta);
                for (const auto alg : function.algs)
                    ASSERT_TRUE(is_rounded(eltwise_fwd(alg, x, alpha, beta), truth))
                            << function.name << "(" << x << ") with alpha " << alpha << " beta "
                            << beta;
            }
}

TEST(eltwise_scalar, names_exactly_the_algorithms_with_a_formula) {
    std::vector<int> written;
    for (const auto &function : functions())
        for (const auto alg : function.algs) written.push_back(alg);
    for (int value = 0; value < 0x20100; ++value) {
        const auto alg = static_cast<dnnl_alg_kind_t>(value);
        const bool expected = std::find(written.begin(), written.end(), value) != written.end();
        ASSERT_EQ(is_eltwise_alg(alg), expected) << "algorithm " << value;
    }
    EXPECT_EQ(written.size(), 28u);
    EXPECT_TRUE(std::isnan(eltwise_fwd(dnnl_binary_add, 1, 1, 1)));
}

TEST(eltwise_scalar, hands_nan_on_through_every_function) {
    for (const auto &function : functions())
        for (const auto alg : function.algs)
            for (const float alpha : {0.0f, 1.0f, -2.0f})
                EXPECT_TRUE(std::isnan(eltwise_fwd(alg, nan, alpha, 0.5f)))
                        << function.name << " alpha " << alpha;
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_pow, nan, 3, 0), 3);
}

TEST(eltwise_scalar, reaches_its_limits_at_infinity) {
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_relu, -infinity, 0, 0), 0);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_relu, -infinity, 0.5f, 0), -infinity);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_elu, -infinity, 2, 0), -2);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_tanh, -infinity, 0, 0), -1);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_logistic, infinity, 0, 0), 1);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_logistic, -infinity, 0, 0), 0);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_exp, -infinity, 0, 0), 0);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_log, 0, 0, 0), -infinity);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_round, -infinity, 0, 0), -infinity);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_clip, infinity, -1, 6), 6);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_clip_v2, -infinity, -1, 6), -1);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_hardsigmoid, infinity, 0.2f, 0.5f), 1);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_soft_relu, infinity, 1, 0), infinity);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_soft_relu, -infinity, 1, 0), 0);
    EXPECT_EQ(eltwise_fwd(dnnl_eltwise_soft_relu, -infinity, -1, 0), -infinity);
    for (const auto alg : {dnnl_eltwise_gelu_tanh, dnnl_eltwise_gelu_erf, dnnl_eltwise_swish,
                 dnnl_eltwise_mish, dnnl_eltwise_hardswish})
        for (const float large : {1e4f, 1e20f, 3e38f, infinity}) {
            EXPECT_EQ(eltwise_fwd(alg, large, 1, 0), large) << "algorithm " << alg;
            EXPECT_EQ(eltwise_fwd(alg, -large, 1, 0), 0) << "algorithm " << alg;
        }
}

TEST(eltwise_scalar, stays_finite_where_an_exponential_would_overflow) {
    for (const float large : {89.0f, 710.0f, 1e4f, 3e38f}) {
        EXPECT_EQ(eltwise_fwd(dnnl_eltwise_soft_relu, large, 1, 0), large);
        EXPECT_EQ(eltwise_fwd(dnnl_eltwise_soft_relu, -large, -1, 0), -large);
        EXPECT_EQ(eltwise_fwd(dnnl_eltwise_mish, large, 0, 0), large);
        EXPECT_EQ(eltwise_fwd(dnnl_eltwise_logistic, large, 0, 0), 1);
    }
}

TEST(eltwise_scalar, rounds_ties_to_even_and_keeps_the_sign_of_zero_in_every_rounding_mode) {
    const int before = std::fegetround();
    for (const int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
        ASSERT_EQ(std::fesetround(mode), 0);
        const std::array<std::array<float, 2>, 7> cases{{{0.5f, 0}, {1.5f, 2}, {-2.5f, -2},
                {-3.5f, -4}, {2.75f, 3}, {8388607.5f, 8388608}, {16777215, 16777215}}};
        for (const auto &[x, expected] : cases)
            EXPECT_EQ(eltwise_fwd(dnnl_eltwise_round, x, 0, 0), expected) << x;
        EXPECT_TRUE(std::signbit(eltwise_fwd(dnnl_eltwise_round, -0.25f, 0, 0)));
    }
    std::fesetround(before);
}

// --- Derivatives ---------------------------------------------------------------------------------

bool is_by_dst(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_relu_use_dst_for_bwd || alg == dnnl_eltwise_tanh_use_dst_for_bwd
           || alg == dnnl_eltwise_elu_use_dst_for_bwd || alg == dnnl_eltwise_sqrt_use_dst_for_bwd
           || alg == dnnl_eltwise_logistic_use_dst_for_bwd
           || alg == dnnl_eltwise_exp_use_dst_for_bwd
           || alg == dnnl_eltwise_clip_v2_use_dst_for_bwd;
}

TEST(eltwise_derivative, is_what_differences_of_the_formula_say) {
    const std::array<std::array<float, 2>, 4> parameters{
            {{1, 0}, {0.5f, 0.75f}, {2, 3}, {1.0f / 6, 0.5f}}};
    size_t compared = 0;
    for (const auto &function : functions())
        for (const auto &[alpha, beta] : parameters)
            for (wide_t x = -30.01L; x < 30; x += 0.0625L) {
                if (function.algs[0] == dnnl_eltwise_round) continue;
                const auto f = [&, alpha = alpha, beta = beta](
                                       wide_t at) { return function.formula(at, alpha, beta); };
                constexpr wide_t step = 1e-5L;
                const auto at = static_cast<float>(x);
                const wide_t below = (f(at) - f(at - step)) / step;
                const wide_t above = (f(at + step) - f(at)) / step;
                const wide_t slope = (above + below) / 2;
                const wide_t scale = std::max(wide_t(1), fabsl(slope));
                if (!(fabsl(above - below) < 1e-3L * scale)) continue; // a kink, or no number
                for (const auto alg : function.algs) {
                    const float where = is_by_dst(alg) ? static_cast<float>(f(at)) : at;
                    EXPECT_NEAR(eltwise_derivative(alg, where, alpha, beta), slope, 3e-6L * scale)
                            << function.name << "'(" << at << ") with alpha " << alpha << " beta "
                            << beta << " form " << alg;
                    ++compared;
                }
            }
    EXPECT_GT(compared, 60000u);
}

TEST(eltwise_derivative, has_the_lower_slope_where_there_are_two) {
    const auto at = [](dnnl_alg_kind_t alg, float x, float alpha = 0, float beta = 0) {
        return eltwise_derivative(alg, x, alpha, beta);
    };
    EXPECT_EQ(at(dnnl_eltwise_relu, 0, 0.25f), 0.25f);
    EXPECT_EQ(at(dnnl_eltwise_elu, 0, 0.25f), 0.25f);
    EXPECT_EQ(at(dnnl_eltwise_elu_use_dst_for_bwd, 0, 0.25f), 0.25f);
    EXPECT_EQ(at(dnnl_eltwise_abs, 0), 0);
    EXPECT_EQ(at(dnnl_eltwise_abs, -0.f), 0);
    EXPECT_EQ(at(dnnl_eltwise_clip, -1, -1, 2), 0);
    EXPECT_EQ(at(dnnl_eltwise_clip, 2, -1, 2), 1);
    for (const auto alg : {dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd}) {
        EXPECT_EQ(at(alg, -1, -1, 2), 0);
        EXPECT_EQ(at(alg, 2, -1, 2), 0);
        EXPECT_EQ(at(alg, 1, -1, 2), 1);
    }
    EXPECT_EQ(at(dnnl_eltwise_hardsigmoid, -1, 0.5f, 0.5f), 0);
    EXPECT_EQ(at(dnnl_eltwise_hardsigmoid, 1, 0.5f, 0.5f), 0);
    EXPECT_EQ(at(dnnl_eltwise_hardswish, -1, 0.5f, 0.5f), 0);
    EXPECT_EQ(at(dnnl_eltwise_hardswish, 1, 0.5f, 0.5f), 1);
    EXPECT_EQ(at(dnnl_eltwise_pow, 0, 3, 0), 0);
}

TEST(eltwise_derivative, hands_nan_on_but_where_slopes_are_constants) {
    for (const auto &function : functions())
        for (const auto alg : function.algs) {
            const float slope = eltwise_derivative(alg, nan, 0.5f, 0.75f);
            switch (function.algs[0]) {
            case dnnl_eltwise_relu:
            case dnnl_eltwise_linear: EXPECT_EQ(slope, 0.5f) << function.name; break;
            case dnnl_eltwise_abs:
            case dnnl_eltwise_clip:
            case dnnl_eltwise_hardsigmoid: EXPECT_EQ(slope, 0) << function.name; break;
            default: EXPECT_TRUE(std::isnan(slope)) << function.name;
            }
        }
}

TEST(eltwise_derivative, reaches_its_limits_at_infinity) {
    for (const auto alg : {dnnl_eltwise_gelu_tanh, dnnl_eltwise_gelu_erf, dnnl_eltwise_swish,
                 dnnl_eltwise_mish, dnnl_eltwise_soft_relu, dnnl_eltwise_elu})
        for (const float large : {1e4f, 1e20f, 3e38f, infinity}) {
            EXPECT_EQ(eltwise_derivative(alg, large, 1, 0), 1) << "algorithm " << alg;
            EXPECT_EQ(eltwise_derivative(alg, -large, 1, 0), 0) << "algorithm " << alg;
        }
}

} // namespace

} // namespace kiln::test
