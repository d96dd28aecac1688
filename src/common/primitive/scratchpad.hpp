// SPDX-License-Identifier: Apache-2.0
// Working memory of library-mode executions.
#pragma once

#include "common/memory/buffer_pool.hpp"

namespace kiln {

/// Holds a scratchpad for one execution. A thread that executes a primitive inside of another one
/// gets a second scratchpad.
class scratchpad_lease_t {
public:
    /// At least `bytes`, aligned to a cache line. Taken once. Throws std::bad_alloc.
    void *take(size_t bytes);

private:
    buffer_pool_t::lease_t lease_;
};

} // namespace kiln
