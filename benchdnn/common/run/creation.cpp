// SPDX-License-Identifier: Apache-2.0
// Creates what a problem executes.
#include "common/run/creation.hpp"

#include <limits>
#include <new>

#include "common/report/fault_report.hpp"
#include "common/run/threads.hpp"
#include "common/tensor/parallel.hpp"

namespace benchdnn {

namespace {

// Why the problem is skipped before anything is created, or "".
std::string reason_to_skip(const task_t &task) {
    const std::string cannot = task.options->skip_reason();
    return cannot.empty() ? task.problem->skip_reason() : cannot;
}

} // namespace

creation_t create(const task_t &task, const engine_t &engine, console_t &console) {
    creation_t creation;
    try {
        const std::string skipped = reason_to_skip(task);
        if (skipped.empty()) {
            creation.executable =
                    task.problem->make({*task.options, engine, console}, creation.result);
        } else {
            creation.result.end(state_t::skipped, skipped);
        }
    } catch (const status_error_t &error) {
        console.line(std::string("error: ") + error.what());
        creation.result.end(state_of(error.status), error.what());
    } catch (const std::bad_alloc &) {
        creation.result.end(state_t::skipped, "Not enough RAM");
    }
    return creation;
}

std::vector<creation_t> create_in_parallel(const std::vector<task_t> &tasks, size_t begin,
        int64_t first_number, const engine_t &engine, console_t &console) {
    size_t count = 0;
    const auto most = static_cast<size_t>(worker_count());
    while (count < most && begin + count < tasks.size()
            && tasks[begin + count].options->creates_in_parallel())
        ++count;
    std::vector<creation_t> creations(count);
    constexpr int64_t many = std::numeric_limits<int64_t>::max();
    parallel_shares(static_cast<int64_t>(count), many, [&](int, int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            const task_t &task = tasks[begin + i];
            const fault_watch_t watch(first_number + i, task.reproduction(), false);
            in_thread_context(task.options->creation_context[0],
                    [&] { creations[i] = create(task, engine, console); });
        }
    });
    return creations;
}

} // namespace benchdnn
