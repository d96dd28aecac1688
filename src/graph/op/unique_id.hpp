// SPDX-License-Identifier: Apache-2.0
// Numbers that identify objects within the process.
#pragma once

#include <atomic>
#include <cstddef>

namespace kiln::graph {

/// 1, 2, ... for each type of object. Thread-safe.
template <typename object_t> size_t next_id() {
    static std::atomic<size_t> last{0};
    return ++last;
}

} // namespace kiln::graph
