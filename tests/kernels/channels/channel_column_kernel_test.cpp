// SPDX-License-Identifier: Apache-2.0
// Kernels of batch normalization on channels that are columns, executed on every ISA level of the
// machine between unmapped pages, against arithmetic in double.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cpu/x64/channel_normalization/channel_column_kernels.hpp"
#include "kernels/column_operands.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "kernels/row_model.hpp"

namespace kiln::x64::channel_normalization::column_test {

namespace {

using namespace layer_normalization::test;
using kiln::test::kernel_failure_t;
using kiln::test::placements;
using ::testing::AssertionResult;

constexpr data_type_t floats[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr dim_t step_counts[]{2, 7, 16, 33, 300};
constexpr dim_t channel_counts[]{2, 8, 15, 16, 17, 33, 64, 77, 131};
constexpr double epsilon = 0.125;

size_t index(dim_t i) { return static_cast<size_t>(i); }

struct case_t {
    column_call_t call;
    dim_t channels;
    data_type_t src, dst; // backward: diff_dst is of the type of dst
    dim_t gap;
    bool has_relu = false;
    bool reads_stats = false; // backward: no gradient flows through them
    bool is_paged = false;

    std::string details() const {
        return std::to_string(call.steps) + " elements of " + std::to_string(channels)
               + " channels, gap " + std::to_string(gap) + (has_relu ? ", ReLU" : "")
               + (reads_stats ? ", given statistics" : "") + (is_paged ? ", paged" : "")
               + (call.placement == placement_t::ends_at_guard ? ", ends" : ", begins")
               + " at guard";
    }
    template <typename spec_t>
    void describe(spec_t &spec, const column_operands_t &operands) const {
        spec.isa = call.isa;
        spec.operands = operands.types();
        spec.length = call.steps;
        spec.run_length = channels;
        spec.is_streamed = call.non_temporal;
        spec.is_paged = is_paged;
        spec.epsilon = static_cast<float>(epsilon);
    }
};

void run(const jit::executable_code_t &code, const column_operands_t &operands, size_t stepped,
        dim_t channels) {
    const column_args_t args = operands.args(stepped, 0, channels);
    code.entry<void (*)(const column_args_t *)>()(&args);
}

AssertionResult forward_is_right(const case_t &c) {
    using operand_t = channel_column_forward_spec_t;
    const dim_t steps = c.call.steps;
    column_operands_t operands(c.call, operand_t::held);
    const auto x = operands.add_random(operand_t::src, c.src, steps, c.channels, c.gap, -2, 4);
    operands.add(operand_t::dst, c.dst, steps, c.channels, 2 * c.gap, c.call.non_temporal);
    const auto given_means =
            operands.add_random(operand_t::mean, dnnl_f32, 1, c.channels, 0, 0.5, 1.5);
    const auto given_variances =
            operands.add_random(operand_t::variance, dnnl_f32, 1, c.channels, 0, 1, 3);
    const auto scale = operands.add_random(operand_t::scale, dnnl_f32, 1, c.channels, 0, -2, 2);
    const auto shift = operands.add_random(operand_t::shift, dnnl_f32, 1, c.channels, 0, -1, 1);
    channel_column_forward_spec_t spec;
    c.describe(spec, operands);
    spec.reads_stats = c.reads_stats;
    spec.writes_stats = !c.reads_stats;
    spec.has_relu = c.has_relu;
    const auto code = channel_column_forward_kernel_t(spec).finish();
    const kernel_failure_t failure(
            spec.name(), c.details(), c.call.seed, {code.data(), code.size()});
    run(code, operands, operand_t::stepped, c.channels);
    for (dim_t channel = 0; channel < c.channels; ++channel) {
        std::vector<double> column;
        for (size_t i = index(channel); i < x.size(); i += index(c.channels))
            column.push_back(x[i]);
        moments_t moments =
                moments_of(column.data(), steps, false, static_cast<double>(steps) + 12);
        if (c.reads_stats) {
            moments = {{given_means[index(channel)], 0}, {given_variances[index(channel)], 0}};
        } else {
            const double mean = operands[operand_t::mean].get(0, channel);
            if (!is_near(mean, moments.mean)) return failure.at(channel, moments.mean.value, mean);
            const double variance = operands[operand_t::variance].get(0, channel);
            if (!is_near(variance, moments.variance))
                return failure.at(channel, moments.variance.value, variance);
        }
        const double r = 1 / std::sqrt(moments.variance.value + epsilon);
        for (dim_t step = 0; step < steps; ++step) {
            const double normal = (column[index(step)] - moments.mean.value) * r;
            double y = normal * scale[index(channel)] + shift[index(channel)];
            const double error =
                    std::abs(scale[index(channel)])
                            * (r * moments.mean.error
                                    + std::abs(normal)
                                              * (moments.variance.error * r * r + 8 * unit))
                    + 4 * unit * (std::abs(y) + std::abs(shift[index(channel)]));
            if (c.has_relu) y = std::max(y, 0.);
            const double got = operands[operand_t::dst].get(step, channel);
            if (!is_near(got, stored(c.dst, {y, error})))
                return failure.at(step * c.channels + channel, y, got);
        }
    }
    return operands.have_intact_gaps() ? ::testing::AssertionSuccess()
                                       : failure("wrote outside its operands");
}

AssertionResult backward_is_right(const case_t &c) {
    using operand_t = channel_column_backward_spec_t;
    const dim_t steps = c.call.steps;
    column_operands_t operands(c.call, operand_t::held);
    const auto x = operands.add_random(operand_t::src, c.src, steps, c.channels, c.gap, -2, 4);
    const auto dy =
            operands.add_random(operand_t::diff_dst, c.dst, steps, c.channels, 2 * c.gap, -1, 1.5);
    operands.add(operand_t::diff_src, c.src, steps, c.channels, 3 * c.gap, c.call.non_temporal);
    const auto means = operands.add_random(operand_t::mean, dnnl_f32, 1, c.channels, 0, 0.5, 1.5);
    const auto variances =
            operands.add_random(operand_t::variance, dnnl_f32, 1, c.channels, 0, 1, 3);
    const auto scale = operands.add_random(operand_t::scale, dnnl_f32, 1, c.channels, 0, -2, 2);
    operands.add(operand_t::diff_scale, dnnl_f32, 1, c.channels, 0);
    operands.add(operand_t::diff_shift, dnnl_f32, 1, c.channels, 0);
    channel_column_backward_spec_t spec;
    c.describe(spec, operands);
    spec.has_constant_stats = c.reads_stats;
    const auto code = channel_column_backward_kernel_t(spec).finish();
    const kernel_failure_t failure(
            spec.name(), c.details(), c.call.seed, {code.data(), code.size()});
    run(code, operands, operand_t::stepped, c.channels);
    const double count = static_cast<double>(steps), chain = count + 16;
    for (dim_t channel = 0; channel < c.channels; ++channel) {
        const size_t place = index(channel);
        const double r = 1 / std::sqrt(variances[place] + epsilon);
        estimate_t of_dy, of_product;
        for (size_t i = place; i < x.size(); i += index(c.channels)) {
            const double product = dy[i] * (x[i] - means[place]) * r;
            of_dy.value += dy[i];
            of_dy.error += chain * unit * std::abs(dy[i]);
            of_product.value += product;
            of_product.error += chain * unit * std::abs(product);
        }
        const double diff_shift = operands[operand_t::diff_shift].get(0, channel);
        if (!is_near(diff_shift, of_dy)) return failure.at(channel, of_dy.value, diff_shift);
        const double diff_scale = operands[operand_t::diff_scale].get(0, channel);
        if (!is_near(diff_scale, of_product))
            return failure.at(channel, of_product.value, diff_scale);
        for (dim_t step = 0; step < steps; ++step) {
            const size_t i = index(step * c.channels + channel);
            const double normal = (x[i] - means[place]) * r, factor = scale[place] * r;
            const double rest = (of_dy.value + normal * of_product.value) / count;
            const double dx = factor * (dy[i] - (c.reads_stats ? 0 : rest));
            const double error =
                    std::abs(factor)
                    * (8 * unit * (std::abs(dy[i]) + std::abs(rest) + std::abs(normal))
                            + (of_dy.error + std::abs(normal) * of_product.error) / count);
            const double got = operands[operand_t::diff_src].get(step, channel);
            if (!is_near(got, stored(c.src, {dx, error})))
                return failure.at(static_cast<int64_t>(i), dx, got);
        }
    }
    return operands.have_intact_gaps() ? ::testing::AssertionSuccess()
                                       : failure("wrote outside its operands");
}

template <typename body_t> void for_each_case(const body_t &body) {
    for (const isa_t isa : machine_levels())
        for (const dim_t steps : step_counts)
            for (const dim_t channels : channel_counts)
                for (const data_type_t src : floats)
                    for (const bool reads_stats : {false, true}) {
                        const bool non_temporal = steps % 3 == 0;
                        body(case_t{
                                .call = {.isa = isa,
                                        .steps = steps,
                                        .placement = non_temporal ? placement_t::begins_at_guard
                                                                  : placements[index(channels) % 2],
                                        .seed = 5,
                                        .non_temporal = non_temporal},
                                .channels = channels,
                                .src = src,
                                .dst = floats[index(steps + channels) % 3],
                                .gap = channels % 4,
                                .has_relu = channels % 3 == 0,
                                .reads_stats = reads_stats});
                    }
}

TEST(channel_column_kernel, forward_is_right_for_any_number_of_steps_and_channels) {
    for_each_case([](const case_t &c) { ASSERT_TRUE(forward_is_right(c)); });
}

TEST(channel_column_kernel, backward_is_right_for_any_number_of_steps_and_channels) {
    for_each_case([](const case_t &c) { ASSERT_TRUE(backward_is_right(c)); });
}

/// Tiles consist of several parts there.
TEST(channel_column_kernel, is_right_where_steps_are_pages_apart) {
    for (const isa_t isa : machine_levels())
        for (const dim_t channels : {33, 512, 1024}) {
            const case_t c{.call = {.isa = isa, .steps = 12},
                    .channels = channels,
                    .src = dnnl_f32,
                    .dst = dnnl_f32,
                    .gap = 1024 - channels,
                    .is_paged = true};
            ASSERT_TRUE(forward_is_right(c));
            ASSERT_TRUE(backward_is_right(c));
        }
}

} // namespace
} // namespace kiln::x64::channel_normalization::column_test
