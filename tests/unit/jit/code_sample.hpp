// SPDX-License-Identifier: Apache-2.0
// Code that any x86-64 processor runs, for tests of what is done with code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "cpu/x64/jit/code/executable_code.hpp"

namespace kiln::test {

using number_function_t = uint32_t (*)();

/// mov eax, number; ret; and no-operations behind it.
inline std::vector<uint8_t> code_that_returns(uint32_t number, size_t padding = 0) {
    const uint8_t instructions[] = {0xb8, uint8_t(number), uint8_t(number >> 8),
            uint8_t(number >> 16), uint8_t(number >> 24), 0xc3};
    std::vector<uint8_t> code(sizeof(instructions) + padding, 0x90);
    std::copy(std::begin(instructions), std::end(instructions), code.begin());
    return code;
}

inline uint32_t run(const x64::jit::executable_code_t &code) {
    return code.entry<number_function_t>()();
}

} // namespace kiln::test
