// SPDX-License-Identifier: Apache-2.0
// The output while problems run.
#include "common/report/console.hpp"

#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include "common/command_line/text.hpp"

namespace benchdnn {

namespace {

size_t terminal_width() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10) return size.ws_col;
    return 80;
}

} // namespace

void console_t::line(const std::string &text) {
    const std::lock_guard lock(mutex_);
    write(text);
}

void console_t::last_lines(const std::vector<std::string> &lines) {
    mutex_.lock(); // and it stays locked
    for (const std::string &line : lines) write(line);
}

void console_t::write(const std::string &text) {
    erase_progress();
    std::printf("%s\n", printable(text).c_str());
    std::fflush(stdout);
}

void console_t::progress(
        options_t::progress_t when, int64_t number, int64_t count, const std::string &text) {
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    const bool wanted = when == options_t::progress_t::always
                        || (when == options_t::progress_t::on_terminal && is_terminal);
    if (!wanted) return;
    std::string line =
            printable("[" + std::to_string(number) + "/" + std::to_string(count) + "] " + text);
    if (!is_terminal) {
        std::fprintf(stderr, "%s\n", line.c_str());
        return;
    }
    const std::lock_guard lock(mutex_);
    // A line that wraps cannot be overwritten.
    if (line.size() >= terminal_width()) line.resize(terminal_width() - 1);
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
    std::fflush(stderr);
    has_progress_line_ = true;
}

void console_t::clear_progress() {
    const std::lock_guard lock(mutex_);
    erase_progress();
}

void console_t::erase_progress() {
    if (!has_progress_line_) return;
    std::fprintf(stderr, "\r\x1b[K");
    std::fflush(stderr);
    has_progress_line_ = false;
}

} // namespace benchdnn
