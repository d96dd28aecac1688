// SPDX-License-Identifier: Apache-2.0
// Inner products in all directions, their truth in long double, and executions of every
// implementation.
#include "inner_product/inner_product_case.hpp"

#include <cmath>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/random_values.hpp"
#include "support/roundings.hpp"

namespace kiln::test::inner_product {

namespace {

/// A matrix in row-major order, or its transpose.
struct matrix_t {
    const std::vector<double> &values;
    int64_t columns;
    bool is_transposed = false;
    long double at(int64_t row, int64_t column) const {
        if (is_transposed) std::swap(row, column);
        return values[static_cast<size_t>(row * columns + column)];
    }
};

/// a x b with the error of sums; `u` is that of one rounding, 0 for integers.
std::vector<interval_t> product(
        const matrix_t &a, const matrix_t &b, int64_t m, int64_t n, int64_t k, long double u) {
    std::vector<interval_t> result;
    for (int64_t row = 0; row < m; ++row)
        for (int64_t column = 0; column < n; ++column) {
            long double sum = 0, magnitudes = 0;
            for (int64_t i = 0; i < k; ++i) {
                const long double term = a.at(row, i) * b.at(i, column);
                sum += term;
                magnitudes += std::fabs(term);
            }
            const long double relative = u * roundings_of_sum(static_cast<long double>(k));
            result.push_back(interval_t::around(sum, relative * magnitudes));
        }
    return result;
}

attr_handle_t attr_of(const problem_t &p) {
    attr_handle_t attr = make_attr();
    set_scale(attr, DNNL_ARG_SRC, p.src_scale);
    set_scale(attr, DNNL_ARG_DST, p.dst_scale);
    if (p.has_weights_scales)
        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1), "scales");
    if (!p.post_ops.empty())
        require(dnnl_primitive_attr_set_post_ops(attr, make_post_ops(p.post_ops, p.dst())),
                "post-ops");
    return attr;
}

} // namespace

dims_t problem_t::weights() const {
    dims_t dims = src;
    dims[0] = outputs;
    return dims;
}

std::string to_string(const problem_t &p) {
    const auto tensor = [](const dims_t &dims, dnnl_data_type_t type, const std::string &format) {
        return test::to_string(dims) + " " + dnnl_dt2str(type) + ":" + format;
    };
    return std::string(dnnl_prop_kind2str(p.prop_kind)) + " "
           + tensor(p.src, p.src_type, p.src_format) + " by "
           + tensor(p.weights(), p.weights_type, p.weights_format) + " to "
           + dnnl_dt2str(p.dst_type) + ":" + p.dst_format + (p.has_bias ? " with bias " : " ")
           + test::to_string(p.post_ops);
}

