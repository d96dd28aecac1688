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
    int64_t calls_ = 0;
    double total_ms_ = 0, least_ms_ = 0, most_ms_ = 0;
    double total_ticks_ = 0, least_ticks_ = 0, most_ticks_ = 0;
};

} // namespace benchdnn
