// SPDX-License-Identifier: Apache-2.0
// The bnorm driver's reference against formulas and difference quotients, and errors that are
// possible only in batch normalization: in the mask, in exact statistics, in the forward pass
// before a backward pass.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "executed_problem.hpp"

namespace benchdnn {

namespace {

constexpr dim_t images = 3, channels = 4, space = 6; // mb3ic4ih3iw2
constexpr double epsilon = 1. / 16;

dim_t index_of(dim_t image, dim_t channel, dim_t place) {
    return (image * channels + channel) * space + place;
}

// relu(scale * x + shift + src_1) by definition, element by element.
struct model_t : forward_model_t {
    explicit model_t(const executed_problem_t &executed)
        : forward_model_t(executed, images * channels * space)
        , src_1(values_of(executed, DNNL_ARG_SRC_1, images * channels * space, 0)) {}

    double average(dim_t channel, double about, int power) const {
        double sum = 0;
        for (dim_t n = 0; n < images; ++n)
            for (dim_t s = 0; s < space; ++s)
                sum += std::pow(src[index_of(n, channel, s)] - about, power);
        return sum / (images * space);
    }

    std::vector<double> dst() const override {
        std::vector<double> values(src.size());
        for (dim_t c = 0; c < channels; ++c) {
            const double mean = average(c, 0, 1),
                         deviation = std::sqrt(average(c, mean, 2) + epsilon);
            for (dim_t n = 0; n < images; ++n)
                for (dim_t s = 0; s < space; ++s) {
                    const dim_t i = index_of(n, c, s);
                    const double value =
                            scale[c] * (src[i] - mean) / deviation + shift[c] + src_1[i];
                    values[i] = has_relu && value < 0 ? 0 : value;
                }
        }
        return values;
    }

