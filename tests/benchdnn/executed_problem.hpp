// SPDX-License-Identifier: Apache-2.0
// A problem of the driver created, filled and executed by the library, with its tensors at hand to
// be tampered with before they are judged.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "common/fill.hpp"

namespace benchdnn {

class executed_problem_t {
public:
    // change: what to do to the inputs before they are used. Those that follow from others are made
    // first.
    explicit executed_problem_t(const std::vector<std::string> &words,
            const std::function<void(arguments_t &)> &change = {}) {
        command_line_t command_line;
        command_line.read(words);
        if (command_line.tasks().size() != 1) throw std::logic_error("one problem is expected");
        problem_ = command_line.tasks()[0].problem;
        require_success(dnnl_engine_create(engine_.out(), dnnl_cpu, 0), "engine");
        require_success(dnnl_stream_create(stream_.out(), engine_.get(), 0), "stream");
        const attributes_t &attributes = problem_->settings.attributes;
        const attr_t attr = make_attr(attributes, problem_->attribute_target());
        primitive_desc_t descriptor;
        require_success(problem_->create(engine_.get(), attr.get(), descriptor), "descriptor");
        require_success(dnnl_primitive_create(primitive_.out(), descriptor.get()), "primitive");
        if (!problem_->prepare(descriptor, arguments).empty()) throw std::logic_error("prepare");
        add_attribute_arguments(attributes, descriptor, 1, arguments);
        problem_->derive_inputs(descriptor, arguments);
        if (change) change(arguments);
        arguments.seal(engine_, true);
        const std::vector<dnnl_exec_arg_t> list = arguments.execution_list();
        require_success(dnnl_primitive_execute(primitive_.get(), stream_.get(),
                                static_cast<int>(list.size()), list.data()),
                "execute");
        require_success(dnnl_stream_wait(stream_.get()), "wait");
    }

    // Of the whole problem: the worst of its outputs'.
    verdict_t verdict() const {
        verdict_t worst = verdict_t::passed;
        for (const comparison_t &comparison : problem_->compare(arguments))
            worst = std::max(worst, comparison.verdict());
        return worst;
    }

    arguments_t arguments;

private:
    std::shared_ptr<const problem_t> problem_;
    engine_t engine_;
    stream_t stream_;
    primitive_t primitive_;
};

} // namespace benchdnn
