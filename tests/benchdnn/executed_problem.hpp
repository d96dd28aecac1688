// SPDX-License-Identifier: Apache-2.0
// A problem of a driver, created, filled and executed, whose tensors a test can change before they
// are checked.
#pragma once

#include <algorithm>
#include <functional>
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

// The contents before the execution; where the argument is absent, `count` times the same value.
inline std::vector<double> values_of(
        const executed_problem_t &executed, int id, dim_t count, double absent) {
    if (!executed.arguments.has(id)) return std::vector<double>(static_cast<size_t>(count), absent);
    const tensor_t &tensor = executed.arguments.original(id);
    std::vector<double> values;
    for (dim_t i = 0; i < tensor.layout().elements(); ++i) values.push_back(tensor.load(i));
    return values;
}

// Replaces all elements; does nothing if the argument is absent.
inline void store(executed_problem_t &executed, int id, const std::vector<double> &values) {
    if (!executed.arguments.has(id)) return;
    tensor_t &tensor = executed.arguments.at(id);
    for (dim_t i = 0; i < tensor.layout().elements(); ++i)
        tensor.store(i, values[static_cast<size_t>(i)]);
}

// A normalization's forward pass by definition, as a function of its operands.
struct forward_model_t {
    virtual ~forward_model_t() = default;
    virtual std::vector<double> dst() const = 0;

    // The function whose gradient is diff_dst.
    double loss() const {
        const std::vector<double> values = dst();
        double sum = 0;
        for (size_t i = 0; i < values.size(); ++i) sum += values[i] * diff_dst[i];
        return sum;
    }
    // Difference quotients of loss(). values: a member of this object.
    std::vector<double> slopes(std::vector<double> &values, double step) const {
        std::vector<double> gradient;
        for (double &value : values) {
            const double before = value;
            value = before + step;
            const double above = loss();
            value = before - step;
            gradient.push_back((above - loss()) / (2 * step));
            value = before;
        }
        return gradient;
    }
    // Replaces the gradients that the library found by difference quotients.
    void store_slopes(executed_problem_t &executed, double step) {
        store(executed, DNNL_ARG_DIFF_SRC, slopes(src, step));
        store(executed, DNNL_ARG_DIFF_SCALE, slopes(scale, step));
        store(executed, DNNL_ARG_DIFF_SHIFT, slopes(shift, step));
    }

    std::vector<double> src, scale, shift, diff_dst;

protected:
    explicit forward_model_t(const executed_problem_t &executed, dim_t elements)
        : src(values_of(executed, DNNL_ARG_SRC, elements, 0))
        , scale(values_of(executed, DNNL_ARG_SCALE, elements, 1))
        , shift(values_of(executed, DNNL_ARG_SHIFT, elements, 0))
        , diff_dst(values_of(executed, DNNL_ARG_DIFF_DST, elements, 0)) {}
};

} // namespace benchdnn
