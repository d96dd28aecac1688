// SPDX-License-Identifier: Apache-2.0
// What a problem executes, created: on its own or beside others.
#pragma once

#include <memory>
#include <vector>

#include "common/report/console.hpp"
#include "common/report/result.hpp"
#include "common/run/task.hpp"

namespace benchdnn {

struct creation_t {
    std::unique_ptr<executable_t> executable; // or null, and the result says why there is none
    result_t result;
};

// Does not throw for what the library answers.
creation_t create(const task_t &task, const engine_t &engine, console_t &console);

// Creates those of tasks[begin], tasks[begin + 1], ... that ask for it at the same time, as many as
// there are processors.
std::vector<creation_t> create_in_parallel(const std::vector<task_t> &tasks, size_t begin,
        int64_t first_number, const engine_t &engine, console_t &console);

} // namespace benchdnn
