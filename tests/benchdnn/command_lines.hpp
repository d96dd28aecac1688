// SPDX-License-Identifier: Apache-2.0
// Checks of the command line, common to all drivers.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/command_line/usage_error.hpp"
#include "common/driver/command_line.hpp"

namespace benchdnn {

using words_t = std::vector<std::string>;

inline words_t with_driver(const std::string &driver, words_t words) {
    words.insert(words.begin(), "--" + driver);
    return words;
}

inline std::vector<task_t> tasks_of(const words_t &words) {
    command_line_t command_line;
    command_line.read(words);
    return command_line.tasks();
}

// The lines that reproduce the problems.
inline words_t lines_of(const words_t &words) {
    words_t lines;
    for (const task_t &task : tasks_of(words)) lines.push_back(task.reproduction());
    return lines;
}

// The message of a refusal; "" if there is none.
inline std::string refusal_of(const words_t &words) {
    try {
        tasks_of(words);
    } catch (const usage_error_t &error) {
        return error.what();
    }
    return "";
}

// The line of a problem contains the knob, and reading the line gives the same line again, with and
// without defaults written out.
inline void expect_reproduction(
        const std::string &driver, const words_t &knobs, const std::string &problem) {
    for (const std::string &knob : knobs) {
        const words_t lines = lines_of(with_driver(driver, {knob, problem}));
        ASSERT_EQ(lines.size(), 1u) << knob;
        EXPECT_NE(lines[0].find(knob), std::string::npos) << lines[0];
        EXPECT_EQ(lines_of(words_of(lines[0])), lines) << knob;
        const words_t full = lines_of(with_driver(driver, {"--canonical=true", knob, problem}));
        EXPECT_EQ(lines_of(words_of(full[0])), full) << knob;
        EXPECT_GT(full[0].size(), lines[0].size());
    }
}

struct refused_t {
    words_t words;
    std::string said; // pieces of the message, separated by |
};

inline void expect_refusals(const std::vector<refused_t> &cases) {
    for (const refused_t &c : cases) {
        const std::string said = refusal_of(c.words);
        for (const std::string &piece : split(c.said, '|'))
            EXPECT_NE(said.find(piece), std::string::npos) << piece << " is not in: " << said;
    }
}

inline void expect_refusals(const std::string &driver, std::vector<refused_t> cases) {
    for (refused_t &c : cases) c.words = with_driver(driver, c.words);
    expect_refusals(cases);
}

struct skipped_t {
    words_t words;
    std::string reason; // a piece of it; "": the problem is not skipped
};

inline void expect_skipped(const std::string &driver, const std::vector<skipped_t> &cases) {
    for (const skipped_t &c : cases) {
        const std::string reason =
                tasks_of(with_driver(driver, c.words)).at(0).problem->skip_reason();
        EXPECT_EQ(reason.empty(), c.reason.empty()) << c.words[0] << ": " << reason;
        EXPECT_NE(reason.find(c.reason), std::string::npos) << c.words[0] << ": " << reason;
    }
}

} // namespace benchdnn
