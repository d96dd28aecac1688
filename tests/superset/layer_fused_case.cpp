// SPDX-License-Identifier: Apache-2.0
// Binds the operands of a fused normalization and compares what comes out with the model.
#include "superset/layer_fused_case.hpp"

#include <algorithm>
#include <cmath>

#include "layer_normalization/operand_values.hpp"
#include "superset/internal_primitive_desc.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::layer_normalization {

namespace {

constexpr int sum_arg = DNNL_ARG_DST_1, row_scale_arg = DNNL_ARG_DST_2;

/// So few digits that sums of two are exact in f32: the model knows no error of a sum that is not
/// stored.
std::vector<double> with_few_digits(std::vector<double> values) {
    for (double &value : values) value = std::round(value * 1024) / 1024;
    return values;
}

interval_t times(const interval_t &value, long double by, long double roundoff) {
    const auto product = value.map([&](long double at) { return at * by; });
    return product.widened(2 * roundoff * std::fabs(product.value));
}

interval_t magnitude(const interval_t &value) {
    const long double low = std::fmax(0, std::fmax(value.low, -value.high));
    return {low, std::fabs(value.value), std::fmax(std::fabs(value.low), std::fabs(value.high))};
}

} // namespace

std::string to_string(const fused_problem_t &problem) {
    std::string text = to_string(problem.problem);
    const auto add = [&](const char *name, dnnl_data_type_t type, const std::string &format) {
        if (type != dnnl_data_type_undef)
            text += std::string(" ") + name + "=" + dnnl_dt2str(type) + ":" + format;
    };
    add("src_1", problem.src_1_type, problem.src_1_format);
    add("sum", problem.sum_type, problem.sum_format);
    add("row_scale", problem.row_scale_type, problem.row_scale_format);
    if (problem.sum_in_place_with) text += " sum over " + std::to_string(problem.sum_in_place_with);
    if (problem.dst_in_place_with) text += " dst over " + std::to_string(problem.dst_in_place_with);
    return text;
}

layer_normalization_desc_t desc_of(const fused_problem_t &fused) {
    const problem_t &problem = fused.problem;
    layer_normalization_desc_t desc{};
    desc.prop_kind = problem.prop_kind;
    desc.flags = problem.flags;
    desc.epsilon = problem.epsilon;
    desc.src = *make_desc(problem.dims, problem.src_type, problem.src_format);
    desc.dst = *make_desc(problem.dims, problem.dst_type, problem.dst_format);
    desc.stat = *make_desc(problem.stat_dims(), problem.stat_type, problem.stat_format);
    desc.scale_shift_type = desc.diff_scale_shift_type = problem.scale_shift_type;
    if (fused.has_src_1())
        desc.src_1 = *make_desc(problem.dims, fused.src_1_type, fused.src_1_format);
    if (fused.has_sum()) desc.sum = *make_desc(problem.dims, fused.sum_type, fused.sum_format);
    if (fused.has_row_scale())
        desc.row_scale =
                *make_desc(problem.stat_dims(), fused.row_scale_type, fused.row_scale_format);
    return desc;
}

std::vector<std::string> implementations(const fused_problem_t &problem) {
    return internal_implementations<layer_normalization_pd_t>(
            desc_of(problem), make_attr(problem.problem));
}

fused_case_t::fused_case_t(const fused_problem_t &problem, size_t implementation)
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

void fused_case_t::bind_data() {
    const problem_t &problem = problem_.problem;
    const auto add = [&](int arg, const char *name, const std::vector<double> &values) {
        const auto desc = internal_desc(primitive_desc_, arg);
        return bindings_.add_input(arg, name, desc, with_few_digits(values)).values();
    };
    operands_.src = add(DNNL_ARG_SRC, "src", src_values(problem));
    if (problem_.has_src_1())
        src_1_ = add(DNNL_ARG_SRC_1, "src_1",
                random_values_t(problem.seed + 77).many(volume(problem.dims), -2, 3));
    const auto add_output = [&](int arg, const char *name, int in_place_with) {
        if (in_place_with != 0)
            bindings_.add_in_place(arg, in_place_with);
        else
            bindings_.add_output(arg, name, internal_desc(primitive_desc_, arg));
    };
    add_output(DNNL_ARG_DST, "dst", problem_.dst_in_place_with);
    if (problem_.has_sum()) add_output(sum_arg, "sum", problem_.sum_in_place_with);
    if (problem_.has_row_scale()) add_output(row_scale_arg, "row_scale", 0);
}

void fused_case_t::bind_parameters() {
    const problem_t &problem = problem_.problem;
    const auto add = [&](int arg, const char *name, const std::vector<double> &values) {
        const auto desc = internal_desc(primitive_desc_, arg);
        return bindings_.add_input(arg, name, desc, values).values();
    };
    const auto add_stat = [&](int arg, const char *name) {
        bindings_.add_output(arg, name, internal_desc(primitive_desc_, arg));
    };
    if (problem.has(global_stats)) {
        const auto stats = stat_values(problem, operands_);
        if (!problem.has(rms)) operands_.mean = add(DNNL_ARG_MEAN, "mean", stats.mean);
        operands_.variance = add(DNNL_ARG_VARIANCE, "variance", stats.variance);
    } else if (problem.writes_stats()) {
        if (!problem.has(rms)) add_stat(DNNL_ARG_MEAN, "mean");
        add_stat(DNNL_ARG_VARIANCE, "variance");
    }
    if (problem.has(scale)) operands_.scale = add(DNNL_ARG_SCALE, "scale", scale_values(problem));
    if (problem.has(shift)) operands_.shift = add(DNNL_ARG_SHIFT, "shift", shift_values(problem));
    if (problem_.has_row_scale()) add(DNNL_ARG_SRC_2, "factor", {problem_.row_factor});
    if (problem.dst_scale)
        bindings_.add_scale(DNNL_ARG_DST, problem.dst_scale->type, problem.dst_scale->value,
                problem.dst_scale->is_on_host);
}

