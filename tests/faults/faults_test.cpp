// SPDX-License-Identifier: Apache-2.0
// What happens when memory, a mapping, a protection or a file is refused inside of a call: the
// status says so, nothing leaks, and the same calls succeed afterwards with the same results.
//
// Each case runs in a new process ("cold", the fault comes before the library is initialized) and
// in one that has run it before ("warm"). By default a few points of failure are tried, with
// KILN_FAULTS=all each one in every configuration, with a number so many of each kind
// (scripts/trust/faults.sh). A debugger can follow one point with
// "--point CASE FAULT CALL PERSISTS".
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include "faults/child.hpp"

namespace kiln::test {

namespace {

/// Every configuration, and each point alone and persistent.
bool tries_all() { return std::getenv("KILN_FAULTS") != nullptr; }

/// How many points of a kind are tried at most.
long most_points(long usual) {
    if (!tries_all()) return usual;
    const long most = std::atol(std::getenv("KILN_FAULTS"));
    return most > 0 ? most : LONG_MAX;
}

/// A point of failure: call number `call` of a kind, and the later ones if it persists.
struct point_t {
    fault_t fault;
    long call;
    bool persists;
};

struct outcome_t {
    dnnl_status_t status = dnnl_runtime_error;
    bool threw = false;
    long calls = 0; ///< of the kind that fails
};

results_t results; // of the last run; too large for the stack

outcome_t run(const fault_case_t &tested, const point_t &point) {
    outcome_t outcome;
    results.count = 0;
    arm(point.fault, point.call, point.persists);
    try {
        outcome.status = tested.run(results);
    } catch (...) {
        outcome.threw = true;
    }
    outcome.calls = disarm();
    return outcome;
}

outcome_t run_without_faults(const fault_case_t &tested) {
    return run(tested, {fault_t::allocation, LONG_MAX, false});
}

bool is_documented(fault_t fault, dnnl_status_t status) {
    switch (fault) {
    case fault_t::allocation:
    case fault_t::mapping:
    case fault_t::protection: return status == dnnl_success || status == dnnl_out_of_memory;
    // A primitive whose descriptor is older than the policy cannot be made.
    case fault_t::policy: return status == dnnl_success || status == dnnl_runtime_error;
    case fault_t::file: return status == dnnl_success;
    }
    return false;
}

/// Under a policy the reference runs; it rounds elsewhere.
bool has_expected_results(const report_t &report, fault_t fault) {
    return fault == fault_t::policy || results == report.results;
}

void check_faulty(report_t &report, const outcome_t &outcome, const point_t &point) {
    const char *const kind = name_of(point.fault);
    if (outcome.threw) note(report, "%s %ld: an exception crosses the interface", kind, point.call);
    if (!is_documented(point.fault, outcome.status))
        note(report, "%s %ld: status %d", kind, point.call, outcome.status);
    if (outcome.status == dnnl_success && !has_expected_results(report, point.fault))
        note(report, "%s %ld: status success and wrong results", kind, point.call);
}

void check_next(report_t &report, const fault_case_t &tested, const point_t &point) {
    const outcome_t outcome = run_without_faults(tested);
    if (outcome.status != dnnl_success)
        note(report, "%s %ld: then, without faults, status %d", name_of(point.fault), point.call,
                outcome.status);
    else if (!has_expected_results(report, point.fault))
        note(report, "%s %ld: then, without faults, wrong results", name_of(point.fault),
                point.call);
}

void check_leaks(
        report_t &report, const fault_case_t &tested, long expected, const point_t &point) {
    if (point.fault == fault_t::policy) { // the reference allocates other things
        expected = live_resources();
        run_without_faults(tested);
    }
    // Fewer are left where a file for a profiler was given up.
    const long live = live_resources();
    if (live > expected)
        note(report, "%s %ld: %ld allocations and mappings are left, not %ld", name_of(point.fault),
                point.call, live, expected);
}

/// Two runs without faults: results, what stays allocated, and the number of calls of each kind.
void learn(report_t &report, const fault_case_t &tested) {
    for (int i = 0; i < 2; ++i)
        if (const outcome_t outcome = run_without_faults(tested); outcome.status != dnnl_success)
            note(report, "status %d without faults", outcome.status);
    report.results = results;
    report.live_resources = live_resources();
    for (const fault_t fault : all_faults)
        report.calls[static_cast<int>(fault)] = run(tested, {fault, LONG_MAX, false}).calls;
}

/// Numbers of calls, at most `most` of them, the first ones and then evenly spread.
std::vector<long> spread(long count, long most) {
    std::vector<long> chosen;
    const long first = std::min(count, most / 3);
    for (long i = 0; i < first; ++i) chosen.push_back(i);
    const long rest = std::min(count, most) - first;
    for (long i = 0; i < rest; ++i) chosen.push_back(first + i * (count - first) / rest);
    return chosen;
}

long fault_count = 0;

// ---- warm

int next_file() {
    const int file = dup(STDERR_FILENO);
    close(file);
    return file;
}

void survive_warm(
        report_t &report, const fault_case_t &tested, const std::vector<point_t> &points) {
    learn(report, tested);
    const long live = live_resources();
    const int file = next_file();
    for (const point_t &point : points) {
        check_faulty(report, run(tested, point), point);
        check_next(report, tested, point);
        check_leaks(report, tested, live, point);
        if (next_file() > file)
            note(report, "%s %ld: a file stays open", name_of(point.fault), point.call);
    }
}

// ---- cold

/// The number of calls of a kind in a process' first run.
long count_cold(const configuration_t &configuration, const fault_case_t &tested, fault_t fault) {
    report_t &report = shared_report();
    run_in_child(configuration, report, [&](report_t &told) {
        told.calls[0] = run(tested, {fault, LONG_MAX, false}).calls;
    });
    return report.calls[0];
}

void survive_cold(report_t &report, const fault_case_t &tested, const point_t &point) {
    check_faulty(report, run(tested, point), point);
    check_next(report, tested, point);
    check_next(report, tested, point);
    check_leaks(report, tested, report.live_resources, point);
}

// ---- the tests

class faults : public testing::TestWithParam<fault_case_t> {
protected:
    /// All, or one: neighbouring cases have different ones.
    static std::span<const configuration_t> tried_configurations() {
        const auto all = configurations();
        if (tries_all()) return all;
        const auto cases = all_cases();
        const auto same = [](const fault_case_t &one) { return one.run == GetParam().run; };
        const auto number = std::find_if(cases.begin(), cases.end(), same) - cases.begin();
        return all.subspan(static_cast<size_t>(number) % all.size(), 1);
    }
    /// Each point alone and persistent if all are tried, else one after the other.
    static void add(std::vector<point_t> &points, fault_t fault, long count, long most) {
        for (const long call : spread(count, std::min(count, most_points(most))))
            for (const bool persists : {false, true})
                if (tries_all() || persists == (call % 2 == 1)) {
                    points.push_back({fault, call, persists});
                    ++fault_count;
                }
    }
};

TEST_P(faults, are_survived_by_a_process_that_has_run_the_case_before) {
    report_t &report = shared_report();
    for (const configuration_t &configuration : tried_configurations()) {
        ASSERT_EQ(run_in_child(
                          configuration, report, [&](report_t &told) { learn(told, GetParam()); }),
                "")
                << configuration.name;
        for (const fault_t fault : all_faults) {
            std::vector<point_t> points;
            add(points, fault, report.calls[static_cast<int>(fault)], 60);
            EXPECT_EQ(run_in_child(configuration, report,
                              [&](report_t &told) { survive_warm(told, GetParam(), points); }),
                    "")
                    << configuration.name << ", " << name_of(fault);
        }
    }
}

TEST_P(faults, are_survived_by_a_new_process) {
    report_t &report = shared_report();
    for (const configuration_t &configuration : tried_configurations()) {
        std::vector<point_t> points;
        for (const fault_t fault : all_faults)
            add(points, fault, count_cold(configuration, GetParam(), fault), 8);
        ASSERT_EQ(run_in_child(
                          configuration, report, [&](report_t &told) { learn(told, GetParam()); }),
                "")
                << configuration.name;
        for (const point_t &point : points)
            EXPECT_EQ(run_in_child(configuration, report,
                              [&](report_t &told) { survive_cold(told, GetParam(), point); }),
                    "")
                    << configuration.name << ", " << name_of(point.fault) << " " << point.call
                    << (point.persists ? " and later ones" : "");
    }
}

INSTANTIATE_TEST_SUITE_P(each, faults, testing::ValuesIn(all_cases()), name_of_case);

TEST(faults_of_this_program, reach_the_library) {
    // Else the other tests would show nothing.
    report_t &report = shared_report();
    for (const fault_t fault : {fault_t::allocation, fault_t::mapping, fault_t::protection}) {
        const std::string wrong = run_in_child(configurations()[0], report, [&](report_t &told) {
            const outcome_t outcome = run(primitive_cases()[0], {fault, 0, true});
            if (outcome.status != dnnl_out_of_memory) note(told, "status %d", outcome.status);
        });
        EXPECT_EQ(wrong, "") << name_of(fault);
    }
}

} // namespace

} // namespace kiln::test

/// One point of failure in this process, for a debugger.
static int run_point(char **arguments) {
    using namespace kiln::test;
    for (const fault_case_t &tested : all_cases())
        for (const fault_t fault : all_faults) {
            if (name_of_case({tested, 0}) != arguments[0]
                    || name_of(fault) != std::string(arguments[1]))
                continue;
            const point_t point{fault, std::atol(arguments[2]), std::atoi(arguments[3]) != 0};
            for (const point_t &at : {point, {fault, LONG_MAX, false}}) {
                const outcome_t outcome = run(tested, at);
                std::printf("status %d after %ld calls\n", outcome.status, outcome.calls);
            }
            return 0;
        }
    std::puts("usage: faults_tests --point CASE FAULT CALL PERSISTS(0 or 1)");
    return 2;
}

int main(int argc, char **argv) {
    if (argc == 6 && std::string(argv[1]) == "--point") return run_point(argv + 2);
    testing::InitGoogleTest(&argc, argv);
    const int result = RUN_ALL_TESTS();
    std::printf("%ld faults were injected\n", kiln::test::fault_count);
    return result;
}
