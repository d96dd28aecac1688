// SPDX-License-Identifier: Apache-2.0
// What is done with a problem: --mode and --mode-modifier.
#pragma once

#include <string>

namespace benchdnn {

struct run_mode_t {
    bool list = false, init = false;                               // each on its own
    bool execute = false;                                          // and nothing else is asked
    bool correctness = true, bitwise = false, performance = false; // may be combined
    bool fast = false;       // performance with short measurements
    bool simulation = false; // performance of a single call, nothing before it
    std::string letters() const;
    // Whether outputs are looked at, which needs inputs worth looking at.
    bool judges() const { return correctness || bitwise; }
};

// Letters of L, I, R, C, B, P, F, S, in either case; bad_value_t for those that do not go together.
run_mode_t parse_mode(const std::string &text);

struct mode_modifier_t {
    bool parallel_creation = false; // P
    bool constant_data = false;     // M
    std::string letters() const;
};

mode_modifier_t parse_mode_modifier(const std::string &text);

} // namespace benchdnn
