// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, binary operations, PReLU, softmax, sums, concatenations and shuffles,
// forward.
#include <algorithm>
#include <cmath>

#include "differential/elementwise_maker.hpp"
#include "eltwise/truth.hpp"
#include "support/data_type.hpp"
#include "support/post_op_functions.hpp"
#include "support/post_op_lists.hpp"
#include "support/roundings.hpp"

namespace kiln::test::differential {
namespace {

constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32,
        dnnl_s8, dnnl_u8, dnnl_f8_e5m2, dnnl_f8_e4m3};
/// The reference compares and picks in double, generated code has no f64.
constexpr dnnl_data_type_t binary_types[] = {dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32,
        dnnl_s8, dnnl_u8, dnnl_f8_e5m2, dnnl_f8_e4m3};
constexpr dnnl_data_type_t float_types[] = {
        dnnl_f32, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_f8_e5m2, dnnl_f8_e4m3};

class forward_maker_t : public elementwise_maker_t {
public:
    using elementwise_maker_t::elementwise_maker_t;

    std::unique_ptr<problem_t> make() {
        constexpr void (forward_maker_t::*kinds[])() = {&forward_maker_t::eltwise_problem,
                &forward_maker_t::binary_problem, &forward_maker_t::prelu_problem,
                &forward_maker_t::softmax_problem, &forward_maker_t::sum_problem,
                &forward_maker_t::concat_problem, &forward_maker_t::shuffle_problem};
        (this->*random_.pick(kinds))();
        return std::move(problem_);
    }

private:
    void eltwise_problem() {
        auto type = random_.pick(types);
        post_op_t function = random_.pick(eltwise_ops());
        if (is_integer(type)) // functions that stay near their range
            function = {.alg = random_.pick(
                                {dnnl_eltwise_relu, dnnl_eltwise_linear, dnnl_eltwise_clip}),
                    .alpha = random_.pick({1.f, 0.5f, 2.f}),
                    .beta = random_.pick({2.f, 3.f})};
        const auto [alg, alpha, beta] = std::tuple(function.alg, function.alpha, function.beta);
        if (alg == dnnl_eltwise_round) type = dnnl_f32;
        const auto src = input(dims_, type), dst = output(dims_, type);
        chain_t chain(random_, dims_, type, {.style = style_, .may_be_eltwise = false});
        const attr_handle_t attr = make_attr();
        chain.set(attr);
        describe("eltwise",
                dnnl_alg_kind2str(alg) + (" alpha " + std::to_string(alpha)) + " beta "
                        + std::to_string(beta),
                dnnl_eltwise_forward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                        dnnl_forward_inference, alg, src, dst, alpha, beta, attr));
        intervals_t values;
        for (const double x : add_input(DNNL_ARG_SRC, "src", needs_positive(alg) ? 0.1 : -6, 6))
            values.push_back(before_rounding(
                    eltwise(alg, alpha, beta, interval_t::exactly(x), arithmetic_roundoff({type})),
                    alg, type));
        expect(std::move(values), chain);
    }

    void binary_problem() {
        const auto dst_type = random_.pick(types);
        const auto alg = random_.pick(binary_algs());
        const bool is_select = alg == dnnl_binary_select;
        const dims_t dims_1 = random_broadcast();
        const auto src_0 = input(dims_, random_.pick(binary_types));
        const auto src_1 = input(dims_1, random_.pick(binary_types)), dst = output(dims_, dst_type);
        memory_desc_handle_t condition;
        if (is_select) condition = input(dims_, dnnl_s8);
        chain_t chain(random_, dims_, dst_type, {.style = style_, .may_sum = true});
        const attr_handle_t attr = make_attr();
        chain.set(attr);
        describe("binary", dnnl_alg_kind2str(alg),
                dnnl_binary_primitive_desc_create_v2(
                        problem_->pd.out(), cpu_engine(), alg, src_0, src_1, condition, dst, attr));
        const auto x = add_input(DNNL_ARG_SRC_0, "src_0", -9, 9);
        const double least = alg == dnnl_binary_div ? 0.5 : -9;
        const auto y = add_input(DNNL_ARG_SRC_1, "src_1", least, 9);
        std::vector<double> chosen;
        if (is_select) chosen = add_input(DNNL_ARG_SRC_2, "src_2", 0, 2);
        intervals_t values;
        for (size_t i = 0; i < x.size(); ++i) { // operands are rounded to f32
            const auto left = interval_t::exactly(rounded(dnnl_f32, x[i]));
            const auto right =
                    interval_t::exactly(rounded(dnnl_f32, y[broadcast_index(i, dims_1)]));
            values.push_back(!is_select       ? binary(alg, left, right.value)
                             : chosen[i] != 0 ? left
                                              : right);
        }
        expect(std::move(values), chain);
    }

