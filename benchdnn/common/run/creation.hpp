// SPDX-License-Identifier: Apache-2.0
// Creates what a problem executes, one problem at a time or several in parallel.
#pragma once

#include <memory>
#include <vector>

#include "common/report/console.hpp"
#include "common/report/result.hpp"
#include "common/run/task.hpp"

namespace benchdnn {

struct creation_t {
    std::unique_ptr<executable_t> executable; // null: the result says why
    result_t result;
};

// A status of the library becomes the state of the result, not an exception.
creation_t create(const task_t &task, const engine_t &engine, console_t &console);

// Creates in parallel the tasks from tasks[begin] on that ask for it, at most one for each
// processor.
std::vector<creation_t> create_in_parallel(const std::vector<task_t> &tasks, size_t begin,
        int64_t first_number, const engine_t &engine, console_t &console);

} // namespace benchdnn
