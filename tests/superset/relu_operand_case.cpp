// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a gradient through a ReLU and compares what comes out with the model.
#include "superset/relu_operand_case.hpp"

#include <algorithm>
#include <limits>

#include "channel_normalization/operand_values.hpp"
#include "superset/internal_primitive_desc.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::channel_normalization {

namespace {

/// About half of them pass; among them all that is easily taken for something else.
std::vector<double> relu_values(const relu_operand_problem_t &problem) {
    constexpr uint64_t seed = 77;
    auto values = random_values_t(seed).many(volume(problem.problem.dims), -1, 1);
    const bool is_float = !is_integer(problem.relu_type);
    const double tiny = problem.relu_type == dnnl_f16 ? 0x1p-24 : 0x1p-126;
    const double special[]{0., -0., std::numeric_limits<double>::quiet_NaN(), tiny, -tiny,
            std::numeric_limits<double>::infinity()};
    for (size_t i = 0; i < values.size(); ++i)
        if (!is_float)
            values[i] *= 3;
        else if (i % 5 == 0)
            values[i] = special[i / 5 % std::size(special)];
    return values;
}

} // namespace

std::string to_string(const relu_operand_problem_t &problem) {
    return to_string(problem.problem) + " relu=" + dnnl_dt2str(problem.relu_type) + ":"
           + problem.relu_format
           + (problem.in_place_with ? " over " + std::to_string(problem.in_place_with) : "");
}

batch_normalization_desc_t desc_of(const relu_operand_problem_t &relu) {
    const problem_t &problem = relu.problem;
    batch_normalization_desc_t desc{};
    desc.prop_kind = problem.prop_kind;
    desc.flags = problem.flags;
    desc.epsilon = problem.epsilon;
    desc.src = *make_desc(problem.dims, problem.src_type, problem.src_format);
    desc.diff_src = *make_desc(problem.dims, problem.diff_src_type, problem.diff_src_format);
    desc.diff_dst = *make_desc(problem.dims, problem.dst_type, problem.dst_format);
    desc.relu_operand = *make_desc(problem.dims, relu.relu_type, relu.relu_format);
    return desc;
}

relu_operand_case_t::relu_operand_case_t(
        const relu_operand_problem_t &problem, size_t implementation)
    : problem_(problem)
    , bindings_(problem.problem.placement)
    , operands_(empty_operands(problem.problem)) {
    require(make_internal<batch_normalization_pd_t>(
                    primitive_desc_, desc_of(problem), nullptr, implementation),
            to_string(problem));
    primitive_ = make_primitive(primitive_desc_);
    bind_data();
    bind_parameters();
}

void relu_operand_case_t::bind_data() {
    const problem_t &problem = problem_.problem;
    const auto desc = [&](int arg) { return internal_desc(primitive_desc_, arg); };
    operands_.src =
            bindings_.add_input(DNNL_ARG_SRC, "src", desc(DNNL_ARG_SRC), src_values(problem))
                    .values();
    gradient_.diff_dst = bindings_
                                 .add_input(DNNL_ARG_DIFF_DST, "diff_dst", desc(DNNL_ARG_DIFF_DST),
                                         diff_dst_values(problem))
                                 .values();
    gradient_.has_constant_stats = problem.has(global_stats);
    const auto relu = bindings_
                              .add_input(DNNL_ARG_DST, "the ReLU's operand", desc(DNNL_ARG_DST),
                                      relu_values(problem_))
                              .values();
    for (const double value : relu) gradient_.passes.push_back(value > 0);
    if (problem_.in_place_with != 0)
        bindings_.add_in_place(DNNL_ARG_DIFF_SRC, problem_.in_place_with);
    else
        bindings_.add_output(DNNL_ARG_DIFF_SRC, "diff_src", desc(DNNL_ARG_DIFF_SRC));
}

void relu_operand_case_t::bind_parameters() {
    const problem_t &problem = problem_.problem;
    const auto add = [&](int arg, const char *name, const std::vector<double> &values) {
        return bindings_.add_input(arg, name, internal_desc(primitive_desc_, arg), values).values();
    };
    const auto stats = stat_values(problem, operands_);
    operands_.mean = add(DNNL_ARG_MEAN, "mean", stats.mean);
    operands_.variance = add(DNNL_ARG_VARIANCE, "variance", stats.variance);
    if (problem.has(scale)) operands_.scale = add(DNNL_ARG_SCALE, "scale", scale_values(problem));
    const auto add_gradient = [&](unsigned flag, int arg, const char *name) {
        if (problem.has(flag) && problem.writes_weights())
            bindings_.add_output(arg, name, internal_desc(primitive_desc_, arg));
    };
    add_gradient(scale, DNNL_ARG_DIFF_SCALE, "diff_scale");
    add_gradient(shift, DNNL_ARG_DIFF_SHIFT, "diff_shift");
}

std::vector<int> relu_operand_case_t::outputs() const {
    std::vector<int> outputs{DNNL_ARG_DIFF_SRC};
    for (const int arg : {DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
        if (bindings_.has(arg)) outputs.push_back(arg);
    return outputs;
}

void relu_operand_case_t::set_diff_dst(const std::vector<double> &values) {
    bindings_.refill(DNNL_ARG_DIFF_DST, values);
    gradient_.diff_dst = tensor(DNNL_ARG_DIFF_DST).values();
}

testing::AssertionResult relu_operand_case_t::is_right(const std::vector<int> &outputs) const {
    const auto truth = backward(operands_, gradient_);
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

} // namespace kiln::test::channel_normalization
