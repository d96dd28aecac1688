// SPDX-License-Identifier: Apache-2.0
// Code that is generated when it is first asked for, by whichever thread asks first.
#pragma once

#include <mutex>
#include <optional>

#include "cpu/x64/jit/executable_code.hpp"

namespace kiln::x64::jit {

class lazy_code_t {
public:
    /// The code; `generate()` makes it for the first who asks.
    template <typename generate_t> const executable_code_t &get(const generate_t &generate) {
        std::call_once(once_, [&] { code_.emplace(generate()); });
        return *code_;
    }

private:
    std::once_flag once_;
    std::optional<executable_code_t> code_;
};

} // namespace kiln::x64::jit
