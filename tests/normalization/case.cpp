// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a problem and tells what it should compute.
#include "normalization/case.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::test::normalization {

namespace {

constexpr int sum_arg = DNNL_ARG_DST_1, row_scale_arg = DNNL_ARG_DST_2;

std::string case_text(const problem_t &problem, const_dnnl_primitive_desc_t primitive_desc,
        const case_t *forward) {
    std::string text = to_string(problem) + " by " + implementation_name(primitive_desc);
    if (forward) text += " after forward by " + implementation_name(forward->primitive_desc());
    return text;
}

/// Whether a hint is given: backward passes of channels take the layout of the mask from it.
bool needs_forward(const problem_t &problem) {
    return !problem.is_forward() && !problem.is_layer() && !problem.create;
}

interval_t times(const interval_t &value, long double by, long double roundoff) {
    const auto product = value.map([&](long double at) { return at * by; });
    return product.widened(2 * roundoff * product.size());
}

interval_t magnitude(const interval_t &value) {
    const long double low = std::fmax(0, std::fmax(value.low, -value.high));
    return {low, std::fabs(value.value), std::fmax(std::fabs(value.low), std::fabs(value.high))};
}

interval_t greater(const interval_t &a, const interval_t &b) {
    return {std::fmax(a.low, b.low), std::fmax(a.value, b.value), std::fmax(a.high, b.high)};
}

} // namespace

case_t::case_t(const problem_t &problem, size_t implementation)
    : case_t(needs_forward(problem)
                     ? case_t(problem, executed_forward(problem), implementation)
                     : case_t(problem, accepted_primitive_desc(problem, nullptr, implementation),
                             nullptr)) {}

case_t::case_t(const problem_t &problem, const case_t &forward, size_t implementation)
    : case_t(problem, accepted_primitive_desc(problem, forward.primitive_desc(), implementation),
            &forward) {}

case_t::case_t(
        const problem_t &problem, primitive_desc_handle_t primitive_desc, const case_t *forward)
    : primitive_case_t(case_text(problem, primitive_desc, forward), std::move(primitive_desc),
            problem.placement)
    , problem_(problem)
    , operands_(empty_operands(problem)) {
    post_ops_.emplace(problem.post_ops, this->primitive_desc(), bindings(), problem.seed + 6);
    gradient_.has_constant_stats = problem.has(global_stats);
    if (problem.is_forward())
        bind_forward_data();
    else
        bind_backward_data(forward);
    bind_stats();
    bind_weights();
    if (problem.scratchpad_mode == dnnl_scratchpad_mode_user)
        bindings().add_scratchpad(this->primitive_desc());
}

/// Where the model keeps the values of an input.
std::vector<double> *case_t::modelled(int arg) {
    switch (arg) {
    case DNNL_ARG_SRC: return &operands_.src;
    case DNNL_ARG_SRC_1: return &operands_.added;
    case DNNL_ARG_DIFF_DST: return &gradient_.diff_dst;
    case DNNL_ARG_MEAN: return &operands_.mean;
    case DNNL_ARG_VARIANCE: return &operands_.variance;
    case DNNL_ARG_SCALE: return &operands_.scale;
    case DNNL_ARG_SHIFT: return &operands_.shift;
    default: return nullptr;
    }
}

void case_t::refill(int arg, const std::vector<double> &values) {
    bindings().refill(arg, values);
    if (auto *const model = modelled(arg)) *model = tensor(arg).values();
}

void case_t::add_input(int arg, const std::string &name, const std::vector<double> &values) {
    bindings().add_input(arg, name, operand_desc(problem_, primitive_desc(), arg), values);
    if (auto *const model = modelled(arg)) *model = tensor(arg).values();
}

void case_t::add_input(int arg, const std::string &name) {
    add_input(arg, name, operand_values(problem_, arg));
}

void case_t::add_output(int arg, const std::string &name, int over) {
    if (over)
        bindings().add_in_place(arg, over);
    else
        bindings().add_output(arg, name, operand_desc(problem_, primitive_desc(), arg));
}

void case_t::bind_forward_data() {
    add_input(DNNL_ARG_SRC, "src");
    if (problem_.has(add_relu) || problem_.src_1.exists()) add_input(DNNL_ARG_SRC_1, "src_1");
    add_output(DNNL_ARG_DST, "dst", problem_.dst_over);
    if (problem_.sum.exists()) add_output(sum_arg, "sum", problem_.sum_over);
    if (problem_.row_scale.exists()) {
        add_output(row_scale_arg, "row_scale");
        add_input(DNNL_ARG_SRC_2, "row_factor");
    }
    if (problem_.has_mask()) add_output(DNNL_ARG_WORKSPACE, "workspace");
}

