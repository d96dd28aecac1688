// SPDX-License-Identifier: Apache-2.0
// How many threads, and of which kind, the library finds around a call: --ctx-init, --ctx-exe and
// --threads.
#pragma once

#include <functional>
#include <string>

namespace benchdnn {

struct thread_context_t {
    static constexpr int automatic = -1;
    int concurrency = automatic;
    int core_type = automatic; // of a processor with several kinds, 0 the largest
    int threads_per_core = automatic;

    bool is_automatic() const;
    // MAX_CONCURRENCY[:CORE_TYPE[:THREADS_PER_CORE]] without what is automatic at the end.
    std::string text() const;
};

thread_context_t parse_thread_context(const std::string &text);

// Calls body where the library has these threads: in a oneTBB arena, and with OpenMP's number of
// threads set where the process has an OpenMP runtime. An automatic context is a plain call.
void in_thread_context(const thread_context_t &context, const std::function<void()> &body);

// The number of threads the library finds here.
int thread_count();

} // namespace benchdnn
