// SPDX-License-Identifier: Apache-2.0
// The size of the last-level cache.
#pragma once

#include <cstddef>

namespace kiln::x64 {

/// Bytes of last-level cache that a call can use, from what CPUID reports and the number of
/// processors that the process may run on: at most 16 MiB per processor, at least 32 MiB if so much
/// is reported. A server's cache spans many cores, and a virtual machine with a few of them reports
/// all of it; the part beyond this bound is not faster than memory for these few. 1 MiB if CPUID
/// reports no cache.
size_t usable_cache_size(size_t reported, size_t processors);

/// usable_cache_size() of this machine.
size_t last_level_cache_size();

} // namespace kiln::x64
