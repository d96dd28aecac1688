// SPDX-License-Identifier: Apache-2.0
// Pages for generated code: writable first, then executable, never both at once.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Pages that the code of one or several kernels is written to before all of them become
/// executable.
class code_pages_t {
public:
    /// Writable pages, zero. Throws std::bad_alloc.
    explicit code_pages_t(size_t size);
    code_pages_t(const code_pages_t &) = delete;
    code_pages_t &operator=(const code_pages_t &) = delete;
    ~code_pages_t();

    uint8_t *data() const { return data_; }
    /// From here on they are executable and cannot be written. Throws std::bad_alloc,
    /// code_pages_refused_t.
    void make_executable();

private:
    size_t size_;
    uint8_t *data_;
};

} // namespace kiln::x64::jit
