// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise functions, PReLU, softmax and shuffle.
#include <algorithm>
#include <cmath>

#include "differential/elementwise_maker.hpp"
#include "eltwise/truth.hpp"
#include "support/data_type.hpp"
#include "support/post_op_lists.hpp"
#include "support/roundings.hpp"

namespace kiln::test::differential {
namespace {

constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr long double u = 0x1p-24L;

long double sum_error(size_t terms, long double magnitudes, bool repeats = false) {
    return u * roundings_of_sum(static_cast<long double>(terms), repeats) * magnitudes;
}

class gradient_maker_t : public elementwise_maker_t {
public:
    using elementwise_maker_t::elementwise_maker_t;

    std::unique_ptr<problem_t> make() {
        constexpr void (gradient_maker_t::*kinds[])() = {&gradient_maker_t::eltwise_problem,
                &gradient_maker_t::prelu_problem, &gradient_maker_t::softmax_problem,
                &gradient_maker_t::shuffle_problem};
        (this->*random_.pick(kinds))();
        return std::move(problem_);
    }

private:
    /// Unlike other inputs, without stride 0: sums of equal values are off by more.
    memory_desc_handle_t gradient(const dims_t &dims, dnnl_data_type_t type) {
        return random_layout(random_, dims, type, {.style = style_});
    }

    void eltwise_problem() {
        auto type = random_.pick(types);
        const post_op_t function = random_.pick(eltwise_ops());
        const auto [alg, alpha, beta] = std::tuple(function.alg, function.alpha, function.beta);
        if (alg == dnnl_eltwise_round) return shuffle_problem(); // it has no gradient
        const auto data = input(dims_, type), diff_dst = input(dims_, type);
        const auto diff_src = output(dims_, type);
        describe("eltwise_bwd",
                dnnl_alg_kind2str(alg) + (" alpha " + std::to_string(alpha)) + " beta "
                        + std::to_string(beta),
                dnnl_eltwise_backward_primitive_desc_create(problem_->pd.out(), cpu_engine(), alg,
                        diff_src, diff_dst, data, alpha, beta, nullptr, nullptr));
        const bool is_of_dst = uses_dst(alg);
        const auto x = add_input(
                is_of_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, "data", needs_positive(alg) ? 0.1 : -6, 6);
        const auto dy = add_input(DNNL_ARG_DIFF_DST, "diff_dst", -2, 2);
        intervals_t values;
        for (size_t i = 0; i < x.size(); ++i) {
            const interval_t value = slope_at(alg, alpha, beta, x[i]);
            const auto product = value.map([&](long double s) { return s * dy[i]; });
            values.push_back(is_anything(value) ? value : product.widened(u * product.size()));
        }
        expect(DNNL_ARG_DIFF_SRC, "diff_src", std::move(values));
    }

    /// Unknown at corners of the function.
    static interval_t slope_at(dnnl_alg_kind_t alg, float alpha, float beta, long double x) {
        const interval_t value = slope(alg, alpha, beta, x);
        if (uses_dst(alg)) return value;
        const long double reach = 3e-5L * std::max(std::fabs(x), 1e-3L);
        const long double before = slope(alg, alpha, beta, x - reach).value;
        const long double after = slope(alg, alpha, beta, x + reach).value;
        return std::fabs(after - before) > 1e-2L ? anything() : value;
    }

    void prelu_problem() {
        const auto type = random_.pick(types), weights_type = random_.pick(types);
        const dims_t weights_dims = random_broadcast();
        const auto src = input(dims_, type), diff_dst = gradient(dims_, type);
        const auto weights = input(weights_dims, weights_type);
        const auto diff_src = output(dims_, type),
                   diff_weights = output(weights_dims, weights_type);
        describe("prelu_bwd", "",
                dnnl_prelu_backward_primitive_desc_create(problem_->pd.out(), cpu_engine(), src,
                        weights, diff_src, diff_weights, diff_dst, nullptr, nullptr));
        const auto x = add_input(DNNL_ARG_SRC, "src", -3, 3);
        const auto slopes = add_input(DNNL_ARG_WEIGHTS, "weights", -2, 2);
        const auto dy = add_input(DNNL_ARG_DIFF_DST, "diff_dst", -2, 2);
        intervals_t values, weight_values;
        std::vector<long double> sums(slopes.size()), magnitudes(slopes.size());
        for (size_t i = 0; i < x.size(); ++i) {
            const size_t weight = broadcast_index(i, weights_dims);
            const long double value =
                    x[i] > 0 ? dy[i] : static_cast<long double>(dy[i]) * slopes[weight];
            values.push_back(interval_t::around(value, u * std::fabs(value)));
            const long double term = x[i] > 0 ? 0.L : static_cast<long double>(x[i]) * dy[i];
            sums[weight] += term;
            magnitudes[weight] += std::fabs(term);
        }
        for (size_t i = 0; i < sums.size(); ++i) // of equal terms, where src has stride 0
            weight_values.push_back(interval_t::around(
                    sums[i], sum_error(x.size() / sums.size(), magnitudes[i], repeats(src))));
        expect(DNNL_ARG_DIFF_SRC, "diff_src", std::move(values));
        expect(DNNL_ARG_DIFF_WEIGHTS, "diff_weights", std::move(weight_values));
    }

