// SPDX-License-Identifier: Apache-2.0
// Every example of doc/guide/benchdnn.md runs and ends with the exit code in the document.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace benchdnn {

namespace {

struct example_t {
    std::string command;
    int exit_code = 0;
};

// Lines "    $ benchdnn ...", joined if they end in a backslash. "$ echo $?" gives the exit code of
// the command before.
std::vector<example_t> examples_of(std::istream &document) {
    const std::string prompt = "    $ ";
    std::vector<example_t> examples;
    for (std::string line; std::getline(document, line);) {
        if (line.rfind(prompt, 0) != 0) continue;
        std::string command = line.substr(prompt.size());
        for (std::string more; command.back() == '\\' && std::getline(document, more);) {
            command.pop_back();
            command += more;
        }
        if (command == "echo $?") {
            std::getline(document, line);
            examples.back().exit_code = std::stoi(line);
        } else if (command.find("benchdnn ") != std::string::npos) {
            examples.push_back({command, 0});
        }
    }
    return examples;
}

// Batches are only listed, since other tests run them.
std::string made_light(std::string command) {
    const size_t at = command.find("--batch=");
    return at == std::string::npos ? command : command.insert(at, "--mode=L ");
}

int exit_code_of(const std::string &command) {
    const std::string path = std::string("PATH=") + BENCHDNN_FOLDER + ":$PATH; export PATH; ";
    const int status = std::system((path + command + " > /dev/null 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(examples, of_the_document_run) {
    std::ifstream document(DOCUMENT);
    ASSERT_TRUE(document) << DOCUMENT;
    const std::vector<example_t> examples = examples_of(document);
    EXPECT_GE(examples.size(), 10u);
    for (const example_t &example : examples)
        EXPECT_EQ(exit_code_of(made_light(example.command)), example.exit_code) << example.command;
}

TEST(examples, with_problems_that_do_not_exist_would_be_noticed) {
    EXPECT_EQ(exit_code_of("benchdnn --lnorm --no-such-knob 4x8"), 2);
    EXPECT_EQ(exit_code_of("benchdnn --check-ref-impl --lnorm --impl=ref 4x8"), 1);
    EXPECT_EQ(exit_code_of("benchdnn --lnorm 4x8"), 0);
}

} // namespace

} // namespace benchdnn
