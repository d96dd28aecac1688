// SPDX-License-Identifier: Apache-2.0
// The command line of --graph: cases, knobs, lists, lines that reproduce problems.
#include "command_lines.hpp"
#include "temporary_file.hpp"

namespace benchdnn::graph {

namespace {

// A temporary file with one addition, x + y.
class graph_words : public testing::Test {
protected:
    std::vector<std::string> lines(std::vector<std::string> words) const {
        words.push_back("--case=" + file.path());
        words_t lines = lines_of(with_driver("graph", words));
        for (std::string &line : lines) line.resize(line.find("--case="));
        return lines;
    }

    const temporary_file_t file{R"({"graph": [{"id": 0, "kind": "Add", "inputs": [
        {"id": 0, "dtype": "f32", "shape": [4, 8]}, {"id": 1, "dtype": "f32", "shape": [8]}],
        "outputs": [{"id": 2, "dtype": "f32", "shape": [4, 8]}]}]})"};
};

using lines_t = std::vector<std::string>;

TEST_F(graph_words, a_case_alone_has_no_knobs) { EXPECT_EQ(lines({}), lines_t{"--graph "}); }

TEST_F(graph_words, knobs_come_back_in_the_line) {
    const lines_t knobs{"--mb=2 ", "--dt=bf16 ", "--op-kind=0:Multiply ",
            "--tensor-property=1:constant ", "--in-shapes=0:2x3x8*bac ",
            "--op-attrs=0:auto_broadcast:numpy ", "--attr-fpmath=bf16:true ",
            "--expected-n-partitions=0 ", "--inplace=true ", "--policy=debug "};
    std::string whole = "--graph ";
    lines_t words;
    for (const std::string &knob : knobs) {
        whole += knob;
        words.push_back(knob.substr(0, knob.size() - 1));
    }
    EXPECT_EQ(lines(words), lines_t{whole});
}

TEST_F(graph_words, lists_are_multiplied_and_an_empty_value_is_the_default) {
    EXPECT_EQ(lines({"--in-shapes=,0:2x8", "--dt=f32,0:bf16+2:bf16"}),
            (lines_t{"--graph --dt=f32 ", "--graph --dt=0:bf16+2:bf16 ",
                    "--graph --dt=f32 --in-shapes=0:2x8 ",
                    "--graph --dt=0:bf16+2:bf16 --in-shapes=0:2x8 "}));
}

TEST_F(graph_words, reset_brings_defaults_back) {
    EXPECT_EQ(lines({"--dt=bf16", "--policy=debug", "--reset"}), lines_t{"--graph "});
}

TEST_F(graph_words, match_filters) {
    EXPECT_EQ(lines({"--dt=f32,bf16", "--match=.*bf16.*"}), lines_t{"--graph --dt=bf16 "});
}

TEST_F(graph_words, what_makes_no_sense_is_refused_before_anything_runs) {
    const lines_t wrong[] = {{"--dt=f31"}, {"--dt=7:bf16"}, {"--in-shapes=0:4x5"},
            {"--in-shapes=0:-1x8"}, {"--in-shapes=0:9223372036854775808x8"}, {"--in-shapes=-1:4x8"},
            {"--in-shapes=0"}, {"--op-attrs=0:no_such:1"}, {"--op-attrs=3:axis:1"},
            {"--op-kind=0:Tanh"}, {"--policy=best"}, {"--mb=-1"}, {"--tensor-property=0:fixed"},
            {"--flags=C"}, {"--case=/no/such/file.json"}, {"word"}};
    for (const lines_t &words : wrong) EXPECT_THROW(lines(words), usage_error_t) << words[0];
}

} // namespace

} // namespace benchdnn::graph
