// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a forward problem and compares what it computes with the model.
#include "layer_normalization/forward_case.hpp"

#include "layer_normalization/operand_descs.hpp"
#include "layer_normalization/operand_values.hpp"
#include "support/data_type.hpp"

namespace kiln::test::layer_normalization {

forward_case_t::forward_case_t(const problem_t &problem)
    : problem_(problem)
    , primitive_desc_(accepted_primitive_desc(problem))
    , primitive_(make_primitive(primitive_desc_))
    , bindings_(problem.placement)
    , post_ops_(problem.post_ops, primitive_desc_, bindings_, problem.seed + 6)
    , operands_(empty_operands(problem)) {
    const operand_descs_t descs(problem_, primitive_desc_);
    bindings_.add_input(DNNL_ARG_SRC, "src", descs.src(), src_values(problem_));
    operands_.src = tensor(DNNL_ARG_SRC).values();
    if (problem_.in_place)
        bindings_.add_in_place(DNNL_ARG_DST, DNNL_ARG_SRC);
    else
        bindings_.add_output(DNNL_ARG_DST, "dst", descs.dst());
    bind_stats();
    bind_weights();
    if (problem_.scratchpad_mode == dnnl_scratchpad_mode_user)
        bindings_.add_scratchpad(primitive_desc_);
}

void forward_case_t::bind_stats() {
    const operand_descs_t descs(problem_, primitive_desc_);
    const bool has_mean = !problem_.has(rms);
    if (problem_.writes_stats()) {
        if (has_mean) bindings_.add_output(DNNL_ARG_MEAN, "mean", descs.stat());
        bindings_.add_output(DNNL_ARG_VARIANCE, "variance", descs.stat());
    } else if (problem_.reads_stats()) {
        const auto values = stat_values(problem_, operands_);
        if (has_mean) bindings_.add_input(DNNL_ARG_MEAN, "mean", descs.stat(), values.mean);
        bindings_.add_input(DNNL_ARG_VARIANCE, "variance", descs.stat(), values.variance);
        if (has_mean) operands_.mean = tensor(DNNL_ARG_MEAN).values();
        operands_.variance = tensor(DNNL_ARG_VARIANCE).values();
    }
}

void forward_case_t::bind_weights() {
    const operand_descs_t descs(problem_, primitive_desc_);
    if (problem_.has(scale))
        operands_.scale = bindings_
                                  .add_input(DNNL_ARG_SCALE, "scale", descs.scale_shift(),
                                          scale_values(problem_))
                                  .values();
    if (problem_.has(shift))
        operands_.shift = bindings_
                                  .add_input(DNNL_ARG_SHIFT, "shift", descs.scale_shift(),
                                          shift_values(problem_))
                                  .values();
    const auto bind_scale = [&](int arg, const std::optional<scale_attr_t> &scale) {
        if (scale) bindings_.add_scale(arg, scale->type, scale->value, scale->is_on_host);
    };
    bind_scale(DNNL_ARG_SRC, problem_.src_scale);
    bind_scale(DNNL_ARG_DST, problem_.dst_scale);
}

void forward_case_t::set_src(const std::vector<double> &values) {
    bindings_.refill(DNNL_ARG_SRC, values);
    operands_.src = tensor(DNNL_ARG_SRC).values();
}

void forward_case_t::set_stats(
        const std::vector<double> &mean, const std::vector<double> &variance) {
    if (!problem_.has(rms)) {
        bindings_.refill(DNNL_ARG_MEAN, mean);
        operands_.mean = tensor(DNNL_ARG_MEAN).values();
    }
    bindings_.refill(DNNL_ARG_VARIANCE, variance);
    operands_.variance = tensor(DNNL_ARG_VARIANCE).values();
}

std::vector<interval_t> forward_case_t::dst_truth(const std::vector<interval_t> &normalized) const {
    const long double src_scale = factor_of(problem_.src_scale);
    const long double dst_scale = factor_of(problem_.dst_scale);
    const bool has_attr = problem_.src_scale || problem_.dst_scale || !problem_.post_ops.empty();
    if (!has_attr) return normalized;
    const long double roundoff = problem_.compute_roundoff();
    const auto times = [&](const interval_t &value, long double by) {
        const auto product = value.map([&](long double at) { return at * by; });
        return product.widened(2 * roundoff * std::fabs(product.value));
    };
    std::vector<interval_t> truth;
    for_each_index(problem_.dims, [&](const dims_t &index) {
        const auto scaled = times(normalized[truth.size()], src_scale);
        truth.push_back(times(post_ops_.apply(scaled, index), 1 / dst_scale));
    });
    return truth;
}

testing::AssertionResult forward_case_t::is_right() const {
    const auto truth = forward(operands_);
    if (problem_.writes_stats()) {
        if (!problem_.has(rms)) {
            const auto mean = is_inside(tensor(DNNL_ARG_MEAN), truth.mean, "mean");
            if (!mean) return mean;
        }
        const auto variance = is_inside(tensor(DNNL_ARG_VARIANCE), truth.variance, "variance");
        if (!variance) return variance;
    }
    const auto dst = is_inside(tensor(DNNL_ARG_DST), dst_truth(truth.dst), "dst");
    if (!dst) return dst;
    return bindings_.are_intact();
}

testing::AssertionResult is_forward_right(const problem_t &problem) {
    try {
        const forward_case_t forward(problem);
        const auto status = forward.execute();
        if (status != dnnl_success)
            return testing::AssertionFailure()
                   << to_string(problem) << ": execution answered " << dnnl_status2str(status);
        const auto verdict = forward.is_right();
        if (verdict) return verdict;
        return testing::AssertionFailure() << to_string(problem) << ": " << verdict.message();
    } catch (const std::runtime_error &error) {
        return testing::AssertionFailure() << error.what();
    }
}

} // namespace kiln::test::layer_normalization
