// SPDX-License-Identifier: Apache-2.0
// "--name=value " for each knob that differs from its default: the parts of a reproduction line.
#pragma once

#include <concepts>
#include <string>

#include "common/command_line/text.hpp"

namespace benchdnn {

class knobs_text_t {
public:
    // all: defaults are written too.
    explicit knobs_text_t(bool all)
        : all_(all) {}
    void add(const char *name, const std::string &value, const std::string &standard) {
        if (all_ || value != standard) text += std::string("--") + name + "=" + value + " ";
    }
    // Restricted to bool, because a string literal converts to bool before std::string.
    template <std::same_as<bool> bool_type>
    void add(const char *name, bool_type value, bool_type standard) {
        add(name, bool_text(value), bool_text(standard));
    }
    // A knob that is left out if it has no value, even if defaults are written.
    void add_given(const char *name, const std::string &value) {
        if (!value.empty()) text += std::string("--") + name + "=" + value + " ";
    }
    std::string text;

private:
    bool all_;
};

} // namespace benchdnn
