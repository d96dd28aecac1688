// SPDX-License-Identifier: Apache-2.0
// The command line: what it accepts, and how it refuses the rest.
#include <filesystem>
#include <fstream>

#include "command_lines.hpp"

namespace benchdnn {

namespace {

TEST(command_line, a_problem_with_all_defaults_is_its_dims) {
    EXPECT_EQ(lines_of({"--lnorm", "4x8_n\"x\""}), words_t{"--lnorm 4x8_n\"x\""});
}

TEST(command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of({"--lnorm", "--dir=FWD_D,BWD_D", "--flags=,G", "4x8"}),
            (words_t{"--lnorm 4x8", "--lnorm --flags=G 4x8", "--lnorm --dir=BWD_D 4x8",
                    "--lnorm --dir=BWD_D --flags=G 4x8"}));
}

TEST(command_line, knobs_hold_for_the_problems_after_them) {
    EXPECT_EQ(lines_of({"--lnorm", "4x8", "--dt=bf16", "4x8", "--reset", "--mode=P", "4x8"}),
            (words_t{"--lnorm 4x8", "--lnorm --dt=bf16:bf16 4x8", "--mode=P --lnorm 4x8"}));
}

// One value of each knob.
TEST(command_line, a_reproduction_reproduces) {
    const words_t knobs = {"--dir=FWD_I", "--dir=FWD_B", "--dir=BWD_DW", "--dir=BWD_W",
            "--dir=BWD_WB", "--dt=bf16:f32", "--dt=f8_e5m2:f8_e4m3", "--tag=acb", "--tag=tnc:ntc",
            "--tag=aBx16b:abx", "--stat_tag=undef", "--stat_tag=ba", "--stat_dt=bf16",
            "--ss_dt=f16", "--flags=GCHM", "--eps=1e-05", "--inplace=true",
            "--strides=100x10x1:80x8x1", "--strides=:80x8x1",
            "--attr-scales=src:common:2+dst:host_scalar:0.5:bf16",
            "--attr-scales=src:per_dim_01:f32:2x4", "--attr-zero-points=dst:common:3",
            "--attr-post-ops=relu:0.1+add:f32:per_oc+sum:0.5:2:s8",
            "--attr-post-ops=select:f32.per_tensor.axb:common",
            "--attr-post-ops=eltwise_tanh+binary_mul:s8:3:abx+dw:k3s1p1:f32+prelu:per_oc",
            "--attr-scratchpad=user", "--attr-fpmath=bf16:true", "--attr-acc-mode=relaxed",
            "--attr-rounding-mode=dst:stochastic", "--attr-deterministic=true", "--impl=ref,jit",
            "--skip-impl=ref"};
    expect_reproduction("lnorm", knobs, "2x3x8");
}

TEST(command_line, knobs_of_the_run_are_reproduced_where_they_matter) {
    const words_t words = {"--mode=cp", "--max-ms-per-prb=500", "--fix-times-per-prb=7",
            "--mem-check=0", "--lnorm", "--allow-enum-tags-only=false", "4x8"};
    EXPECT_EQ(
            lines_of(words), words_t{"--mode=CP --max-ms-per-prb=500 --fix-times-per-prb=7 --lnorm "
                                     "--mem-check=false --allow-enum-tags-only=false 4x8"});
}

TEST(command_line, knobs_of_the_run_are_read) {
    command_line_t command_line;
    command_line.read({"--max-ms-per-prb=12.5", "--repeats-per-prb=2", "--start=3", "-v7",
            "--engine=cpu", "--table", "--progress=false", "--summary=no-failures+impl",
            "--global-skip-impl=a,b"});
    const options_t &options = command_line.options();
    EXPECT_EQ(options.max_ms_per_problem, 12.5);
    EXPECT_EQ(options.repeats, 2);
    EXPECT_EQ(options.start, 3);
    EXPECT_EQ(options.verbosity, 7);
    EXPECT_TRUE(options.table);
    EXPECT_EQ(options.progress, options_t::progress_t::never);
    EXPECT_FALSE(options.summary.failures);
    EXPECT_TRUE(options.summary.implementations);
    EXPECT_TRUE(options.global_impl.accepts("jit:c"));
    EXPECT_FALSE(options.global_impl.accepts("jit:b"));
}

TEST(command_line, match_leaves_problems_out) {
    EXPECT_EQ(
            lines_of({"--lnorm", "--match=.*bert.*", "4x8_n\"bert\"", "4x8_n\"gpt\""}).size(), 1u);
}

TEST(command_line, matching_implementations) {
    impl_filter_t filter;
    EXPECT_TRUE(filter.accepts("ref:any"));
    filter.pieces = {"jit", "brg"};
    EXPECT_FALSE(filter.accepts("ref:any"));
    EXPECT_TRUE(filter.accepts("jit:avx2"));
    filter.is_skip_list = true;
    EXPECT_FALSE(filter.accepts("jit:avx2"));
}

TEST(command_line, bad_words_are_refused_with_a_reason) {
    expect_refusals({
            {{"--lnrm", "4x8"}, "there is no --lnrm|did you mean --lnorm"},
            {{"4x8"}, "a driver is expected"},
            {{"--flags=C", "--lnorm", "4x8"}, "knobs of a driver come after"},
            {{"--lnorm", "--flag=C", "4x8"}, "no knob --flag=C|did you mean --flags"},
            {{"--lnorm", "--dir=FWD", "4x8"}, "--dir|'FWD'|FWD_D, FWD_I"},
            {{"--lnorm", "--dri=FWD_D", "4x8"}, "did you mean --dir"},
            {{"--lnorm", "--dir", "4x8"}, "--dir needs a value"},
            {{"--lnorm", "--dt=f33", "4x8"}, "--dt|'f33'|bf16"},
            {{"--lnorm", "--dt=f32:f32:f32", "4x8"}, "--dt|SRC:DST"},
            {{"--lnorm", "--tag=abq", "4x8"}, "--tag|'abq'"},
            {{"--lnorm", "--tag=any", "4x8"}, "--tag|a layout is expected"},
            {{"--lnorm", "--tag=abc", "4x8"}, "problem 4x8|an axis that the tensor does not have"},
            {{"--lnorm", "--tag=aB24b", "4x8"}, "--allow-enum-tags-only=false"},
            {{"--lnorm", "--flags=CX", "4x8"}, "--flags|X|G, C, H, M"},
            {{"--lnorm", "--inplace=maybe", "4x8"}, "--inplace|true or false"},
            {{"--lnorm", "--eps=-1", "4x8"}, "--eps|a number from 0 to"},
            {{"--lnorm", "--eps=1e-5x", "4x8"}, "--eps|a number from 0 to"},
            {{"--lnorm", "--strides=8", "4x8"}, "one stride for each of the 2 dimensions"},
            {{"--lnorm", "--attr-scales=foo:common:1", "4x8"}, "--attr-scales|'foo'"},
            {{"--lnorm", "--attr-scales=src:often:1", "4x8"}, "--attr-scales|per_oc"},
            {{"--lnorm", "--attr-scales=src:common:-1", "4x8"}, "--attr-scales|a number from 0 to"},
            {{"--lnorm", "--attr-post-ops=rleu", "4x8"}, "--attr-post-ops|did you mean relu"},
            {{"--lnorm", "--attr-post-ops=relu:1:2:3:4", "4x8"}, "nothing is expected"},
            {{"--lnorm", "--attr-post-ops=add", "4x8"}, "--attr-post-ops|data type"},
            {{"--lnorm", "--attr-post-ops=dw:k3", "4x8"}, "--attr-post-ops|kKsSpP"},
            {{"--lnorm", "--attr-scratchpad=mine", "4x8"}, "--attr-scratchpad|library, user"},
            {{"--lnorm", "--attr-fpmath=f8", "4x8"}, "--attr-fpmath|strict"},
            {{"--lnorm", "--match=\\(", "4x8"}, "--match|not a regular expression"},
            {{"--mode=X", "--lnorm", "4x8"}, "--mode|there is no mode X"},
            {{"--mode=CI", "--lnorm", "4x8"}, "--mode|only R, C, B"},
            {{"--mode=CS", "--lnorm", "4x8"}, "--mode|nothing to check"},
            {{"--mode=", "--lnorm", "4x8"}, "--mode"},
            {{"--fix-times-per-prb=-1"}, "--fix-times-per-prb|an integer from 0 to"},
            {{"--engine=gpu"}, "--engine|only a CPU"},
            {{"--summary=all"}, "--summary|'all'"},
            {{"-vx"}, "--verbose|an integer"},
            {{"--lnorm", "4xx8"}, "problem 4xx8|an integer"},
            {{"--lnorm", "fourx8"}, "problem fourx8"},
            {{"--lnorm", "1x1x1x1x1x1x1x1x1x1x1x1x1"}, "at most 12"},
            {{"--lnorm", "99999999999999999999x8"}, "an integer from 0 to"},
            {{"--lnorm", "--batch=no_such_file"}, "--batch|no_such_file"},
    });
}

TEST(command_line, help_tells_of_every_knob) {
    try {
        lines_of({"--lnorm", "--help"});
        FAIL() << "no help";
    } catch (const help_request_t &help) {
        for (const char *knob :
                {"--dir=", "--attr-post-ops=", "--mode=", "--table[=", "--batch=FILE"})
            EXPECT_NE(help.text.find(knob), std::string::npos) << knob;
    }
}

TEST(batch, words_comments_and_continued_lines) {
    EXPECT_EQ(words_of("--a=1, \\\n    2 b # c d\n#e\nf_n\"#g\" \\\n\n h i\\\nj"),
            (words_t{"--a=1,2", "b", "f_n\"#g\"h", "ij"}));
}

TEST(batch, files_nest_and_are_found_beside_each_other) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(testing::TempDir()) / "benchdnn_batch_test";
    fs::create_directories(folder);
    std::ofstream(folder / "outer") << "--flags=C --batch=inner # found where outer was\n9x9\n";
    std::ofstream(folder / "inner") << "4x8 --flags=H 5x8\n";
    std::ofstream(folder / "endless") << "--batch=endless\n";
    EXPECT_EQ(lines_of({"--lnorm", "--batch=" + (folder / "outer").string()}),
            (words_t{"--lnorm --flags=C 4x8", "--lnorm --flags=H 5x8", "--lnorm --flags=H 9x9"}));
    EXPECT_NE(refusal_of({"--lnorm", "--batch=" + (folder / "endless").string()}).find("endlessly"),
            std::string::npos);
    fs::remove_all(folder);
}

} // namespace

} // namespace benchdnn
