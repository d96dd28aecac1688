// SPDX-License-Identifier: Apache-2.0
// The command line of --reorder: what it accepts, and how it refuses the rest.
#include "command_lines.hpp"

namespace benchdnn {

namespace {

words_t lines(const words_t &words) { return lines_of(with_driver("reorder", words)); }

TEST(reorder_command_line, a_problem_spells_types_and_layouts_out) {
    EXPECT_EQ(lines({"4x8_n\"x\""}),
            words_t{"--reorder --sdt=f32 --ddt=f32 --stag=abx --dtag=abx 4x8_n\"x\""});
}

TEST(reorder_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines({"--sdt=f32,s8", "--dtag=ab,ba", "4x8"}),
            (words_t{"--reorder --sdt=f32 --ddt=f32 --stag=abx --dtag=ab 4x8",
                    "--reorder --sdt=f32 --ddt=f32 --stag=abx --dtag=ba 4x8",
                    "--reorder --sdt=s8 --ddt=f32 --stag=abx --dtag=ab 4x8",
                    "--reorder --sdt=s8 --ddt=f32 --stag=abx --dtag=ba 4x8"}));
}

// One value of each knob.
TEST(reorder_command_line, a_reproduction_reproduces) {
    const words_t knobs = {"--sdt=s4", "--ddt=f8_e4m3", "--stag=aBx16b", "--dtag=cab",
            "--strides=24x8x1:", "--strides=:1x2x6", "--strides=24x8x1:30x9x1",
            "--oflag=s8s8_comp:1", "--oflag=s8s8_comp:3+zp_comp:3", "--cross-engine=cpu2gpu",
            "--runtime-dim-mask=7", "--inplace=true",
            "--attr-scales=src:common:2+dst:per_dim_1:bf16",
            "--attr-scales=src0:per_tensor:f32:8x1",
            "--attr-zero-points=src:common:3+dst:host_scalar:-3", "--attr-post-ops=sum:0.5:2",
            "--attr-post-ops=relu+add:f32:per_dim_1", "--attr-scratchpad=user",
            "--attr-deterministic=true", "--attr-rounding-mode=dst:stochastic:123", "--impl=jit",
            "--skip-impl=ref,simple"};
    expect_reproduction("reorder", knobs, "2x3x8");
}

TEST(reorder_command_line, strides_of_nothing_are_none) {
    EXPECT_EQ(lines({"--strides=:", "4x8"}), lines({"4x8"}));
}

TEST(reorder_command_line, reset_forgets_all_knobs) {
    EXPECT_EQ(lines({"--sdt=s8", "--ddt=u8", "--stag=ba", "--dtag=ba", "--oflag=zp_comp:1",
                      "--cross-engine=gpu2cpu", "--runtime-dim-mask=1", "--inplace=true",
                      "--attr-scales=src:common:2", "--reset", "4x8"}),
            lines({"4x8"}));
}

TEST(reorder_command_line, match_leaves_problems_out) {
    EXPECT_EQ(lines({"--match=.*ddt=s8.*", "--ddt=f32,s8,u8", "4x8"}).size(), 1u);
}

TEST(reorder_command_line, performance_fields_tell_of_both_sides) {
    const std::vector<task_t> tasks =
            tasks_of({"--reorder", "--sdt=bf16", "--ddt=s8", "--stag=nhwc", "--dtag=aBx16b",
                    "--oflag=zp_comp:1", "--inplace=true", "2x16x3x3_n\"x\""});
    const problem_t &problem = *tasks.at(0).problem;
    EXPECT_EQ(problem.field("sdt"), "bf16");
    EXPECT_EQ(problem.field("ddt"), "s8");
    EXPECT_EQ(problem.field("stag"), "acdb");
    EXPECT_EQ(problem.field("dtag"), "aBcd16b");
    EXPECT_EQ(problem.field("flags"), "zp_comp:1");
    EXPECT_EQ(problem.field("inplace"), "true");
    EXPECT_EQ(problem.field("desc"), "2x16x3x3_n\"x\"");
    EXPECT_EQ(problem.field("eps"), "");
}

TEST(reorder_command_line, bad_words_are_refused_with_a_reason) {
    expect_refusals("reorder",
            {
                    {{"--sdt=f33", "4x8"}, "--sdt|'f33'|bf16"},
                    {{"--dt=f32", "4x8"}, "no knob --dt=f32|did you mean --"},
                    {{"--stag=any", "4x8"}, "--stag|a layout is expected"},
                    {{"--dtag=undef", "4x8"}, "--dtag|a layout is expected"},
                    {{"--dtag=abq", "4x8"}, "--dtag|'abq'"},
                    {{"--dtag=abc", "4x8"}, "problem 4x8|an axis that the tensor does not have"},
                    {{"--dtag=aB24b", "4x8"}, "--allow-enum-tags-only=false"},
                    {{"--strides=8:8", "4x8"}, "one stride for each of the 2 dimensions"},
                    {{"--strides=8x1:8x1:8x1", "4x8"}, "--strides|SRC:DST"},
                    {{"--strides=-8x1:", "4x8"}, "an integer from 0 to"},
                    {{"--stag=ba", "--strides=8x1:", "4x8"}, "src has both a tag and strides"},
                    {{"--dtag=ba", "--strides=:8x1", "4x8"}, "dst has both a tag and strides"},
                    {{"--oflag=s8_comp:1", "4x8"}, "--oflag|s8s8_comp:MASK"},
                    {{"--oflag=zp_comp", "4x8"}, "--oflag|zp_comp:MASK"},
                    {{"--oflag=zp_comp:-1", "4x8"}, "--oflag|an integer from 0 to 4095"},
                    {{"--cross-engine=cpu2tpu", "4x8"}, "--cross-engine|cpu2gpu"},
                    {{"--runtime-dim-mask=x", "4x8"}, "--runtime-dim-mask|an integer"},
                    {{"--runtime-dim-mask=-1", "4x8"}, "--runtime-dim-mask|a bit for each"},
                    {{"--inplace=maybe", "4x8"}, "--inplace|true or false"},
                    {{"--attr-scales=src:per_oc", "4x8"}, "problem 4x8|per_dim_1"},
                    {{"--attr-zero-points=dst:per_oc", "4x8"}, "problem 4x8|per_dim_1"},
                    {{"--attr-rounding-mode=dst:stochastic:x", "4x8"},
                            "--attr-rounding-mode|an integer"},
                    {{"4xx8"}, "problem 4xx8|an integer"},
            });
}

TEST(reorder_command_line, what_cannot_be_checked_is_skipped_with_a_reason) {
    expect_skipped("reorder",
            {
                    {{"4x8"}, ""},
                    {{"--sdt=s4", "4x8"}, ""},
                    {{"--ddt=f4_e2m1", "4x8"}, "Data type not supported"},
                    {{"--ddt=e8m0", "4x8"}, "Data type not supported"},
                    {{"--sdt=s8", "--ddt=s8", "--oflag=zp_comp:1", "4x8"}, "compensation"},
                    {{"--runtime-dim-mask=2", "4x8"}, ""},
                    {{"--runtime-dim-mask=4", "4x8"}, ""}, // there is no such dimension
                    {{"--runtime-dim-mask=2", "--attr-scales=src:per_dim_1", "4x8"},
                            "along run-time dims"},
                    {{"--cross-engine=cpu2gpu", "4x8"}, "only a CPU engine"},
                    {{"--attr-scales=src:per_tensor:f32:2x1", "4x8"}, "groups"},
                    {{"--attr-scales=src:per_dim_2", "4x8"}, "more bits than there are axes"},
                    {{"--attr-scales=wei:common:2", "4x8"}, "does not have"},
                    {{"--attr-zero-points=src:common:2", "4x8"}, "floating-point"},
                    {{"--attr-zero-points=dst:common:2", "--ddt=u8", "4x8"}, ""},
                    {{"--sdt=s8", "--attr-zero-points=src:per_dim_1:s4", "4x8"},
                            "Data type not supported"},
                    {{"--attr-post-ops=prelu:per_dim_1", "4x8"}, ""},
                    {{"--attr-post-ops=dw:k3s1p1", "4x8"}, "dw"},
                    {{"--attr-rounding-mode=dst:stochastic", "4x8"}, "stochastic"},
                    {{"--attr-rounding-mode=dst:environment", "4x8"}, ""},
                    {{"--inplace=true", "--ddt=s32", "4x8"}, "different types"},
            });
}

} // namespace

} // namespace benchdnn
