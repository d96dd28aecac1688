// SPDX-License-Identifier: Apache-2.0
// Counts over all problems of a run, and the last lines of its output.
#include "common/report/statistics.hpp"

#include "common/command_line/text.hpp"

namespace benchdnn {

namespace {
constexpr size_t failures_kept = 10;

// " create_pd: 0.01s (2%); ...". Primitives that are created in parallel may add up to more than
// the whole.
std::string phases_text(const phases_t &phases, double total_seconds) {
    const std::pair<const char *, double> steps[] = {{"create_pd", phases.create_descriptor},
            {"create_prim", phases.create_primitive}, {"fill", phases.fill},
            {"execute", phases.execute}, {"compare", phases.compare}};
    std::string text;
    for (const auto &[name, ms] : steps)
        text += formatted(" %s: %.2fs (%.0f%%);", name, ms / 1000,
                total_seconds > 0 ? ms / 10 / total_seconds : 0.);
    return text;
}
} // namespace

std::string statistics_t::add(const result_t &result, const std::string &reproduction) {
    std::string line = std::to_string(tests_) + ":" + state_name(result.state);
    if (!result.reason.empty()) line += " (" + result.reason + ")";
    if (result.errors > 0)
        line += " (errors:" + std::to_string(result.errors)
                + " total:" + std::to_string(result.total) + ")";
    line += formatted(" (%.0f ms)", result.whole_ms) + " __REPRO: " + reproduction;

    ++tests_;
    ++counts_[result.state];
    if (!result.implementation.empty()) ++implementations_[result.implementation];
    if (is_failure(result.state)) {
        ++failed_;
        if (failures_.size() < failures_kept) failures_.push_back(line);
    }
    phases_.add(result.phases);
    least_ms_ += result.execution.ms(statistic_t::minimum);
    average_ms_ += result.execution.ms(statistic_t::average);
    return line;
}

std::vector<std::string> statistics_t::summary_lines(const summary_t &summary) const {
    std::vector<std::string> lines;
    if (summary.implementations) {
        lines.push_back("implementations:");
        for (const auto &[name, hits] : implementations_)
            lines.push_back(formatted("%8lld  %s", static_cast<long long>(hits), name.c_str()));
    }
    if (summary.implementations_csv)
        for (const auto &[name, hits] : implementations_)
            lines.push_back("impl," + name + "," + std::to_string(hits));
    if (summary.failures && !failures_.empty()) {
        lines.push_back("failed (--summary=no-failures leaves this out):");
        lines.insert(lines.end(), failures_.begin(), failures_.end());
        if (failed_ > static_cast<int64_t>(failures_.size()))
            lines.push_back("... and "
                            + std::to_string(failed_ - static_cast<int64_t>(failures_.size()))
                            + " more");
    }
    return lines;
}

std::vector<std::string> statistics_t::closing_lines(
        const options_t &options, double total_seconds) const {
    std::vector<std::string> lines = summary_lines(options.summary);
    const auto count = [&](state_t state) {
        const auto found = counts_.find(state);
        return found == counts_.end() ? 0ll : static_cast<long long>(found->second);
    };
    // A problem that reached the last step of its mode counts as passed.
    const long long passed =
            count(state_t::passed) + count(state_t::executed) + count(state_t::initialized);
    lines.push_back(formatted("tests:%lld passed:%lld skipped:%lld mistrusted:%lld "
                              "unimplemented:%lld invalid_arguments:%lld failed:%lld listed:%lld",
            static_cast<long long>(tests_), passed, count(state_t::skipped),
            count(state_t::mistrusted), count(state_t::unimplemented),
            count(state_t::invalid_arguments), static_cast<long long>(failed_),
            count(state_t::listed)));
    if (options.mode.performance)
        lines.push_back(formatted("total perf: min(ms):%g avg(ms):%g", least_ms_, average_ms_));
    lines.push_back(
            formatted("total: %.2fs;", total_seconds) + phases_text(phases_, total_seconds));
    return lines;
}

} // namespace benchdnn
