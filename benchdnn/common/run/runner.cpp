// SPDX-License-Identifier: Apache-2.0
// Runs problems: create, fill, execute, check, measure, report.
#include "common/run/runner.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "common/command_line/text.hpp"
#include "common/run/cold_cache.hpp"
#include "common/run/isa_hints.hpp"
#include "common/run/threads.hpp"

namespace benchdnn {

namespace {

// The context with this number of threads; 0 leaves it unchanged.
thread_context_t with_threads(thread_context_t context, int threads) {
    if (threads > 0 && context.concurrency == thread_context_t::automatic)
        context.concurrency = threads;
    return context;
}

bool compares_bits(const options_t &options) {
    return options.mode.checks_outputs() || options.threads.size() > 1;
}

} // namespace

runner_t::runner_t(console_t &console)
    : console_(console) {
    require_success(dnnl_engine_create(engine_.out(), dnnl_cpu, 0), "dnnl_engine_create");
}

void runner_t::run(const std::vector<task_t> &tasks) {
    set_isa_hints(tasks);
    std::vector<creation_t> creations; // of tasks[created_begin], ...
    size_t created_begin = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const task_t &task = tasks[i];
        const options_t &options = *task.options;
        show_progress(task, static_cast<int64_t>(i) + 1, static_cast<int64_t>(tasks.size()));
        // Each number of threads needs its own primitive; they are not created in advance.
        const bool in_advance = options.creates_in_parallel() && options.threads.empty()
                                && options.repeats == 1 && !options.mode.list;
        if (in_advance && i >= created_begin + creations.size()) {
            created_begin = i;
            creations = create_in_parallel(tasks, i, statistics_.tests(), engine_, console_);
        }
        const bool has_creation = in_advance && i - created_begin < creations.size();
        for (int64_t repeat = 0; repeat < options.repeats; ++repeat)
            run(task, has_creation ? &creations[i - created_begin] : nullptr);
    }
    console_.clear_progress();
}

void runner_t::show_progress(const task_t &task, int64_t number, int64_t count) {
    const auto field = [&](const char *name) {
        const std::string text = task.problem->field(name);
        return text.empty() ? "" : " " + text;
    };
    console_.progress(task.options->progress, number, count,
            task.driver + " " + task.problem->descriptor_text(false) + field("dir") + field("dt")
                    + field("flags"));
}

void runner_t::run(const task_t &task, creation_t *creation) {
    const options_t &options = *task.options;
    const std::string reproduction = task.reproduction();
    begin(reproduction);
    result_t result;
    if (options.mode.list) {
        result.state = state_t::listed;
    } else if (statistics_.tests() < options.start) {
        result.end(state_t::skipped, "Skip-start option hit");
    } else {
        const stopwatch_t watch;
        if (options.verbosity >= 1) console_.line("run: " + reproduction);
        result = run_with_each_thread_count(task, reproduction, creation);
        result.whole_ms = watch.ms();
    }
    const std::string line = count(result, reproduction);
    // A problem that is only measured has no line with a state, only its performance line.
    if (result.state != state_t::executed || options.mode.execute) console_.line(line);
}

void runner_t::begin(const std::string &reproduction) {
    const std::lock_guard lock(results_mutex_);
    unfinished_ = reproduction;
}

std::string runner_t::count(const result_t &result, const std::string &reproduction) {
    const std::lock_guard lock(results_mutex_);
    unfinished_.clear();
    return statistics_.add(result, reproduction);
}

std::vector<std::string> runner_t::closing_lines(
        const options_t &options, double total_seconds) const {
    const std::lock_guard lock(results_mutex_);
    std::vector<std::string> lines;
    if (!unfinished_.empty())
        lines.push_back(
                std::to_string(statistics_.tests()) + ":UNFINISHED __REPRO: " + unfinished_);
    if (!table_.empty())
        for (std::string &line : table_.lines()) lines.push_back(std::move(line));
    for (std::string &line : statistics_.closing_lines(options, total_seconds))
        lines.push_back(std::move(line));
    return lines;
}

result_t runner_t::run_with_each_thread_count(
        const task_t &task, const std::string &reproduction, creation_t *creation) {
    fault_watch_t watch(statistics_.tests(), reproduction);
    const std::vector<int> &given = task.options->threads;
    earlier_bits_t earlier;
    result_t whole;
    for (const int threads : given.empty() ? std::vector<int>{0} : given) {
        const result_t result = run_stages(task, threads, earlier, watch, creation);
        if (result.execution.calls() > 0) report_performance(task, result, reproduction);
        whole.absorb(result);
        if (is_failure(result.state) || result.state == state_t::skipped) break;
    }
    return whole;
}

result_t runner_t::run_stages(const task_t &task, int threads, earlier_bits_t &earlier,
        fault_watch_t &watch, creation_t *creation) {
    creation_t own;
    if (!creation) {
        creation = &own;
        in_thread_context(with_threads(task.options->creation_context[0], threads), [&] {
            if (task.options->explain) explain(task);
            own = create(task, engine_, console_);
        });
    }
    result_t &result = creation->result;
    if (!creation->executable) return result;
    if (task.options->mode.init) {
        result.end(state_t::initialized, "");
        return result;
    }
    try {
        in_thread_context(with_threads(task.options->execution_context[0], threads), [&] {
            result.threads = thread_count();
            execute(task, threads, earlier, watch, *creation);
        });
    } catch (const status_error_t &error) {
        console_.line(std::string("error: ") + error.what());
        result.end(state_of(error.status), error.what());
    } catch (const std::bad_alloc &) {
        result.end(state_t::skipped, "Not enough RAM");
    }
    watch.set_regions({});
    return result;
}

