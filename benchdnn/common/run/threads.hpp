// SPDX-License-Identifier: Apache-2.0
// Calls made with the threads that --ctx-init, --ctx-exe and --threads ask for.
#pragma once

#include <functional>

#include "common/command_line/thread_context.hpp"

namespace benchdnn {

// Calls body where the library has these threads: in a oneTBB arena, and with OpenMP's number of
// threads set where the process has an OpenMP runtime. An automatic context is a plain call.
void in_thread_context(const thread_context_t &context, const std::function<void()> &body);

// The number of threads the library finds here.
int thread_count();

} // namespace benchdnn
