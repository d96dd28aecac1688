// SPDX-License-Identifier: Apache-2.0
// Durations of the calls of one measurement.
#pragma once

#include <cstdint>

namespace benchdnn {

enum class statistic_t { minimum, average, maximum };

// Durations of single calls; a sample may be the average of several calls timed together.
class samples_t {
public:
    void add(double ms, double ticks = 0, int64_t calls = 1);
    double ms(statistic_t statistic) const;
    double ticks(statistic_t statistic) const; // of the time stamp counter, for the same calls
    int64_t calls() const { return calls_; }
    void merge(const samples_t &other);

private:
    struct duration_t {
        double ms = 0, ticks = 0;
    };
    duration_t of(statistic_t statistic) const;

    int64_t calls_ = 0;
    duration_t total_, least_, most_;
};

} // namespace benchdnn
