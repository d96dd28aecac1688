// SPDX-License-Identifier: Apache-2.0
// The end of a run by Ctrl-C (SIGINT) or SIGTERM.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/report/console.hpp"

namespace benchdnn {

// During its lifetime, SIGINT or SIGTERM prints the closing lines and ends the process with the
// exit code 128 + signal, whatever the other threads do. A second signal ends it at once. A signal
// that the process ignored before stays ignored. Threads started before the constructor must have
// these signals blocked.
class interruption_t {
public:
    using closing_lines_t = std::function<std::vector<std::string>()>;

    interruption_t(console_t &console, closing_lines_t closing_lines);
    ~interruption_t();
    interruption_t(const interruption_t &) = delete;
    interruption_t &operator=(const interruption_t &) = delete;

private:
    void wait();

    console_t &console_;
    closing_lines_t closing_lines_;
    sigset_t signals_, before_;
    int signal_events_ = -1, end_event_ = -1; // file descriptors
    std::thread waiting_;
};

} // namespace benchdnn
