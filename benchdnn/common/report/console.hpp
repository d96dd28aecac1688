// SPDX-License-Identifier: Apache-2.0
// The output while problems run: lines on stdout, and a progress line on stderr that is erased
// before them.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "common/command_line/options.hpp"

namespace benchdnn {

class console_t {
public:
    // Writes the text with what is not printable escaped.
    void line(const std::string &text);
    // The same for the lines at the end of the process: no other line follows, and a thread that
    // wants to write one waits.
    void last_lines(const std::vector<std::string> &lines);
    // Prints "[12/88] DRIVER 4096x768 ..." before a problem: overwritten in place on a terminal, a
    // separate line with --progress, nothing in a pipe.
    void progress(
            options_t::progress_t when, int64_t number, int64_t count, const std::string &text);
    void clear_progress();

private:
    void write(const std::string &text);
    void erase_progress();

    std::mutex mutex_; // primitives may be created on several threads
    bool has_progress_line_ = false;
};

} // namespace benchdnn
