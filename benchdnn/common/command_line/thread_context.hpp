// SPDX-License-Identifier: Apache-2.0
// --ctx-init and --ctx-exe: the number and kind of threads that are available to a call of the
// library.
#pragma once

#include <string>

#include "common/command_line/text.hpp"

namespace benchdnn {

inline constexpr integers_t thread_counts{1, 4096};

struct thread_context_t {
    static constexpr int automatic = -1;
    int concurrency = automatic;
    int core_type = automatic; // of a processor with several kinds, 0 the largest
    int threads_per_core = automatic;

    bool is_automatic() const;
    // MAX_CONCURRENCY[:CORE_TYPE[:THREADS_PER_CORE]] without trailing automatic values.
    std::string text() const;
};

thread_context_t parse_thread_context(const std::string &text);

} // namespace benchdnn
