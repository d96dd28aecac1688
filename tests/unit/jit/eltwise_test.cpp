// SPDX-License-Identifier: Apache-2.0
// Generated elementwise functions on every ISA the machine has: against long double over the whole
// range of floats, and against the scalar reference where there is no number.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/attributes/alg_kind.hpp"
#include "cpu/eltwise_scalar.hpp"
#include "cpu/x64/jit/math/eltwise.hpp"
#include "cpu/x64/jit/math/functions.hpp"
#include "kernels/machine_levels.hpp"
#include "unit/jit/eltwise_samples.hpp"

namespace kiln::test {

namespace {

using namespace x64;
using jit::generator_t;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Distance in units of the last place of a float as large as the truth; infinity is what comes
/// after the largest float. Not finite where only one of them is NaN.
double ulp_error(float actual, wide_t truth) {
    if (std::isnan(truth) || std::isnan(actual))
        return std::isnan(truth) && std::isnan(actual) ? 0 : infinity;
    constexpr wide_t limit = 0x1p128L;
    const wide_t bounded = std::clamp(truth, -limit, limit);
    const wide_t value = std::clamp(static_cast<wide_t>(actual), -limit, limit);
    const int exponent = bounded == 0 ? -126 : std::clamp(std::ilogb(bounded), -126, 127);
    return static_cast<double>(std::fabs(value - bounded) / std::ldexp(wide_t(1), exponent - 23));
}

void check_against_truth(const std::string &name, const writer_t &write,
        const std::function<wide_t(wide_t)> &truth, double bound) {
    const auto &x = samples();
    std::vector<wide_t> expected(x.size());
    std::transform(x.begin(), x.end(), expected.begin(), [&](float x) { return truth(x); });
    for (const isa_t isa : machine_levels()) {
        const auto actual = apply(isa, write, x);
        double worst = -1;
        size_t where = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const double error = ulp_error(actual[i], expected[i]);
            if (error > worst) worst = error, where = i;
        }
        std::printf("%-17s %-32s worst %.3f ulp at %.9g (bound %g)\n", isa_name(isa), name.c_str(),
                worst, static_cast<double>(x[where]), bound);
        ::testing::Test::RecordProperty(
                std::string("worst_ulp_") + isa_name(isa), std::to_string(worst));
        EXPECT_LE(worst, bound) << isa_name(isa) << " " << name << "(" << x[where]
                                << ") = " << actual[where] << ", not " << expected[where];
    }
}

class jit_eltwise : public ::testing::TestWithParam<function_t> {};

TEST_P(jit_eltwise, is_within_its_bound_of_long_double_over_the_range_of_floats) {
    const function_t &function = GetParam();
    for (const auto &[alpha, beta] : function.parameters)
        check_against_truth(
                title(function, alpha, beta), writer_of(function.algs[0], alpha, beta),
                [&, alpha = alpha, beta = beta](
                        wide_t x) { return function.truth(x, alpha, beta); },
                function.bound());
}

TEST_P(jit_eltwise, treats_infinities_and_nan_as_the_reference_does) {
    const function_t &function = GetParam();
    const std::vector<float> specials{nan, -nan, infinity, -infinity, 0.0f, -0.0f, 1.0f, -1.0f};
    auto parameters = function.parameters;
    parameters.insert(parameters.end(), {{0, 0}, {1, 0}, {-1, 1}, {0.5f, 0.5f}, {0, -3}, {2, 3}});
    for (const auto alg : function.algs)
        for (const auto &[alpha, beta] : parameters)
            for (const isa_t isa : machine_levels()) {
                const auto actual = apply(isa, writer_of(alg, alpha, beta), specials);
                for (size_t i = 0; i < specials.size(); ++i) {
                    const float expected = eltwise_fwd(alg, specials[i], alpha, beta);
                    EXPECT_LE(ulp_error(actual[i], expected), function.bound() + 0.5)
                            << isa_name(isa) << " " << title(function, alpha, beta) << " of "
                            << specials[i] << " is " << actual[i] << ", not " << expected;
                }
            }
}

TEST_P(jit_eltwise, gives_the_same_bits_for_each_form_of_an_algorithm) {
    const function_t &function = GetParam();
    const auto bits_of = [&](isa_t isa, dnnl_alg_kind_t alg, float alpha, float beta) {
        const std::vector<float> some(samples().begin(), samples().begin() + 4096);
        std::vector<uint32_t> bits;
        for (const float y : apply(isa, writer_of(alg, alpha, beta), some))
            bits.push_back(std::bit_cast<uint32_t>(y));
        return bits;
    };
    for (const auto &[alpha, beta] : function.parameters)
        for (const isa_t isa : machine_levels())
            for (const auto alg : function.algs)
                EXPECT_EQ(
                        bits_of(isa, alg, alpha, beta), bits_of(isa, function.algs[0], alpha, beta))
                        << isa_name(isa) << " " << function.name << " form " << alg;
}

// Instructions for rare values are skipped where no lane needs them.
TEST_P(jit_eltwise, gives_a_lane_the_same_bits_beside_any_others) {
    const function_t &function = GetParam();
    constexpr size_t stride = 977, group = 16; // a multiple of the lanes
    std::vector<float> alone, among;
    for (size_t i = 0; i < samples().size(); i += stride)
        for (const float other : {-50.0f, -2.0f, 1.0f, nan}) {
            alone.insert(alone.end(), group, samples()[i]);
            among.insert(among.end(), group - 1, other);
            among.push_back(samples()[i]);
        }
    for (const auto &[alpha, beta] : function.parameters)
        for (const isa_t isa : machine_levels()) {
            const auto write = writer_of(function.algs[0], alpha, beta);
            const auto expected = apply(isa, write, alone), actual = apply(isa, write, among);
            for (size_t i = group - 1; i < actual.size(); i += group)
                ASSERT_EQ(std::bit_cast<uint32_t>(actual[i]), std::bit_cast<uint32_t>(expected[i]))
                        << isa_name(isa) << " " << title(function, alpha, beta) << " of "
                        << alone[i];
        }
}

/// Leaves so many vector registers free, and the masks that functions may take.
writer_t with_few_registers(const writer_t &write, int vectors) {
    return [=](generator_t &g, const Xbyak::Xmm &vec) {
        std::vector<jit::vec_t> vecs;
        std::vector<jit::mask_t> masks;
        while (g.free_vecs() > vectors) vecs.push_back(g.vec("taken"));
        if (g.has_avx512())
            for (int i = jit::max_math_masks; i < 7; ++i) masks.push_back(g.mask("taken"));
        write(g, vec);
    };
}

// A kernel that leaves so many registers free can use any algorithm.
TEST_P(jit_eltwise, needs_no_more_registers_than_it_says) {
    const function_t &function = GetParam();
    for (const auto &[alpha, beta] : function.parameters)
        for (const isa_t isa : machine_levels())
            EXPECT_NO_THROW(apply(isa,
                    with_few_registers(
                            writer_of(function.algs[0], alpha, beta), jit::max_math_temporaries),
                    {1.0f}))
                    << isa_name(isa) << " " << title(function, alpha, beta);
}

// --- Derivatives ---------------------------------------------------------------------------------

/// Parameters that leave both sides of a border on the axis, and are good for forms by dst.
const std::vector<std::pair<float, float>> derivative_parameters{
        {1, 2}, {0.3f, 0.75f}, {1.702f, 3}, {1.0f / 6, 0.5f}, {0, 0}, {0.5f, 1}};

writer_t derivative_of(dnnl_alg_kind_t alg, float alpha, float beta) {
    return [=](generator_t &g, const Xbyak::Xmm &vec) {
        jit::derivative(g, alg, alpha, beta, vec);
    };
}

/// soft_relu with alpha 0 is a division by zero.
bool is_of_use(dnnl_alg_kind_t alg, float alpha) {
    return alg != dnnl_eltwise_soft_relu || alpha != 0;
}

TEST_P(jit_eltwise, has_the_derivative_that_the_reference_has) {
    const function_t &function = GetParam();
    const auto &x = samples();
    for (const auto alg : function.algs) {
        if (!jit::can_derive(alg)) continue;
        for (const auto &[alpha, beta] : derivative_parameters)
            for (const isa_t isa : machine_levels()) {
                if (!is_of_use(alg, alpha)) continue;
                const auto actual = apply(isa, derivative_of(alg, alpha, beta), x);
                double worst = 0;
                size_t where = 0;
                for (size_t i = 0; i < x.size(); ++i) {
                    const float truth = eltwise_derivative(alg, x[i], alpha, beta);
                    const bool is_small = std::fabs(truth) < 0.125f;
                    const double error = ulp_error(actual[i], truth);
                    const double absolute = std::fabs(double(actual[i]) - double(truth)) * 0x1p26;
                    const double counted = is_small ? std::min(error, absolute) : error;
                    if (!(counted <= worst)) worst = counted, where = i;
                }
                EXPECT_LE(worst, eltwise_derivative_bound_of_eighth)
                        << isa_name(isa) << " " << title(function, alpha, beta) << " form " << alg
                        << " at " << x[where] << " has slope " << actual[where] << ", not "
                        << eltwise_derivative(alg, x[where], alpha, beta);
            }
    }
}

TEST_P(jit_eltwise, treats_borders_infinities_and_nan_as_the_reference_does_in_derivatives) {
    const function_t &function = GetParam();
    const std::vector<float> specials{
            nan, -nan, infinity, -infinity, 0.0f, -0.0f, 1.0f, -1.0f, 0.3f, 0.75f, 3.0f, 2.0f};
    for (const auto alg : function.algs) {
        if (!jit::can_derive(alg)) continue;
        for (const auto &[alpha, beta] : derivative_parameters)
            for (const isa_t isa : machine_levels()) {
                if (!is_of_use(alg, alpha) || alpha == 0) continue;
                const auto actual = apply(isa, derivative_of(alg, alpha, beta), specials);
                for (size_t i = 0; i < specials.size(); ++i) {
                    const float expected = eltwise_derivative(alg, specials[i], alpha, beta);
                    EXPECT_LE(ulp_error(actual[i], expected), eltwise_derivative_bound_of_eighth)
                            << isa_name(isa) << " " << title(function, alpha, beta) << " form "
                            << alg << " at " << specials[i] << " has slope " << actual[i]
                            << ", not " << expected;
                }
            }
    }
}

TEST_P(jit_eltwise, has_derivatives_that_need_no_more_registers_than_they_say) {
    const function_t &function = GetParam();
    for (const auto alg : function.algs) {
        if (!jit::can_derive(alg)) continue;
        for (const isa_t isa : machine_levels())
            EXPECT_NO_THROW(apply(isa,
                    with_few_registers(
                            derivative_of(alg, 0.5f, 0.75f), jit::max_derivative_temporaries),
                    {1.0f}))
                    << isa_name(isa) << " " << function.name;
    }
}

// Padding of blocked layouts relies on it.
TEST_P(jit_eltwise, gives_plus_zero_for_plus_zero_where_the_reference_does) {
    const function_t &function = GetParam();
    auto parameters = function.parameters;
    parameters.insert(parameters.end(), {{0, 0}, {1, 0}, {-1, 1}, {0.5f, 0.5f}, {0, -3}, {2, 3}});
    const auto is_plus_zero = [](float x) { return std::bit_cast<uint32_t>(x) == 0; };
    for (const auto alg : function.algs)
        for (const auto &[alpha, beta] : parameters)
            for (const isa_t isa : machine_levels()) {
                const float value = apply(isa, writer_of(alg, alpha, beta), {0}).front();
                EXPECT_TRUE(is_plus_zero(value) || !is_plus_zero(eltwise_fwd(alg, 0, alpha, beta)))
                        << isa_name(isa) << " " << title(function, alpha, beta) << " is " << value;
                if (!jit::can_derive(alg) || !is_of_use(alg, alpha)) continue;
                const float slope = eltwise_derivative(alg, 0, alpha, beta);
                const float actual = apply(isa, derivative_of(alg, alpha, beta), {0}).front();
                EXPECT_EQ(is_plus_zero(actual * 0), is_plus_zero(slope * 0))
                        << isa_name(isa) << " " << title(function, alpha, beta) << " has slope "
                        << actual;
            }
}

TEST(jit_can_derive, is_false_of_round_alone) {
    for (const function_t &function : functions())
        for (const auto alg : function.algs)
            EXPECT_EQ(jit::can_derive(alg), alg != dnnl_eltwise_round) << function.name;
    EXPECT_FALSE(jit::can_derive(dnnl_binary_add));
}

INSTANTIATE_TEST_SUITE_P(every_function, jit_eltwise, ::testing::ValuesIn(functions()),
        [](const auto &info) { return info.param.name; });

TEST(jit_eltwise_algorithms, are_all_listed_here) {
    size_t listed = 0;
    for (const function_t &function : functions())
        for (const auto alg : function.algs) {
            EXPECT_TRUE(is_eltwise_alg(alg)) << function.name;
            ++listed;
        }
    size_t known = 0;
    for (int alg = 0; alg < 0x100000; ++alg)
        known += is_eltwise_alg(static_cast<dnnl_alg_kind_t>(alg));
    EXPECT_EQ(known, listed);
}

} // namespace

} // namespace kiln::test
