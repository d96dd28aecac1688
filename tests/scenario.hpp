// SPDX-License-Identifier: Apache-2.0
// Scenarios: parts of a test that run in a process of their own, because the library reads a
// setting once, prints, or can be set only once. The test starts the process and reads what it
// prints.
#pragma once

#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

extern char **environ;

namespace kiln::test {

struct scenario_t {
    const char *name;
    void (*run)();
};

struct scenario_result_t {
    bool succeeded = false;
    std::string output;
    std::vector<std::string> lines() const {
        std::vector<std::string> result;
        for (size_t begin = 0, end; (end = output.find('\n', begin)) != std::string::npos;
                begin = end + 1)
            result.push_back(output.substr(begin, end - begin));
        return result;
    }
};

/// The environment without the variables that the library reads, plus `variables` ("NAME=VALUE").
inline std::vector<std::string> scenario_environment(const std::vector<std::string> &variables) {
    std::vector<std::string> result = variables;
    for (char **variable = environ; *variable; ++variable) {
        const std::string text = *variable;
        const bool is_read = text.starts_with("ONEDNN_") || text.starts_with("DNNL_")
                             || text.starts_with("KILN_") || text.starts_with("JITDUMPDIR=")
                             || text.starts_with("HOME=");
        if (!is_read) result.push_back(text);
    }
    return result;
}

/// Runs this program with "--scenario NAME" and returns what it prints.
inline scenario_result_t run_scenario(
        const std::string &name, const std::vector<std::string> &variables = {}) {
    scenario_result_t result;
    const std::vector<std::string> environment = scenario_environment(variables);
    std::vector<char *> pointers;
    for (const std::string &variable : environment)
        pointers.push_back(const_cast<char *>(variable.c_str()));
    pointers.push_back(nullptr);

    int ends[2];
    if (pipe(ends) != 0) return result;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        const char *arguments[] = {"scenario", "--scenario", name.c_str(), nullptr};
        execve("/proc/self/exe", const_cast<char **>(arguments), pointers.data());
        _exit(127);
    }
    close(ends[1]);
    char buffer[4096];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
        result.output.append(buffer, static_cast<size_t>(count));
    close(ends[0]);
    int status = 0;
    const bool has_ended = child > 0 && waitpid(child, &status, 0) == child;
    result.succeeded = has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return result;
}

/// The main function of a test program: runs the scenario that the command line names, or the
/// tests.
inline int main_with_scenarios(int argc, char **argv, std::span<const scenario_t> scenarios) {
    if (argc == 3 && std::strcmp(argv[1], "--scenario") == 0) {
        for (const scenario_t &scenario : scenarios) {
            if (std::strcmp(scenario.name, argv[2]) != 0) continue;
            scenario.run();
            return 0;
        }
        std::fprintf(stderr, "no scenario is named %s\n", argv[2]);
        return 1;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

} // namespace kiln::test
