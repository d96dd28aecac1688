// SPDX-License-Identifier: Apache-2.0
// The gnorm driver's reference against formulas and difference quotients, its command line, and
// errors that are possible only with groups.
#include <cmath>

#include <gtest/gtest.h>

#include "command_lines.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

// g3mb2ic6ih2iw5
constexpr dim_t groups = 3, images = 2, channels = 6, space = 10, channels_in_group = 2;
constexpr double epsilon = 1. / 16;
const std::string shape = "g3mb2ic6ih2iw5";

// The elements of a group are adjacent, and so are those of a channel in it.
struct model_t : forward_model_t {
    explicit model_t(const executed_problem_t &executed)
        : forward_model_t(executed, images * channels * space)
        , mean(values_of(executed, DNNL_ARG_MEAN, 0, 0))
        , variance(values_of(executed, DNNL_ARG_VARIANCE, 0, 0)) {}

    static constexpr dim_t group_size = channels_in_group * space;

    double average(dim_t group, double about, int power) const {
        double sum = 0;
        for (dim_t i = group * group_size; i < (group + 1) * group_size; ++i)
            sum += std::pow(src[i] - about, power);
        return sum / group_size;
    }

    std::vector<double> dst() const override {
        std::vector<double> values(src.size());
        for (dim_t g = 0; g < images * groups; ++g) {
            const double own_mean = has_global_stats ? mean[g] : average(g, 0, 1);
            const double own_variance = has_global_stats ? variance[g] : average(g, own_mean, 2);
            for (dim_t i = g * group_size; i < (g + 1) * group_size; ++i) {
                const dim_t channel = i / space % channels;
                values[i] = scale[channel] * (src[i] - own_mean) / std::sqrt(own_variance + epsilon)
                            + shift[channel];
            }
        }
        return values;
    }

    std::vector<double> mean, variance;
    bool has_global_stats = false;
};

// src is around zero: the input statistics of a backward pass are rounded.
std::vector<std::string> problem(const std::string &direction, const std::string &flags) {
    return {"--gnorm", "--dt=f64", "--dir=" + direction, "--flags=" + flags, shape + "eps0.0625"};
}

class gnorm_reference : public testing::TestWithParam<std::string> {
protected:
    const std::string flags = GetParam();
    const bool has_global_stats = flags.find('G') != std::string::npos;
};

