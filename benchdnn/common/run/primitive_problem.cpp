// SPDX-License-Identifier: Apache-2.0
// A primitive: created by the first implementation that the filters accept, timed, and executed.
#include "common/run/primitive_problem.hpp"

#include <utility>

#include "common/attributes/dropout_reference.hpp"
#include "common/run/explanation.hpp"
#include "common/run/implementations.hpp"
#include "common/run/timing.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/memory_limit.hpp"

namespace benchdnn {

namespace {

class primitive_executable_t final : public executable_t {
public:
    primitive_executable_t(const primitive_problem_t &problem, attributes_t attributes,
            primitive_desc_t descriptor, primitive_t primitive)
        : problem_(problem)
        , attributes_(std::move(attributes))
        , descriptor_(std::move(descriptor))
        , primitive_(std::move(primitive)) {}

    bool fits_memory(bool for_checks) const override {
        return benchdnn::fits_memory(descriptor_, for_checks);
    }
    std::string prepare(arguments_t &arguments) const override {
        const std::string impossible = problem_.prepare(descriptor_, arguments);
        if (impossible.empty())
            add_attribute_arguments(
                    attributes_, descriptor_, seed_of(problem_.descriptor_text(false)), arguments);
        return impossible;
    }
    void derive_inputs(arguments_t &arguments) const override {
        problem_.derive_inputs(descriptor_, arguments);
    }
    void bind(const arguments_t &arguments) override { list_ = arguments.execution_list(); }
    void execute(const stream_t &stream) const override {
        require_success(dnnl_primitive_execute(primitive_.get(), stream.get(),
                                static_cast<int>(list_.size()), list_.data()),
                "dnnl_primitive_execute");
    }
    std::vector<comparison_t> compare(const arguments_t &arguments) const override {
        std::vector<comparison_t> comparisons = problem_.compare(arguments);
        compare_mask(attributes_, arguments, comparisons);
        return comparisons;
    }

private:
    const primitive_problem_t &problem_;
    const attributes_t attributes_;
    const primitive_desc_t descriptor_;
    const primitive_t primitive_;
    std::vector<dnnl_exec_arg_t> list_;
};

class creator_t {
public:
    creator_t(
            const primitive_problem_t &problem, const creation_request_t &request, result_t &result)
        : problem_(problem)
        , options_(request.options)
        , engine_(request.engine)
        , console_(request.console)
        , result_(result) {}

    std::unique_ptr<executable_t> run() {
        attributes_ = problem_.settings.attributes;
        if (options_.creates_in_parallel() && !attributes_.scratchpad)
            attributes_.scratchpad = dnnl_scratchpad_mode_user;
        const attr_t attr = make_attr(attributes_, problem_.attribute_target());
        // Twice if creation is measured: the second may hit a cache.
        const bool twice = options_.mode.performance && !options_.mode.simulation;
        for (int round = 0; round < (twice ? 2 : 1); ++round)
            if (!make_descriptor(attr) || !make_primitive()) return nullptr;
        result_.implementation = implementation_name(descriptor_);
        if (options_.verbosity >= 5) console_.line("implementation: " + result_.implementation);
        if (!is_allowed()) return nullptr;
        return std::make_unique<primitive_executable_t>(
                problem_, std::move(attributes_), std::move(descriptor_), std::move(primitive_));
    }

private:
    bool make_descriptor(const attr_t &attr) {
        const stopwatch_t watch;
        const dnnl_status_t status = problem_.create(engine_.get(), attr.get(), descriptor_);
        result_.descriptor_creation.add(watch.ms());
        result_.phases.create_descriptor += watch.ms();
        if (status != dnnl_success) {
            const bool has_name = status == dnnl_unimplemented || status == dnnl_invalid_arguments;
            result_.end(state_of(status), has_name ? "" : dnnl_status2str(status));
            return false;
        }
        return find_accepted(attr);
    }

    bool find_accepted(const attr_t &attr) {
        const impl_filter_t &filter = problem_.filter(options_);
        while (!filter.accepts(implementation_name(descriptor_))) {
            if (options_.verbosity >= 6)
                console_.line("passed over: " + implementation_name(descriptor_));
            if (dnnl_primitive_desc_next_impl(descriptor_.get()) == dnnl_success) continue;
            end_without_accepted(attr, filter);
            return false;
        }
        return true;
    }

    // A name that no implementation of the operation has is a mistake. --global-impl is for several
    // operations, so a name may be another one's.
    void end_without_accepted(const attr_t &attr, const impl_filter_t &filter) {
        const answers_t asked = ask_implementations(problem_, engine_, attr.get());
        const std::vector<std::string> unknown = asked.unknown_parts(filter);
        if (unknown.empty() || &filter == &options_.global_impl)
            return result_.end(state_t::skipped, "Skip-impl option hit");
        result_.end(state_t::failed, "--impl: no implementation is named " + unknown[0]
                                             + "; there are " + join(asked.names(), ", "));
    }

    bool make_primitive() {
        const stopwatch_t watch;
        require_success(dnnl_primitive_create(primitive_.out(), descriptor_.get()),
                "dnnl_primitive_create");
        result_.primitive_creation.add(watch.ms());
        result_.phases.create_primitive += watch.ms();
        return true;
    }

    // Whether --check-ref-impl and --attr-same-pd-check accept the implementation.
    bool is_allowed() {
        const std::string &name = result_.implementation;
        const bool is_reference = name.find("ref") != std::string::npos;
        if (options_.check_reference && is_reference)
            result_.end(state_t::failed, "--check-ref-impl: " + name + " is a reference");
        const bool is_plain = problem_.settings.attributes.knobs_text().empty();
        if (options_.check_same_descriptor && !is_plain) {
            const std::string other = implementation_without_attributes();
            if (other != name)
                result_.end(state_t::failed, "--attr-same-pd-check: without attributes it is "
                                                     + (other.empty() ? "unimplemented" : other));
        }
        return result_.state != state_t::failed;
    }

    std::string implementation_without_attributes() const {
        const attr_t attr = make_attr({}, problem_.attribute_target());
        primitive_desc_t descriptor;
        const dnnl_status_t status = problem_.create(engine_.get(), attr.get(), descriptor);
        return status == dnnl_success ? implementation_name(descriptor) : "";
    }

    const primitive_problem_t &problem_;
    const options_t &options_;
    const engine_t &engine_;
    console_t &console_;
    result_t &result_;
    attributes_t attributes_; // the problem's, with what the mode adds
    primitive_desc_t descriptor_;
    primitive_t primitive_;
};

} // namespace

std::unique_ptr<executable_t> primitive_problem_t::make(
        const creation_request_t &request, result_t &result) const {
    return creator_t(*this, request, result).run();
}

std::vector<std::string> primitive_problem_t::explanation(const creation_request_t &request) const {
    return explain(*this, request);
}

const impl_filter_t &primitive_problem_t::filter(const options_t &options) const {
    return options.global_impl.pieces.empty() ? settings.impl : options.global_impl;
}

} // namespace benchdnn
