// SPDX-License-Identifier: Apache-2.0
// Comparison of runs: differing bits are found and reported; numbers of threads, contexts, cold
// caches, modifiers and the roof do not change results.
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "common/run/output_bits.hpp"
#include "common/run/peak.hpp"
#include "common/run/roof.hpp"
#include "common/run/runner.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

std::string closing_line(const std::vector<std::string> &words) {
    command_line_t command_line;
    command_line.read(words);
    console_t console;
    runner_t runner(console);
    runner.run(command_line.tasks());
    options_t options;
    options.summary.failures = false;
    const std::string line = runner.statistics().closing_lines(options, 0)[0];
    return line.substr(0, line.find(" mistrusted"));
}

TEST(output_bits, name_the_element_that_differs) {
    executed_problem_t executed({"--lnorm", "--flags=CH", "4x8"});
    const output_bits_t bits(executed.arguments);
    EXPECT_EQ(bits.difference(executed.arguments), "");
    executed.arguments.at(DNNL_ARG_DST).store(11, 0.25);
    EXPECT_NE(bits.difference(executed.arguments).find("dst: element 11 (1:3) was "),
            std::string::npos);
}

TEST(output_bits, tell_minus_zero_from_zero) {
    executed_problem_t executed({"--lnorm", "4x8"});
    executed.arguments.at(DNNL_ARG_MEAN).store(2, 0.);
    const output_bits_t bits(executed.arguments);
    executed.arguments.at(DNNL_ARG_MEAN).store(2, -0.);
    EXPECT_EQ(bits.difference(executed.arguments), "mean: element 2 (2) was 0 and is -0");
}

TEST(arguments, are_restored_for_another_run_at_either_end) {
    executed_problem_t executed({"--lnorm", "--inplace=true", "--flags=CH", "40x50"});
    const double before = executed.arguments.original(DNNL_ARG_SRC).load(77);
    ASSERT_NE(executed.arguments.at(DNNL_ARG_SRC).load(77), before);
    for (const placement_t placement : {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
        executed.arguments.restore(placement);
        EXPECT_EQ(executed.arguments.at(DNNL_ARG_SRC).load(77), before);
        EXPECT_EQ(executed.arguments.at(DNNL_ARG_DST).buffer().placement(), placement);
        EXPECT_EQ(executed.arguments.damage(), "");
    }
}

TEST(runner, thread_counts_contexts_and_modifiers_leave_results_as_they_are) {
    const std::vector<std::vector<std::string>> cases = {{"--threads=1,2,3"}, {"--mode=B"},
            {"--mode=CB"}, {"--mode-modifier=P"}, {"--mode=R", "--mode-modifier=PM"}, {"--mode=S"},
            {"--mode=CP", "--fix-times-per-prb=2", "--cold-cache=all", "--threads=2,1"},
            {"--mode=P", "--fix-times-per-prb=2", "--cold-cache=wei+tlb:1M"}};
    for (std::vector<std::string> words : cases) {
        const std::string name = join(words, " ");
        words.insert(words.end(), {"--lnorm", "--dir=FWD_D,BWD_DW", "--flags=CH", "--dt=f32,bf16",
                                          "300x100", "--inplace=true", "300x100"});
        EXPECT_EQ(closing_line(words), "tests:8 passed:8 skipped:0") << name;
    }
    EXPECT_EQ(closing_line({"--lnorm", "--ctx-init=1,2", "--ctx-exe=2,3:auto:1", "30x100"}),
            "tests:4 passed:4 skipped:0");
}

TEST(runner, skips_what_a_cpu_does_not_have) {
    for (const char *word : {"--memory-kind=buffer", "--execution-mode=graph", "--num-streams=2",
                 "--cold-cache=custom"})
        EXPECT_EQ(closing_line({word, "--lnorm", "4x8"}), "tests:1 passed:0 skipped:1") << word;
    for (const char *type : {"s4", "u4", "f4_e2m1", "f4_e3m0", "s64", "boolean"})
        EXPECT_EQ(closing_line({"--lnorm", std::string("--dt=") + type, "4x8"}),
                "tests:1 passed:0 skipped:1")
                << type;
}

TEST(runner, fails_a_reference_that_was_not_to_be) {
    EXPECT_EQ(closing_line({"--check-ref-impl", "--lnorm", "--impl=ref", "4x8"}),
            "tests:1 passed:0 skipped:0");
    EXPECT_EQ(closing_line({"--check-ref-impl=false", "--lnorm", "--impl=ref", "40x80"}),
            "tests:1 passed:1 skipped:0");
}

TEST(runner, takes_inputs_from_files) {
    const std::string prefix = testing::TempDir() + "benchdnn_inputs";
    const std::string file = prefix + ".1.bin"; // src
    std::vector<float> values(32);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 37);
    std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char *>(values.data()), 32 * sizeof(float));
    EXPECT_EQ(closing_line({"--buffer-prefix=" + prefix, "--lnorm", "4x8"}),
            "tests:1 passed:1 skipped:0");
    EXPECT_THROW(closing_line({"--buffer-prefix=" + prefix, "--lnorm", "4x9"}), usage_error_t);
    std::filesystem::remove(file);
}