void case_t::bind_backward_data(const case_t *forward) {
    add_input(DNNL_ARG_SRC, "src");
    add_input(DNNL_ARG_DIFF_DST, "diff_dst");
    add_output(DNNL_ARG_DIFF_SRC, "diff_src", problem_.dst_over);
    if (problem_.has(add_relu)) add_output(DNNL_ARG_DIFF_SRC_1, "diff_src_1");
    if (problem_.relu_operand.exists()) {
        add_input(DNNL_ARG_DST, "the ReLU's operand");
        for (const double value : tensor(DNNL_ARG_DST).values())
            gradient_.passes.push_back(value > 0);
    }
    if (!problem_.has_relu()) return;
    for (const double value : forward->tensor(DNNL_ARG_DST).values())
        gradient_.passes.push_back(value != 0);
    add_input(DNNL_ARG_WORKSPACE, "workspace", forward->tensor(DNNL_ARG_WORKSPACE).values());
}

void case_t::bind_stats() {
    if (problem_.writes_stats()) {
        if (problem_.has_mean()) add_output(DNNL_ARG_MEAN, "mean");
        add_output(DNNL_ARG_VARIANCE, "variance");
    } else if (problem_.reads_stats()) {
        const auto values = stat_values(problem_, operands_);
        if (problem_.has_mean()) add_input(DNNL_ARG_MEAN, "mean", values.mean);
        add_input(DNNL_ARG_VARIANCE, "variance", values.variance);
    }
}

void case_t::bind_weights() {
    if (problem_.has(scale)) add_input(DNNL_ARG_SCALE, "scale");
    if (problem_.is_forward() && problem_.has(shift)) add_input(DNNL_ARG_SHIFT, "shift");
    const auto bind_scale = [&](int arg, const std::optional<scale_attr_t> &scale) {
        if (scale) bindings().add_scale(arg, scale->type, scale->value, scale->is_on_host);
    };
    bind_scale(DNNL_ARG_SRC, problem_.src_scale);
    bind_scale(DNNL_ARG_DST, problem_.dst_scale);
    if (!problem_.writes_weights()) return;
    if (problem_.has(scale)) add_output(DNNL_ARG_DIFF_SCALE, "diff_scale");
    if (problem_.has(shift)) add_output(DNNL_ARG_DIFF_SHIFT, "diff_shift");
}

void case_t::set_src(const std::vector<double> &values) {
    refill(DNNL_ARG_SRC, values);
    if (problem_.is_forward() || !problem_.reads_stats() || problem_.has(global_stats)) return;
    operands_.mean.clear();
    operands_.variance.clear();
    const auto stats = stat_values(problem_, operands_);
    if (problem_.has_mean()) refill(DNNL_ARG_MEAN, stats.mean);
    refill(DNNL_ARG_VARIANCE, stats.variance);
}

std::vector<expected_t> case_t::expected() const {
    return problem_.is_forward() ? expected_forward() : expected_backward();
}

std::vector<interval_t> case_t::after_attributes(const std::vector<interval_t> &normalized) const {
    if (!problem_.src_scale && !problem_.dst_scale && problem_.post_ops.empty()) return normalized;
    const long double src_scale = factor_of(problem_.src_scale);
    const long double dst_scale = factor_of(problem_.dst_scale);
    const long double roundoff = problem_.compute_roundoff();
    std::vector<interval_t> truth;
    for_each_index(problem_.dims, [&](const dims_t &index) {
        const auto scaled = times(normalized[truth.size()], src_scale, roundoff);
        truth.push_back(times(post_ops_->apply(scaled, index), 1 / dst_scale, roundoff));
    });
    return truth;
}

