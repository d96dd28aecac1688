// SPDX-License-Identifier: Apache-2.0
// The table of knobs: each has a name, its values, a description, an example and a setter. The
// command line is read with it, and error messages and --help are made from it.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/command_line/text.hpp"

namespace benchdnn {

struct knob_t {
    std::string name;  // without dashes
    std::string takes; // its values as messages print them: "FWD_D, FWD_I, ..."
    std::string about;
    std::string example;
    std::function<void(const std::string &value)> set; // throws bad_value_t
    bool value_optional = false;                       // "--table" alone means "--table=true"
};

class knob_set_t {
public:
    void add(knob_t knob) { knobs_.push_back(std::move(knob)); }
    // Sets a knob if the word ("--name=value" or "--name") is one of them, and returns whether it
    // is. A wrong value is a usage_error_t that names the knob and its values.
    bool apply(const std::string &word) const;
    const std::vector<knob_t> &all() const { return knobs_; }
    std::vector<std::string> names() const;
    // `defaults` has "--name=value" words; those of knobs without one are not printed.
    std::string help_text(const std::string &defaults) const;

private:
    std::vector<knob_t> knobs_;
};

// Splits "--name=value" into both; value is empty without "=".
struct word_t {
    explicit word_t(const std::string &word);
    std::string name, value;
    bool has_value = false;
};

// Parses the pieces of "a,b,c". An empty text means the default values.
template <typename parser_t, typename value_t = std::invoke_result_t<parser_t, const std::string &>>
std::vector<value_t> parse_list(const std::string &text, parser_t &&parse,
        std::type_identity_t<std::vector<value_t>> default_values) {
    if (text.empty()) return default_values;
    std::vector<value_t> values;
    for (const std::string &piece : split(text, ',')) values.push_back(parse(piece));
    return values;
}

// A knob whose value is a comma list; knob.takes describes one piece, parse reads one. An empty
// value means the present contents of `values`.
template <typename value_t, typename parser_t>
void add_list(knob_set_t &knobs, std::vector<value_t> &values, knob_t knob, parser_t parse) {
    const std::vector<value_t> standard = values;
    knob.set = [&values, standard, parse](
                       const std::string &text) { values = parse_list(text, parse, standard); };
    knob.takes = "a comma list of " + knob.takes;
    knobs.add(std::move(knob));
}

// The same with numbers within a range; knob.takes may add what a number means.
template <typename value_t, typename number_t>
void add_numbers(knob_set_t &knobs, std::vector<value_t> &values, const range_t<number_t> &range,
        knob_t knob) {
    const bool are_integers = std::is_integral_v<number_t>;
    knob.takes = (are_integers ? "integers " : "numbers ") + range_text(range)
                 + (knob.takes.empty() ? "" : "; " + knob.takes);
    add_list(knobs, values, std::move(knob), [range](const std::string &text) {
        return static_cast<value_t>(parse_number(text, range));
    });
}

} // namespace benchdnn
