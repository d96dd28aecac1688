// SPDX-License-Identifier: Apache-2.0
// Finds descriptors and chooses values.
#include "normalization/operands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::normalization {

namespace {

struct spec_t {
    dims_t dims;
    dnnl_data_type_t type;
    std::string format;
};

spec_t data_spec(const problem_t &problem, int arg) {
    const auto extra = [&](const extra_operand_t &operand) {
        return spec_t{problem.dims, operand.type, operand.format};
    };
    switch (arg) {
    case DNNL_ARG_SRC: return {problem.dims, problem.src_type, problem.src_format};
    case DNNL_ARG_DIFF_SRC: return {problem.dims, problem.diff_src_type, problem.diff_src_format};
    case DNNL_ARG_DST:
        if (!problem.is_forward()) return extra(problem.relu_operand);
        break;
    case DNNL_ARG_SRC_1:
        if (problem.src_1.exists()) return extra(problem.src_1);
        break;
    case DNNL_ARG_DST_1: return extra(problem.sum);
    }
    return {problem.dims, problem.dst_type, problem.dst_format};
}

spec_t operand_spec(const problem_t &problem, int arg) {
    switch (arg) {
    case DNNL_ARG_MEAN:
    case DNNL_ARG_VARIANCE:
        return {problem.stat_dims(), problem.stat_type,
                problem.is_layer() ? problem.stat_format : ""};
    case DNNL_ARG_SCALE:
    case DNNL_ARG_SHIFT: return {{problem.weights()}, problem.scale_shift_type, ""};
    case DNNL_ARG_DIFF_SCALE:
    case DNNL_ARG_DIFF_SHIFT: return {{problem.weights()}, problem.diff_scale_shift_type, ""};
    case DNNL_ARG_DST_2:
        return {problem.stat_dims(), problem.row_scale.type, problem.row_scale.format};
    default: return data_spec(problem, arg);
    }
}

bool is_data(int arg) {
    return arg == DNNL_ARG_SRC || arg == DNNL_ARG_DST || arg == DNNL_ARG_DIFF_SRC
           || arg == DNNL_ARG_DIFF_DST;
}

/// Operands of one problem differ, and so do those of problems with different seeds.
random_values_t values_of(const problem_t &problem, uint64_t operand) {
    return random_values_t(problem.seed * 8 + operand);
}

/// So few digits that sums of two are exact in f32: the model knows no error of a sum that is not
/// stored.
std::vector<double> with_few_digits(std::vector<double> values) {
    for (double &value : values) value = std::round(value * 1024) / 1024;
    return values;
}

std::vector<double> src_values(const problem_t &problem) {
    auto random = values_of(problem, 1);
    const int64_t elements = volume(problem.dims);
    std::vector<double> values;
    values.reserve(size_t(elements));
    for (int64_t element = 0; element < elements; ++element) {
        const auto range = range_of_set(problem.data, problem.src_type, problem.set_of(element));
        values.push_back(random.between(range.low, range.high));
    }
    return problem.src_1.exists() ? with_few_digits(values) : values;
}

std::vector<double> src_1_values(const problem_t &problem) {
    auto random = values_of(problem, 7);
    if (problem.src_1.exists()) return with_few_digits(random.many(volume(problem.dims), -2, 3));
    const double reach = is_integer(problem.dst_type) ? 60 : 1.5;
    return random.many(volume(problem.dims), -reach, reach);
}

/// About half of them pass; among them are zeros of both signs and the smallest and greatest
/// numbers.
std::vector<double> relu_values(const problem_t &problem) {
    const auto type = problem.relu_operand.type;
    auto values = values_of(problem, 6).many(volume(problem.dims), -1, 1);
    const double tiny = type == dnnl_f16 ? 0x1p-24 : 0x1p-126;
    const double special[]{0., -0., std::numeric_limits<double>::quiet_NaN(), tiny, -tiny,
            std::numeric_limits<double>::infinity()};
    for (size_t i = 0; i < values.size(); ++i)
        if (is_integer(type))
            values[i] *= 3;
        else if (i % 5 == 0)
            values[i] = special[i / 5 % std::size(special)];
    return values;
}

} // namespace

