// SPDX-License-Identifier: Apache-2.0
// The table of knobs.
#include "common/command_line/knobs.hpp"

#include <map>

#include "common/command_line/usage_error.hpp"

namespace benchdnn {

word_t::word_t(const std::string &word) {
    const size_t equals = word.find('=');
    has_value = equals != std::string::npos;
    name = word.substr(0, equals);
    if (has_value) value = word.substr(equals + 1);
    if (name.rfind("--", 0) == 0) {
        name.erase(0, 2);
    } else {
        name.clear();
    }
}

bool knob_set_t::apply(const std::string &text) const {
    const word_t word(text);
    if (word.name.empty()) return false;
    for (const knob_t &knob : knobs_) {
        if (knob.name != word.name) continue;
        if (!word.has_value && !knob.value_optional)
            throw usage_error_t("--" + knob.name + " needs a value: it takes " + knob.takes);
        try {
            knob.set(word.has_value ? word.value : "true");
        } catch (const bad_value_t &bad) {
            throw usage_error_t("--" + knob.name + ": " + bad.what() + "; it takes " + knob.takes
                                + ", for example " + knob.example);
        }
        return true;
    }
    return false;
}

std::vector<std::string> knob_set_t::names() const {
    std::vector<std::string> names;
    for (const knob_t &knob : knobs_) names.push_back(knob.name);
    return names;
}

std::string knob_set_t::help_text(const std::string &defaults) const {
    std::map<std::string, std::string> values;
    for (const std::string &piece : split(defaults, ' ')) {
        const word_t word(piece);
        if (!word.name.empty()) values[word.name] = word.value;
    }
    std::string text;
    for (const knob_t &knob : knobs_) {
        text += "  --" + knob.name + (knob.value_optional ? "[=" : "=") + knob.takes
                + (knob.value_optional ? "]\n" : "\n");
        text += "      " + knob.about + "\n      example: " + knob.example + "\n";
        const auto found = values.find(knob.name);
        if (found != values.end())
            text += "      default: " + (found->second.empty() ? "empty" : found->second) + "\n";
    }
    return text;
}

} // namespace benchdnn
