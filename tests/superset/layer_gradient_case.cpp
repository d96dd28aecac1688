// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a gradient and compares what comes out with the model.
#include "superset/layer_gradient_case.hpp"

#include <algorithm>

#include "layer_normalization/operand_values.hpp"
#include "superset/internal_primitive_desc.hpp"

namespace kiln::test::layer_normalization {

namespace {

/// The operands of one row.
operands_t row_of(const operands_t &operands, int64_t row) {
    operands_t one = operands;
    one.rows = 1;
    const auto begin = operands.src.begin() + row * operands.cols;
    one.src.assign(begin, begin + operands.cols);
    return one;
}

void take_in(interval_t &truth, const interval_t &other) {
    truth.low = std::min(truth.low, other.low);
    truth.high = std::max(truth.high, other.high);
}

/// What the gradients of a row are, whatever the errors of statistics lead to that are found on the
/// way, which may be off by as much as forward's.
backward_truth_t row_truth(const operands_t &row, const std::vector<double> &diff_dst) {
    const auto stats = forward(row);
    const auto with = [&](long double interval_t::*mean, long double interval_t::*variance) {
        operands_t given = row;
        given.mean = {static_cast<double>(stats.mean.front().*mean)};
        given.variance = {static_cast<double>(
                std::max(stats.variance.front().*variance, static_cast<long double>(0)))};
        return backward(given, diff_dst, false);
    };
    backward_truth_t truth = with(&interval_t::value, &interval_t::value);
    for (const auto mean : {&interval_t::low, &interval_t::high})
        for (const auto variance : {&interval_t::low, &interval_t::high}) {
            const auto other = with(mean, variance);
            for (size_t c = 0; c < truth.diff_src.size(); ++c) {
                take_in(truth.diff_src[c], other.diff_src[c]);
                take_in(truth.diff_scale[c], other.diff_scale[c]);
            }
        }
    return truth;
}

} // namespace

std::string to_string(const gradient_problem_t &problem) {
    return to_string(problem.problem) + (problem.recomputes_stats ? " recomputes_stats" : "")
           + (problem.in_place_with ? " over " + std::to_string(problem.in_place_with) : "");
}

layer_normalization_desc_t desc_of(const gradient_problem_t &gradient) {
    const problem_t &problem = gradient.problem;
    layer_normalization_desc_t desc{};
    desc.prop_kind = problem.prop_kind;
    desc.flags = problem.flags;
    desc.epsilon = problem.epsilon;
    desc.src = *make_desc(problem.dims, problem.src_type, problem.src_format);
    desc.diff_src = *make_desc(problem.dims, problem.diff_src_type, problem.diff_src_format);
    desc.diff_dst = *make_desc(problem.dims, problem.dst_type, problem.dst_format);
    desc.recomputes_stats = gradient.recomputes_stats;
    if (!gradient.recomputes_stats)
        desc.stat = *make_desc(problem.stat_dims(), problem.stat_type, problem.stat_format);
    desc.scale_shift_type = problem.scale_shift_type;
    desc.diff_scale_shift_type = problem.diff_scale_shift_type;
    return desc;
}

std::vector<std::string> implementations(const gradient_problem_t &problem) {
    return internal_implementations<layer_normalization_pd_t>(
            desc_of(problem), make_attr(problem.problem));
}

gradient_case_t::gradient_case_t(const gradient_problem_t &problem, size_t implementation)
    : problem_(problem)
    , bindings_(problem.problem.placement)
    , operands_(empty_operands(problem.problem)) {
    require(make_internal<layer_normalization_pd_t>(
                    primitive_desc_, desc_of(problem), make_attr(problem.problem), implementation),
            to_string(problem));
    primitive_ = make_primitive(primitive_desc_);
    post_ops_.emplace(problem.problem.post_ops, primitive_desc_, bindings_, problem.problem.seed);
    bind_data();
    bind_parameters();
}

void gradient_case_t::bind_data() {
    const problem_t &problem = problem_.problem;
    const auto desc = [&](int arg) { return internal_desc(primitive_desc_, arg); };
    operands_.src =
            bindings_.add_input(DNNL_ARG_SRC, "src", desc(DNNL_ARG_SRC), src_values(problem))
                    .values();
    diff_dst_ = bindings_
                        .add_input(DNNL_ARG_DIFF_DST, "diff_dst", desc(DNNL_ARG_DIFF_DST),
                                diff_dst_values(problem))
                        .values();
    if (problem_.in_place_with != 0)
        bindings_.add_in_place(DNNL_ARG_DIFF_SRC, problem_.in_place_with);
    else
        bindings_.add_output(DNNL_ARG_DIFF_SRC, "diff_src", desc(DNNL_ARG_DIFF_SRC));
}

void gradient_case_t::bind_parameters() {
    const problem_t &problem = problem_.problem;
    const auto add = [&](int arg, const char *name, const std::vector<double> &values) {
        const auto desc = internal_desc(primitive_desc_, arg);
        return bindings_.add_input(arg, name, desc, values).values();
    };
    if (!problem_.recomputes_stats) {
        const auto stats = stat_values(problem, operands_);
        if (!problem.has(rms)) operands_.mean = add(DNNL_ARG_MEAN, "mean", stats.mean);
        operands_.variance = add(DNNL_ARG_VARIANCE, "variance", stats.variance);
    }
    if (problem.has(scale)) operands_.scale = add(DNNL_ARG_SCALE, "scale", scale_values(problem));
    const auto add_gradient = [&](unsigned flag, int arg, const char *name) {
        if (problem.has(flag) && problem.writes_weights())
            bindings_.add_output(arg, name, internal_desc(primitive_desc_, arg));
    };
    add_gradient(scale, DNNL_ARG_DIFF_SCALE, "diff_scale");
    add_gradient(shift, DNNL_ARG_DIFF_SHIFT, "diff_shift");
}

std::vector<int> gradient_case_t::outputs() const {
    std::vector<int> outputs{DNNL_ARG_DIFF_SRC};
    for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
        if (bindings_.has(arg)) outputs.push_back(arg);
    return outputs;
}

backward_truth_t gradient_case_t::truth() const {
    if (!problem_.recomputes_stats)
        return backward(operands_, diff_dst_, problem_.problem.has(global_stats));
    operands_t given = operands_;
    for (const interval_t &mean : forward(operands_).mean)
        given.mean.push_back(static_cast<double>(mean.value));
    for (const interval_t &variance : forward(operands_).variance)
        given.variance.push_back(static_cast<double>(variance.value));
    backward_truth_t truth = backward(given, diff_dst_, false);
    const auto cols = operands_.cols;
    for (int64_t row = 0; row < operands_.rows; ++row) {
        const auto dy = diff_dst_.begin() + row * cols;
        const auto one = row_truth(row_of(operands_, row), {dy, dy + cols});
        for (size_t c = 0; c < static_cast<size_t>(cols); ++c) {
            truth.diff_src[static_cast<size_t>(row * cols) + c] = one.diff_src[c];
            interval_t &sum = truth.diff_scale[c];
            const interval_t &term = one.diff_scale[c];
            sum.low -= term.value - term.low;
            sum.high += term.high - term.value;
        }
    }
    return truth;
}

testing::AssertionResult gradient_case_t::is_right(const std::vector<int> &outputs) const {
    auto truth = this->truth();
    size_t at = 0;
    for_each_index(problem_.problem.dims, [&](const dims_t &index) {
        truth.diff_src[at] = post_ops_->apply(truth.diff_src[at], index);
        ++at;
    });
    const struct {
        int arg;
        const std::vector<interval_t> &values;
        const char *name;
    } expected[]{
            {DNNL_ARG_DIFF_SRC, truth.diff_src, "diff_src"},
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

testing::AssertionResult is_gradient_right(const gradient_problem_t &problem) {
    const auto names = implementations(problem);
    for (size_t at = 0; at < names.size(); ++at) {
        const gradient_case_t tested(problem, at);
        const std::string name = to_string(problem) + " by " + names[at] + ": ";
        if (const auto status = tested.execute(); status != dnnl_success)
            return testing::AssertionFailure() << name << dnnl_status2str(status);
        if (const auto verdict = tested.is_right(); !verdict)
            return testing::AssertionFailure() << name << verdict.message();
    }
    return testing::AssertionSuccess();
}

} // namespace kiln::test::layer_normalization
