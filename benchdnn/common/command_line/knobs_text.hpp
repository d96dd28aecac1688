// SPDX-License-Identifier: Apache-2.0
// "--name=value " for the knobs that differ from their defaults: what reproduction lines are made
// of.
#pragma once

#include <concepts>
#include <string>

#include "common/command_line/text.hpp"

namespace benchdnn {

class knobs_text_t {
public:
    // all: defaults are spelled out, too.
    explicit knobs_text_t(bool all)
        : all_(all) {}
    void add(const char *name, const std::string &value, const std::string &standard) {
        if (all_ || value != standard) text += std::string("--") + name + "=" + value + " ";
    }
    // Of bool alone: a literal would sooner become one than a string.
    template <std::same_as<bool> bool_type>
    void add(const char *name, bool_type value, bool_type standard) {
        add(name, bool_text(value), bool_text(standard));
    }
    // A knob that is better not named at all when it has no value.
    void add_given(const char *name, const std::string &value) {
        if (!value.empty()) text += std::string("--") + name + "=" + value + " ";
    }
    std::string text;

private:
    bool all_;
};

} // namespace benchdnn
