// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a backward problem and compares what it computes with the model.
#include "channel_normalization/backward_case.hpp"

#include <algorithm>

#include "channel_normalization/operand_descs.hpp"
#include "channel_normalization/operand_values.hpp"

namespace kiln::test::channel_normalization {

backward_case_t::backward_case_t(
        const problem_t &problem, const forward_case_t &forward, size_t implementation)
    : problem_(problem)
    , primitive_desc_(accepted_primitive_desc(problem, forward.primitive_desc(), implementation))
    , primitive_(make_primitive(primitive_desc_))
    , bindings_(problem.placement)
    , operands_(empty_operands(problem)) {
    bind_data(forward);
    bind_stats();
    bind_weights();
    if (problem_.scratchpad_mode == dnnl_scratchpad_mode_user)
        bindings_.add_scratchpad(primitive_desc_);
}

backward_case_t::backward_case_t(const problem_t &problem)
    : backward_case_t(problem, executed_forward(problem)) {}

void backward_case_t::bind_data(const forward_case_t &forward) {
    const operand_descs_t descs(problem_, primitive_desc_);
    bindings_.add_input(DNNL_ARG_SRC, "src", descs.src(), src_values(problem_));
    operands_.src = tensor(DNNL_ARG_SRC).values();
    bindings_.add_input(DNNL_ARG_DIFF_DST, "diff_dst", descs.diff_dst(), diff_dst_values(problem_));
    gradient_.diff_dst = tensor(DNNL_ARG_DIFF_DST).values();
    gradient_.has_constant_stats = problem_.has(global_stats);
    if (problem_.in_place)
        bindings_.add_in_place(DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST);
    else
        bindings_.add_output(DNNL_ARG_DIFF_SRC, "diff_src", descs.diff_src());
    if (problem_.has(add_relu))
        bindings_.add_output(DNNL_ARG_DIFF_SRC_1, "diff_src_1", descs.diff_dst());
    if (!problem_.has_relu()) return;
    gradient_.passes = forward.passes();
    bindings_.add_input(DNNL_ARG_WORKSPACE, "workspace", descs.workspace(),
            forward.tensor(DNNL_ARG_WORKSPACE).values());
}

void backward_case_t::bind_stats() {
    const operand_descs_t descs(problem_, primitive_desc_);
    const auto values = stat_values(problem_, operands_);
    operands_.mean = bindings_.add_input(DNNL_ARG_MEAN, "mean", descs.stat(), values.mean).values();
    operands_.variance =
            bindings_.add_input(DNNL_ARG_VARIANCE, "variance", descs.stat(), values.variance)
                    .values();
}

void backward_case_t::bind_weights() {
    const operand_descs_t descs(problem_, primitive_desc_);
    if (problem_.has(scale))
        operands_.scale = bindings_
                                  .add_input(DNNL_ARG_SCALE, "scale", descs.scale_shift(),
                                          scale_values(problem_))
                                  .values();
    if (!problem_.writes_weights()) return;
    if (problem_.has(scale))
        bindings_.add_output(DNNL_ARG_DIFF_SCALE, "diff_scale", descs.scale_shift());
    if (problem_.has(shift))
        bindings_.add_output(DNNL_ARG_DIFF_SHIFT, "diff_shift", descs.scale_shift());
}

std::vector<int> backward_case_t::outputs() const {
    std::vector<int> outputs{DNNL_ARG_DIFF_SRC};
    for (const int arg : {DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
        if (bindings_.has(arg)) outputs.push_back(arg);
    return outputs;
}

void backward_case_t::set_src(const std::vector<double> &values) {
    bindings_.refill(DNNL_ARG_SRC, values);
    operands_.src = tensor(DNNL_ARG_SRC).values();
    if (problem_.has(global_stats)) return;
    operands_.mean.clear();
    operands_.variance.clear();
    const auto stats = stat_values(problem_, operands_);
    bindings_.refill(DNNL_ARG_MEAN, stats.mean);
    bindings_.refill(DNNL_ARG_VARIANCE, stats.variance);
    operands_.mean = tensor(DNNL_ARG_MEAN).values();
    operands_.variance = tensor(DNNL_ARG_VARIANCE).values();
}

void backward_case_t::set_diff_dst(const std::vector<double> &values) {
    bindings_.refill(DNNL_ARG_DIFF_DST, values);
    gradient_.diff_dst = tensor(DNNL_ARG_DIFF_DST).values();
}

testing::AssertionResult backward_case_t::is_right(const std::vector<int> &outputs) const {
    const auto truth = backward(operands_, gradient_);
    const struct {
        int arg;
        const std::vector<interval_t> &values;
        const char *name;
    } expected[]{
            {DNNL_ARG_DIFF_SRC, truth.diff_src, "diff_src"},
            {DNNL_ARG_DIFF_SRC_1, truth.diff_added, "diff_src_1"},
            {DNNL_ARG_DIFF_SCALE, truth.diff_scale, "diff_scale"},
            {DNNL_ARG_DIFF_SHIFT, truth.diff_shift, "diff_shift"},
    };
    for (const auto &output : expected) {
        if (std::find(outputs.begin(), outputs.end(), output.arg) == outputs.end()) continue;
        const auto verdict = is_inside(tensor(output.arg), output.values, output.name);
        if (!verdict) return verdict;
    }
    return bindings_.are_intact();
}

forward_case_t executed_forward(const problem_t &problem, size_t implementation) {
    forward_case_t forward(problem.forward_of_it(), implementation);
    require(forward.execute(), "forward of " + to_string(problem));
    return forward;
}

testing::AssertionResult is_backward_right(const problem_t &problem) {
    try {
        const auto forwards = implementations(problem.forward_of_it());
        for (size_t f = 0; f < (problem.has_relu() ? forwards.size() : 1); ++f) {
            const auto forward = executed_forward(problem, f);
            const auto names = implementations(problem, forward.primitive_desc());
            for (size_t b = 0; b < names.size(); ++b) {
                const std::string pair =
                        to_string(problem) + " by " + names[b] + " after forward by " + forwards[f];
                const backward_case_t backward(problem, forward, b);
                const auto status = backward.execute();
                if (status != dnnl_success)
                    return testing::AssertionFailure()
                           << pair << " answered " << dnnl_status2str(status);
                const auto verdict = backward.is_right();
                if (!verdict)
                    return testing::AssertionFailure() << pair << ": " << verdict.message();
            }
        }
        return testing::AssertionSuccess();
    } catch (const std::runtime_error &error) {
        return testing::AssertionFailure() << to_string(problem) << ": " << error.what();
    }
}

} // namespace kiln::test::channel_normalization