const tensor_t &fused_case_t::sum() const {
    return bindings_[problem_.sum_in_place_with ? problem_.sum_in_place_with : sum_arg];
}

const tensor_t &fused_case_t::dst() const {
    return bindings_[problem_.dst_in_place_with ? problem_.dst_in_place_with : DNNL_ARG_DST];
}

std::vector<std::vector<std::byte>> fused_case_t::output_bits() const {
    std::vector<std::vector<std::byte>> bits{dst().bits()};
    if (problem_.has_sum()) bits.push_back(sum().bits());
    if (problem_.has_row_scale()) bits.push_back(tensor(row_scale_arg).bits());
    if (!problem_.problem.writes_stats()) return bits;
    bits.push_back(tensor(DNNL_ARG_VARIANCE).bits());
    if (!problem_.problem.has(rms)) bits.push_back(tensor(DNNL_ARG_MEAN).bits());
    return bits;
}

testing::AssertionResult fused_case_t::judge_sum() {
    if (!problem_.has_src_1()) return testing::AssertionSuccess();
    std::vector<interval_t> truth;
    for (size_t i = 0; i < src_1_.size(); ++i) {
        operands_.src[i] += src_1_[i];
        const long double sum = operands_.src[i];
        truth.push_back(interval_t::around(sum, operands_.compute_roundoff * std::fabs(sum)));
    }
    if (!problem_.has_sum()) return testing::AssertionSuccess();
    operands_.src = sum().values();
    return is_inside(sum(), truth, "sum");
}

testing::AssertionResult fused_case_t::judge_stats(const forward_truth_t &truth) const {
    if (!problem_.problem.writes_stats()) return testing::AssertionSuccess();
    if (!problem_.problem.has(rms)) {
        const auto mean = is_inside(tensor(DNNL_ARG_MEAN), truth.mean, "mean");
        if (!mean) return mean;
    }
    return is_inside(tensor(DNNL_ARG_VARIANCE), truth.variance, "variance");
}

testing::AssertionResult fused_case_t::apply_row_scales(std::vector<interval_t> &y) const {
    const auto cols = static_cast<size_t>(operands_.cols);
    const auto scales = tensor(row_scale_arg).values();
    const auto factor = static_cast<float>(problem_.row_factor);
    std::vector<interval_t> truth;
    for (size_t row = 0; row < scales.size(); ++row) {
        auto greatest = interval_t::exactly(0);
        for (size_t c = row * cols; c < (row + 1) * cols; ++c) {
            const auto size = magnitude(y[c]);
            greatest = {std::fmax(greatest.low, size.low), std::fmax(greatest.value, size.value),
                    std::fmax(greatest.high, size.high)};
            const long double by = scales[row] == 0 ? 0 : 1 / static_cast<long double>(scales[row]);
            y[c] = times(y[c], by, operands_.compute_roundoff);
        }
        truth.push_back(times(greatest, factor, operands_.compute_roundoff));
    }
    return is_inside(tensor(row_scale_arg), truth, "row_scale");
}

testing::AssertionResult fused_case_t::judge_dst(const std::vector<interval_t> &normalized) const {
    std::vector<interval_t> y;
    for_each_index(problem_.problem.dims, [&](const dims_t &index) {
        y.push_back(times(post_ops_->apply(normalized[y.size()], index),
                1 / static_cast<long double>(factor_of(problem_.problem.dst_scale)),
                operands_.compute_roundoff));
    });
    if (problem_.has_row_scale())
        if (const auto scales = apply_row_scales(y); !scales) return scales;
    return is_inside(dst(), y, "dst");
}

testing::AssertionResult fused_case_t::is_right() {
    if (const auto verdict = judge_sum(); !verdict) return verdict;
    const auto truth = forward(operands_);
    if (const auto verdict = judge_stats(truth); !verdict) return verdict;
    if (const auto verdict = judge_dst(truth.dst); !verdict) return verdict;
    return bindings_.are_intact();
}

testing::AssertionResult is_fused_right(const fused_problem_t &problem) {
    const auto names = implementations(problem);
    for (size_t at = 0; at < names.size(); ++at) {
        fused_case_t tested(problem, at);
        const std::string name = to_string(problem) + " by " + names[at] + ": ";
        if (const auto status = tested.execute(); status != dnnl_success)
            return testing::AssertionFailure() << name << dnnl_status2str(status);
        if (const auto verdict = tested.is_right(); !verdict)
            return testing::AssertionFailure() << name << verdict.message();
    }
    return testing::AssertionSuccess();
}

} // namespace kiln::test::layer_normalization
