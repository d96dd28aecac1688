// SPDX-License-Identifier: Apache-2.0
// --cpu-isa-hints, which holds for a whole process.
#pragma once

#include <vector>

#include "common/run/task.hpp"

namespace benchdnn {

// Gives the library the hints that the tasks ask for. Tasks that ask for different ones, or hints
// that come too late for the library, are a usage_error_t.
void set_isa_hints(const std::vector<task_t> &tasks);

} // namespace benchdnn
