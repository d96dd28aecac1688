// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a backward problem and compares what it computes with the model.
#include "layer_normalization/backward_case.hpp"

#include <algorithm>

#include "layer_normalization/operand_descs.hpp"
#include "layer_normalization/operand_values.hpp"

namespace kiln::test::layer_normalization {

backward_case_t::backward_case_t(const problem_t &problem)
    : problem_(problem)
    , primitive_desc_(accepted_primitive_desc(problem))
    , primitive_(make_primitive(primitive_desc_))
    , bindings_(problem.placement)
    , operands_(empty_operands(problem)) {
    const operand_descs_t descs(problem_, primitive_desc_);
    bindings_.add_input(DNNL_ARG_SRC, "src", descs.src(), src_values(problem_));
    operands_.src = tensor(DNNL_ARG_SRC).values();
    bindings_.add_input(DNNL_ARG_DIFF_DST, "diff_dst", descs.diff_dst(), diff_dst_values(problem_));
    diff_dst_ = tensor(DNNL_ARG_DIFF_DST).values();
    if (problem_.in_place)
        bindings_.add_in_place(DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST);
    else
        bindings_.add_output(DNNL_ARG_DIFF_SRC, "diff_src", descs.diff_src());
    bind_stats();
    bind_weights();
    if (problem_.scratchpad_mode == dnnl_scratchpad_mode_user)
        bindings_.add_scratchpad(primitive_desc_);
}

void backward_case_t::bind_stats() {
    const operand_descs_t descs(problem_, primitive_desc_);
    const auto values = stat_values(problem_, operands_);
    if (!problem_.has(rms))
        operands_.mean =
                bindings_.add_input(DNNL_ARG_MEAN, "mean", descs.stat(), values.mean).values();
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
        bindings_.add_output(DNNL_ARG_DIFF_SCALE, "diff_scale", descs.diff_scale_shift());
    if (problem_.has(shift))
        bindings_.add_output(DNNL_ARG_DIFF_SHIFT, "diff_shift", descs.diff_scale_shift());
}

std::vector<int> backward_case_t::outputs() const {
    std::vector<int> outputs{DNNL_ARG_DIFF_SRC};
    for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
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
    if (!problem_.has(rms)) {
        bindings_.refill(DNNL_ARG_MEAN, stats.mean);
        operands_.mean = tensor(DNNL_ARG_MEAN).values();
    }
    bindings_.refill(DNNL_ARG_VARIANCE, stats.variance);
    operands_.variance = tensor(DNNL_ARG_VARIANCE).values();
}

void backward_case_t::set_diff_dst(const std::vector<double> &values) {
    bindings_.refill(DNNL_ARG_DIFF_DST, values);
    diff_dst_ = tensor(DNNL_ARG_DIFF_DST).values();
}

testing::AssertionResult backward_case_t::is_right(const std::vector<int> &outputs) const {
    const auto truth = backward(operands_, diff_dst_, problem_.has(global_stats));
    const auto is_asked = [&](int arg) {
        return std::find(outputs.begin(), outputs.end(), arg) != outputs.end();
    };
    if (is_asked(DNNL_ARG_DIFF_SRC)) {
        const auto verdict = is_inside(tensor(DNNL_ARG_DIFF_SRC), truth.diff_src, "diff_src");
        if (!verdict) return verdict;
    }
    if (is_asked(DNNL_ARG_DIFF_SCALE)) {
        const auto verdict = is_inside(tensor(DNNL_ARG_DIFF_SCALE), truth.diff_scale, "diff_scale");
        if (!verdict) return verdict;
    }
    if (is_asked(DNNL_ARG_DIFF_SHIFT)) {
        const auto verdict = is_inside(tensor(DNNL_ARG_DIFF_SHIFT), truth.diff_shift, "diff_shift");
        if (!verdict) return verdict;
    }
    return bindings_.are_intact();
}

testing::AssertionResult is_backward_right(const problem_t &problem) {
    try {
        const backward_case_t backward(problem);
        const auto status = backward.execute();
        if (status != dnnl_success)
            return testing::AssertionFailure()
                   << to_string(problem) << ": execution answered " << dnnl_status2str(status);
        const auto verdict = backward.is_right();
        if (verdict) return verdict;
        return testing::AssertionFailure() << to_string(problem) << ": " << verdict.message();
    } catch (const std::runtime_error &error) {
        return testing::AssertionFailure() << error.what();
    }
}

} // namespace kiln::test::layer_normalization
