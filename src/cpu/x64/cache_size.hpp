// SPDX-License-Identifier: Apache-2.0
// How large the caches are that an execution can count on.
#pragma once

#include <cstddef>

namespace kiln::x64 {

/// Bytes of the last-level cache; what is larger than it comes from memory.
size_t last_level_cache_size();

} // namespace kiln::x64
