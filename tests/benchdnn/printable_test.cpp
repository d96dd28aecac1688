// SPDX-License-Identifier: Apache-2.0
// What is echoed of command lines, batch files and graphs holds no bytes that control a terminal.

#include "command_lines.hpp"
#include "common/run/runner.hpp"
#include "common/tensor/fill.hpp"
#include "temporary_file.hpp"

namespace benchdnn {

namespace {

TEST(printable, escapes_all_but_printable_characters) {
    const std::pair<std::string, std::string> cases[] = {
            {"--tag=aBx16b \\ \"~", "--tag=aBx16b \\ \"~"}, {"a\tb\nc\rd", "a\tb\\x0ac\\x0dd"},
            {"\x1b[31m", "\\x1b[31m"}, {std::string("4\0x8", 4), "4\\x00x8"},
            {"\x7f\x80\xff", "\\x7f\\x80\\xff"},
            // UTF-8: umlaut, Chinese, a symbol beyond 16 bits
            {"\xc3\xbc \xe6\xa8\xa1 \xf0\x9f\x8d\x80", "\xc3\xbc \xe6\xa8\xa1 \xf0\x9f\x8d\x80"},
            {"\xc2\x9b"
             "2J",
                    "\\xc2\\x9b"
                    "2J"},                                // CSI, a control character
            {"\xc0\x9b", "\\xc0\\x9b"},                   // ESC in too many bytes
            {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},          // likewise
            {"\xe6\xa8", "\\xe6\\xa8"},                   // the end of a character is missing
            {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          // half of a pair of UTF-16
            {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, // beyond Unicode
            {"\xf8\x88\x80\x80", "\\xf8\\x88\\x80\\x80"}, // no first byte
    };
    for (const auto &[bytes, text] : cases) EXPECT_EQ(printable(bytes), text);
}

TEST(printable, leaves_its_results_unchanged) {
    const noise_t noise(1);
    for (int i = 0; i < 1000; ++i) {
        std::string bytes;
        for (int k = 0; k < 20; ++k)
            bytes += static_cast<char>(static_cast<int>(noise(i * 20 + k) * 128 + 128));
        const std::string text = printable(bytes);
        EXPECT_EQ(printable(text), text);
        EXPECT_EQ(text.find_first_of(std::string("\0\n\r\x1b\x7f", 5)), std::string::npos);
    }
}

const std::string bad("\x1b]0;\0\x9b\n\x7f", 8);
const std::string bad_as_text = "\\x1b]0;\\x00\\x9b\\x0a\\x7f";

TEST(messages, of_refusals_are_printable) {
    const words_t wrong[] = {{bad}, {"--" + bad}, {"--" + bad + "=1"}, {"--lnorm", bad},
            {"--lnorm", "--" + bad}, {"--lnorm", "--dt=" + bad}, {"--lnorm", "--tag=" + bad},
            {"--lnorm", "--flags=" + bad}, {"--lnorm", "--eps=" + bad}, {"--mode=" + bad},
            {"--lnorm", "--match=\\(" + bad}, {"--lnorm", "--perf-template=%" + bad + "%"},
            {"--lnorm", "--attr-scales=" + bad}, {"--lnorm", "--attr-post-ops=" + bad},
            {"--lnorm", "--batch=" + bad}, {"--bnorm", "ic" + bad}, {"--graph", "--case=" + bad}};
    for (const words_t &words : wrong)
        EXPECT_EQ(refusal_of(words), printable(refusal_of(words))) << words.back();
    EXPECT_NE(refusal_of({bad}).find(bad_as_text), std::string::npos);
}

TEST(messages, about_batch_files_and_graphs_are_printable) {
    const temporary_file_t batch("--dt=" + std::string("\x1b]0;\0\x9b\x7f", 7));
    EXPECT_NE(refusal_of({"--lnorm", "--batch=" + batch.path()}).find("\\x1b]0;\\x00\\x9b\\x7f"),
            std::string::npos);
    for (const char *json : {"{\x1b}", "{\"graph\": \"\x1b\"}",
                 R"({"graph": [{"id": 0, "kind": "\u001b[2J", "inputs": [], "outputs": []}]})"}) {
        const temporary_file_t file(json);
        const words_t words{"--graph", "--case=" + file.path()};
        std::string said = refusal_of(words);
        if (said.empty()) said = tasks_of(words).at(0).problem->skip_reason();
        EXPECT_NE(said, "") << json;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
}

TEST(lines, of_a_run_are_printable) {
    command_line_t command_line;
    command_line.read({"-v1", "--table", "--progress", "--mode=CP", "--max-ms-per-prb=10",
            "--lnorm", "--perf-template=%prb%,%name%,%desc%", "4x8_n\"\x1b[2J\x9b\""});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    console_t console;
    runner_t runner(console);
    runner.run(command_line.tasks());
    for (const std::string &line : runner.closing_lines(command_line.options(), 1))
        console.line(line);
    const std::string said = testing::internal::GetCapturedStdout();
    for (const std::string &text : {said, testing::internal::GetCapturedStderr()}) {
        EXPECT_NE(text.find("\\x1b[2J\\x9b"), std::string::npos) << text;
        EXPECT_EQ(text.find_first_of("\x1b\x9b"), std::string::npos);
    }
}

} // namespace

} // namespace benchdnn