/// The sum is right by itself; what follows is judged by the sum that was stored, and dst by the
/// row's scale that was stored.
std::vector<expected_t> case_t::expected_forward() const {
    std::vector<expected_t> expected;
    operands_t operands = operands_;
    if (problem_.src_1.exists()) {
        std::vector<interval_t> sums;
        for (size_t i = 0; i < operands.src.size(); ++i) {
            operands.src[i] += operands.added[i];
            const long double sum = operands.src[i];
            sums.push_back(interval_t::around(sum, operands.compute_roundoff * std::fabs(sum)));
        }
        operands.added.clear();
        if (problem_.sum.exists()) {
            operands.src = tensor(sum_arg).values();
            expected.push_back({sum_arg, "sum", sums});
        }
    }
    auto truth = forward_truth(operands);
    if (problem_.writes_stats()) {
        if (problem_.has_mean()) expected.push_back({DNNL_ARG_MEAN, "mean", truth.mean});
        expected.push_back({DNNL_ARG_VARIANCE, "variance", truth.variance});
    }
    auto dst = after_attributes(truth.dst);
    if (problem_.row_scale.exists()) {
        const auto scales = tensor(row_scale_arg).values();
        const auto factor = static_cast<float>(problem_.row_factor);
        std::vector<interval_t> greatest(scales.size(), interval_t::exactly(0));
        for (size_t i = 0; i < dst.size(); ++i) {
            const size_t row = operands.set_of[i];
            greatest[row] = greater(greatest[row], magnitude(dst[i]));
            const long double by = scales[row] == 0 ? 0 : 1 / static_cast<long double>(scales[row]);
            dst[i] = times(dst[i], by, operands.compute_roundoff);
        }
        for (auto &value : greatest) value = times(value, factor, operands.compute_roundoff);
        expected.push_back({row_scale_arg, "row_scale", greatest});
    }
    expected.push_back({DNNL_ARG_DST, "dst", dst});
    return expected;
}

std::vector<expected_t> case_t::expected_backward() const {
    const auto truth = problem_.recomputes_stats ? backward_truth_from_src(operands_, gradient_)
                                                 : backward_truth(operands_, gradient_);
    return {{DNNL_ARG_DIFF_SRC, "diff_src", after_attributes(truth.diff_src)},
            {DNNL_ARG_DIFF_SRC_1, "diff_src_1", truth.diff_added},
            {DNNL_ARG_DIFF_SCALE, "diff_scale", truth.diff_scale},
            {DNNL_ARG_DIFF_SHIFT, "diff_shift", truth.diff_shift}};
}

case_t executed_forward(const problem_t &problem, size_t implementation) {
    case_t forward(problem.forward_of_it(), implementation);
    require(forward.execute(), "forward of " + to_string(problem));
    return forward;
}

void for_each_maker(
        const problem_t &problem, const std::function<void(const make_case_t &)> &check) {
    const auto check_all = [&](const case_t *forward) {
        const auto names = implementations(problem, forward ? forward->primitive_desc() : nullptr);
        for (size_t at = 0; at < names.size(); ++at)
            if (is_executed_here(names, at))
                check([&] {
                    return forward ? case_t(problem, *forward, at) : case_t(problem, at);
                });
    };
    if (!needs_forward(problem)) return check_all(nullptr);
    // Masks of each implementation are read by each.
    const auto forwards = implementations(problem.forward_of_it());
    const size_t count = problem.has_relu() ? forwards.size() : 1;
    for (size_t at = 0; at < count; ++at) {
        if (!is_executed_here(forwards, at)) continue;
        const auto forward = executed_forward(problem, at);
        check_all(&forward);
    }
}

void for_each_case(const problem_t &problem, const std::function<void(case_t &)> &check) {
    for_each_maker(problem, [&](const make_case_t &make) {
        case_t tested = make();
        check(tested);
    });
}

testing::AssertionResult is_right(const problem_t &problem) {
    auto verdict = testing::AssertionSuccess();
    // The truth is the same for all cases unless it depends on what was stored, or on the mask.
    const bool is_shared = !problem.sum.exists() && !problem.row_scale.exists();
    std::vector<expected_t> expected;
    std::vector<bool> passes;
    const auto check = [&](const case_t &tested) {
        if (!verdict) return;
        if (const auto status = tested.execute(); status != dnnl_success) {
            verdict = testing::AssertionFailure()
                      << tested.name() << " answered " << dnnl_status2str(status);
            return;
        }
        if (expected.empty() || !is_shared || tested.gradient().passes != passes) {
            expected = tested.expected();
            passes = tested.gradient().passes;
        }
        verdict = tested.is_right(expected, tested.outputs());
    };
    try {
        for_each_case(problem, check);
        return verdict;
    } catch (const std::runtime_error &error) {
        return testing::AssertionFailure() << to_string(problem) << ": " << error.what();
    }
}

} // namespace kiln::test::normalization
