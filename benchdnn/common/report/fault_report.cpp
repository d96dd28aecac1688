// SPDX-License-Identifier: Apache-2.0
// Reports the problem and the argument of a fault inside the library before the process ends.
// Code that runs in the signal handler does not allocate or lock, and calls only write().
#include "common/report/fault_report.hpp"

#include <atomic>
#include <csignal>
#include <cstring>
#include <utility>

#include <ucontext.h>
#include <unistd.h>

#include "common/command_line/text.hpp"

namespace benchdnn {

namespace {

using state_t = fault_watch_t::state_t;

std::atomic<const state_t *> shared_state{nullptr};
thread_local const state_t *own_state = nullptr;

// A line on the stack; text that does not fit is cut off.
class line_t {
public:
    void add(const char *text, size_t length) {
        const size_t taken = length < room() ? length : room();
        std::memcpy(text_ + used_, text, taken);
        used_ += taken;
    }
    void add(const char *text) { add(text, std::strlen(text)); }
    void add(const std::string &text) { add(text.data(), text.size()); }
    void add(int64_t number) {
        char digits[20];
        int count = 0;
        if (number < 0) add("-");
        // The lowest integer has no positive counterpart.
        uint64_t left = number < 0 ? 0 - static_cast<uint64_t>(number) : number;
        do {
            digits[count++] = static_cast<char>('0' + left % 10);
            left /= 10;
        } while (left);
        while (count > 0) add(&digits[--count], 1);
    }
    void write_out() const {
        for (size_t done = 0; done < used_;) {
            const ssize_t written = write(STDOUT_FILENO, text_ + done, used_ - done);
            if (written <= 0) return;
            done += static_cast<size_t>(written);
        }
    }

private:
    size_t room() const { return sizeof(text_) - used_; }
    char text_[4096];
    size_t used_ = 0;
};

const char *signal_name(int signal) {
    switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    default: return "signal";
    }
}

// "a read at byte 8000 of src, which has 8000".
void add_place(line_t &line, const state_t &state, const unsigned char *address, bool is_write) {
    for (const fault_region_t &region : state.regions) {
        if (address < region.territory_begin || address >= region.territory_end) continue;
        line.add(is_write ? ": a write at byte " : ": a read at byte ");
        line.add(static_cast<int64_t>(address - region.data));
        line.add(" of ");
        line.add(region.name);
        line.add(", which has ");
        line.add(static_cast<int64_t>(region.bytes));
        return;
    }
    line.add(state.regions.empty() ? "" : ": not at any argument");
}

void report(int signal, siginfo_t *info, void *context) {
    // Several threads may fault at the same time; one reports, and the others wait for the end of
    // the process.
    static std::atomic_flag is_reported;
    while (is_reported.test_and_set()) pause();
    const state_t *state = own_state ? own_state : shared_state.load();
    line_t line;
    if (!state) {
        line.add("benchdnn: ");
        line.add(signal_name(signal));
        line.add(" outside of any problem\n");
    } else {
        line.add(state->number);
        line.add(":FAILED (");
        line.add(signal_name(signal));
        if (signal == SIGSEGV || signal == SIGBUS) {
            constexpr greg_t write_bit = 2; // of the page fault's error code
            const auto *machine = static_cast<const ucontext_t *>(context);
            add_place(line, *state, static_cast<const unsigned char *>(info->si_addr),
                    machine->uc_mcontext.gregs[REG_ERR] & write_bit);
        }
        line.add(") __REPRO: ");
        line.add(state->reproduction);
        line.add("\n");
    }
    line.write_out();
    // The signal is blocked until the handler returns; then it ends the process at the instruction
    // that faulted.
    std::signal(signal, SIG_DFL);
    raise(signal);
}

} // namespace

void install_fault_report() {
    // An alternate stack, because the fault may be an overflow of the ordinary one.
    static unsigned char stack[64 * 1024];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof(stack);
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(signal, &action, nullptr);
}

fault_watch_t::fault_watch_t(
        int64_t number, const std::string &reproduction, bool with_every_thread)
    : state_{std::to_string(number), printable(reproduction), {}}
    , outer_(with_every_thread ? shared_state.load() : own_state)
    , with_every_thread_(with_every_thread) {
    if (with_every_thread_)
        shared_state = &state_;
    else
        own_state = &state_;
}

fault_watch_t::~fault_watch_t() {
    if (with_every_thread_)
        shared_state = outer_;
    else
        own_state = outer_;
}

void fault_watch_t::set_regions(std::vector<fault_region_t> regions) {
    state_.regions = std::move(regions);
}

} // namespace benchdnn
