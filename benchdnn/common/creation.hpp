// SPDX-License-Identifier: Apache-2.0
// A problem's primitive: made by the first implementation that the filters accept, and timed.
#pragma once

#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "common/console.hpp"
#include "common/result.hpp"

namespace benchdnn {

struct creation_t {
    bool is_done = false;    // there is a primitive; otherwise the result says why there is none
    attributes_t attributes; // the problem's, with what the mode adds
    primitive_desc_t descriptor;
    primitive_t primitive;
    result_t result;
};

// Does not throw for what the library answers.
creation_t create(const task_t &task, const engine_t &engine, console_t &console);

// Creates those of tasks[begin], tasks[begin + 1], ... that ask for it at the same time, as many as
// there are processors.
std::vector<creation_t> create_in_parallel(const std::vector<task_t> &tasks, size_t begin,
        int64_t first_number, const engine_t &engine, console_t &console);

// The state that a status of the library is reported as.
state_t state_of(dnnl_status_t status);

} // namespace benchdnn
