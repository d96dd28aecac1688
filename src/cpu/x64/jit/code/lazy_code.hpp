// SPDX-License-Identifier: Apache-2.0
// Values, such as code, that the first thread that needs them generates.
#pragma once

#include <array>
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

/// The code of a kernel in two variants: with ordinary and with non-temporal stores.
template <typename kernel_t> class store_variants_t {
public:
    /// `spec` is the same in every call but for is_non_temporal, which is replaced.
    template <typename spec_t>
    const executable_code_t &get(const spec_t &spec, bool is_non_temporal) const {
        return codes_[is_non_temporal ? 1 : 0].get([&] {
            spec_t variant = spec;
            variant.is_non_temporal = is_non_temporal;
            return kernel_t(variant).finish();
        });
    }

private:
    mutable std::array<lazy_code_t, 2> codes_;
};

} // namespace kiln::x64::jit
