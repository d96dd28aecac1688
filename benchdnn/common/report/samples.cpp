// SPDX-License-Identifier: Apache-2.0
// Durations of the calls of one measurement.
#include "common/report/samples.hpp"

namespace benchdnn {

void samples_t::add(double ms, double ticks, int64_t calls) {
    const auto count = static_cast<double>(calls);
    samples_t sample;
    sample.calls_ = calls;
    sample.total_ = {ms, ticks};
    sample.least_ = sample.most_ = {ms / count, ticks / count};
    merge(sample);
}

void samples_t::merge(const samples_t &other) {
    if (other.calls_ == 0) return;
    if (calls_ == 0 || other.least_.ms < least_.ms) least_ = other.least_;
    if (calls_ == 0 || other.most_.ms > most_.ms) most_ = other.most_;
    total_.ms += other.total_.ms;
    total_.ticks += other.total_.ticks;
    calls_ += other.calls_;
}

samples_t::duration_t samples_t::of(statistic_t statistic) const {
    if (calls_ == 0) return {};
    if (statistic == statistic_t::minimum) return least_;
    if (statistic == statistic_t::maximum) return most_;
    const auto count = static_cast<double>(calls_);
    return {total_.ms / count, total_.ticks / count};
}

double samples_t::ms(statistic_t statistic) const { return of(statistic).ms; }
double samples_t::ticks(statistic_t statistic) const { return of(statistic).ticks; }

} // namespace benchdnn
