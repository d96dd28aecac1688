// SPDX-License-Identifier: Apache-2.0
// --cpu-isa-hints, which applies to the whole process.
#pragma once

#include <vector>

#include "common/run/task.hpp"

namespace benchdnn {

// Passes the hints of the tasks to the library. Different hints in one run, or hints that the
// library refuses, are a usage_error_t.
void set_isa_hints(const std::vector<task_t> &tasks);

} // namespace benchdnn