memory_desc_handle_t operand_desc(
        const problem_t &problem, const_dnnl_primitive_desc_t primitive_desc, int arg) {
    // Sizes and layouts of these are the library's own.
    if (arg == DNNL_ARG_WORKSPACE || arg == DNNL_ARG_SRC_2)
        return clone_desc(chosen_desc(primitive_desc, arg));
    const auto [dims, type, format] = operand_spec(problem, arg);
    if (problem.data_desc && is_data(arg)) return clone_desc(problem.data_desc);
    if (format != "any" && format != "null") return make_desc(dims, type, format);
    const auto *const desc = chosen_desc(primitive_desc, arg);
    const layout_t layout(desc);
    if (layout.dims() != dims || layout.type() != type)
        throw std::runtime_error("argument " + std::to_string(arg) + " is described as "
                                 + test::to_string(layout.dims()) + " "
                                 + dnnl_dt2str(layout.type()));
    return clone_desc(desc);
}

std::vector<double> operand_values(const problem_t &problem, int arg) {
    const bool is_large = is_integer(problem.dst_type);
    const double scale_reach = is_large ? 60 : 2, shift_reach = is_large ? 60 : 1;
    switch (arg) {
    case DNNL_ARG_SRC: return src_values(problem);
    case DNNL_ARG_SRC_1: return src_1_values(problem);
    case DNNL_ARG_SRC_2: return {problem.row_factor};
    case DNNL_ARG_DST: return relu_values(problem);
    case DNNL_ARG_DIFF_DST: return values_of(problem, 2).many(volume(problem.dims), -1.5, 2);
    case DNNL_ARG_SCALE:
        return values_of(problem, 3).many(problem.weights(), -scale_reach, scale_reach);
    case DNNL_ARG_SHIFT:
        return values_of(problem, 4).many(problem.weights(), -shift_reach, shift_reach);
    default: throw std::logic_error("no values for argument " + std::to_string(arg));
    }
}

stat_values_t stat_values(const problem_t &problem, const operands_t &operands) {
    if (problem.has(global_stats)) {
        auto random = values_of(problem, 5);
        if (is_integer(problem.src_type))
            return {random.many(problem.sets(), -20, 20), random.many(problem.sets(), 1000, 6000)};
        return {random.many(problem.sets(), -1, 1), random.many(problem.sets(), 0.25, 3)};
    }
    const auto truth = statistics_of(operands);
    stat_values_t values;
    for (const auto &mean : truth.mean) values.mean.push_back(static_cast<double>(mean.value));
    for (const auto &variance : truth.variance)
        values.variance.push_back(static_cast<double>(variance.value));
    return values;
}

operands_t empty_operands(const problem_t &problem) {
    operands_t operands{};
    const int64_t elements = volume(problem.dims);
    operands.set_of.reserve(size_t(elements));
    operands.weight_of.reserve(size_t(elements));
    for (int64_t element = 0; element < elements; ++element) {
        operands.set_of.push_back(static_cast<uint32_t>(problem.set_of(element)));
        operands.weight_of.push_back(static_cast<uint32_t>(problem.weight_of(element)));
    }
    operands.sets = static_cast<size_t>(problem.sets());
    operands.weights = static_cast<size_t>(problem.weights());
    operands.epsilon = problem.epsilon;
    operands.subtracts_mean = problem.has_mean();
    operands.has_relu = problem.has_relu();
    operands.compute_roundoff = problem.compute_roundoff();
    // The reference adds f64 in one accumulator, a problem's values in f64 may be equal.
    operands.repeats = problem.compute_roundoff() < unit_roundoff(dnnl_f32);
    operands.stat_roundoff = std::max(unit_roundoff(problem.stat_type), problem.compute_roundoff());
    operands.square_sum_size = problem.is_layer() ? 1 : 3;
    return operands;
}

} // namespace kiln::test::normalization
