// SPDX-License-Identifier: Apache-2.0
// How far results are from the truth, on data that careless arithmetic gets wrong.
#include "normalization/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

#include "support/data_type.hpp"

namespace kiln::test::normalization {

namespace {

/// A linear congruential generator, which a script can be written with, too.
class numbers_t {
public:
    explicit numbers_t(uint64_t seed)
        : state_(seed) {}

    double between(double low, double high) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * std::ldexp(static_cast<double>(state_ >> 11), -53);
    }

private:
    uint64_t state_;
};

std::vector<double> random_values(size_t count, uint64_t seed, double low, double high) {
    numbers_t numbers(seed);
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i) values.push_back(numbers.between(low, high));
    return values;
}

/// Element `i` of a set of `count` elements.
double element_of(hard_data_t data, dnnl_data_type_t type, size_t i, size_t count, double random) {
    switch (data) {
    case hard_data_t::ordinary: return random;
    case hard_data_t::nearly_equal: {
        const double next = 128 * unit_roundoff(type); // between neighbours from 64 to 128
        return 100 + next * (i == 0 ? 0 : std::floor((random + 2) / 4 * 3) + 1);
    }
    case hard_data_t::large_mean: return 1e4 + random;
    case hard_data_t::outlier: return i == count / 3 ? 1e4 : random;
    case hard_data_t::alternating: return (i % 2 ? -1 : 1) * (1.5 + random / 4);
    case hard_data_t::subnormal: return std::ldexp(random, type == dnnl_f16 ? -17 : -129);
    }
    return 0;
}

/// In the order of elements, which need not be that of sets.
std::vector<double> src_of(const problem_t &problem, const operands_t &operands, hard_data_t data) {
    const size_t elements = operands.set_of.size();
    const auto random = random_values(elements, elements, -2, 2);
    std::vector<size_t> used(operands.sets);
    std::vector<double> src;
    for (size_t i = 0; i < elements; ++i)
        src.push_back(element_of(data, problem.src_type, used[operands.set_of[i]]++,
                elements / operands.sets, random[i]));
    return src;
}

/// NaN is larger than anything.
void keep_worst(double &worst, double error) {
    if (error > worst || std::isnan(error)) worst = error;
}

/// How far `got` is from the truth beside the size of its set, in units of `unit`.
double worst_error(const std::vector<double> &got, const std::vector<interval_t> &truth,
        const std::vector<uint32_t> &set_of, const std::vector<double> &sizes, double unit) {
    double worst = 0;
    for (size_t i = 0; i < truth.size(); ++i) {
        const auto distance = std::abs(static_cast<double>(got[i] - truth[i].value));
        if (distance != 0) keep_worst(worst, distance / sizes[set_of[i]] / unit);
    }
    return worst;
}

/// The largest of the values of each set.
template <typename value_of_t>
std::vector<double> largest_of_sets(const operands_t &operands, const value_of_t &value_of) {
    std::vector<double> largest(operands.sets);
    for (size_t i = 0; i < operands.set_of.size(); ++i) {
        double &size = largest[operands.set_of[i]];
        size = std::max(size, std::abs(static_cast<double>(value_of(i))));
    }
    return largest;
}

/// Beside the largest truth.
double worst_error(
        const std::vector<double> &got, const std::vector<interval_t> &truth, double unit) {
    double largest = 0;
    for (const interval_t &value : truth)
        largest = std::max(largest, std::abs(static_cast<double>(value.value)));
    return worst_error(got, truth, std::vector<uint32_t>(truth.size(), 0), {largest}, unit);
}

worst_errors_t forward_errors(const case_t &tested) {
    const problem_t &problem = tested.problem();
    const operands_t &operands = tested.operands();
    const auto truth = forward_truth(operands);
    worst_errors_t errors;
    const auto variances = tested.tensor(DNNL_ARG_VARIANCE).values();
    const auto means = problem.has_mean() ? tested.tensor(DNNL_ARG_MEAN).values()
                                          : std::vector<double>(operands.sets);
    const double unit = unit_roundoff(problem.stat_type);
    for (size_t set = 0; set < operands.sets; ++set) {
        const auto mean = static_cast<double>(truth.mean[set].value);
        const auto variance = static_cast<double>(truth.variance[set].value);
        const double size = std::max({std::abs(mean), std::sqrt(variance), 0x1p-126});
        keep_worst(errors.mean, std::abs(means[set] - mean) / size / unit);
        const double distance = std::abs(variances[set] - variance);
        const double least = std::max(0x1p-126, mean * mean * 1e-24); // of equal elements
        keep_worst(errors.variance, distance / std::max(variance, least) / unit);
    }
    // Of equal elements nothing is left but what long double rounds.
    const auto sizes = largest_of_sets(operands, [&](size_t i) {
        return std::max(std::abs(truth.dst[i].value), std::abs(operands.src[i]) * 1e-12l);
    });
    errors.result = worst_error(tested.tensor(DNNL_ARG_DST).values(), truth.dst, operands.set_of,
            sizes, unit_roundoff(problem.dst_type));
    return errors;
}