void runner_t::explain(const task_t &task) {
    try {
        for (const std::string &line :
                task.problem->explanation({*task.options, engine_, console_}))
            console_.line(line);
    } catch (const std::exception &error) {
        console_.line(std::string("no explanation: ") + error.what());
    }
}

void runner_t::execute(const task_t &task, int threads, earlier_bits_t &earlier,
        fault_watch_t &watch, creation_t &creation) {
    const options_t &options = *task.options;
    result_t &result = creation.result;
    executable_t &executable = *creation.executable;
    const bool keeps_copies = compares_bits(options);
    if (options.memory_check && !executable.fits_memory(keeps_copies))
        return result.end(state_t::skipped, "Not enough RAM");

    const stopwatch_t filling;
    arguments_t arguments;
    if (options.uses_constant_data()) arguments.use_constant_data();
    const std::string impossible = executable.prepare(arguments);
    if (!impossible.empty()) return result.end(state_t::skipped, impossible);
    if (!options.buffer_prefix.empty()) arguments.read_inputs(options.buffer_prefix);
    if (arguments.wants_data()) executable.derive_inputs(arguments);
    arguments.seal(engine_, keeps_copies);
    result.phases.fill = filling.ms();
    result.input_bytes = arguments.input_bytes();
    result.output_bytes = arguments.output_bytes();

    stream_t stream;
    require_success(dnnl_stream_create(stream.out(), engine_.get(), options.device.stream_flags()),
            "dnnl_stream_create");
    execution_t execution(executable, stream, arguments, watch);
    const bool is_first_measured = options.mode.simulation && !options.checksum;
    if (!options.mode.checks_outputs() && !is_first_measured) execution.run();
    result.state = state_t::executed;
    verification_t verification(task, execution, console_, result);
    if (options.mode.correctness) verification.check();
    if (options.mode.bitwise) verification.check_repeated();
    if (options.threads.size() > 1) verification.check_threads(threads, earlier);
    if (options.checksum)
        console_.line("checksum: " + output_bits_t::checksums(arguments) + " --" + task.driver + " "
                      + task.problem->reproduction_text(options.canonical));
    if (options.mode.performance) measure_execution(task, execution, result);
    result.phases.execute = execution.total_ms()
                            + result.execution.ms(statistic_t::average)
                                      * static_cast<double>(result.execution.calls());
}

void runner_t::measure_execution(const task_t &task, execution_t &execution, result_t &result) {
    const options_t &options = *task.options;
    cold_cache_t cold(options.mode.simulation ? cold_cache_settings_t() : options.cold_cache,
            execution.arguments());
    std::function<void()> before_each;
    if (cold.is_enabled()) before_each = [&] { cold.flush(); };
    const auto call = [&] { execution.run_measured(); };
    const time_budget_t budget{options.measuring_ms(), options.measured_calls()};
    result.traffic = execution.arguments().least_traffic();
    const std::string &fields = task.problem->settings.perf_template;
    const bool wants_roof =
            options.roof || has_field(fields, "roof") || has_field(fields, "roofbw");
    const auto key_of = [&](const arguments_t::traffic_t &traffic) {
        return roof_t::key_of(traffic, cold.covers_all(), result.threads);
    };
    const roof_t::key_t once = key_of(result.traffic);
    const roof_t::key_t twice = key_of(result.traffic.with_two_readings());
    std::vector<roof_t::key_t> keys;
    if (wants_roof) keys.push_back(once);
    if (has_field(fields, "roof2")) keys.push_back(twice);
    const bool all_known = std::all_of(keys.begin(), keys.end(),
            [&](const roof_t::key_t &key) { return roof_.is_known(key); });
    // Alternately, so that the problem and the roof are measured in the same states of the machine.
    const int turns = all_known || budget.fixed_calls > 0 ? 1 : roof_t::turns;
    for (int turn = 0; turn < turns; ++turn) {
        result.execution.merge(measure(call, {budget.ms / turns, budget.fixed_calls}, before_each));
        for (const roof_t::key_t &key : keys) roof_.measure(key);
    }
    measure_parts(execution, budget);
    if (options.roof || has_field(fields, "peak") || has_field(fields, "peakflops"))
        result.peak_operations_per_second =
                peak_.operations_per_second(task.problem->multiplication(), result.threads);
    if (wants_roof) result.roof_bytes_per_second = roof_.bytes_per_second(once);
    result.two_readings_roof_bytes_per_second = roof_.bytes_per_second(twice);
}

void runner_t::measure_parts(const execution_t &execution, time_budget_t budget) {
    const std::vector<std::string> names = execution.executable().part_names();
    if (names.size() < 2) return;
    budget.ms /= static_cast<double>(names.size());
    for (size_t part = 0; part < names.size(); ++part) {
        const samples_t samples = measure([&] { execution.run_part(part); }, budget);
        console_.line(
                formatted("part %zu, %s: min %.6g ms, average %.6g ms", part, names[part].c_str(),
                        samples.ms(statistic_t::minimum), samples.ms(statistic_t::average)));
    }
}

void runner_t::report_performance(
        const task_t &task, const result_t &result, const std::string &reproduction) {
    const perf_subject_t subject{
            *task.problem, *task.options, result, task.driver, reproduction, statistics_.tests()};
    const std::string &line_template = task.problem->settings.perf_template;
    const bool in_table = task.options->table;
    if (in_table) {
        const std::lock_guard lock(results_mutex_);
        table_.add(subject);
    }
    if (line_template.empty() && in_table) return;
    if (line_template != last_template_) {
        console_.line("Template entries: " + line_template);
        console_.line(perf_header(line_template));
        last_template_ = line_template;
    }
    console_.line(perf_line(line_template, subject));
}

} // namespace benchdnn
