// SPDX-License-Identifier: Apache-2.0
// A fault inside the library names the problem and the argument before the process dies of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/tensor/fault_region.hpp"

namespace benchdnn {

// For SIGSEGV, SIGBUS, SIGILL and SIGFPE: a FAILED line on stdout, then the signal's own end, so
// that the exit code is not zero and a debugger sees the fault.
void install_fault_report();

// While it lives, a fault is put down to this problem. A watch hides the one before it.
class fault_watch_t {
public:
    // with_every_thread: faults of all threads, and not of the calling one alone.
    fault_watch_t(int64_t number, std::string reproduction, bool with_every_thread = true);
    ~fault_watch_t();
    fault_watch_t(const fault_watch_t &) = delete;
    fault_watch_t &operator=(const fault_watch_t &) = delete;

    void set_regions(std::vector<fault_region_t> regions);

    struct state_t {
        std::string number, reproduction;
        std::vector<fault_region_t> regions;
    };

private:
    state_t state_;
    const state_t *outer_;
    bool with_every_thread_;
};

} // namespace benchdnn
