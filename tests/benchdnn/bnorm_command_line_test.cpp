// SPDX-License-Identifier: Apache-2.0
// The command line of --bnorm: what it accepts, and how it refuses the rest.
#include "command_lines.hpp"
#include "normalization/channel_shape.hpp"

namespace benchdnn {

namespace {

using normalization::channel_shape_t;
using normalization::channel_shape_text;
using normalization::parse_channel_shape;

words_t lines(const words_t &words) { return lines_of(with_driver("bnorm", words)); }

TEST(channel_shape, what_is_left_out_has_defaults) {
    const channel_shape_t shape = parse_channel_shape("ic7", false);
    EXPECT_EQ(shape.dims(), (dims_t{2, 7}));
    EXPECT_EQ(shape.epsilon, 1.f / 16);
    EXPECT_EQ(shape.name, "");
}

TEST(channel_shape, squares_and_cubes_are_said_once) {
    EXPECT_EQ(parse_channel_shape("mb3ic7ih5", false).dims(), (dims_t{3, 7, 5, 5}));
    EXPECT_EQ(parse_channel_shape("mb3ic7id5", false).dims(), (dims_t{3, 7, 5, 5, 5}));
    EXPECT_EQ(parse_channel_shape("mb3ic7iw5", false).dims(), (dims_t{3, 7, 5}));
    EXPECT_EQ(parse_channel_shape("ih2iw3ic7mb3", false).dims(), (dims_t{3, 7, 2, 3}));
    EXPECT_EQ(parse_channel_shape("mb3_ic7_id4_ih2_iw3", false).dims(), (dims_t{3, 7, 4, 2, 3}));
    EXPECT_EQ(parse_channel_shape("mb0ic7", false).dims(), (dims_t{0, 7}));
}

TEST(channel_shape, epsilon_and_name_stand_at_the_end) {
    const channel_shape_t shape = parse_channel_shape("ic7ih5eps1e-3_n\"next mb3\"", false);
    EXPECT_FLOAT_EQ(shape.epsilon, 1e-3f);
    EXPECT_EQ(shape.name, "\"next mb3\"");
    EXPECT_EQ(shape.images, 2);
}

TEST(channel_shape, groups_are_for_those_who_have_them) {
    EXPECT_EQ(parse_channel_shape("g4ic8ih5", true).groups, 4);
    EXPECT_THROW(parse_channel_shape("g4ic8ih5", false), bad_value_t);
    EXPECT_THROW(parse_channel_shape("ic8ih5", true), bad_value_t);
}

TEST(channel_shape, text_is_as_short_as_can_be_or_complete) {
    const auto both = [](const char *text) {
        const channel_shape_t shape = parse_channel_shape(text, false);
        return channel_shape_text(shape, false) + " " + channel_shape_text(shape, true);
    };
    EXPECT_EQ(both("mb2ic7ih5iw5"), "ic7ih5 mb2ic7ih5iw5eps0.0625");
    EXPECT_EQ(both("mb3ic7ih5iw6"), "mb3ic7ih5iw6 mb3ic7ih5iw6eps0.0625");
    EXPECT_EQ(both("mb3ic7id5"), "mb3ic7id5 mb3ic7id5ih5iw5eps0.0625");
    EXPECT_EQ(both("mb3ic7id5ih5iw4"), "mb3ic7id5ih5iw4 mb3ic7id5ih5iw4eps0.0625");
    EXPECT_EQ(both("ic7_iw5_eps2_n\"x\""), "ic7iw5eps2n\"x\" mb2ic7iw5eps2n\"x\"");
    EXPECT_EQ(channel_shape_text(parse_channel_shape("g4mb3ic8iw5", true), false), "mb3g4ic8iw5");
}

TEST(channel_shape, nonsense_is_refused) {
    for (const char *text : {"", "mb3", "ic0", "ic", "icx", "ic-3", "7x8", "ic7id3ih4", "ic7id3iw4",
                 "ic7oh3", "ic7eps", "ic7eps-1", "ic7?"})
        EXPECT_THROW(parse_channel_shape(text, false), bad_value_t) << text;
}

TEST(bnorm_command_line, a_problem_with_all_defaults_is_its_shape) {
    EXPECT_EQ(lines({"mb64ic512ih28n\"res3\""}), words_t{"--bnorm mb64ic512ih28n\"res3\""});
}

TEST(bnorm_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines({"--dir=FWD_D,BWD_D", "--flags=,R", "--mb=0,3", "--inplace=true,false",
                      "mb5ic8"}),
            (words_t{"--bnorm --inplace=true mb5ic8", "--bnorm mb5ic8",
                    "--bnorm --inplace=true mb3ic8", "--bnorm mb3ic8",
                    "--bnorm --flags=R --inplace=true mb5ic8", "--bnorm --flags=R mb5ic8",
                    "--bnorm --flags=R --inplace=true mb3ic8", "--bnorm --flags=R mb3ic8",
                    "--bnorm --dir=BWD_D --inplace=true mb5ic8", "--bnorm --dir=BWD_D mb5ic8",
                    "--bnorm --dir=BWD_D --inplace=true mb3ic8", "--bnorm --dir=BWD_D mb3ic8",
                    "--bnorm --dir=BWD_D --flags=R --inplace=true mb5ic8",
                    "--bnorm --dir=BWD_D --flags=R mb5ic8",
                    "--bnorm --dir=BWD_D --flags=R --inplace=true mb3ic8",
                    "--bnorm --dir=BWD_D --flags=R mb3ic8"}));
}

TEST(bnorm_command_line, a_reproduction_reproduces) {
    const words_t knobs = {"--dir=FWD_I", "--dir=BWD_DW", "--dt=bf16", "--dt=s8", "--tag=axb",
            "--tag=nhwc", "--tag=aBx16b:abx", "--strides=800x100x10x1:", "--strides=:1x2x16x48",
            "--flags=GCHR", "--flags=CHA", "--check-alg=alg_1", "--inplace=true",
            "--debug-check-ws=true", "--attr-post-ops=relu:0.1+tanh", "--attr-scratchpad=user",
            "--impl=jit", "--skip-impl=ref"};
    expect_reproduction("bnorm", knobs, "ic8ih3n\"x\"");
    const words_t full = lines({"--canonical=true", "ic8ih3n\"x\""});
    EXPECT_NE(full[0].find("mb2ic8ih3iw3eps0.0625n\"x\""), std::string::npos) << full[0];
}

TEST(bnorm_command_line, reset_forgets_all_knobs) {
    EXPECT_EQ(lines({"--dir=BWD_D", "--dt=bf16", "--tag=axb", "--flags=R", "--check-alg=alg_0",
                      "--inplace=true", "--mb=7", "--debug-check-ws=true", "--reset", "ic8"}),
            lines({"ic8"}));
}

TEST(bnorm_command_line, a_refusal_says_what_there_is) {
    expect_refusals("bnorm",
            {{{"--flags=M", "ic8"}, "there is no flag M"},
                    {{"--dt=f32:bf16", "ic8"}, "not a data type"}, {{"4x8"}, "mbXicX"},
                    {{"--mb=-1", "ic8"}, "an integer from 0 to"},
                    {{"--check-alg=alg_9", "ic8"}, "alg_auto"},
                    {{"--strides=8x1:", "ic8ih3"}, "one stride for each of the 4 dimensions"}});
}

} // namespace

} // namespace benchdnn
