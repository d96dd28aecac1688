// SPDX-License-Identifier: Apache-2.0
// Checks the executions of a problem against the reference, and bit by bit against each other.
#include "common/run/verification.hpp"

#include "common/run/timing.hpp"

namespace benchdnn {

void verification_t::fail(const std::string &reason) {
    console_.line("[ERROR] " + reason);
    result_.settle(state_t::failed);
    result_.reason = reason;
}

void verification_t::check() {
    result_.settle(state_t::passed);
    execution_.restore(placement_t::ends_at_guard);
    execution_.run();
    compare_outputs();
    check_memory();
    const output_bits_t first(execution_.arguments());
    execution_.restore(placement_t::begins_at_guard);
    execution_.run();
    // The reference is slow; outputs that are bit-identical to the first run's are not compared
    // again.
    if (!first.difference(execution_.arguments()).empty()) compare_outputs();
    check_memory();
}

void verification_t::check_repeated() {
    result_.settle(state_t::passed);
    execution_.restore(placement_t::begins_at_guard);
    execution_.run();
    const output_bits_t first(execution_.arguments());
    execution_.restore(placement_t::begins_at_guard);
    execution_.run();
    const std::string difference = first.difference(execution_.arguments());
    if (!difference.empty()) fail("the second run differs, " + difference);
    check_memory();
}

void verification_t::check_threads(int threads, earlier_bits_t &earlier) {
    if (earlier.bits.empty()) {
        earlier = {threads, output_bits_t(execution_.arguments())};
        return;
    }
    result_.settle(state_t::passed);
    const std::string difference = earlier.bits.difference(execution_.arguments());
    if (!difference.empty())
        fail(std::to_string(threads) + " threads differ from " + std::to_string(earlier.threads)
                + ", " + difference);
}

void verification_t::compare_outputs() {
    const stopwatch_t watch;
    for (const comparison_t &comparison : execution_.executable().compare(execution_.arguments())) {
        const verdict_t verdict = comparison.verdict();
        if (verdict == verdict_t::failed) result_.settle(state_t::failed);
        if (verdict == verdict_t::mistrusted) result_.settle(state_t::mistrusted);
        result_.errors += comparison.errors();
        result_.total += comparison.total();
        if (verdict != verdict_t::failed && task_.options->verbosity < 6) continue;
        for (const std::string &line : comparison.report()) console_.line(line);
    }
    result_.phases.compare += watch.ms();
}

void verification_t::check_memory() {
    const std::string damage = execution_.arguments().damage();
    if (!damage.empty()) fail(damage);
}

} // namespace benchdnn
