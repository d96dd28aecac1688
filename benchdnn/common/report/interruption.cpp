// SPDX-License-Identifier: Apache-2.0
// The end of a run by Ctrl-C (SIGINT) or SIGTERM. A thread waits for the signals, so that a problem
// that runs for minutes does not delay the end, and nothing is restricted to what a signal handler
// may do.
#include "common/report/interruption.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace benchdnn {

namespace {

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

interruption_t::interruption_t(console_t &console, closing_lines_t closing_lines)
    : console_(console)
    , closing_lines_(std::move(closing_lines)) {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM})
        if (!is_ignored(signal)) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    signal_events_ = signalfd(-1, &signals_, SFD_CLOEXEC);
    end_event_ = eventfd(0, EFD_CLOEXEC);
    if (signal_events_ < 0 || end_event_ < 0) throw std::runtime_error("no file descriptors");
    waiting_ = std::thread([this] { wait(); });
}

interruption_t::~interruption_t() {
    const uint64_t one = 1;
    if (write(end_event_, &one, sizeof(one)) == sizeof(one)) waiting_.join();
    close(signal_events_);
    close(end_event_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void interruption_t::wait() {
    pollfd events[] = {{signal_events_, POLLIN, 0}, {end_event_, POLLIN, 0}};
    while (poll(events, 2, -1) < 0) {
    }
    if (events[1].revents != 0) return;
    signalfd_siginfo info{};
    if (read(signal_events_, &info, sizeof(info)) != sizeof(info)) return;
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    const int signal = static_cast<int>(info.ssi_signo);
    std::vector<std::string> lines = closing_lines_();
    lines.insert(lines.begin(), signal == SIGINT ? "interrupted by SIGINT" : "ended by SIGTERM");
    console_.last_lines(lines);
    _exit(128 + signal);
}

} // namespace benchdnn
