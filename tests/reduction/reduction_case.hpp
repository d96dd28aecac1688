// SPDX-License-Identifier: Apache-2.0
// Reductions, and their truth in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/post_ops.hpp"
#include "support/primitive_case.hpp"
#include "support/random_values.hpp"
#include "support/roundings.hpp"

namespace kiln::test::reduction {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct problem_t {
    dnnl_alg_kind_t alg = dnnl_reduction_sum;
    dims_t src_dims, dst_dims;
    dnnl_data_type_t src_type = dnnl_f32, dst_type = dnnl_f32;
    std::string src_format = "", dst_format = "";
    float p = 2, epsilon = 0.5f;
    post_op_chain_t post_ops = {};
};

inline bool is_norm(dnnl_alg_kind_t alg) { return alg >= dnnl_reduction_norm_lp_max; }

/// Where an element of src goes.
inline dims_t place_of(const problem_t &problem, dims_t index) {
    for (size_t d = 0; d < index.size(); ++d)
        if (problem.dst_dims[d] == 1) index[d] = 0;
    return index;
}

constexpr long double u = 0x1p-24L;

/// The relative error of a power of x that is computed by a logarithm and an exponential in f32:
/// the exponential's argument is a product of two rounded factors. A first or second power is a
/// product at most, whose rounding is one of those of the sum.
inline long double error_of_power(long double x, long double exponent) {
    if (exponent == 1 || exponent == 2 || x == 0) return 0;
    return (2 * std::fabs(exponent * std::log(std::fabs(x))) + 4) * u;
}

/// A value, and what a computation in f32 may be off.
inline interval_t result_of(const problem_t &problem, const std::vector<double> &terms) {
    const auto p = static_cast<long double>(problem.p);
    long double sum = 0, magnitudes = 0, error = 0, product = 1;
    double greatest = -infinity, least = infinity;
    for (const double x : terms) {
        const long double term = is_norm(problem.alg) ? std::pow(std::fabs((long double)x), p) : x;
        sum += term;
        magnitudes += std::fabs(term);
        if (is_norm(problem.alg)) error += std::fabs(term) * error_of_power(x, p);
        product *= x;
        greatest = std::isnan(x) || std::isnan(greatest) ? nan : std::max(greatest, x);
        least = std::isnan(x) || std::isnan(least) ? nan : std::min(least, x);
    }
    const auto count = static_cast<long double>(terms.size());
    const interval_t total =
            interval_t::around(sum, magnitudes * u * roundings_of_sum(count) + error);
    const long double epsilon = problem.epsilon;
    const auto root = [&](const interval_t &x) {
        const interval_t exact =
                x.map([&](long double v) { return std::pow(std::max(v, 0.L), 1 / p); });
        if (p == 1 || p == 2) return exact;
        return exact.widened(error_of_power(x.value, 1 / p) * exact.value);
    };
    const auto at_least = [&](long double v) { return v < epsilon ? epsilon : v; };
    const interval_t shifted = total.map([&](long double v) {
                                        return v + epsilon;
                                    }).widened(u * (std::fabs(sum) + epsilon));
    switch (problem.alg) {
    case dnnl_reduction_max: return interval_t::exactly(greatest);
    case dnnl_reduction_min: return interval_t::exactly(least);
    case dnnl_reduction_sum: return total;
    case dnnl_reduction_mul: return interval_t::around(product, std::fabs(product) * u * count);
    case dnnl_reduction_mean: return total.map([&](long double v) { return v / count; });
    case dnnl_reduction_norm_lp_max: return root(total.map(at_least));
    case dnnl_reduction_norm_lp_sum: return root(shifted);
    case dnnl_reduction_norm_lp_power_p_max: return total.map(at_least);
    default: return shifted;
    }
}

inline std::vector<double> values_of(const problem_t &problem) {
    const bool is_small = problem.alg == dnnl_reduction_mul;
    auto values = random_values_t(7).many(
            volume(problem.src_dims), is_small ? 0.75 : -3, is_small ? 1.25 : 5);
    if (is_integer(problem.src_type))
        for (double &value : values) value = std::floor(is_small ? value * 2 : value * 9);
    return values;
}

inline std::string to_string(const problem_t &problem) {
    return std::string(dnnl_alg_kind2str(problem.alg)) + " " + dnnl_dt2str(problem.src_type) + ":"
           + problem.src_format + " to " + dnnl_dt2str(problem.dst_type) + " "
           + test::to_string(problem.src_dims) + ":" + test::to_string(problem.dst_dims)
           + test::to_string(problem.post_ops);
}

inline primitive_desc_handle_t describe(const problem_t &problem, size_t implementation = 0) {
    const attr_handle_t attr = make_attr();
    if (!problem.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(
                        attr, make_post_ops(problem.post_ops, problem.dst_dims)),
                "post-ops");
    primitive_desc_handle_t pd;
    require(dnnl_reduction_primitive_desc_create(pd.out(), cpu_engine(), problem.alg,
                    make_desc(problem.src_dims, problem.src_type, problem.src_format),
                    make_desc(problem.dst_dims, problem.dst_type, problem.dst_format), problem.p,
                    problem.epsilon, attr),
            to_string(problem));
    skip_implementations(pd, implementation);
    return pd;
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &problem, size_t implementation, const std::vector<double> &values,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(problem, implementation, placement) {
        add_input(DNNL_ARG_SRC, "src", values);
        add_output(DNNL_ARG_DST, "dst");
        bindings().add_scratchpad(primitive_desc());
        post_ops_.emplace(problem.post_ops, primitive_desc(), bindings(), 5);
    }

    double first() const { return tensor(DNNL_ARG_DST).values().front(); }

    std::vector<expected_t> expected() const override {
        std::vector<std::vector<double>> terms(static_cast<size_t>(volume(p_.dst_dims)));
        const std::vector<double> values = tensor(DNNL_ARG_SRC).values();
        size_t next = 0;
        for_each_index(p_.src_dims, [&](const dims_t &index) {
            size_t place = 0;
            const dims_t to = place_of(p_, index);
            for (size_t d = 0; d < to.size(); ++d)
                place = place * static_cast<size_t>(p_.dst_dims[d]) + static_cast<size_t>(to[d]);
            terms[place].push_back(values[next++]);
        });
        std::vector<interval_t> truth;
        for (size_t i = 0; i < terms.size(); ++i)
            truth.push_back(post_ops_->apply(
                    result_of(p_, terms[i]), index_at(p_.dst_dims, static_cast<int64_t>(i))));
        return {{DNNL_ARG_DST, "dst", truth}};
    }

private:
    std::optional<post_op_operands_t> post_ops_;
};

inline void expect_right(const problem_t &problem, std::vector<double> values = {}) {
    if (values.empty()) values = values_of(problem);
    expect_right_everywhere(implementations(problem), [&](size_t at, placement_t placement) {
        return case_t(problem, at, values, placement);
    });
}

} // namespace kiln::test::reduction
