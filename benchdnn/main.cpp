// SPDX-License-Identifier: Apache-2.0
// benchdnn: checks and measures a library with oneDNN's interface, from the command line. Exit
// code: 0 all problems passed, 1 a problem failed, 2 the command line is wrong, 128 + N signal N
// interrupted the run.
#include <cstdio>
#include <exception>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "common/driver/command_line.hpp"
#include "common/report/fault_report.hpp"
#include "common/report/interruption.hpp"
#include "common/run/runner.hpp"

namespace {

int run(const std::vector<std::string> &words) {
    using namespace benchdnn;
    const stopwatch_t watch;
    command_line_t command_line;
    command_line.read(words);
    if (command_line.tasks().empty())
        std::fprintf(stderr, "benchdnn: warning: there is no problem to run\n");

    install_fault_report();
    console_t console;
    runner_t runner(console);
    const auto closing_lines = [&] {
        return runner.closing_lines(command_line.options(), watch.ms() / 1000);
    };
    {
        const interruption_t interruption(console, closing_lines);
        runner.run(command_line.tasks());
    }
    for (const std::string &line : closing_lines()) console.line(line);
    return runner.statistics().has_failures() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "benchdnn: no arguments; --help lists drivers and knobs\n");
        return 2;
    }
    try {
        return run({argv + 1, argv + argc});
    } catch (const benchdnn::help_request_t &help) {
        std::fputs(help.text.c_str(), stdout);
        return 0;
    } catch (const benchdnn::usage_error_t &error) {
        std::fprintf(stderr, "benchdnn: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "benchdnn: %s\n", benchdnn::printable(error.what()).c_str());
        return 1;
    }
}
