// SPDX-License-Identifier: Apache-2.0
// Reports the problem and the argument of a fault inside the library before the process ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/tensor/fault_region.hpp"

namespace benchdnn {

// For SIGSEGV, SIGBUS, SIGILL and SIGFPE: prints a FAILED line on stdout and lets the signal end
// the process, so that the exit code is not zero and a debugger sees the fault.
void install_fault_report();

// During its lifetime, faults are attributed to this problem. A watch hides the one created before
// it.
class fault_watch_t {
public:
    // with_every_thread: faults of all threads, not only of the calling one.
    fault_watch_t(int64_t number, const std::string &reproduction, bool with_every_thread = true);
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
