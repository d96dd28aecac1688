// SPDX-License-Identifier: Apache-2.0
// Calls with the threads that --ctx-init, --ctx-exe and --threads give.
#pragma once

#include <functional>

#include "common/command_line/thread_context.hpp"

namespace benchdnn {

// Calls body with these threads available to the library: in a oneTBB arena, and with the number of
// OpenMP threads set if the process has an OpenMP runtime. With an automatic context, it is a plain
// call.
void in_thread_context(const thread_context_t &context, const std::function<void()> &body);

// The number of threads available to the library here.
int thread_count();

} // namespace benchdnn
