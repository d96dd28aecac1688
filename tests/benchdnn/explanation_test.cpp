// SPDX-License-Identifier: Apache-2.0
// --explain, defaults in --help, names for --impl, and the time of each step.

#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

#include "benchdnn/command_lines.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/driver/driver.hpp"
#include "common/run/implementations.hpp"
#include "common/run/runner.hpp"

namespace benchdnn {

namespace {

struct run_t {
    std::string printed;
    std::vector<std::string> closing;

    explicit run_t(const std::vector<std::string> &words) {
        testing::internal::CaptureStdout();
        console_t console;
        runner_t runner(console);
        runner.run(tasks_of(words));
        printed = testing::internal::GetCapturedStdout();
        closing = runner.closing_lines(options_t(), 1);
    }
    bool prints(const std::string &expression) const {
        return std::regex_search(printed, std::regex(expression));
    }
};

std::string help_of(const std::string &driver) {
    try {
        tasks_of({"--" + driver, "--help"});
    } catch (const help_request_t &help) {
        return help.text;
    }
    return "";
}

bool has_kernels() { return run_t({"--explain", "--lnorm", "64x96"}).prints("used: jit:"); }

} // namespace

TEST(explanation, lists_each_implementation_with_its_answer) {
    const run_t run({"--explain", "--lnorm", "--dt=f64", "8x96"});
    EXPECT_TRUE(run.prints("jit:rows +refuses: .+")) << run.printed;
    EXPECT_TRUE(run.prints("jit:columns +refuses: .+")) << run.printed;
    EXPECT_TRUE(run.prints("ref:any +accepts")) << run.printed;
    EXPECT_TRUE(run.prints("ref:empty +refuses: src has elements")) << run.printed;
    EXPECT_TRUE(run.prints("used: ref:any")) << run.printed;
    EXPECT_TRUE(run.prints("kernels: none")) << run.printed;
    EXPECT_TRUE(run.prints("INITIALIZED")) << run.printed;
}

TEST(explanation, names_plan_and_kernels_of_every_shape_of_work) {
    if (!has_kernels()) GTEST_SKIP() << "there is no generated code at this ISA level";
    const std::pair<std::vector<std::string>, const char *> cases[] = {
            {{"--lnorm", "64x96"}, "64 rows in one run of 96 elements"},
            {{"--lnorm", "--dir=BWD_DW", "--flags=CH", "64x96"}, "sums for scale and shift in"},
            {{"--lnorm", "--tag=acb", "8x49x96"}, "columns of 96 steps in"},
            {{"--bnorm", "--tag=axb", "mb8ic32ih32"}, "units of .* chunks in each"},
            {{"--softmax", "--axis=1", "64x96"}, "64 rows in one run of 96 elements"},
            {{"--eltwise", "--alg=relu", "64x96"}, "1 rows in one run of 6144 elements"},
            {{"--reduction", "64x96:64x1"}, "rows in .* elements"},
            {{"--reorder", "--stag=ab", "--dtag=ba", "64x96"}, "loops .*, innermost last"},
            {{"--concat", "--axis=1", "64x96:64x32"},
                    "DNNL_ARG_MULTIPLE_SRC.*: loops .*, innermost"},
            {{"--concat", "--axis=1", "--attr-scales=msrc0:common:2", "64x96:64x32"},
                    "DNNL_ARG_MULTIPLE_SRC.* by reorder jit:rows\nplan:   64 rows"},
            {{"--shuffle", "--axis=1", "--group=4", "--tag=axb", "2x64x7x7"},
                    "rows in .* chunks of .* bytes, each from at most . of src"},
            {{"--shuffle", "--axis=1", "--group=4", "--tag=abx", "2x64x7x7"},
                    "the axis as two, exchanged by reorder jit:nests\nplan:   loops"},
            {{"--binary", "--stag=ab:ba", "64x96:64x96"},
                    "64 rows in one run of 96 elements, in blocks of rows and columns, "
                    "transposed operands: 1"},
            {{"--binary", "--stag=ab:ba", "6x96:6x96"},
                    "DNNL_ARG_SRC_1 copied to another layout by reorder jit:.*\n(plan:   "
                    ".*\n)*plan: "
                    "the "
                    "operation by binary jit:rows\nplan:   .* rows in one run"},
    };
    for (const auto &[words, plan] : cases) {
        std::vector<std::string> all{"--explain"};
        all.insert(all.end(), words.begin(), words.end());
        const run_t run(all);
        EXPECT_TRUE(run.prints(std::string("plan: .*") + plan)) << run.printed;
        EXPECT_TRUE(run.prints("kernels:\n  [a-z0-9_]+, [0-9]+ bytes")) << run.printed;
    }
}

TEST(explanation, leaves_out_operations_that_serve_this_one) {
    const run_t run({"--explain", "--concat", "--axis=1", "4x5:4x6"});
    EXPECT_TRUE(run.prints("ref:any +accepts")) << run.printed;
    EXPECT_FALSE(run.prints("jit:strided_rows")) << run.printed;
}

TEST(explanation, lists_each_answer_once) {
    const run_t run({"--explain", "--lnorm", "--dir=BWD_DW", "--dt=f64", "8x96"});
    const std::regex refusal("jit:rows +refuses");
    EXPECT_EQ(std::distance(std::sregex_iterator(run.printed.begin(), run.printed.end(), refusal),
                      std::sregex_iterator()),
            1)
            << run.printed;
}

// The copies that jit:relaid would make are refused by implementations that take the problem
// itself.
TEST(explanation, lists_an_implementation_that_accepts_once) {
    const run_t run(
            {"--explain", "--gnorm", "--dir=BWD_DW", "--flags=CH", "--tag=axb", "g32mb2ic320ih16"});
    const std::regex answer("jit:channel_columns +");
    EXPECT_EQ(std::distance(std::sregex_iterator(run.printed.begin(), run.printed.end(), answer),
                      std::sregex_iterator()),
            1)
            << run.printed;
}

TEST(explanation, follows_the_filter) {
    const run_t run({"--explain", "--lnorm", "--impl=ref:any", "64x96"});
    EXPECT_TRUE(run.prints("used: ref:any")) << run.printed;
}

TEST(explanation, lists_instructions) {
    if (!has_kernels()) GTEST_SKIP() << "there is no generated code at this ISA level";
    const run_t run({"--explain", "--disasm", "--lnorm", "64x96"});
    EXPECT_TRUE(run.prints("bytes\n +0:\t") || run.prints("no listing: objdump")) << run.printed;
}

TEST(explanation, leaves_the_cache_and_the_folder_as_they_were) {
    int before = 0, after = 0;
    dnnl_get_primitive_cache_capacity(&before);
    const auto folder = std::filesystem::current_path();
    run_t({"--explain", "--lnorm", "64x96"});
    dnnl_get_primitive_cache_capacity(&after);
    EXPECT_EQ(before, after);
    EXPECT_EQ(folder, std::filesystem::current_path());
}

TEST(explanation, may_be_taken_back) {
    const run_t run({"--explain", "--explain=false", "--lnorm", "4x16"});
    EXPECT_FALSE(run.prints("implementations asked")) << run.printed;
    EXPECT_TRUE(run.prints("PASSED")) << run.printed;
    const run_t fast({"--mode=R", "--explain", "--explain=false", "--lnorm", "4x16"});
    EXPECT_TRUE(fast.prints("EXECUTED")) << fast.printed;
    // A mode that was given behind it stays.
    const run_t executed({"--explain", "--mode=R", "--explain=false", "--lnorm", "4x16"});
    EXPECT_TRUE(executed.prints("EXECUTED")) << executed.printed;
}

TEST(explanation, comes_in_modes_that_create_in_parallel) {
    for (const char *knob : {"--mode-modifier=P", "--mode=F"}) {
        const run_t run({"--explain", knob, "--lnorm", "4x16", "8x16"});
        EXPECT_TRUE(run.prints("implementations asked:[^$]*implementations asked:")) << run.printed;
    }
}

TEST(explanation, without_a_folder_for_kernels_says_so) {
    const char *const given = getenv("TMPDIR");
    const std::string before = given ? given : "";
    setenv("TMPDIR", "/proc", 1); // no folder can be made there
    const run_t run({"--explain", "--lnorm", "4x16"});
    given ? setenv("TMPDIR", before.c_str(), 1) : unsetenv("TMPDIR");
    EXPECT_TRUE(run.prints("no explanation: the folder for kernels, /proc/.*, cannot be made: "))
            << run.printed;
}

TEST(explanation, of_a_problem_that_is_refused_says_why) {
    const run_t run({"--explain", "--lnorm", "16"});
    EXPECT_TRUE(run.prints("lnorm +refuses: .+")) << run.printed;
    EXPECT_TRUE(run.prints("no primitive: invalid_arguments")) << run.printed;
}

TEST(impl, of_no_implementation_is_an_error_that_lists_the_names) {
    const run_t run({"--lnorm", "--impl=nobody", "16x32"});
    EXPECT_TRUE(run.prints("FAILED \\(--impl: no implementation is named nobody; there are "
                           "jit:rows, jit:columns, jit:relaid, ref:rows, ref:any, ref:empty\\)"))
            << run.printed;
}

TEST(impl, of_an_implementation_that_refuses_is_skipped) {
    EXPECT_TRUE(run_t({"--lnorm", "--impl=columns", "16x32"}).prints("SKIPPED"));
    EXPECT_TRUE(run_t({"--global-impl=nobody", "--lnorm", "16x32"}).prints("SKIPPED"));
    EXPECT_TRUE(run_t({"--lnorm", "--skip-impl=:", "16x32"}).prints("SKIPPED"));
}

TEST(help, gives_defaults_of_the_run) {
    const std::string help = help_of("lnorm");
    for (const char *text :
            {"--mode=P\n      default: C\n", "--max-ms-per-prb=500\n      default: 3000\n",
                    "--checksum=true\n      default: false\n", "--threads=1,2\n  --"})
        EXPECT_NE(help.find(text), std::string::npos) << text;
}

TEST(help, gives_defaults_of_every_driver) {
    for (const auto &driver : make_drivers()) {
        if (driver->name() == "graph") continue; // its problems are files
        const std::string text = help_of(driver->name());
        const std::string help = text.substr(0, text.find("\nrun knobs"));
        size_t knobs = 0, defaults = 0;
        for (size_t at = 0; (at = help.find("\n      example: ", at)) != std::string::npos; ++at)
            ++knobs;
        for (size_t at = 0; (at = help.find("\n      default: ", at)) != std::string::npos; ++at)
            ++defaults;
        EXPECT_GE(2 * defaults, knobs) << driver->name() << "\n" << help;
        EXPECT_NE(help.find("--attr-scratchpad=user\n      default: library"), std::string::npos)
                << driver->name();
    }
}

TEST(closing_lines, split_the_time) {
    const run_t run({"--lnorm", "1024x1024"});
    const std::string &last = run.closing.back();
    EXPECT_TRUE(std::regex_match(last,
            std::regex("total: 1\\.00s; create_pd: [0-9.]+s \\([0-9]+%\\); create_prim: [0-9.]+s "
                       "\\([0-9]+%\\); fill: [0-9.]+s \\([0-9]+%\\); execute: [0-9.]+s "
                       "\\([0-9]+%\\); compare: [0-9.]+s \\([0-9]+%\\);")))
            << last;
    EXPECT_EQ(last.find("compare: 0.00s"), std::string::npos) << last;
}

} // namespace benchdnn
