// SPDX-License-Identifier: Apache-2.0
// Wall-clock measurement of a call that is repeated.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "common/report/samples.hpp"

namespace benchdnn {

class stopwatch_t {
public:
    stopwatch_t()
        : begin_(clock_t::now())
        , begin_ticks_(__builtin_ia32_rdtsc()) {}
    double ms() const {
        return std::chrono::duration<double, std::milli>(clock_t::now() - begin_).count();
    }
    double ticks() const { return static_cast<double>(__builtin_ia32_rdtsc() - begin_ticks_); }

private:
    using clock_t = std::chrono::steady_clock;
    clock_t::time_point begin_;
    uint64_t begin_ticks_;
};

struct time_budget_t {
    double ms;           // least duration in total
    int64_t fixed_calls; // above 0: exactly this number of calls, whatever their duration
};

// With before_each, every call is timed separately, without the time of before_each.
samples_t measure(const std::function<void()> &call, time_budget_t budget,
        const std::function<void()> &before_each = nullptr);

} // namespace benchdnn
