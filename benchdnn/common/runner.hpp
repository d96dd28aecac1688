// SPDX-License-Identifier: Apache-2.0
// The way of one problem: create, fill, execute, check, measure, report. Knows no driver.
#pragma once

#include "common/command_line.hpp"
#include "common/console.hpp"
#include "common/statistics.hpp"
#include "common/table.hpp"

namespace benchdnn {

class runner_t {
public:
    explicit runner_t(console_t &console);

    void run(const std::vector<task_t> &tasks);
    const statistics_t &statistics() const { return statistics_; }
    const perf_table_t &table() const { return table_; }

private:
    void run(const task_t &task);
    void run_stages(const task_t &task, result_t &result);
    // Creates the first implementation the filters accept; false when the problem ends here.
    bool create(const task_t &task, result_t &result, primitive_desc_t &descriptor,
            primitive_t &primitive);
    void execute_and_check(const task_t &task, result_t &result, const primitive_desc_t &descriptor,
            const primitive_t &primitive);
    void check(const task_t &task, const arguments_t &arguments, result_t &result);
    void report_performance(
            const task_t &task, const result_t &result, const std::string &reproduction);

    console_t &console_;
    engine_t engine_;
    stream_t stream_;
    statistics_t statistics_;
    perf_table_t table_;
    std::string last_template_;
};

} // namespace benchdnn