worst_errors_t backward_errors(const case_t &tested) {
    const problem_t &problem = tested.problem();
    const operands_t &operands = tested.operands();
    const auto truth = problem.recomputes_stats
                               ? backward_truth_from_src(operands, tested.gradient())
                               : backward_truth(operands, tested.gradient());
    worst_errors_t errors;
    // Terms of diff_src cancel; those without a mean do not: r * g.
    const auto statistics = statistics_of(operands);
    const auto sizes = largest_of_sets(operands, [&](size_t i) {
        const double variance = static_cast<double>(statistics.variance[operands.set_of[i]].value);
        return operands.scale[operands.weight_of[i]] * tested.gradient().diff_dst[i]
               / std::sqrt(variance + operands.epsilon);
    });
    errors.result = worst_error(tested.tensor(DNNL_ARG_DIFF_SRC).values(), truth.diff_src,
            operands.set_of, sizes, unit_roundoff(problem.diff_src_type));
    const double unit = unit_roundoff(problem.diff_scale_shift_type);
    errors.diff_scale =
            worst_error(tested.tensor(DNNL_ARG_DIFF_SCALE).values(), truth.diff_scale, unit);
    if (tested.has(DNNL_ARG_DIFF_SHIFT))
        errors.diff_shift =
                worst_error(tested.tensor(DNNL_ARG_DIFF_SHIFT).values(), truth.diff_shift, unit);
    return errors;
}

} // namespace

std::string to_string(hard_data_t data) {
    switch (data) {
    case hard_data_t::ordinary: return "ordinary";
    case hard_data_t::nearly_equal: return "nearly equal";
    case hard_data_t::large_mean: return "mean 1e4";
    case hard_data_t::outlier: return "outlier 1e4";
    case hard_data_t::alternating: return "alternating";
    case hard_data_t::subnormal: return "subnormal";
    }
    return "";
}

worst_errors_t worst_errors(case_t &tested, hard_data_t data) {
    const problem_t &problem = tested.problem();
    const auto weights = static_cast<size_t>(problem.weights());
    if (tested.has(DNNL_ARG_SCALE))
        tested.refill(DNNL_ARG_SCALE, random_values(weights, 1, 0.5, 2));
    if (tested.has(DNNL_ARG_SHIFT)) tested.refill(DNNL_ARG_SHIFT, std::vector<double>(weights));
    tested.set_src(src_of(problem, tested.operands(), data));
    if (!problem.is_forward())
        tested.refill(DNNL_ARG_DIFF_DST, random_values(tested.operands().src.size(), 2, -1, 1));
    require(tested.execute(), "execution");
    return problem.is_forward() ? forward_errors(tested) : backward_errors(tested);
}

error_tables_t::error_tables_t(const std::vector<table_t> &tables)
    : tables_(tables) {
    for (const table_t &table : tables) {
        std::string text = std::string("\n| ") + table.title + " |", line = "\n| --- |";
        for (const hard_data_t data : hard_data) {
            text += " " + to_string(data) + " |";
            line += " --- |";
        }
        texts_.push_back(text + line + "\n");
    }
}

error_tables_t::~error_tables_t() {
    for (const std::string &text : texts_) std::cout << text;
}

void error_tables_t::add(const std::string &name, const std::vector<problem_t> &problems) {
    std::vector<std::vector<double>> worst(
            tables_.size(), std::vector<double>(std::size(hard_data)));
    for (const problem_t &problem : problems) {
        case_t tested(problem);
        for (size_t kind = 0; kind < std::size(hard_data); ++kind) {
            const auto errors = worst_errors(tested, hard_data[kind]);
            for (size_t i = 0; i < tables_.size(); ++i) {
                const double error = errors.*tables_[i].error;
                keep_worst(worst[i][kind], error);
                if (hard_data[kind] != hard_data_t::subnormal) {
                    EXPECT_LE(error, tables_[i].bound)
                            << tables_[i].title << ", " << to_string(hard_data[kind]) << ", "
                            << tested.name();
                }
            }
        }
    }
    for (size_t i = 0; i < tables_.size(); ++i) {
        std::ostringstream line;
        line << "| " << name << " |" << std::setprecision(2);
        for (const double error : worst[i]) line << ' ' << error << " |";
        texts_[i] += line.str() + '\n';
    }
}

} // namespace kiln::test::normalization
