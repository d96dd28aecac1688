// SPDX-License-Identifier: Apache-2.0
// Chooses the values of operands.
#include "channel_normalization/operand_values.hpp"

#include <algorithm>

#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::channel_normalization {

namespace {

/// Operands of one problem differ, and so do those of problems with different seeds.
random_values_t values_of(const problem_t &problem, uint64_t operand) {
    return random_values_t(problem.seed * 8 + operand);
}

} // namespace

std::vector<double> src_values(const problem_t &problem) {
    auto random = values_of(problem, 1);
    std::vector<double> values;
    for (int64_t plane = 0; plane < problem.planes(); ++plane) {
        const auto range =
                range_of_set(problem.data, problem.src_type, problem.statistic_of(plane));
        for (int64_t i = 0; i < problem.plane_size(); ++i)
            values.push_back(random.between(range.low, range.high));
    }
    return values;
}

std::vector<double> src_1_values(const problem_t &problem) {
    const double reach = is_integer(problem.dst_type) ? 60 : 1.5;
    return values_of(problem, 7).many(volume(problem.dims), -reach, reach);
}

std::vector<double> diff_dst_values(const problem_t &problem) {
    return values_of(problem, 2).many(volume(problem.dims), -1.5, 2);
}

std::vector<double> scale_values(const problem_t &problem) {
    const double reach = is_integer(problem.dst_type) ? 60 : 2;
    return values_of(problem, 3).many(problem.channels(), -reach, reach);
}

std::vector<double> shift_values(const problem_t &problem) {
    const double reach = is_integer(problem.dst_type) ? 60 : 1;
    return values_of(problem, 4).many(problem.channels(), -reach, reach);
}

stat_values_t stat_values(const problem_t &problem, const operands_t &operands) {
    if (problem.has(global_stats)) {
        auto random = values_of(problem, 5);
        const int64_t count = volume(problem.stat_dims());
        if (is_integer(problem.src_type))
            return {random.many(count, -20, 20), random.many(count, 1000, 6000)};
        return {random.many(count, -1, 1), random.many(count, 0.25, 3)};
    }
    const auto truth = forward(operands);
    stat_values_t values;
    for (const auto &mean : truth.mean) values.mean.push_back(static_cast<double>(mean.value));
    for (const auto &variance : truth.variance)
        values.variance.push_back(static_cast<double>(variance.value));
    return values;
}

operands_t empty_operands(const problem_t &problem) {
    operands_t operands{};
    operands.channels = static_cast<size_t>(problem.channels());
    operands.plane_size = static_cast<size_t>(problem.plane_size());
    for (int64_t plane = 0; plane < problem.planes(); ++plane)
        operands.statistic.push_back(static_cast<size_t>(problem.statistic_of(plane)));
    operands.statistics = static_cast<size_t>(volume(problem.stat_dims()));
    operands.epsilon = problem.epsilon;
    operands.has_relu = problem.has_relu();
    operands.compute_roundoff = problem.compute_roundoff();
    operands.stat_roundoff = std::max(unit_roundoff(dnnl_f32), problem.compute_roundoff());
    return operands;
}

} // namespace kiln::test::channel_normalization
