// SPDX-License-Identifier: Apache-2.0
// Random legal problems of every operation, each by every implementation that accepts it: with
// post-ops, scales and zero points; not with dropout and stochastic rounding, which have tests of
// their own, nor types of 8 bits that are floats.
//
//     differential_tester [--count=N | --seconds=N] [--first=N] [--isa=NAME,...] [--jobs=N]
//
// A problem follows from its number and the ISA level alone. Processes of their own make the
// problems, so that a crash is one more failure and not the end.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "differential/judge.hpp"

namespace kiln::test::differential {
namespace {

struct options_t {
    int64_t count = 1000; // of problems at each level
    double seconds = 0;   // instead, if it is not 0
    uint64_t first = 1;
    std::vector<std::string> levels = {"default"};
    int jobs = 1;
};

struct level_t {
    const char *name;
    dnnl_cpu_isa_t isa;
};

constexpr level_t levels[] = {{"default", dnnl_cpu_isa_default}, {"sse41", dnnl_cpu_isa_sse41},
        {"avx2", dnnl_cpu_isa_avx2}, {"avx2_vnni", dnnl_cpu_isa_avx2_vnni},
        {"avx512_core", dnnl_cpu_isa_avx512_core},
        {"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni},
        {"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16},
        {"avx512_core_amx", dnnl_cpu_isa_avx10_1_512_amx}};

const level_t &level_of(const std::string &name) {
    for (const level_t &level : levels)
        if (level.name == name) return level;
    std::fprintf(stderr, "%s is no ISA level\n", name.c_str());
    std::exit(2);
}

/// What a process reports, in memory that it shares with the one that started it.
struct report_t {
    results_t results;
    uint64_t number; // of the present problem
    bool is_finished;
};

/// The numbers first, first + step, ...: `count` of them, or as many as there is time for.
struct work_t {
    level_t level;
    uint64_t first, step;
    int64_t count;
    double seconds;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
}

void print_failure(
        const work_t &work, uint64_t number, const std::string &text, const std::string &failures) {
    std::printf("FAILED %s\n%sreproduce: differential_tester --first=%llu --count=1 --isa=%s\n",
            text.c_str(), failures.c_str(), static_cast<unsigned long long>(number),
            work.level.name);
    std::fflush(stdout);
}

void run_problem(const work_t &work, uint64_t number, workshop_t &workshop, report_t &report) {
    try {
        const auto problem = make_problem(number, workshop);
        const std::string failures = failures_of(*problem, number, report.results);
        if (!failures.empty()) print_failure(work, number, problem->text, failures);
    } catch (const std::exception &error) {
        ++report.results.failures;
        print_failure(work, number, error.what(), "");
    }
}

void run(const work_t &work, double end, report_t &report) {
    dnnl_set_max_cpu_isa(work.level.isa);
    dnnl_set_primitive_cache_capacity(0);
    workshop_t workshop;
    for (int64_t i = 0; work.seconds > 0 ? now() < end : i < work.count; ++i) {
        report.number = work.first + static_cast<uint64_t>(i) * work.step;
        run_problem(work, report.number, workshop, report);
    }
    report.is_finished = true;
}

report_t &shared_report() {
    void *const memory = mmap(
            nullptr, sizeof(report_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return *new (memory) report_t{};
}

/// A process and what is left to do if it crashes.
struct process_t {
    work_t work;
    report_t *report = nullptr;
    double end = 0;
    pid_t pid = 0;

    void start() {
        std::fflush(stdout);
        pid = fork();
        if (pid != 0) return;
        run(work, end, *report);
        std::fflush(stdout);
        _exit(0);
    }

    /// Goes on behind the problem that made the process crash.
    void restart_after_crash(int status) {
        ++report->results.failures;
        const std::string end = WIFSIGNALED(status)
                                        ? "died of signal " + std::to_string(WTERMSIG(status))
                                        : "ended with " + std::to_string(WEXITSTATUS(status));
        print_failure(work, report->number, "the process " + end, "");
        const uint64_t next = report->number + work.step;
        work.count -= static_cast<int64_t>((next - work.first) / work.step);
        work.first = next;
        start();
    }
};

results_t run_level(const options_t &options, const level_t &level, uint64_t first) {
    std::vector<process_t> processes;
    const auto jobs = static_cast<uint64_t>(options.jobs);
    for (uint64_t job = 0; job < jobs; ++job) {
        const auto count =
                (options.count + options.jobs - 1 - static_cast<int64_t>(job)) / options.jobs;
        processes.push_back({{level, first + job, jobs, count, options.seconds}, &shared_report(),
                now() + options.seconds});
        processes.back().start();
    }
    results_t results{};
    for (size_t running = processes.size(); running > 0;) {
        int status = 0;
        const pid_t pid = wait(&status);
        const auto process = std::find_if(processes.begin(), processes.end(),
                [&](const process_t &each) { return each.pid == pid; });
        if (process == processes.end()) continue;
        if (!process->report->is_finished) {
            if (process->report->results.failures < 100) {
                process->restart_after_crash(status);
                continue;
            }
            std::puts("100 failures: the problems that are left are not made");
        }
        results.add(process->report->results);
        --running;
    }
    return results;
}

std::vector<std::string> split(const std::string &list) {
    std::vector<std::string> parts;
    std::istringstream text(list);
    for (std::string part; std::getline(text, part, ',');) parts.push_back(part);
    return parts;
}

options_t parse(int argc, char **argv) {
    options_t options;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        const auto value = [&](const char *name) -> const char * {
            return arg.starts_with(name) ? argv[i] + std::strlen(name) : nullptr;
        };
        if (const char *text = value("--count="))
            options.count = std::atoll(text);
        else if (const char *text = value("--seconds="))
            options.seconds = std::atof(text);
        else if (const char *text = value("--first="))
            options.first = std::strtoull(text, nullptr, 10);
        else if (const char *text = value("--jobs="))
            options.jobs = std::max(1, std::atoi(text));
        else if (const char *text = value("--isa="))
            options.levels = split(text);
        else {
            std::fprintf(stderr, "unknown option %s\n", argv[i]);
            std::exit(2);
        }
    }
    return options;
}

int main_of(int argc, char **argv) {
    const options_t options = parse(argc, argv);
    const double begin = now();
    results_t results{};
    for (const std::string &name : options.levels)
        results.add(run_level(options, level_of(name), options.first));
    print(results);
    std::printf("%lld problems, %lld executions, %lld failures in %.1f s\n",
            static_cast<long long>(results.problems), static_cast<long long>(results.runs),
            static_cast<long long>(results.failures), now() - begin);
    return results.failures == 0 ? 0 : 1;
}

} // namespace
} // namespace kiln::test::differential

int main(int argc, char **argv) { return kiln::test::differential::main_of(argc, argv); }
