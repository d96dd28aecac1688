// SPDX-License-Identifier: Apache-2.0
// Pages for generated code: writable first, then executable, never both at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace kiln::x64::jit {

/// Thrown where the system does not let the process make pages executable: a filter of system calls
/// (seccomp, systemd's MemoryDenyWriteExecute), SELinux (execmem) or prctl(PR_SET_MDWE).
struct code_pages_refused_t : std::runtime_error {
    code_pages_refused_t();
};

/// Whether the system lets the process make pages executable. The first call tries it. Where a
/// later attempt is refused, because the process has given up the right, the answer changes;
/// verbose mode then says why, once.
bool code_pages_are_allowed() noexcept;

/// Copies code to new pages and makes them executable. Throws std::bad_alloc, code_pages_refused_t.
void *make_code_pages(std::span<const uint8_t> code);
void free_code_pages(void *pages, size_t size);

} // namespace kiln::x64::jit
