// SPDX-License-Identifier: Apache-2.0
// Generated code in executable memory. Its pages are never writable and executable at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kiln::x64::jit {

class executable_code_t {
public:
    executable_code_t() = default;
    /// Copies position-independent code to new pages, makes them executable and reports the code as
    /// `name` (list_code). Throws std::bad_alloc, code_pages_refused_t.
    executable_code_t(const std::string &name, std::span<const uint8_t> code);
    executable_code_t(executable_code_t &&other) noexcept;
    executable_code_t &operator=(executable_code_t &&other) noexcept;
    ~executable_code_t();

    template <typename function_t> function_t entry() const {
        return reinterpret_cast<function_t>(pages_);
    }
    /// Calls the function with a pointer to its arguments.
    template <typename args_t> void operator()(args_t &args) const {
        entry<void (*)(args_t *)>()(&args);
    }
    const uint8_t *data() const { return static_cast<const uint8_t *>(pages_); }
    size_t size() const { return size_; }

private:
    void *pages_ = nullptr;
    size_t size_ = 0;
};

} // namespace kiln::x64::jit
