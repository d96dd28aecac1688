// SPDX-License-Identifier: Apache-2.0
// Processes that run faults. The process of the tests never calls the library, so that each child
// starts it anew.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "faults/cases.hpp"
#include "faults/injection.hpp"

namespace kiln::test {

/// Settings of the library in a child.
struct configuration_t {
    const char *name;
    std::span<const char *const> variables; ///< "NAME=VALUE"
};
std::span<const configuration_t> configurations();

/// What a child tells, in memory that both processes see.
struct report_t {
    results_t results;       ///< without faults
    long live_resources = 0; ///< after two runs without faults
    long calls[std::size(all_faults)] = {};
    char text[1024] = {}; ///< what is wrong; empty: nothing
};

/// Runs `body` in a child with this configuration, in an empty working directory that is deleted at
/// the end. Returns what is wrong: the report's text, or how the child ended. `output` becomes
/// what the child prints.
std::string run_in_child(const configuration_t &configuration, report_t &report,
        const std::function<void(report_t &)> &body, std::string *output = nullptr);

/// The report in shared memory.
report_t &shared_report();

/// Writes what is wrong, unless something was wrong before.
[[gnu::format(printf, 2, 3)]] void note(report_t &report, const char *format, ...);

} // namespace kiln::test
