// SPDX-License-Identifier: Apache-2.0
// Wall-clock measurement of a call that is repeated.
#include "common/run/timing.hpp"

#include <algorithm>

namespace benchdnn {

namespace {

// Reading the clock takes some 20 ns; calls are timed in groups that take much longer.
constexpr double least_sample_ms = 0.02;
constexpr int64_t largest_group = 1000;
constexpr int64_t least_samples = 5;
// Calls that take much longer than the time limit are repeated less often.
constexpr int64_t least_slow_samples = 2;
constexpr double slow_factor = 3;

double time_group(const std::function<void()> &call, int64_t calls, samples_t &samples) {
    const stopwatch_t watch;
    for (int64_t i = 0; i < calls; ++i) call();
    const double ms = watch.ms();
    samples.add(ms, watch.ticks(), calls);
    return ms;
}

samples_t measure_singly(const std::function<void()> &call, time_budget_t budget,
        const std::function<void()> &before_each) {
    samples_t samples;
    const stopwatch_t watch;
    for (int64_t taken = 1;; ++taken) {
        if (before_each) before_each();
        time_group(call, 1, samples);
        const bool is_over = taken >= least_slow_samples && watch.ms() >= budget.ms;
        if (budget.fixed_calls > 0 ? taken >= budget.fixed_calls : is_over) return samples;
    }
}

} // namespace

samples_t measure(const std::function<void()> &call, time_budget_t budget,
        const std::function<void()> &before_each) {
    if (budget.fixed_calls > 0 || before_each) return measure_singly(call, budget, before_each);
    samples_t samples;
    // The first calls fill caches, train branch predictors and start threads; they do not count.
    samples_t warm_up;
    if (time_group(call, 1, warm_up) < budget.ms) time_group(call, 1, warm_up);
    const double estimate = std::max(warm_up.ms(statistic_t::minimum), 1e-6);
    const int64_t group = std::clamp<int64_t>(
            static_cast<int64_t>(least_sample_ms / estimate) + 1, 1, largest_group);
    double total = 0;
    for (int64_t taken = 1;; ++taken) {
        total += time_group(call, group, samples);
        if (taken >= least_samples && total >= budget.ms) return samples;
        if (taken >= least_slow_samples && total >= slow_factor * budget.ms) return samples;
    }
}

} // namespace benchdnn