    void softmax_problem() {
        const bool is_log = random_.chance(0.5);
        const size_t axis = random_axis(), inner = stride_of(axis);
        const auto length = static_cast<size_t>(dims_[axis]);
        const auto type = random_.pick(types);
        const auto dst = gradient(dims_, type), diff_dst = gradient(dims_, random_.pick(types));
        const auto diff_src = output(dims_, random_.pick(types));
        describe(is_log ? "logsoftmax_bwd" : "softmax_bwd", "axis " + std::to_string(axis),
                dnnl_softmax_backward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                        is_log ? dnnl_softmax_log : dnnl_softmax_accurate, diff_src, diff_dst, dst,
                        static_cast<int>(axis), nullptr, nullptr));
        auto wanted = random_values(random_, static_cast<size_t>(volume(dims_)), type, 0.05, 1);
        for (double &y : wanted)
            y = is_log ? std::log(y / static_cast<double>(length))
                       : y / static_cast<double>(length);
        const auto y = add_input(DNNL_ARG_DST, "dst", wanted);
        const auto dy = add_input(DNNL_ARG_DIFF_DST, "diff_dst", -2, 2);
        intervals_t values(y.size());
        for_each_line(y.size(), inner, length,
                [&](size_t first) { softmax_line(y, dy, first, inner, length, is_log, values); });
        expect(DNNL_ARG_DIFF_SRC, "diff_src", std::move(values));
    }

    static void softmax_line(const std::vector<double> &y, const std::vector<double> &dy,
            size_t first, size_t stride, size_t length, bool is_log, intervals_t &values) {
        long double sum = 0, magnitudes = 0;
        const size_t end = first + length * stride;
        for (size_t i = first; i < end; i += stride) {
            const long double term = static_cast<long double>(dy[i]) * (is_log ? 1 : y[i]);
            sum += term;
            magnitudes += std::fabs(term);
        }
        const long double error = sum_error(length, magnitudes);
        for (size_t i = first; i < end; i += stride) {
            const long double factor = is_log ? std::exp(static_cast<long double>(y[i])) : y[i];
            const long double exact = is_log ? dy[i] - factor * sum : factor * (dy[i] - sum);
            const long double size = is_log ? std::fabs(dy[i]) + std::fabs(factor * sum)
                                            : factor * (std::fabs(dy[i]) + std::fabs(sum));
            values[i] = interval_t::around(
                    exact, factor * error + (8 + std::fabs(is_log ? y[i] : 0)) * u * size);
        }
    }

    void shuffle_problem() {
        const size_t axis = random_axis(), inner = stride_of(axis);
        int64_t group = 1 + random_.below(8);
        while (dims_[axis] % group != 0) --group;
        const auto type = random_.pick(types);
        const auto diff_dst = input(dims_, type), diff_src = output(dims_, type);
        describe("shuffle_bwd", "axis " + std::to_string(axis) + " group " + std::to_string(group),
                dnnl_shuffle_backward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                        diff_src, diff_dst, static_cast<int>(axis), group, nullptr, nullptr));
        const auto dy = add_input(DNNL_ARG_DIFF_DST, "diff_dst", -9, 9);
        const auto extent = static_cast<size_t>(dims_[axis]), columns = static_cast<size_t>(group);
        const size_t matrix_rows = extent / columns;
        intervals_t results;
        for (size_t i = 0; i < dy.size(); ++i) { // where forward moves the element to
            const size_t place = i / inner % extent;
            const size_t moved = place % columns * matrix_rows + place / columns;
            results.push_back(interval_t::exactly(dy[i + moved * inner - place * inner]));
        }
        expect(DNNL_ARG_DIFF_SRC, "diff_src", std::move(results));
    }
};

} // namespace

std::unique_ptr<problem_t> make_elementwise_gradient(random_t &random, regions_t &regions) {
    return gradient_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
