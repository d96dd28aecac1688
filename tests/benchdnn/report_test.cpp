// SPDX-License-Identifier: Apache-2.0
// The output: performance lines, the table, verdicts, the last lines; and problems in all modes of
// the runner.
#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "common/driver/command_line.hpp"
#include "common/run/runner.hpp"

namespace benchdnn {

namespace {

std::vector<task_t> tasks_of(const std::vector<std::string> &words) {
    command_line_t command_line;
    command_line.read(words);
    return command_line.tasks();
}

result_t measured_result() {
    result_t result;
    result.state = state_t::executed;
    result.implementation = "ref:any";
    result.input_bytes = 3000000;
    result.output_bytes = 1000000;
    result.execution.add(2, 4e6);
    result.execution.add(4, 8e6);
    result.descriptor_creation.add(0.5);
    result.descriptor_creation.add(0.25);
    result.primitive_creation.add(1);
    return result;
}

std::string line_of(const std::string &perf_template) {
    const std::vector<task_t> tasks = tasks_of({"--lnorm", "--dir=BWD_DW", "--dt=bf16",
            "--flags=CH", "--attr-scratchpad=user", "4x8_n\"x\""});
    const result_t result = measured_result();
    return perf_line(
            perf_template, {*tasks[0].problem, *tasks[0].options, result, "lnorm", "REPRO", 7});
}

TEST(perf_template, fields) {
    EXPECT_EQ(line_of("%driver%,%engine%,%impl%,%name%,%idx%"), "lnorm,cpu,ref:any,\"x\",7");
    EXPECT_EQ(line_of("%dir%|%dt%|%tag%|%stat_tag%|%flags%|%desc%"),
            "BWD_DW|bf16:bf16|ab:any|any|CH|4x8_n\"x\"");
    EXPECT_EQ(line_of("%attr% %prb%"), "--attr-scratchpad=user REPRO");
    EXPECT_EQ(line_of("%-time% %0time% %+time% %time%"), "2 3 4 2");
    EXPECT_EQ(line_of("%-Gbw% %0Mbw% %Kiobytes% %ibytes% %Mobytes%"), "2 1333.33 4000 3e+06 1");
    EXPECT_EQ(line_of("%-Mclocks% %-Gfreq% %Gops% %-Gflops%"), "4 2 0 0");
    EXPECT_EQ(line_of("%ctime% %-cpdtime% %cptime%"), "1.5 0.25 1");
    EXPECT_EQ(line_of("%alg%;%group%"), ";");
    EXPECT_THROW(line_of("%nothing%"), bad_value_t);
    EXPECT_THROW(line_of("50%"), bad_value_t);
}

TEST(perf_template, header_names_the_columns) {
    EXPECT_EQ(perf_header("perf,%impl%,%-time%,%0Gbw%,%+ctime%"),
            "perf,impl,min_time,avg_Gbw,max_ctime");
}

TEST(perf_table, columns_are_aligned_and_empty_ones_left_out) {
    const std::vector<task_t> tasks = tasks_of({"--lnorm", "4x8", "--dt=bf16:f32", "100x200x300"});
    const result_t result = measured_result();
    perf_table_t table;
    for (const task_t &task : tasks)
        table.add({*task.problem, *task.options, result, "lnorm", "", 0});
    const std::vector<std::string> lines = table.lines();
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].find("name"), std::string::npos);
    EXPECT_EQ(lines[0].find("flags"), std::string::npos);
    EXPECT_EQ(lines[2].find("f32"), lines[3].find("bf16:f32"));
    for (const std::string &line : lines) EXPECT_EQ(line.size(), lines[0].size());
    EXPECT_NE(lines[2].find("2.0000  3.0000   2.0"), std::string::npos) << lines[2];
}