    std::vector<double> src_1;
    bool has_relu = false;
};

std::string with_flags(const std::string &flags) { return "--flags=" + flags; }

// Statistics are exact, so the input statistics of a backward pass equal those of the forward pass.
class bnorm_reference : public testing::TestWithParam<std::string> {
protected:
    const std::string flags = GetParam();
    const bool has_relu = flags.find_first_of("RA") != std::string::npos;
};

TEST_P(bnorm_reference, takes_what_the_formula_gives) {
    executed_problem_t executed(
            {"--bnorm", "--dt=f64", "--check-alg=alg_1", with_flags(flags), "mb3ic4ih3iw2"});
    model_t model(executed);
    model.has_relu = has_relu;
    std::vector<double> dst = model.dst();
    store(executed, DNNL_ARG_DST, dst);
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    dst[17] += 1e-5;
    store(executed, DNNL_ARG_DST, dst);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

// Replaces the results of the library by difference quotients.
TEST_P(bnorm_reference, takes_the_slopes_of_the_forward_pass_for_gradients) {
    executed_problem_t executed({"--bnorm", "--dt=f64", "--dir=BWD_DW", "--check-alg=alg_1",
            with_flags(flags), "mb3ic4ih3iw2"});
    model_t model(executed);
    model.has_relu = has_relu;
    model.store_slopes(executed, 1e-6);
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    tensor_t &diff_src = executed.arguments.at(DNNL_ARG_DIFF_SRC);
    diff_src.store(9, diff_src.load(9) + 1e-4);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

INSTANTIATE_TEST_SUITE_P(flags, bnorm_reference,
        testing::Values("", "C", "H", "CH", "R", "CR", "HR", "CHR", "A", "CHA"),
        [](const auto &info) { return info.param.empty() ? "none" : info.param; });

class bnorm_mask : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(bnorm_mask, a_flipped_bit_is_noticed) {
    for (const size_t at : {0, 1}) {
        executed_problem_t executed(GetParam(), [&](arguments_t &arguments) {
            const tensor_t &mask = arguments.at(DNNL_ARG_WORKSPACE);
            // The first or the last whole byte.
            mask.data()[at == 0 ? 0 : mask.buffer().bytes() - 1] ^= 1;
        });
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << at;
    }
}

TEST_P(bnorm_mask, of_the_library_passes) {
    EXPECT_EQ(executed_problem_t(GetParam()).verdict(), verdict_t::passed);
}

// Gradients are set to zero only where rounding decides the ReLU.
TEST_P(bnorm_mask, is_of_consequence_nearly_everywhere) {
    const executed_problem_t executed(GetParam());
    const tensor_t &diff_dst = executed.arguments.original(DNNL_ARG_DIFF_DST);
    dim_t zeros = 0;
    for (dim_t i = 0; i < diff_dst.layout().elements(); ++i) zeros += diff_dst.load(i) == 0;
    EXPECT_LE(zeros * 100, diff_dst.layout().elements());
}

// The operands that determine the mask are kept by the driver and are no arguments of a backward
// pass.
TEST_P(bnorm_mask, follows_from_tensors_that_are_not_passed) {
    const executed_problem_t executed(GetParam());
    ASSERT_TRUE(executed.arguments.has(DNNL_ARG_SHIFT));
    for (const dnnl_exec_arg_t &argument : executed.arguments.execution_list()) {
        EXPECT_NE(argument.arg, DNNL_ARG_SHIFT);
        EXPECT_NE(argument.arg, DNNL_ARG_SRC_1);
    }
}

INSTANTIATE_TEST_SUITE_P(problems, bnorm_mask,
        testing::Values(
                std::vector<std::string>{"--bnorm", "--dir=BWD_DW", "--flags=CHR", "mb2ic16iw8"},
                std::vector<std::string>{"--bnorm", "--dir=BWD_DW", "--flags=GCHR", "mb2ic16iw8"},
                std::vector<std::string>{
                        "--bnorm", "--dir=BWD_DW", "--dt=bf16", "--flags=CHA", "mb2ic16iw8"},
                std::vector<std::string>{
                        "--bnorm", "--dir=BWD_DW", "--tag=axb", "--flags=CHA", "mb2ic16iw8"}));

TEST(bnorm_mask, wrong_in_the_gradient_of_src_1_is_noticed) {
    executed_problem_t executed({"--bnorm", "--dir=BWD_D", "--flags=A", "mb2ic16iw8"});
    tensor_t &diff_src_1 = executed.arguments.at(DNNL_ARG_DIFF_SRC_1);
    const tensor_t &diff_dst = executed.arguments.at(DNNL_ARG_DIFF_DST);
    dim_t masked = 0;
    while (diff_src_1.load(masked) != 0) ++masked;
    ASSERT_EQ(executed.verdict(), verdict_t::passed);
    diff_src_1.store(masked, diff_dst.load(masked));
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(bnorm_relu, left_out_is_noticed) {
    executed_problem_t executed({"--bnorm", "--flags=R", "mb2ic16iw8"});
    ASSERT_EQ(executed.verdict(), verdict_t::passed);
    tensor_t &dst = executed.arguments.at(DNNL_ARG_DST);
    dim_t at = 0;
    while (dst.load(at) != 0) ++at;
    dst.store(at, -0.001);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(bnorm_relu, lets_some_through_and_some_not_in_every_channel) {
    for (const char *flags : {"--flags=R", "--flags=CHR", "--flags=GCHR", "--flags=CHA"}) {
        executed_problem_t executed({"--bnorm", flags, "mb4ic33iw50"});
        const tensor_t &dst = executed.arguments.at(DNNL_ARG_DST);
        for (dim_t c = 0; c < 33; ++c) {
            int zeros = 0;
            for (dim_t n = 0; n < 4; ++n)
                for (dim_t w = 0; w < 50; ++w) zeros += dst.load((n * 33 + c) * 50 + w) == 0;
            EXPECT_GT(zeros, 5) << flags << " channel " << c;
            EXPECT_LT(zeros, 195) << flags << " channel " << c;
        }
    }
}

// If sums are exact, the f32 value next to the right one is wrong.
class bnorm_exact : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(bnorm_exact, statistics_one_bit_off_fail) {
    for (const int id : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) {
        executed_problem_t executed(
                {"--bnorm", GetParam().first, "--check-alg=alg_1", GetParam().second});
        ASSERT_EQ(executed.verdict(), verdict_t::passed);
        tensor_t &tensor = executed.arguments.at(id);
        const auto value = static_cast<float>(tensor.load(1));
        tensor.store(1, std::nextafter(value, 1e9f));
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << argument_name(id);
    }
}

INSTANTIATE_TEST_SUITE_P(problems, bnorm_exact,
        testing::Values(std::pair("--dt=f32", "mb2ic5ih7"), std::pair("--dt=f32", "mb3ic5ih101"),
                std::pair("--dt=bf16", "mb2ic5ih16"), std::pair("--dt=f16", "mb64ic3ih30")));

TEST(bnorm_fill, reaches_every_way_for_src_to_lie) {
    double nearest = 1e9, farthest = 0;
    for (int size = 20; size < 40; ++size) {
        executed_problem_t executed({"--bnorm", "mb3ic4iw" + std::to_string(size)});
        const double mean = executed.arguments.at(DNNL_ARG_MEAN).load(1);
        const double variance = executed.arguments.at(DNNL_ARG_VARIANCE).load(1);
        nearest = std::min(nearest, std::fabs(mean) / std::sqrt(variance));
        farthest = std::max(farthest, std::fabs(mean) / std::sqrt(variance));
    }
    EXPECT_LT(nearest, 2);
    EXPECT_GT(farthest, 300);
}

} // namespace

} // namespace benchdnn
