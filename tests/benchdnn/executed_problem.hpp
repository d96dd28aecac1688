// SPDX-License-Identifier: Apache-2.0
// A problem of a driver, created, filled and executed, whose tensors a test can change before they
// are checked.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/driver/command_line.hpp"
#include "common/run/creation.hpp"
#include "common/tensor/fill.hpp"

namespace benchdnn {

class executed_problem_t {
public:
    // change: modifies the inputs before execution, after derived inputs have been computed.
    explicit executed_problem_t(const std::vector<std::string> &words,
            const std::function<void(arguments_t &)> &change = {}) {
        command_line_t command_line;
        command_line.read(words);
        if (command_line.tasks().size() != 1) throw std::logic_error("one problem is expected");
        require_success(dnnl_engine_create(engine_.out(), dnnl_cpu, 0), "engine");
        require_success(dnnl_stream_create(stream_.out(), engine_.get(), 0), "stream");
        task_ = command_line.tasks()[0];
        creation_ = create(task_, engine_, console_);
        if (!creation_.executable)
            throw std::logic_error("not created: " + creation_.result.reason);
        executable_t &executable = *creation_.executable;
        if (!executable.prepare(arguments).empty()) throw std::logic_error("prepare");
        executable.derive_inputs(arguments);
        if (change) change(arguments);
        arguments.seal(engine_, true);
        executable.bind(arguments);
        executable.execute(stream_);
        require_success(dnnl_stream_wait(stream_.get()), "wait");
    }

    // The worst verdict of the outputs.
    verdict_t verdict() const {
        verdict_t worst = verdict_t::passed;
        for (const comparison_t &comparison : creation_.executable->compare(arguments))
            worst = std::max(worst, comparison.verdict());
        return worst;
    }

    arguments_t arguments;

private:
    task_t task_;
    console_t console_;
    engine_t engine_;
    stream_t stream_;
    creation_t creation_;
};

} // namespace benchdnn
