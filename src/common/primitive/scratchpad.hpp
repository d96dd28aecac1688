// SPDX-License-Identifier: Apache-2.0
// Working memory of library-mode executions: one buffer for each thread, which only grows.
#pragma once

#include <cstddef>

#include "common/memory/memory.hpp"

namespace kiln {

/// Holds the calling thread's buffer for one execution. Where the thread already executes another
/// primitive (a task of an outer region), the lease allocates a buffer of its own.
class scratchpad_lease_t {
public:
    scratchpad_lease_t() = default;
    scratchpad_lease_t(const scratchpad_lease_t &) = delete;
    scratchpad_lease_t &operator=(const scratchpad_lease_t &) = delete;
    ~scratchpad_lease_t();

    /// At least `bytes`, aligned to a cache line. Throws std::bad_alloc.
    void *take(size_t bytes);

private:
    bool holds_thread_buffer_ = false;
    buffer_t own_;
};

} // namespace kiln