TEST_P(gnorm_reference, takes_what_the_formula_gives) {
    executed_problem_t executed(problem("FWD_D", flags));
    model_t model(executed);
    model.has_global_stats = has_global_stats;
    std::vector<double> dst = model.dst();
    store(executed, DNNL_ARG_DST, dst);
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    dst[17] += 1e-2;
    store(executed, DNNL_ARG_DST, dst);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

// Replaces the results of the library by difference quotients.
TEST_P(gnorm_reference, takes_the_slopes_of_the_forward_pass_for_gradients) {
    // Input statistics are f32: src must make them exact, or their rounding must not matter.
    executed_problem_t executed(problem("BWD_DW", flags), [](arguments_t &arguments) {
        tensor_t &src = arguments.at(DNNL_ARG_SRC);
        for (dim_t g = 0; g < images * groups; ++g) {
            for (dim_t i = 0; i < model_t::group_size; ++i)
                src.store(g * model_t::group_size + i,
                        static_cast<double>(g) + (i % 2 ? -1 : 1) * static_cast<double>(1 + i / 2));
            arguments.at(DNNL_ARG_MEAN).store(g, static_cast<double>(g));
            arguments.at(DNNL_ARG_VARIANCE).store(g, 38.5); // of 1, 2, ... 10
        }
    });
    model_t model(executed);
    model.has_global_stats = has_global_stats;
    model.store_slopes(executed, 1e-5);
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    tensor_t &diff_src = executed.arguments.at(DNNL_ARG_DIFF_SRC);
    diff_src.store(9, diff_src.load(9) + 1e-5);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

INSTANTIATE_TEST_SUITE_P(flags, gnorm_reference, testing::Values("", "C", "H", "CH", "G", "GCH"),
        [](const auto &info) { return info.param.empty() ? "none" : info.param; });

// With a scale, scale * diff_dst is averaged over a group; averages of diff_dst are nearly the same
// if scales are nearly equal.
TEST(gnorm_gradient, averages_without_the_scale_fail) {
    executed_problem_t executed(
            {"--gnorm", "--dt=f64", "--dir=BWD_D", "--flags=C", shape}, [](arguments_t &arguments) {
                for (dim_t c = 0; c < channels; ++c)
                    arguments.at(DNNL_ARG_SCALE).store(c, c % 2 ? 1.01 : 1);
            });
    ASSERT_EQ(executed.verdict(), verdict_t::passed);
    model_t model(executed);
    const tensor_t &mean = executed.arguments.at(DNNL_ARG_MEAN);
    const tensor_t &variance = executed.arguments.at(DNNL_ARG_VARIANCE);
    std::vector<double> wrong;
    for (dim_t g = 0; g < images * groups; ++g) {
        const double r = 1 / std::sqrt(variance.load(g) + epsilon);
        double plain = 0, weighted = 0;
        const auto x = [&](dim_t i) { return (model.src[i] - mean.load(g)) * r; };
        for (dim_t i = g * model_t::group_size; i < (g + 1) * model_t::group_size; ++i) {
            plain += model.diff_dst[i] / model_t::group_size;
            weighted += model.diff_dst[i] * x(i) / model_t::group_size;
        }
        for (dim_t i = g * model_t::group_size; i < (g + 1) * model_t::group_size; ++i)
            wrong.push_back(r * model.scale[i / space % channels]
                            * (model.diff_dst[i] - plain - x(i) * weighted));
    }
    store(executed, DNNL_ARG_DIFF_SRC, wrong);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(gnorm_statistics, of_another_grouping_fail) {
    executed_problem_t executed({"--gnorm", "g2mb2ic4ih5"});
    ASSERT_EQ(executed.verdict(), verdict_t::passed);
    tensor_t &mean = executed.arguments.at(DNNL_ARG_MEAN);
    const double first = mean.load(1), second = mean.load(2);
    mean.store(1, second);
    mean.store(2, first);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(gnorm_command_line, a_reproduction_reproduces) {
    for (const std::string knob : {"--dir=BWD_DW", "--dt=bf16:f32", "--tag=axb:abx", "--flags=GCH",
                 "--strides=800x100x10x1:", "--inplace=true", "--attr-scales=src:common:2",
                 "--attr-post-ops=add:f32:per_oc+relu", "--impl=jit"}) {
        EXPECT_EQ(lines_of({"--gnorm", knob, "g4ic8ih3n\"x\""}),
                words_t{"--gnorm " + knob + " g4ic8ih3n\"x\""});
        const words_t full = lines_of({"--canonical=true", "--gnorm", knob, "g4ic8ih3n\"x\""});
        EXPECT_EQ(lines_of(words_of(full[0])), full) << knob;
        EXPECT_NE(full[0].find("mb2g4ic8ih3iw3eps0.0625n\"x\""), std::string::npos) << full[0];
    }
}

TEST(gnorm_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of({"--gnorm", "--dt=f32,s8:f32", "--mb=0,3", "g2mb5ic8"}),
            (words_t{"--gnorm mb5g2ic8", "--gnorm mb3g2ic8", "--gnorm --dt=s8:f32 mb5g2ic8",
                    "--gnorm --dt=s8:f32 mb3g2ic8"}));
}

TEST(gnorm_command_line, refuses_what_groups_do_not_have) {
    expect_refusals(
            "gnorm", {{{"--flags=R", "g4ic8"}, "there is no flag R"},
                             {{"ic8"}, "g is missing or 0"}, {{"g0ic8"}, "g is missing or 0"}});
}

} // namespace

} // namespace benchdnn
