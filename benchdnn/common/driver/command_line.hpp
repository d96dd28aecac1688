// SPDX-License-Identifier: Apache-2.0
// Turns words into tasks. Knobs are a state that words change; each problem is a task with the
// state at that point. All words are read before anything runs, so a typing error at the end costs
// no time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/driver/driver.hpp"
#include "common/run/task.hpp"

namespace benchdnn {

// --help was among the words.
struct help_request_t {
    std::string text;
};

class command_line_t {
public:
    command_line_t();
    // Throws usage_error_t or help_request_t.
    void read(const std::vector<std::string> &words) { read(words, 0); }

    const std::vector<task_t> &tasks() const { return tasks_; }
    // The options after the last word.
    const options_t &options() const { return options_; }

private:
    void read(const std::vector<std::string> &words, int depth);
    bool select_driver(const std::string &word);
    void reset();
    void add_problems(const std::string &descriptor);
    std::string help_text() const;
    std::string defaults_of(const std::string &name) const;
    [[noreturn]] void refuse(const std::string &word) const;

    std::vector<std::unique_ptr<driver_t>> drivers_;
    driver_t *driver_ = nullptr; // the driver of the next problems
    options_t options_;
    knob_set_t run_knobs_;
    input_files_t input_files_;
    std::vector<task_t> tasks_;
};

} // namespace benchdnn