TEST(statistics, lines_and_counts) {
    statistics_t statistics;
    result_t result;
    result.state = state_t::passed;
    result.whole_ms = 3;
    EXPECT_EQ(statistics.add(result, "--lnorm 4x8"), "0:PASSED (3 ms) __REPRO: --lnorm 4x8");
    result.state = state_t::failed;
    result.errors = 2;
    result.total = 9;
    EXPECT_EQ(statistics.add(result, "a"), "1:FAILED (errors:2 total:9) (3 ms) __REPRO: a");
    result = result_t();
    for (const state_t state : {state_t::skipped, state_t::mistrusted, state_t::unimplemented,
                 state_t::invalid_arguments, state_t::listed, state_t::executed}) {
        result.state = state;
        result.reason = state == state_t::skipped ? "Invalid case" : "";
        statistics.add(result, "b");
    }
    EXPECT_TRUE(statistics.has_failures());
    options_t options;
    options.summary.failures = false;
    // Unimplemented problems, and those that the library refuses, count as failed too.
    EXPECT_EQ(statistics.closing_lines(options, 1)[0],
            "tests:8 passed:2 skipped:1 mistrusted:1 unimplemented:1 invalid_arguments:1 failed:3 "
            "listed:1");
}

TEST(timing, counts_calls_and_keeps_the_extremes) {
    int calls = 0;
    const samples_t fixed = measure([&] { ++calls; }, {1e9, 12});
    EXPECT_EQ(calls, 12);
    EXPECT_EQ(fixed.calls(), 12);
    const samples_t timed = measure([&] { ++calls; }, {5, 0});
    EXPECT_GT(timed.calls(), 1000);
    EXPECT_LE(timed.ms(statistic_t::minimum), timed.ms(statistic_t::average));
    EXPECT_LE(timed.ms(statistic_t::average), timed.ms(statistic_t::maximum));
}

// The line with the counts after running these words.
std::string run(const std::vector<std::string> &words) {
    testing::internal::CaptureStdout();
    console_t console;
    runner_t runner(console);
    runner.run(tasks_of(words));
    testing::internal::GetCapturedStdout();
    options_t options;
    options.summary.failures = false;
    return runner.statistics().closing_lines(options, 0)[0];
}

bool counts(const std::string &line, const std::string &count) {
    return (" " + line + " ").find(" " + count + " ") != std::string::npos;
}

TEST(runner, each_mode_ends_in_its_state) {
    EXPECT_TRUE(counts(run({"--lnorm", "16x32"}), "passed:1"));
    EXPECT_TRUE(counts(run({"--mode=L", "--lnorm", "16x32"}), "listed:1"));
    EXPECT_TRUE(counts(run({"--mode=I", "--lnorm", "16x32"}), "passed:1"));
    EXPECT_TRUE(counts(run({"--mode=R", "--lnorm", "16x32"}), "passed:1"));
    EXPECT_TRUE(counts(run({"--mode=CP", "--max-ms-per-prb=10", "--lnorm", "16x32"}), "passed:1"));
    EXPECT_TRUE(counts(run({"--repeats-per-prb=3", "--lnorm", "16x32"}), "tests:3"));
}

TEST(runner, skips_what_makes_no_sense_and_counts_what_is_refused) {
    EXPECT_TRUE(counts(run({"--lnorm", "--impl=nobody", "16x32"}), "failed:1"));
    EXPECT_TRUE(counts(run({"--lnorm", "--inplace=true", "--dt=f32:bf16", "16x32"}), "skipped:1"));
    EXPECT_TRUE(counts(run({"--lnorm", "--attr-post-ops=sum", "16x32"}), "skipped:1"));
    EXPECT_TRUE(counts(run({"--lnorm", "--dt=s4", "16x32"}), "skipped:1"));
    EXPECT_TRUE(counts(run({"--lnorm", "16"}), "invalid_arguments:1"));
    EXPECT_TRUE(counts(run({"--lnorm", "-v0", "16x1"}), "mistrusted:1"));
    EXPECT_TRUE(counts(run({"--start=1", "--lnorm", "16x32", "17x32"}), "skipped:1"));
}

TEST(runner, a_measured_problem_is_reported_by_its_template) {
    testing::internal::CaptureStdout();
    console_t console;
    runner_t runner(console);
    runner.run(tasks_of({"--mode=P", "--fix-times-per-prb=3", "--lnorm",
            "--perf-template=%desc%;%impl%", "16x32_n\"a\"", "17x32"}));
    const std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(printed.find("Template entries: %desc%;%impl%\ndesc;impl\n16x32_n\"a\";"), 0u)
            << printed;
    EXPECT_EQ(printed.find("PASSED"), std::string::npos);
    EXPECT_NE(printed.find("\n17x32;"), std::string::npos);
}

} // namespace

} // namespace benchdnn
