// SPDX-License-Identifier: Apache-2.0
// A value, such as code, that the first thread that needs it generates.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::x64::jit {

template <typename T> class lazy_t {
public:
    /// The value; the first call makes it by `generate()`.
    template <typename generate_t> const T &get(const generate_t &generate) {
        // Faster than std::call_once, which matters for short kernels.
        if (const T *made = ready_.load(std::memory_order_acquire)) return *made;
        std::call_once(once_, [&] {
            made_.emplace(generate());
            ready_.store(&*made_, std::memory_order_release);
        });
        return *made_;
    }

private:
    std::once_flag once_;
    std::optional<T> made_;
    std::atomic<const T *> ready_ = nullptr;
};

using lazy_code_t = lazy_t<executable_code_t>;

} // namespace kiln::x64::jit
