// SPDX-License-Identifier: Apache-2.0
// Durations of the calls of one measurement.
#include "common/report/samples.hpp"

namespace benchdnn {

void samples_t::add(double ms, double ticks, int64_t calls) {
    const double each = ms / static_cast<double>(calls);
    const double ticks_each = ticks / static_cast<double>(calls);
    const bool is_first = calls_ == 0;
    if (is_first || each < least_ms_) {
        least_ms_ = each;
        least_ticks_ = ticks_each;
    }
    if (is_first || each > most_ms_) {
        most_ms_ = each;
        most_ticks_ = ticks_each;
    }
    total_ms_ += ms;
    total_ticks_ += ticks;
    calls_ += calls;
}

double samples_t::ms(statistic_t statistic) const {
    if (calls_ == 0) return 0;
    switch (statistic) {
    case statistic_t::minimum: return least_ms_;
    case statistic_t::maximum: return most_ms_;
    default: return total_ms_ / static_cast<double>(calls_);
    }
}

double samples_t::ticks(statistic_t statistic) const {
    if (calls_ == 0) return 0;
    switch (statistic) {
    case statistic_t::minimum: return least_ticks_;
    case statistic_t::maximum: return most_ticks_;
    default: return total_ticks_ / static_cast<double>(calls_);
    }
}

void samples_t::merge(const samples_t &other) {
    if (other.calls_ == 0) return;
    if (calls_ == 0 || other.least_ms_ < least_ms_) {
        least_ms_ = other.least_ms_;
        least_ticks_ = other.least_ticks_;
    }
    if (calls_ == 0 || other.most_ms_ > most_ms_) {
        most_ms_ = other.most_ms_;
        most_ticks_ = other.most_ticks_;
    }
    total_ms_ += other.total_ms_;
    total_ticks_ += other.total_ticks_;
    calls_ += other.calls_;
}

} // namespace benchdnn
