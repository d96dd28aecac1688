// SPDX-License-Identifier: Apache-2.0
// Graphs executed by the library: results pass, every corrupted output is noticed, and each case is
// reported.

#include <gtest/gtest.h>

#include "common/run/runner.hpp"
#include "executed_problem.hpp"
#include "temporary_file.hpp"

namespace benchdnn::graph {

namespace {

using words_t = std::vector<std::string>;

words_t with_case(words_t words, const std::string &file) {
    words.insert(words.begin(), "--graph");
    words.push_back("--case=" GRAPH_CASES "/" + file);
    return words;
}

struct execution_case_t {
    std::string file;
    words_t knobs;
};

std::ostream &operator<<(std::ostream &stream, const execution_case_t &value) {
    return stream << value.file;
}

class executed_graph : public testing::TestWithParam<execution_case_t> {
protected:
    executed_problem_t executed{with_case(GetParam().knobs, GetParam().file)};

    // Each output in turn with one element replaced.
    template <typename function_t> void expect_failures(function_t &&spoiled) {
        for (const int id : executed.arguments.output_ids()) {
            tensor_t &output = executed.arguments.at(id);
            const dim_t at = output.layout().elements() / 2;
            const double right = output.load(at);
            output.store(at, spoiled(right));
            EXPECT_EQ(executed.verdict(), verdict_t::failed) << executed.arguments.name(id);
            output.store(at, right);
        }
    }
};

TEST_P(executed_graph, passes) { EXPECT_EQ(executed.verdict(), verdict_t::passed); }

TEST_P(executed_graph, that_is_off_in_one_element_of_an_output_fails) {
    // By more than a rounding of bf16, and of an integer by more than one step.
    expect_failures([](double right) { return 0.9 * right + (right > 0 ? -2.5 : 2.5); });
}

TEST_P(executed_graph, whose_memory_around_an_output_is_written_is_damaged) {
    EXPECT_EQ(executed.arguments.damage(), "");
    executed.arguments.restore(placement_t::ends_at_guard);
    for (const int id : executed.arguments.output_ids()) {
        unsigned char &before = executed.arguments.at(id).data()[-1];
        before = 0;
        EXPECT_NE(executed.arguments.damage().find(executed.arguments.name(id)), std::string::npos);
        before = buffer_t::garbage;
    }
}

const words_t rows{"--in-shapes=0:7x40+1:7x40+2:40+3:40"};
const execution_case_t cases[] = {
        {"op/layer_norm_stats.json", {"--in-shapes=0:3x7x40+1:40+2:40"}},
        {"op/layer_norm_backward.json", {"--in-shapes=0:9x40+1:9x40+2:9+3:9+4:40+5:40"}},
        {"op/rms_norm.json", {"--in-shapes=0:9x40+1:40", "--dt=bf16"}},
        {"op/group_norm_stats.json", {"--in-shapes=0:2x64x5"}},
        {"op/batch_norm_training.json", {"--in-shapes=0:2x64x5"}},
        {"op/batch_norm_backward.json", {"--in-shapes=0:2x64x5+1:2x64x5"}},
        {"op/quantize.json", {"--in-shapes=0:9x40"}},
        {"op/static_transpose.json", {"--in-shapes=0:2x5x9"}},
        {"fusion/add_layer_norm_training.json", rows},
        {"fusion/layer_norm_gelu_quantize.json", {"--in-shapes=0:9x40+1:40+2:40"}},
        {"fusion/batch_norm_training_relu.json", {"--in-shapes=0:2x64x5"}},
        {"fusion/relu_backward_batch_norm_backward.json",
                {"--in-shapes=0:2x64x5+1:2x64x5+2:2x64x5"}},
        {"fusion/group_norm_silu.json", {"--in-shapes=0:2x64x5"}},
        {"fusion/layer_norm_gelu_quantize.json",
                {"--policy=debug", "--in-shapes=0:9x40+1:40+2:40"}},
};
INSTANTIATE_TEST_SUITE_P(graph, executed_graph, testing::ValuesIn(cases));

// What a run prints.
std::string printed(const words_t &words) {
    command_line_t command_line;
    command_line.read(words);
    console_t console;
    testing::internal::CaptureStdout();
    runner_t(console).run(command_line.tasks());
    return testing::internal::GetCapturedStdout();
}

TEST(graph_run, says_how_many_partitions_there_were_instead) {
    const words_t knobs{"--in-shapes=0:9x40+1:40+2:40", "--expected-n-partitions=3"};
    const std::string text = printed(with_case(knobs, "fusion/layer_norm_gelu_quantize.json"));
    EXPECT_NE(text.find("0:FAILED (1 partitions instead of 3: LayerNorm+GELU+Quantize)"),
            std::string::npos)
            << text;
}

TEST(graph_run, has_the_same_bits_with_any_number_of_threads) {
    words_t knobs = rows;
    knobs.insert(knobs.end(), {"--mode=CB", "--threads=1,2,3"});
    const std::string text = printed(with_case(knobs, "fusion/add_layer_norm_training.json"));
    EXPECT_EQ(text.find("0:PASSED"), 0u) << text;
}

TEST(graph_run, measures_the_whole_and_each_part) {
    const words_t knobs{"--mode=P", "--fix-times-per-prb=2", "--policy=debug",
            "--perf-template=%impl%", "--in-shapes=0:9x40+1:40+2:40"};
    const std::string text = printed(with_case(knobs, "fusion/layer_norm_gelu_quantize.json"));
    for (const char *line : {"part 0, LayerNorm: min ", "part 1, GELU: min ",
                 "part 2, Quantize: min ", "\nLayerNorm|GELU|Quantize\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << " in " << text;
}

TEST(graph_run, skips_what_the_driver_has_no_reference_for) {
    const temporary_file_t file(R"({"graph": [{"id": 0, "kind": "Convolution", "inputs": [
        {"id": 0, "dtype": "f32", "shape": [4, 8]}, {"id": 1, "dtype": "f32", "shape": [8, 2]}],
        "outputs": [{"id": 2, "dtype": "f32", "shape": [4, 2]}]}]})");
    EXPECT_EQ(printed({"--graph", "--case=" + file.path()})
                      .find("0:SKIPPED (The driver has no reference for Convolution)"),
            0u);
}

} // namespace

} // namespace benchdnn::graph
