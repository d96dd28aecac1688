// SPDX-License-Identifier: Apache-2.0
// The command line of --reduction: what it accepts, and how it refuses the rest.
#include "command_lines.hpp"

namespace benchdnn {

namespace {

words_t lines(const words_t &words) { return lines_of(with_driver("reduction", words)); }

TEST(reduction_command_line, a_problem_with_all_defaults_is_its_dims) {
    EXPECT_EQ(lines({"4x8:4x1_n\"x\""}), words_t{"--reduction 4x8:4x1_n\"x\""});
}

TEST(reduction_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines({"--sdt=f32,s8", "--alg=sum,max", "--eps=0,2", "4x8:1x8"}),
            (words_t{"--reduction 4x8:1x8", "--reduction --eps=2 4x8:1x8",
                    "--reduction --alg=max 4x8:1x8", "--reduction --alg=max --eps=2 4x8:1x8",
                    "--reduction --sdt=s8 4x8:1x8", "--reduction --sdt=s8 --eps=2 4x8:1x8",
                    "--reduction --sdt=s8 --alg=max 4x8:1x8",
                    "--reduction --sdt=s8 --alg=max --eps=2 4x8:1x8"}));
}

TEST(reduction_command_line, long_names_and_empty_values_mean_the_same) {
    EXPECT_EQ(lines({"--alg=reduction_mean", "--p=", "--eps=", "4x8:1x8"}),
            lines({"--alg=mean", "4x8:1x8"}));
}

TEST(reduction_command_line, a_reproduction_reproduces) {
    const words_t knobs = {"--sdt=bf16", "--ddt=s32", "--stag=acb", "--stag=aBx16b", "--dtag=abx",
            "--alg=max", "--alg=min", "--alg=mul", "--alg=mean", "--alg=norm_lp_max",
            "--alg=norm_lp_sum", "--alg=norm_lp_power_p_max", "--alg=norm_lp_power_p_sum", "--p=2",
            "--p=0", "--eps=0.5", "--attr-post-ops=sum:0.5+relu+add:f32:per_oc",
            "--attr-scratchpad=user", "--attr-deterministic=true", "--impl=jit", "--skip-impl=ref"};
    expect_reproduction("reduction", knobs, "2x3x8:2x1x1_n\"x\"");
}

TEST(reduction_command_line, reset_forgets_all_knobs) {
    EXPECT_EQ(lines({"--sdt=s8", "--ddt=u8", "--stag=ba", "--dtag=ba", "--alg=max", "--p=2",
                      "--eps=1", "--attr-post-ops=relu", "--reset", "4x8:4x1"}),
            lines({"4x8:4x1"}));
}

TEST(reduction_command_line, performance_fields_tell_of_both_sides) {
    const std::vector<task_t> tasks = tasks_of({"--reduction", "--sdt=bf16", "--stag=nhwc",
            "--alg=norm_lp_sum", "--eps=0.5", "2x16x3x3:2x16x1x1_n\"x\""});
    const problem_t &problem = *tasks.at(0).problem;
    EXPECT_EQ(problem.field("sdt"), "bf16");
    EXPECT_EQ(problem.field("ddt"), "f32");
    EXPECT_EQ(problem.field("dt"), "bf16:f32");
    EXPECT_EQ(problem.field("stag"), "acdb");
    EXPECT_EQ(problem.field("dtag"), "any");
    EXPECT_EQ(problem.field("alg"), "norm_lp_sum");
    EXPECT_EQ(problem.field("eps"), "0.5");
    EXPECT_EQ(problem.field("name"), "\"x\"");
    EXPECT_EQ(problem.field("desc"), "2x16x3x3:2x16x1x1_n\"x\"");
    EXPECT_EQ(problem.field("dir"), "");
}

TEST(reduction_command_line, bad_words_are_refused_with_a_reason) {
    expect_refusals("reduction",
            {
                    {{"4x8"}, "problem 4x8|the dims of src and of dst|4x8:4x1"},
                    {{"4x8:4x1:1x1"}, "the dims of src and of dst"},
                    {{"4x8:4"}, "dst must have src's 2 dimensions"},
                    {{"4x8:4x2"}, "each extent of dst must be that of src, or 1"},
                    {{"4x8:4xx"}, "an integer"},
                    {{"--alg=add", "4x8:4x1"}, "--alg|'add'|norm_lp_max"},
                    {{"--p=two", "4x8:4x1"}, "--p|a number from"},
                    {{"--dt=f32", "4x8:4x1"}, "no knob --dt=f32|did you mean --"},
                    {{"--stag=any", "4x8:4x1"}, "--stag|a layout is expected"},
                    {{"--dtag=undef", "4x8:4x1"}, "--dtag|a layout is expected"},
                    {{"--dtag=abc", "4x8:4x1"}, "an axis that the tensor does not have"},
                    {{"--stag=aB24b", "4x8:4x1"}, "--allow-enum-tags-only=false"},
            });
}

TEST(reduction_command_line, what_makes_no_sense_is_skipped_with_a_reason) {
    expect_skipped("reduction",
            {
                    {{"4x8:4x1"}, ""},
                    {{"--sdt=s4", "4x8:4x1"}, "Data type not supported"},
                    {{"--ddt=e8m0", "4x8:4x1"}, "Data type not supported"},
                    {{"--sdt=s8", "--alg=norm_lp_sum", "4x8:4x1"}, "a norm of integers"},
                    {{"--p=0.5", "--alg=norm_lp_sum", "4x8:4x1"}, "p below 1"},
                    {{"--p=0", "4x8:4x1"}, ""}, // a sum has no p
                    {{"--attr-post-ops=prelu:per_oc", "4x8:4x1"}, ""},
                    {{"--attr-post-ops=dw:k3s1p1", "4x8:4x1"}, "dw"},
                    {{"--attr-post-ops=sum+add:f32", "4x8:4x1"}, ""},
            });
}

} // namespace

} // namespace benchdnn
