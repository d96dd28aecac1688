// SPDX-License-Identifier: Apache-2.0
// Generated code in executable memory. Its pages are never writable and executable at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cpu/x64/jit/code/code_pages.hpp"

namespace kiln::x64::jit {

class executable_code_t {
public:
    executable_code_t() = default;
    /// Copies position-independent code to new pages, makes them executable and reports the code as
    /// `name` (list_code). While the thread has a code_batch_t, the code shares its pages and must
    /// not be called before the batch is finished. Throws std::bad_alloc, code_pages_refused_t.
    executable_code_t(const std::string &name, std::span<const uint8_t> code);
    executable_code_t(executable_code_t &&other) noexcept;
    executable_code_t &operator=(executable_code_t &&other) noexcept;

    template <typename function_t> function_t entry() const {
        return reinterpret_cast<function_t>(data_);
    }
    /// Calls the function with a pointer to its arguments.
    template <typename args_t> void operator()(args_t &args) const {
        entry<void (*)(args_t *)>()(&args);
    }
    const uint8_t *data() const { return data_; }
    size_t size() const { return size_; }

private:
    std::shared_ptr<const code_pages_t> pages_;
    uint8_t *data_ = nullptr;
    size_t size_ = 0;
};

/// Kernels that a thread generates while this object exists share pages, which finish() makes
/// executable: one object for all kernels that a primitive is created with saves system calls and
/// pages. A kernel that does not fit has pages of its own.
class code_batch_t {
public:
    code_batch_t();
    code_batch_t(const code_batch_t &) = delete;
    code_batch_t &operator=(const code_batch_t &) = delete;
    ~code_batch_t();

    /// The batch of the calling thread, or null.
    static code_batch_t *current();

    /// A copy of the code, aligned to a cache line, in `pages`; null if there is no room for it.
    /// Throws std::bad_alloc.
    uint8_t *place(std::span<const uint8_t> code, std::shared_ptr<const code_pages_t> &pages);
    /// Throws std::bad_alloc, code_pages_refused_t.
    void finish();

private:
    static constexpr size_t capacity = size_t{1} << 15;

    code_batch_t *const outer_;
    std::shared_ptr<code_pages_t> pages_;
    size_t used_ = 0;
};

} // namespace kiln::x64::jit
