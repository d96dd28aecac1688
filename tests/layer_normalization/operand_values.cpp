// SPDX-License-Identifier: Apache-2.0
// Chooses the values of operands.
#include "layer_normalization/operand_values.hpp"

#include <algorithm>
#include <cmath>

#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::layer_normalization {

namespace {

/// Operands of one problem differ, and so do those of problems with different seeds.
uint64_t operand_seed(const problem_t &problem, uint64_t operand) {
    return problem.seed * 8 + operand;
}

} // namespace

std::vector<double> src_values(const problem_t &problem) {
    random_values_t random(operand_seed(problem, 1));
    std::vector<double> values;
    for (int64_t row = 0; row < problem.rows(); ++row) {
        const auto range = range_of_set(problem.data, problem.src_type, row);
        for (int64_t c = 0; c < problem.cols(); ++c)
            values.push_back(random.between(range.low, range.high));
    }
    return values;
}

std::vector<double> diff_dst_values(const problem_t &problem) {
    return random_values_t(operand_seed(problem, 2)).many(volume(problem.dims), -1.5, 2);
}

std::vector<double> scale_values(const problem_t &problem) {
    const double reach = is_integer(problem.dst_type) ? 60 : 2;
    return random_values_t(operand_seed(problem, 3)).many(problem.cols(), -reach, reach);
}

std::vector<double> shift_values(const problem_t &problem) {
    const double reach = is_integer(problem.dst_type) ? 60 : 1;
    return random_values_t(operand_seed(problem, 4)).many(problem.cols(), -reach, reach);
}

stat_values_t stat_values(const problem_t &problem, const operands_t &operands) {
    if (problem.has(global_stats)) {
        random_values_t random(operand_seed(problem, 5));
        return {random.many(problem.rows(), -1, 1), random.many(problem.rows(), 0.25, 3)};
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
    operands.rows = problem.rows();
    operands.cols = problem.cols();
    operands.epsilon = problem.epsilon;
    operands.subtracts_mean = !problem.has(rms);
    operands.compute_roundoff = problem.compute_roundoff();
    operands.stat_roundoff = std::max(unit_roundoff(problem.stat_type), problem.compute_roundoff());
    return operands;
}

} // namespace kiln::test::layer_normalization
