// SPDX-License-Identifier: Apache-2.0
// --mode and --mode-modifier: which steps a problem goes through.
#pragma once

#include <string>

namespace benchdnn {

struct run_mode_t {
    bool list = false, init = false;                               // not combined with others
    bool execute = false;                                          // execution without a check
    bool correctness = true, bitwise = false, performance = false; // may be combined
    bool fast = false;       // performance with short measurements
    bool simulation = false; // performance of the first call
    std::string letters() const;
    // Whether outputs are checked, which needs inputs with meaningful values.
    bool checks_outputs() const { return correctness || bitwise; }
};

// Letters of L, I, R, C, B, P, F, S, in either case; bad_value_t for letters that cannot be
// combined.
run_mode_t parse_mode(const std::string &text);

struct mode_modifier_t {
    bool parallel_creation = false; // P
    bool constant_data = false;     // M
    std::string letters() const;
};

mode_modifier_t parse_mode_modifier(const std::string &text);

} // namespace benchdnn
