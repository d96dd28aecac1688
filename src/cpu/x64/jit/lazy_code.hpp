// SPDX-License-Identifier: Apache-2.0
// What is generated when it is first asked for, by whichever thread asks first.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "cpu/x64/jit/executable_code.hpp"

namespace kiln::x64::jit {

template <typename T> class lazy_t {
public:
    /// `generate()` makes it for the first who asks.
    template <typename generate_t> const T &get(const generate_t &generate) {
        // The flag alone costs a tenth of a short call.
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
