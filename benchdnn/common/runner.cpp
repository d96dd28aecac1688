// SPDX-License-Identifier: Apache-2.0
// The way of one problem: create, fill, execute, check, measure, report.
#include "common/runner.hpp"

#include <new>

#include "common/fill.hpp"
#include "common/memory_limit.hpp"
#include "common/text.hpp"

namespace benchdnn {

namespace {

state_t state_of(dnnl_status_t status) {
    switch (status) {
    case dnnl_unimplemented: return state_t::unimplemented;
    case dnnl_invalid_arguments: return state_t::invalid_arguments;
    default: return state_t::failed;
    }
}

void end(result_t &result, state_t state, const std::string &reason) {
    result.state = state;
    result.reason = reason;
}

std::string implementation_name(const primitive_desc_t &descriptor) {
    const char *name = nullptr;
    require_success(dnnl_primitive_desc_query(descriptor.get(), dnnl_query_impl_info_str, 0, &name),
            "dnnl_primitive_desc_query(impl_info_str)");
    return name ? name : "";
}

} // namespace

runner_t::runner_t(console_t &console)
    : console_(console) {
    require_success(dnnl_engine_create(engine_.out(), dnnl_cpu, 0), "dnnl_engine_create");
    require_success(dnnl_stream_create(stream_.out(), engine_.get(), dnnl_stream_default_flags),
            "dnnl_stream_create");
}

void runner_t::run(const std::vector<task_t> &tasks) {
    const auto count = static_cast<int64_t>(tasks.size());
    for (int64_t i = 0; i < count; ++i) {
        const task_t &task = tasks[i];
        const auto field = [&](const char *name) {
            const std::string text = task.problem->field(name);
            return text.empty() ? "" : " " + text;
        };
        console_.progress(task.options->progress, i + 1, count,
                task.driver + " " + task.problem->descriptor_text() + field("dir") + field("dt")
                        + field("flags"));
        for (int64_t repeat = 0; repeat < task.options->repeats; ++repeat) run(task);
    }
    console_.clear_progress();
}

void runner_t::run(const task_t &task) {
    const options_t &options = *task.options;
    const std::string reproduction = task.reproduction();
    result_t result;
    if (options.mode.list) {
        result.state = state_t::listed;
    } else if (statistics_.tests() < options.start) {
        end(result, state_t::skipped, "Skip-start option hit");
    } else {
        const stopwatch_t watch;
        if (options.verbosity >= 1) console_.line("run: " + reproduction);
        run_stages(task, result);
        result.whole_ms = watch.ms();
    }
    const bool was_measured = result.execution.calls() > 0;
    if (was_measured) report_performance(task, result, reproduction);
    const std::string line = statistics_.add(result, reproduction);
    // Measuring alone has its own line; a verdict stands only where there is one.
    if (result.state != state_t::executed || options.mode.execute) console_.line(line);
}

void runner_t::run_stages(const task_t &task, result_t &result) {
    try {
        const std::string senseless = task.problem->skip_reason();
        if (!senseless.empty()) return end(result, state_t::skipped, senseless);
        primitive_desc_t descriptor;
        primitive_t primitive;
        if (!create(task, result, descriptor, primitive)) return;
        if (task.options->mode.init) return end(result, state_t::initialized, "");
        execute_and_check(task, result, descriptor, primitive);
    } catch (const status_error_t &error) {
        console_.line(std::string("error: ") + error.what());
        end(result, state_of(error.status), error.what());
    } catch (const std::bad_alloc &) {
        end(result, state_t::skipped, "Not enough RAM");
    }
}

bool runner_t::create(const task_t &task, result_t &result, primitive_desc_t &descriptor,
        primitive_t &primitive) {
    const problem_t &problem = *task.problem;
    const attr_t attr = make_attr(problem.settings.attributes, problem.attribute_target());
    const impl_filter_t &global = task.options->global_impl;
    const impl_filter_t &filter = global.pieces.empty() ? problem.settings.impl : global;
    // Twice when creation is measured: the second may come from a cache.
    for (int round = 0; round < (task.options->mode.performance ? 2 : 1); ++round) {
        const stopwatch_t descriptor_watch;
        const dnnl_status_t status = problem.create(engine_.get(), attr.get(), descriptor);
        result.descriptor_creation.add(descriptor_watch.ms());
        if (status != dnnl_success) {
            const bool has_name = status == dnnl_unimplemented || status == dnnl_invalid_arguments;
            end(result, state_of(status), has_name ? "" : dnnl_status2str(status));
            return false;
        }
        while (!filter.accepts(implementation_name(descriptor))) {
            if (task.options->verbosity >= 6)
                console_.line("passed over: " + implementation_name(descriptor));
            if (dnnl_primitive_desc_next_impl(descriptor.get()) != dnnl_success) {
                end(result, state_t::skipped, "Skip-impl option hit");
                return false;
            }
        }
        const stopwatch_t primitive_watch;
        require_success(
                dnnl_primitive_create(primitive.out(), descriptor.get()), "dnnl_primitive_create");
        result.primitive_creation.add(primitive_watch.ms());
    }
    result.implementation = implementation_name(descriptor);
    if (task.options->verbosity >= 5) console_.line("implementation: " + result.implementation);
    return true;
}

void runner_t::execute_and_check(const task_t &task, result_t &result,
        const primitive_desc_t &descriptor, const primitive_t &primitive) {
    const options_t &options = *task.options;
    if (options.memory_check && !fits_memory(descriptor, options.mode.correctness))
        return end(result, state_t::skipped, "Not enough RAM");

    arguments_t arguments;
    const std::string impossible = task.problem->prepare(descriptor, arguments);
    if (!impossible.empty()) return end(result, state_t::skipped, impossible);
    add_attribute_arguments(task.problem->settings.attributes, descriptor,
            seed_of(task.problem->descriptor_text()), arguments);
    arguments.seal(engine_, options.mode.correctness);
    result.input_bytes = arguments.input_bytes();
    result.output_bytes = arguments.output_bytes();

    const std::vector<dnnl_exec_arg_t> list = arguments.execution_list();
    const auto execute = [&] {
        require_success(dnnl_primitive_execute(primitive.get(), stream_.get(),
                                static_cast<int>(list.size()), list.data()),
                "dnnl_primitive_execute");
        require_success(dnnl_stream_wait(stream_.get()), "dnnl_stream_wait");
    };
    execute();
    result.state = state_t::executed;
    if (options.mode.correctness) check(task, arguments, result);
    if (options.mode.performance)
        result.execution = measure(execute, {options.measuring_ms(), options.fixed_times});
}

void runner_t::check(const task_t &task, const arguments_t &arguments, result_t &result) {
    result.settle(state_t::passed);
    for (const comparison_t &comparison : task.problem->compare(arguments)) {
        const verdict_t verdict = comparison.verdict();
        if (verdict == verdict_t::failed) result.settle(state_t::failed);
        if (verdict == verdict_t::mistrusted) result.settle(state_t::mistrusted);
        result.errors += comparison.errors();
        result.total += comparison.total();
        if (verdict != verdict_t::failed && task.options->verbosity < 6) continue;
        for (const std::string &line : comparison.report()) console_.line(line);
    }
    const std::string damage = arguments.damage();
    if (damage.empty()) return;
    console_.line("[MEMORY] " + damage);
    result.settle(state_t::failed);
    result.reason = damage;
}

void runner_t::report_performance(
        const task_t &task, const result_t &result, const std::string &reproduction) {
    const perf_subject_t subject{
            *task.problem, result, task.driver, reproduction, statistics_.tests()};
    const std::string &line_template = task.problem->settings.perf_template;
    const bool in_table = task.options->table;
    if (in_table) table_.add(subject);
    if (line_template.empty() && in_table) return;
    if (line_template != last_template_) {
        console_.line("Template entries: " + line_template);
        console_.line(perf_header(line_template));
        last_template_ = line_template;
    }
    console_.line(perf_line(line_template, subject));
}

} // namespace benchdnn
