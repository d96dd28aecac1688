// SPDX-License-Identifier: Apache-2.0
// A problem's primitive: made by the first implementation that the filters accept, and timed.
#include "common/creation.hpp"

#include <new>

#include "common/parallel.hpp"

namespace benchdnn {

namespace {

std::string implementation_name(const primitive_desc_t &descriptor) {
    const char *name = nullptr;
    require_success(dnnl_primitive_desc_query(descriptor.get(), dnnl_query_impl_info_str, 0, &name),
            "dnnl_primitive_desc_query(impl_info_str)");
    return name ? name : "";
}

// Why the problem ends before anything is created, or "".
std::string reason_to_skip(const task_t &task) {
    const std::string cannot = task.options->skip_reason();
    return cannot.empty() ? task.problem->skip_reason() : cannot;
}

class creator_t {
public:
    creator_t(const task_t &task, const engine_t &engine, console_t &console, creation_t &creation)
        : task_(task)
        , options_(*task.options)
        , engine_(engine)
        , console_(console)
        , creation_(creation) {}

    void run() {
        const std::string skipped = reason_to_skip(task_);
        if (!skipped.empty()) return end(state_t::skipped, skipped);
        creation_.attributes = task_.problem->settings.attributes;
        if (options_.creates_in_parallel() && !creation_.attributes.scratchpad)
            creation_.attributes.scratchpad = dnnl_scratchpad_mode_user;
        const attr_t attr = make_attr(creation_.attributes, task_.problem->attribute_target());
        // Twice when creation is measured: the second may come from a cache.
        const bool twice = options_.mode.performance && !options_.mode.simulation;
        for (int round = 0; round < (twice ? 2 : 1); ++round)
            if (!make_descriptor(attr) || !make_primitive()) return;
        creation_.result.implementation = implementation_name(creation_.descriptor);
        if (options_.verbosity >= 5)
            console_.line("implementation: " + creation_.result.implementation);
        check_implementation();
    }

private:
    void end(state_t state, const std::string &reason) {
        creation_.result.state = state;
        creation_.result.reason = reason;
    }

    bool make_descriptor(const attr_t &attr) {
        const stopwatch_t watch;
        const dnnl_status_t status =
                task_.problem->create(engine_.get(), attr.get(), creation_.descriptor);
        creation_.result.descriptor_creation.add(watch.ms());
        if (status != dnnl_success) {
            const bool has_name = status == dnnl_unimplemented || status == dnnl_invalid_arguments;
            end(state_of(status), has_name ? "" : dnnl_status2str(status));
            return false;
        }
        return find_accepted();
    }

    bool find_accepted() {
        const impl_filter_t &global = options_.global_impl;
        const impl_filter_t &filter = global.pieces.empty() ? task_.problem->settings.impl : global;
        while (!filter.accepts(implementation_name(creation_.descriptor))) {
            if (options_.verbosity >= 6)
                console_.line("passed over: " + implementation_name(creation_.descriptor));
            if (dnnl_primitive_desc_next_impl(creation_.descriptor.get()) == dnnl_success) continue;
            end(state_t::skipped, "Skip-impl option hit");
            return false;
        }
        return true;
    }

    bool make_primitive() {
        const stopwatch_t watch;
        require_success(
                dnnl_primitive_create(creation_.primitive.out(), creation_.descriptor.get()),
                "dnnl_primitive_create");
        creation_.result.primitive_creation.add(watch.ms());
        return true;
    }

    // What --check-ref-impl and --attr-same-pd-check forbid.
    void check_implementation() {
        const std::string &name = creation_.result.implementation;
        if (options_.check_reference && name.find("ref") != std::string::npos)
            return end(state_t::failed, "--check-ref-impl: " + name + " is a reference");
        const bool is_plain = task_.problem->settings.attributes.knobs_text().empty();
        if (options_.check_same_descriptor && !is_plain) {
            const std::string other = implementation_without_attributes();
            if (other != name)
                return end(state_t::failed, "--attr-same-pd-check: without attributes it is "
                                                    + (other.empty() ? "unimplemented" : other));
        }
        creation_.is_done = true;
    }

    std::string implementation_without_attributes() const {
        const attr_t attr = make_attr({}, task_.problem->attribute_target());
        primitive_desc_t descriptor;
        const dnnl_status_t status = task_.problem->create(engine_.get(), attr.get(), descriptor);
        return status == dnnl_success ? implementation_name(descriptor) : "";
    }

    const task_t &task_;
    const options_t &options_;
    const engine_t &engine_;
    console_t &console_;
    creation_t &creation_;
};

} // namespace

state_t state_of(dnnl_status_t status) {
    switch (status) {
    case dnnl_unimplemented: return state_t::unimplemented;
    case dnnl_invalid_arguments: return state_t::invalid_arguments;
    default: return state_t::failed;
    }
}

creation_t create(const task_t &task, const engine_t &engine, console_t &console) {
    creation_t creation;
    try {
        creator_t(task, engine, console, creation).run();
    } catch (const status_error_t &error) {
        console.line(std::string("error: ") + error.what());
        creation.result.state = state_of(error.status);
        creation.result.reason = error.what();
    } catch (const std::bad_alloc &) {
        creation.result.state = state_t::skipped;
        creation.result.reason = "Not enough RAM";
    }
    return creation;
}

std::vector<creation_t> create_in_parallel(const std::vector<task_t> &tasks, size_t begin,
        int64_t first_number, const engine_t &engine, console_t &console) {
    size_t count = 0;
    const auto most = static_cast<size_t>(worker_count());
    while (count < most && begin + count < tasks.size()
            && tasks[begin + count].options->creates_in_parallel())
        ++count;
    std::vector<creation_t> creations(count);
    parallel_shares(static_cast<int64_t>(count), [&](int, int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            const task_t &task = tasks[begin + i];
            const fault_watch_t watch(first_number + i, task.reproduction(), false);
            in_thread_context(task.options->creation_context[0],
                    [&] { creations[i] = create(task, engine, console); });
        }
    });
    return creations;
}

} // namespace benchdnn
