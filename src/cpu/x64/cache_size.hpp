// SPDX-License-Identifier: Apache-2.0
// The size of the last-level cache.
#pragma once

#include <cstddef>

namespace kiln::x64 {

/// Bytes of the largest data cache that CPUID reports; 1 MiB if it reports none.
size_t last_level_cache_size();

} // namespace kiln::x64