primitive_desc_handle_t describe(const problem_t &p, size_t implementation) {
    const attr_handle_t attr = attr_of(p);
    memory_desc_handle_t bias;
    if (p.has_bias) bias = make_desc({p.outputs}, p.bias_type);
    const auto src = make_desc(p.src, p.src_type, p.src_format);
    const auto weights = make_desc(p.weights(), p.weights_type, p.weights_format);
    const auto dst = make_desc(p.dst(), p.dst_type, p.dst_format);
    primitive_desc_handle_t pd;
    if (p.is_forward())
        require(dnnl_inner_product_forward_primitive_desc_create(
                        pd.out(), cpu_engine(), p.prop_kind, src, weights, bias, dst, attr),
                to_string(p));
    else if (p.prop_kind == dnnl_backward_data)
        require(dnnl_inner_product_backward_data_primitive_desc_create(
                        pd.out(), cpu_engine(), src, weights, dst, nullptr, nullptr),
                to_string(p));
    else
        require(dnnl_inner_product_backward_weights_primitive_desc_create(
                        pd.out(), cpu_engine(), src, weights, bias, dst, nullptr, nullptr),
                to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

case_t::case_t(const problem_t &problem, size_t implementation, placement_t placement)
    : primitive_case_t(to_string(problem), describe(problem, implementation), placement)
    , problem_(problem) {
    const auto input = [&](int arg, const char *name, dnnl_data_type_t type, uint64_t seed) {
        const auto *desc = chosen_desc(primitive_desc(), arg);
        return bindings()
                .add_input(arg, name, desc,
                        random_elements(type, volume(layout_t(desc).dims()), seed, 4, 20))
                .values();
    };
    const auto output = [&](int arg, const char *name) {
        bindings().add_output(arg, name, chosen_desc(primitive_desc(), arg));
    };
    const bool is_data = problem.prop_kind == dnnl_backward_data;
    const bool is_weights = problem.prop_kind == dnnl_backward_weights;
    if (is_data)
        output(DNNL_ARG_DIFF_SRC, "diff_src");
    else
        src_ = input(DNNL_ARG_SRC, "src", problem.src_type, 1);
    if (is_weights)
        output(DNNL_ARG_DIFF_WEIGHTS, "diff_weights");
    else
        weights_ = input(DNNL_ARG_WEIGHTS, "weights", problem.weights_type, 2);
    if (problem.is_forward())
        output(DNNL_ARG_DST, "dst");
    else
        dst_ = input(DNNL_ARG_DIFF_DST, "diff_dst", problem.dst_type, 3);
    if (problem.has_bias && is_weights) output(DNNL_ARG_DIFF_BIAS, "diff_bias");
    if (problem.has_bias && problem.is_forward())
        bias_ = input(DNNL_ARG_BIAS, "bias", problem.bias_type, 4);
    for (const auto &[arg, scale] :
            {std::pair{DNNL_ARG_SRC, problem.src_scale}, {DNNL_ARG_DST, problem.dst_scale}})
        if (scale)
            bindings().add_scale(
                    DNNL_ARG_ATTR_SCALES | arg, scale->type, scale->value, scale->is_on_host);
    if (problem.has_weights_scales) {
        for (int64_t o = 0; o < problem.outputs; ++o) scales_.push_back(o % 3 == 0 ? 0.5 : 2);
        bindings().add_input(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, "scales",
                chosen_desc(primitive_desc(), DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS), scales_);
    }
    bindings().add_scratchpad(primitive_desc());
    post_ops_.emplace(problem.post_ops, primitive_desc(), bindings(), 5);
}

std::vector<interval_t> case_t::forward() const {
    const long double u = problem_.roundoff();
    const int64_t depth = volume(problem_.src) / std::max<int64_t>(problem_.src[0], 1);
    auto truth = product({src_, depth}, {weights_, depth, true}, problem_.src[0], problem_.outputs,
            depth, is_integer(problem_.src_type) ? 0 : u);
    const long double factor = factor_of(problem_.src_scale);
    const long double divisor = factor_of(problem_.dst_scale);
    for (size_t i = 0; i < truth.size(); ++i) {
        const dims_t index = index_at(problem_.dst(), static_cast<int64_t>(i));
        const auto o = static_cast<size_t>(index[1]);
        const long double scale = factor * (scales_.empty() ? 1 : scales_[o]);
        interval_t value = truth[i].map([&](long double v) { return v * scale; });
        if (!bias_.empty()) {
            value = value.map([&](long double v) { return v + bias_[o]; });
            value = value.widened(u * (std::fabs(value.value) + std::fabs(bias_[o])));
        }
        value = post_ops_->apply(value, index);
        truth[i] = value.map([&](long double v) { return v / divisor; });
    }
    return truth;
}

std::vector<expected_t> case_t::expected() const {
    if (problem_.is_forward()) return {{DNNL_ARG_DST, "dst", forward()}};
    const long double u = problem_.roundoff();
    const int64_t m = problem_.src[0], o = problem_.outputs, k = volume(problem_.weights()) / o;
    if (problem_.prop_kind == dnnl_backward_data)
        return {{DNNL_ARG_DIFF_SRC, "diff_src", product({dst_, o}, {weights_, k}, m, k, o, u)}};
    std::vector<expected_t> result{{DNNL_ARG_DIFF_WEIGHTS, "diff_weights",
            product({dst_, o, true}, {src_, k}, o, k, m, u)}};
    const std::vector<double> ones(static_cast<size_t>(m), 1.);
    if (problem_.has_bias)
        result.push_back(
                {DNNL_ARG_DIFF_BIAS, "diff_bias", product({ones, m}, {dst_, o}, 1, o, m, u)});
    return result;
}

void expect_right(const problem_t &problem) { expect_right_everywhere<case_t>(problem); }

} // namespace kiln::test::inner_product
