// SPDX-License-Identifier: Apache-2.0
// --mode and --mode-modifier.
#include "common/command_line/run_mode.hpp"

#include <cctype>

#include "common/command_line/usage_error.hpp"

namespace benchdnn {

std::string run_mode_t::letters() const {
    if (list) return "L";
    if (init) return "I";
    return std::string(execute ? "R" : "") + (correctness ? "C" : "") + (bitwise ? "B" : "")
           + (simulation         ? "S"
                   : fast        ? "F"
                   : performance ? "P"
                                 : "");
}

run_mode_t parse_mode(const std::string &text) {
    run_mode_t mode;
    mode.correctness = false;
    for (char c : text) {
        switch (std::toupper(static_cast<unsigned char>(c))) {
        case 'R': mode.execute = true; break;
        case 'C': mode.correctness = true; break;
        case 'B': mode.bitwise = true; break;
        case 'P': mode.performance = true; break;
        case 'F': mode.performance = mode.fast = true; break;
        case 'S': mode.performance = mode.simulation = true; break;
        case 'I': mode.init = true; break;
        case 'L': mode.list = true; break;
        default: throw bad_value_t(text, std::string("there is no mode ") + c);
        }
    }
    const bool runs = mode.execute || mode.checks_outputs() || mode.performance;
    if (mode.list + mode.init + runs != 1)
        throw bad_value_t(text, "only R, C, B and one of P, F, S can be combined");
    if (mode.fast && mode.simulation) throw bad_value_t(text, "F and S cannot be combined");
    if (mode.simulation && mode.checks_outputs())
        throw bad_value_t(text, "S does not fill inputs, so C and B have nothing to check");
    return mode;
}

std::string mode_modifier_t::letters() const {
    return std::string(parallel_creation ? "P" : "") + (constant_data ? "M" : "");
}

mode_modifier_t parse_mode_modifier(const std::string &text) {
    mode_modifier_t modifier;
    for (char c : text) {
        switch (std::toupper(static_cast<unsigned char>(c))) {
        case 'P': modifier.parallel_creation = true; break;
        case 'M': modifier.constant_data = true; break;
        default: throw bad_value_t(text, std::string("there is no modifier ") + c);
        }
    }
    return modifier;
}

} // namespace benchdnn
