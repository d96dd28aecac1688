// SPDX-License-Identifier: Apache-2.0
// --ctx-init and --ctx-exe: how many threads, and of which kind, the library finds around a call.
#pragma once

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

} // namespace benchdnn
