// SPDX-License-Identifier: Apache-2.0
#include "faults/child.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::test {

namespace {

/// Seconds; more in long runs, whose processes may be stopped meanwhile.
unsigned longest_run() { return std::getenv("KILN_FAULTS") ? 900 : 60; }
constexpr const char *output_name = "output.txt";

constexpr const char *verbose[] = {"ONEDNN_VERBOSE=all", "ONEDNN_VERBOSE_TIMESTAMP=1"};
constexpr const char *dumps[] = {"ONEDNN_JIT_DUMP=1", "ONEDNN_JIT_PROFILE=6", "JITDUMPDIR=.",
        "ONEDNN_GRAPH_DUMP=graph,subgraph"};
constexpr const char *limits[] = {"ONEDNN_MAX_CPU_ISA=avx512_core_bf16",
        "ONEDNN_DEFAULT_FPMATH_MODE=strict", "ONEDNN_CPU_ISA_HINTS=prefer_ymm",
        "ONEDNN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY=cpu:1024"};
constexpr configuration_t all_configurations[] = {
        {"plain", {}},
        {"verbose", verbose},
        {"dumps", dumps},
        {"limits", limits},
};

void enter(const configuration_t &configuration, const char *directory) {
    if (chdir(directory) != 0) _exit(3);
    const int output = ::open(output_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(output, STDOUT_FILENO);
    close(output);
    for (const char *const variable : configuration.variables) putenv(const_cast<char *>(variable));
    alarm(longest_run());
    forget_resources();
}

/// The working directory of the children: a new one, deleted at the end. One serves all, since a
/// file system takes longer to make one than most children run.
class directory_t {
public:
    directory_t() {
        if (mkdtemp(path_.data()) == nullptr) std::abort();
    }
    ~directory_t() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const char *path() const { return path_.c_str(); }
    std::string output() const { return path_ + "/" + output_name; }
    /// Deletes what a child left but for its output, which the next one overwrites.
    void clear() const {
        std::error_code ignored;
        for (const auto &entry : std::filesystem::directory_iterator(path_, ignored))
            if (entry.path().filename() != output_name)
                std::filesystem::remove_all(entry.path(), ignored);
    }

private:
    std::string path_ = testing::TempDir() + "/kiln_faults.XXXXXX";
};

std::string end_of(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) return "the child cannot be waited for";
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM
                       ? "the child hangs"
                       : "signal " + std::to_string(WTERMSIG(status)) + " ended the child";
    return WEXITSTATUS(status) == 0 ? ""
                                    : "the child ended with " + std::to_string(WEXITSTATUS(status));
}

} // namespace

std::span<const configuration_t> configurations() { return all_configurations; }

report_t &shared_report() {
    static auto *const report = [] {
        void *const memory = mmap(nullptr, sizeof(report_t), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::abort();
        return new (memory) report_t;
    }();
    return *report;
}

void note(report_t &report, const char *format, ...) {
    if (report.text[0] != '\0') return;
    va_list values;
    va_start(values, format);
    std::vsnprintf(report.text, sizeof(report.text), format, values);
    va_end(values);
}

std::string run_in_child(const configuration_t &configuration, report_t &report,
        const std::function<void(report_t &)> &body, std::string *output) {
    static const directory_t directory;
    report.text[0] = '\0';
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        enter(configuration, directory.path());
        body(report);
        std::fflush(stdout);
        _exit(0);
    }
    std::string wrong = child < 0 ? "there is no child" : end_of(child);
    if (report.text[0] != '\0') wrong = report.text + (wrong.empty() ? "" : "; " + wrong);
    if (output) {
        std::ifstream file(directory.output());
        output->assign(std::istreambuf_iterator<char>(file), {});
    }
    directory.clear();
    std::error_code ignored;
    std::filesystem::remove("/tmp/perf-" + std::to_string(child) + ".map", ignored);
    return wrong;
}

} // namespace kiln::test