TEST(peak, is_that_of_the_types_of_a_product) {
    EXPECT_EQ(multiplication_of(dnnl_f32, dnnl_f32), multiplication_t::f32);
    EXPECT_EQ(multiplication_of(dnnl_bf16, dnnl_bf16), multiplication_t::bf16);
    EXPECT_EQ(multiplication_of(dnnl_u8, dnnl_s8), multiplication_t::int8);
    EXPECT_EQ(multiplication_of(dnnl_bf16, dnnl_s8), multiplication_t::f32);
    peak_t peak;
    EXPECT_EQ(peak.operations_per_second(multiplication_t::none, 1), 0);
    if ((dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx2) != dnnl_cpu_isa_avx2) return;
    for (const auto multiplication :
            {multiplication_t::f32, multiplication_t::bf16, multiplication_t::int8})
        EXPECT_GT(peak.operations_per_second(multiplication, 1), 1e9);
}

TEST(roof, is_a_triad_where_more_is_read_than_written) {
    using kind_t = roof_t::kind_t;
    EXPECT_EQ(roof_t::key_of({100, 100, 200}, false, 1).kind, kind_t::copy);
    EXPECT_EQ(roof_t::key_of({200, 100, 300}, false, 1).kind, kind_t::triad);
    EXPECT_EQ(roof_t::key_of({100, 100, 100}, false, 1).kind, kind_t::copy_in_place);
    EXPECT_EQ(roof_t::key_of({200, 100, 200}, false, 1).kind, kind_t::triad_in_place);
    EXPECT_EQ(roof_t::key_of({799, 100, 899}, false, 1).kind, kind_t::triad);
    // Reading a tensor twice does not add to the footprint.
    const arguments_t::traffic_t once{100, 100, 200};
    EXPECT_EQ(roof_t::key_of(once.with_two_readings(), false, 1).kind, kind_t::triad);
    EXPECT_EQ(roof_t::key_of(once.with_two_readings(), false, 1).footprint, 200u);
    EXPECT_EQ(once.with_two_readings().total(), 300u);
    EXPECT_EQ(roof_t::key_of({100, 100, 200}, false, 1).footprint, 200u);
    EXPECT_GE(roof_t::key_of({100, 100, 200}, true, 1).footprint, size_t(256) << 20);
}

TEST(roof, is_a_read_where_little_is_written) {
    using kind_t = roof_t::kind_t;
    EXPECT_EQ(roof_t::key_of({800, 100, 900}, false, 1).kind, kind_t::read);
    EXPECT_EQ(roof_t::key_of({800, 100, 800}, false, 1).kind, kind_t::read);
    EXPECT_EQ(roof_t::key_of({800, 100, 900}, false, 1).footprint, 900u);
}

TEST(roof, of_small_footprints_is_above_a_gigabyte_a_second) {
    roof_t roof;
    for (const auto kind :
            {roof_t::kind_t::copy, roof_t::kind_t::triad, roof_t::kind_t::copy_in_place,
                    roof_t::kind_t::triad_in_place, roof_t::kind_t::read}) {
        const roof_t::key_t key{kind, 100000, 1};
        EXPECT_FALSE(roof.is_known(key));
        EXPECT_EQ(roof.bytes_per_second(key), 0);
        roof.measure(key);
        EXPECT_GT(roof.bytes_per_second(key), 1e9) << roof_kind_name(kind);
    }
}

TEST(least_traffic, counts_elements_and_not_the_gaps_between_rows) {
    executed_problem_t dense({"--lnorm", "--dir=FWD_I", "16x32"});
    executed_problem_t apart({"--lnorm", "--dir=FWD_I", "--strides=40x1:44x1", "16x32"});
    EXPECT_EQ(dense.arguments.least_traffic().total(), 2u * 16 * 32 * 4);
    EXPECT_EQ(apart.arguments.least_traffic().total(), 2u * 16 * 32 * 4);
    executed_problem_t in_place({"--lnorm", "--dir=FWD_I", "--inplace=true", "16x32"});
    EXPECT_EQ(in_place.arguments.least_traffic().total(), 2u * 16 * 32 * 4);
    EXPECT_EQ(in_place.arguments.least_traffic().footprint, 16u * 32 * 4);
}

} // namespace

} // namespace benchdnn
