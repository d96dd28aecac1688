// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM end a run with the summary of what has run.
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace benchdnn {

namespace {

// benchdnn with these arguments; its standard output is read line by line.
class program_t {
public:
    explicit program_t(std::vector<std::string> arguments, bool ignores_interrupts = false) {
        arguments.insert(arguments.begin(), std::string(BENCHDNN_FOLDER) + "/benchdnn");
        std::vector<char *> pointers;
        for (std::string &argument : arguments) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        int ends[2];
        if (pipe(ends) != 0) return;
        id_ = fork();
        if (id_ == 0) {
            if (ignores_interrupts) std::signal(SIGINT, SIG_IGN);
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            execv(pointers[0], pointers.data());
            _exit(127);
        }
        close(ends[1]);
        output_ = fdopen(ends[0], "r");
    }
    ~program_t() { std::fclose(output_); }

    void send(int signal) const { kill(id_, signal); }
    // What is printed up to the first line with this text, or to the end.
    std::string text_up_to(const std::string &text) {
        std::string read;
        char line[4096];
        while (std::fgets(line, sizeof(line), output_)) {
            read += line;
            if (!text.empty() && std::string(line).find(text) != std::string::npos) break;
        }
        return read;
    }
    int exit_code() const {
        int status = 0;
        waitpid(id_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    pid_t id_ = -1;
    std::FILE *output_ = nullptr;
};

// A problem that is checked at once, then one that is measured for a minute.
const std::vector<std::string> quick_and_long{
        "--verbose=1", "--lnorm", "4x8", "--mode=P", "--max-ms-per-prb=60000", "64x768"};
// The line that says that the long problem has begun.
const std::string long_has_begun = "run: --mode=P";

void expect_summary(const std::string &text, const std::string &first) {
    for (const std::string &piece : {first,
                 std::string(
                         "1:UNFINISHED __REPRO: --mode=P --max-ms-per-prb=60000 --lnorm 64x768"),
                 std::string("tests:1 passed:1 "), std::string("total: ")})
        EXPECT_NE(text.find(piece), std::string::npos) << piece << " is not in: " << text;
}

TEST(interruption, prints_the_summary_of_what_has_run) {
    const struct {
        int signal;
        std::string first;
        int exit_code;
    } cases[] = {{SIGINT, "interrupted by SIGINT", 130}, {SIGTERM, "ended by SIGTERM", 143}};
    for (const auto &c : cases) {
        program_t program(quick_and_long);
        program.text_up_to(long_has_begun);
        program.send(c.signal);
        expect_summary(program.text_up_to(""), c.first);
        EXPECT_EQ(program.exit_code(), c.exit_code);
    }
}

TEST(interruption, that_was_ignored_before_stays_ignored) {
    program_t program(quick_and_long, true);
    program.text_up_to(long_has_begun);
    program.send(SIGINT);
    program.send(SIGTERM);
    expect_summary(program.text_up_to(""), "ended by SIGTERM");
    EXPECT_EQ(program.exit_code(), 143);
}

TEST(interruption, does_not_change_a_run_that_ends) {
    program_t program({"--lnorm", "4x8"});
    EXPECT_NE(program.text_up_to("").find("tests:1 passed:1 "), std::string::npos);
    EXPECT_EQ(program.exit_code(), 0);
}

} // namespace

} // namespace benchdnn