    void prelu_problem() {
        const auto type = random_.pick(types);
        const dims_t weights_dims = random_broadcast();
        const auto src = input(dims_, type), dst = output(dims_, type);
        const auto weights_type = random_.pick(float_types);
        const auto weights = input(weights_dims, weights_type);
        const long double u = arithmetic_roundoff({type, weights_type});
        describe("prelu", "",
                dnnl_prelu_forward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                        dnnl_forward_inference, src, weights, dst, nullptr));
        const auto x = add_input(DNNL_ARG_SRC, "src", -9, 9);
        const auto slopes = add_input(DNNL_ARG_WEIGHTS, "weights", -2, 2);
        intervals_t values;
        for (size_t i = 0; i < x.size(); ++i) {
            const auto slope = static_cast<long double>(slopes[broadcast_index(i, weights_dims)]);
            const interval_t value = prelu(interval_t::exactly(x[i]), slope, u);
            values.push_back(value.widened(3 * u * value.size()));
        }
        expect(std::move(values));
    }

    void softmax_problem() {
        const auto type = random_.pick(float_types), dst_type = random_.pick(float_types);
        const bool is_log = random_.chance(0.5);
        const size_t axis = random_axis();
        const long double u = arithmetic_roundoff({type, dst_type});
        const auto src = random_layout(random_, dims_, type, {.style = style_});
        const auto dst = output(dims_, dst_type);
        chain_t chain(random_, dims_, dst_type, {.style = style_});
        const attr_handle_t attr = make_attr();
        chain.set(attr);
        describe(is_log ? "logsoftmax" : "softmax", "axis " + std::to_string(axis),
                dnnl_softmax_forward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                        dnnl_forward_inference, is_log ? dnnl_softmax_log : dnnl_softmax_accurate,
                        src, dst, static_cast<int>(axis), attr));
        const auto x = add_input(DNNL_ARG_SRC, "src", -8, 8);
        const size_t inner = stride_of(axis);
        const auto length = static_cast<size_t>(dims_[axis]);
        intervals_t values(x.size());
        for_each_line(x.size(), inner, length,
                [&](size_t first) { softmax_line(x, first, inner, length, is_log, u, values); });
        expect(std::move(values), chain);
    }

    /// x - maximum, exponentials and the sum are rounded with the unit roundoff `u`.
    static void softmax_line(const std::vector<double> &x, size_t first, size_t stride,
            size_t length, bool is_log, long double u, intervals_t &values) {
        long double greatest = x[first], sum = 0;
        for (size_t i = 0; i < length; ++i)
            greatest = std::max(greatest, static_cast<long double>(x[first + i * stride]));
        for (size_t i = 0; i < length; ++i) sum += std::exp(x[first + i * stride] - greatest);
        const long double log_of_sum = std::log(sum);
        const long double sum_error = u * roundings_of_sum(static_cast<long double>(length));
        for (size_t i = 0; i < length; ++i) {
            const long double distance = x[first + i * stride] - greatest;
            const long double size = std::fabs(distance), y = std::exp(distance) / sum;
            values[first + i * stride] =
                    is_log ? interval_t::around(
                            distance - log_of_sum, u * (3 * size + 4 * log_of_sum + 2) + sum_error)
                           : interval_t::around(y, y * (u * (2 * size + 12) + sum_error));
        }
    }

    void sum_problem() {
        const auto count = static_cast<size_t>(1 + random_.below(4));
        std::vector<memory_desc_handle_t> handles;
        std::vector<const_dnnl_memory_desc_t> srcs;
        std::vector<float> scales;
        const auto dst_type = random_.pick(types);
        bool has_f64 = dst_type == dnnl_f64;
        for (size_t i = 0; i < count; ++i) {
            const auto type = random_.pick(types);
            has_f64 |= type == dnnl_f64;
            handles.push_back(input(dims_, type));
            scales.push_back(random_.pick({1.f, 2.f, 0.5f, -1.f}));
        }
        for (const auto &handle : handles) srcs.push_back(handle);
        const auto dst = output(dims_, dst_type);
        describe("sum", std::to_string(count) + " sources",
                dnnl_sum_primitive_desc_create(problem_->pd.out(), cpu_engine(), dst,
                        static_cast<int>(count), scales.data(), srcs.data(), nullptr));
        std::vector<long double> values(static_cast<size_t>(volume(dims_))), sizes(values);
        for (size_t i = 0; i < count; ++i) {
            const auto x = add_input(
                    DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), "src_" + std::to_string(i), -9, 9);
            for (size_t at = 0; at < x.size(); ++at) {
                values[at] += static_cast<long double>(scales[i]) * x[at];
                sizes[at] += std::fabs(static_cast<long double>(scales[i]) * x[at]);
            }
        }
        intervals_t results;
        const long double u = has_f64 ? 0x1p-53L : 0x1p-24L;
        for (size_t at = 0; at < values.size(); ++at)
            results.push_back(interval_t::around(values[at], 5 * u * sizes[at]));
        expect(std::move(results));
    }

    void concat_problem() {
        const auto count = static_cast<size_t>(1 + random_.below(4));
        const size_t axis = random_axis();
        const auto type = random_.pick(types);
        const auto dst_type = random_.chance(0.7) ? type : random_.pick(types);
        std::vector<memory_desc_handle_t> handles;
        std::vector<const_dnnl_memory_desc_t> srcs;
        std::vector<dims_t> dims;
        dims_t dst_dims = dims_;
        dst_dims[axis] = 0;
        for (size_t i = 0; i < count; ++i) {
            dims.push_back(dims_);
            dims.back()[axis] = 1 + random_.below(20);
            dst_dims[axis] += dims.back()[axis];
            handles.push_back(input(dims.back(), type));
        }
        for (const auto &handle : handles) srcs.push_back(handle);
        const auto dst = output(dst_dims, dst_type);
        const attr_handle_t attr = make_attr();
        const bool has_scales = random_.chance(0.3) && type != dnnl_f64 && dst_type != dnnl_f64;
        for (size_t i = 0; has_scales && i < count; ++i)
            require(dnnl_primitive_attr_set_scales_mask(
                            attr, DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), 0),
                    "dnnl_primitive_attr_set_scales_mask");
        describe("concat", std::to_string(count) + " sources, axis " + std::to_string(axis),
                dnnl_concat_primitive_desc_create(problem_->pd.out(), cpu_engine(), dst,
                        static_cast<int>(count), static_cast<int>(axis), srcs.data(), attr));
        // A source is a block of adjacent elements for each position along the axes before.
        size_t inner = 1, outer = 1;
        for (size_t d = 0; d < dims_.size(); ++d)
            (d < axis ? outer : inner) *= d == axis ? 1 : static_cast<size_t>(dims_[d]);
        std::vector<std::vector<double>> values, scales;
        for (size_t i = 0; i < count; ++i) {
            const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
            values.push_back(add_input(arg, "src_" + std::to_string(i), -9, 9));
            scales.push_back({1});
            if (has_scales) scales.back() = add_input(DNNL_ARG_ATTR_SCALES | arg, "scale", 0.25, 2);
        }
        intervals_t results;
        for (size_t o = 0; o < outer; ++o)
            for (size_t i = 0; i < count; ++i) {
                const size_t block = static_cast<size_t>(dims[i][axis]) * inner;
                for (size_t at = o * block; at < (o + 1) * block; ++at) {
                    const long double value =
                            values[i][at] * static_cast<long double>(scales[i][0]);
                    results.push_back(interval_t::around(
                            value, has_scales ? 0x1p-23L * std::fabs(value) : 0));
                }
            }
        expect(std::move(results));
    }

    void shuffle_problem() {
        const size_t axis = random_axis();
        int64_t group = 1 + random_.below(8);
        while (dims_[axis] % group != 0) --group;
        const auto type = random_.pick(types);
        const auto src = input(dims_, type), dst = output(dims_, type);
        describe("shuffle", "axis " + std::to_string(axis) + " group " + std::to_string(group),
                dnnl_shuffle_forward_primitive_desc_create(problem_->pd.out(), cpu_engine(),
                        dnnl_forward_inference, src, dst, static_cast<int>(axis), group, nullptr));
        const auto x = add_input(DNNL_ARG_SRC, "src", -9, 9);
        const size_t inner = stride_of(axis);
        const auto extent = static_cast<size_t>(dims_[axis]), columns = static_cast<size_t>(group);
        const size_t matrix_rows = extent / columns;
        intervals_t results(x.size());
        for (size_t i = 0; i < x.size(); ++i) {
            const size_t place = i / inner % extent; // row * columns + column of src
            const size_t moved = place % columns * matrix_rows + place / columns;
            results[i + moved * inner - place * inner] = interval_t::exactly(x[i]);
        }
        expect(std::move(results));
    }
};

} // namespace

std::unique_ptr<problem_t> make_elementwise(random_t &random, regions_t &regions) {
    return forward_maker_t(random, regions).make();
}

} // namespace kiln::test::differential
