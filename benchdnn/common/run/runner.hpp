// SPDX-License-Identifier: Apache-2.0
// Runs problems: create, fill, execute, check, measure, report.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "common/report/console.hpp"
#include "common/report/statistics.hpp"
#include "common/report/table.hpp"
#include "common/run/creation.hpp"
#include "common/run/peak.hpp"
#include "common/run/roof.hpp"
#include "common/run/task.hpp"
#include "common/run/timing.hpp"
#include "common/run/verification.hpp"

namespace benchdnn {

class runner_t {
public:
    explicit runner_t(console_t &console);

    void run(const std::vector<task_t> &tasks);
    const statistics_t &statistics() const { return statistics_; }
    // The problem that has not ended, and the table and the summary of those that have. Another
    // thread may call it.
    std::vector<std::string> closing_lines(const options_t &options, double total_seconds) const;

private:
    void show_progress(const task_t &task, int64_t number, int64_t count);
    // creation: null unless the problem was created in advance.
    void run(const task_t &task, creation_t *creation);
    void begin(const std::string &reproduction);
    // Returns the line about the result.
    std::string count(const result_t &result, const std::string &reproduction);
    result_t run_with_each_thread_count(
            const task_t &task, const std::string &reproduction, creation_t *creation);
    result_t run_stages(const task_t &task, int threads, earlier_bits_t &earlier,
            fault_watch_t &watch, creation_t *creation);
    void explain(const task_t &task);
    void execute(const task_t &task, int threads, earlier_bits_t &earlier, fault_watch_t &watch,
            creation_t &creation);
    void measure_execution(const task_t &task, execution_t &execution, result_t &result);
    // Measures each part separately if there are several.
    void measure_parts(const execution_t &execution, time_budget_t budget);
    void report_performance(
            const task_t &task, const result_t &result, const std::string &reproduction);

    console_t &console_;
    engine_t engine_;
    roof_t roof_;
    peak_t peak_;
    mutable std::mutex results_mutex_; // while the three members below change
    std::string unfinished_;           // the line that reproduces the problem that is running
    statistics_t statistics_;
    perf_table_t table_;
    std::string last_template_;
};

} // namespace benchdnn
