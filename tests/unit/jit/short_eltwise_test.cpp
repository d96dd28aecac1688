// SPDX-License-Identifier: Apache-2.0
// The forms of generated elementwise functions whose results are rounded to 16 bits: against long
// double over the whole range of floats, and against the scalar reference where there is no number.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/eltwise_scalar.hpp"
#include "kernels/machine_levels.hpp"
#include "unit/jit/eltwise_samples.hpp"

namespace kiln::test {

namespace {

using namespace x64;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class jit_short_eltwise : public ::testing::TestWithParam<function_t> {};

constexpr dnnl_data_type_t types_of_16_bits[] = {dnnl_bf16, dnnl_f16};

TEST_P(jit_short_eltwise, is_within_its_bound_of_long_double_over_the_range_of_floats) {
    const function_t &function = GetParam();
    constexpr double bound = 0x1p-13, least_normal = 0x1p-126;
    const auto &x = samples();
    for (const auto &[alpha, beta] : function.parameters)
        for (const isa_t isa : machine_levels())
            for (const auto type : types_of_16_bits) {
                const auto actual = apply(isa, writer_of(function.algs[0], alpha, beta, type), x);
                for (size_t i = 0; i < x.size(); ++i) {
                    const auto truth = static_cast<double>(function.truth(x[i], alpha, beta));
                    const auto got = static_cast<double>(actual[i]);
                    if (got == truth) continue;
                    ASSERT_LE(std::fabs(got - truth), bound * std::fabs(truth) + least_normal)
                            << isa_name(isa) << " " << title(function, alpha, beta) << " of "
                            << x[i] << " is " << got << ", not " << truth;
                }
            }
}

TEST_P(jit_short_eltwise, treats_infinities_and_nan_as_the_reference_does) {
    const function_t &function = GetParam();
    const std::vector<float> specials{nan, -nan, infinity, -infinity, 0.0f, -0.0f};
    for (const auto &[alpha, beta] : function.parameters)
        for (const isa_t isa : machine_levels())
            for (const auto type : types_of_16_bits) {
                const auto write = writer_of(function.algs[0], alpha, beta, type);
                const auto actual = apply(isa, write, specials);
                for (size_t i = 0; i < specials.size(); ++i) {
                    const float expected = eltwise_fwd(function.algs[0], specials[i], alpha, beta);
                    const std::string what = std::string(isa_name(isa)) + " "
                                             + title(function, alpha, beta) + " of "
                                             + std::to_string(specials[i]);
                    if (std::isnan(expected))
                        EXPECT_TRUE(std::isnan(actual[i])) << what;
                    else if (std::isinf(expected))
                        EXPECT_EQ(actual[i], expected) << what;
                    else
                        EXPECT_NEAR(actual[i], expected, 0x1p-13f * std::fabs(expected)) << what;
                }
            }
}

std::vector<function_t> short_functions() {
    std::vector<function_t> list;
    for (const function_t &function : functions())
        for (const char *name : {"logistic", "gelu_erf", "gelu_tanh", "swish", "mish"})
            if (function.name == std::string(name)) list.push_back(function);
    return list;
}

INSTANTIATE_TEST_SUITE_P(every_function, jit_short_eltwise, ::testing::ValuesIn(short_functions()),
        [](const auto &info) { return std::string(info.param.name); });

} // namespace

} // namespace kiln::test
