// SPDX-License-Identifier: Apache-2.0
// Faults of what the library asks the system for: memory, mappings, protections, files. This
// program's functions stand in front of those of the C and C++ libraries. Only calls that come from
// Kiln, or from the C++ library on its behalf, can fail or are counted.
#pragma once

namespace kiln::test {

enum class fault_t {
    allocation, ///< operator new, aligned_alloc, posix_memalign: no memory
    mapping,    ///< mmap: ENOMEM
    protection, ///< mprotect: ENOMEM
    policy,     ///< mprotect to executable: EACCES, each time
    file,       ///< open, fopen, write, writev, fwrite, mkdtemp: ENOSPC
};
inline constexpr fault_t all_faults[] = {
        fault_t::allocation, fault_t::mapping, fault_t::protection, fault_t::policy, fault_t::file};
const char *name_of(fault_t fault);

/// From now on, call number `first` (from 0) of this kind fails, and the later ones if `persists`.
void arm(fault_t fault, long first, bool persists);
/// Ends that; returns the number of calls of this kind, failed ones included.
long disarm();

/// Counts a call of a function that the program gives to the library; whether it is to fail.
bool fails_now(fault_t fault);

/// Allocations and mappings that are not freed, of those since forget_resources().
long live_resources();
void forget_resources();

} // namespace kiln::test
