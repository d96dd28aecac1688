// SPDX-License-Identifier: Apache-2.0
// Kernels of softmax on columns, executed on every ISA level of the machine between unmapped pages,
// against arithmetic in double.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cpu/x64/softmax/column_kernels.hpp"
#include "kernels/column_operands.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "kernels/row_model.hpp"
#include "support/guarded_buffer.hpp"

namespace kiln::x64::softmax::column_test {

namespace {

using namespace layer_normalization::test;
using kiln::test::kernel_failure_t;
using kiln::test::placements;
using ::testing::AssertionResult;

constexpr data_type_t floats[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr dim_t step_counts[]{2, 7, 16, 33, 300};
/// Tiles of every width on every ISA, whole and with a partial vector.
constexpr dim_t column_counts[]{1, 8, 15, 16, 17, 33, 64, 77, 131};

size_t index(dim_t i) { return static_cast<size_t>(i); }

struct case_t {
    column_call_t call;
    dim_t columns;
    data_type_t src, dst; // backward: of dst and diff_dst, and of diff_src
    bool is_log;
    dim_t gap;
    kept_t kept = kept_t::nowhere; // forward

    std::string details() const {
        return std::to_string(call.steps) + " steps of " + std::to_string(columns)
               + " columns, gap " + std::to_string(gap) + ", kept_t "
               + std::to_string(static_cast<int>(kept))
               + (call.placement == placement_t::ends_at_guard ? ", ends" : ", begins")
               + " at guard";
    }
};

column_spec_t spec_of(const case_t &c, const column_operands_t &operands, std::string name) {
    column_spec_t spec;
    spec.isa = c.call.isa;
    spec.operands = operands.types();
    spec.length = c.call.steps;
    spec.run_length = c.columns;
    spec.is_streamed = c.call.non_temporal;
    spec.name = std::move(name);
    spec.is_log = c.is_log;
    spec.fetches_next_tile = c.call.non_temporal;
    spec.fetches_output = c.call.steps % 2 == 0;
    return spec;
}

void run(const jit::executable_code_t &code, const column_operands_t &operands, size_t stepped,
        dim_t columns, void *memory = nullptr) {
    column_args_t args = operands.args(stepped, 0, columns);
    args.memory = static_cast<float *>(memory);
    code.entry<void (*)(const column_args_t *)>()(&args);
}

AssertionResult forward_is_right(const case_t &c) {
    using operand_t = forward_spec_t;
    column_operands_t operands(c.call, operand_t::first_post_op);
    const auto x =
            operands.add_random(operand_t::src, c.src, c.call.steps, c.columns, c.gap, -8, 8);
    operands.add(operand_t::dst, c.dst, c.call.steps, c.columns, 2 * c.gap, c.call.non_temporal);
    operands.add(operand_t::stats, dnnl_f32, 1, c.columns, 0);
    forward_spec_t names;
    names.isa = c.call.isa;
    names.is_log = c.is_log;
    names.types[operand_t::src] = c.src;
    names.types[operand_t::dst] = c.dst;
    column_spec_t spec = spec_of(c, operands, names.name("column"));
    spec.kept = c.kept;
    const dim_t floats_of_tile =
            tile_width(c.call.isa, column_spec_t::needs_many_registers, c.columns) * c.call.steps;
    kiln::test::guarded_buffer_t memory(index(floats_of_tile) * sizeof(float), c.call.placement);
    const auto code = column_forward_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name, c.details(), c.call.seed, {code.data(), code.size()});
    run(code, operands, operand_t::stepped, c.columns, memory.data());
    for (dim_t column = 0; column < c.columns; ++column) {
        double maximum = x[index(column)], sum = 0;
        for (size_t i = index(column); i < x.size(); i += index(c.columns))
            maximum = std::max(maximum, x[i]);
        for (size_t i = index(column); i < x.size(); i += index(c.columns))
            sum += std::exp(x[i] - maximum);
        for (dim_t step = 0; step < c.call.steps; ++step) {
            const double distance = x[index(step * c.columns + column)] - maximum;
            const double y = c.is_log ? distance - std::log(sum) : std::exp(distance) / sum;
            const double error = c.is_log ? unit * (8 + 2 * std::abs(distance) + 2 * std::log(sum))
                                          : y * unit * (16 + 2 * std::abs(distance));
            const double got = operands[operand_t::dst].get(step, column);
            if (!is_near(got, stored(c.dst, {y, error})))
                return failure.at(step * c.columns + column, y, got);
        }
        const double stat = maximum + std::log(sum);
        const double got = operands[operand_t::stats].get(0, column);
        if (!is_near(got, {stat, unit * (16 + 4 * std::abs(stat))}))
            return failure.at(column, stat, got);
    }
    return operands.have_intact_gaps() ? ::testing::AssertionSuccess()
                                       : failure("wrote outside its operands");
}

AssertionResult backward_is_right(const case_t &c) {
    using operand_t = backward_spec_t;
    column_operands_t operands(c.call, operand_t::first_post_op);
    const dim_t steps = c.call.steps;
    const auto y = operands.add_random(
            operand_t::dst, c.src, steps, c.columns, c.gap, c.is_log ? -9 : 0, c.is_log ? 0 : 1);
    const auto dy =
            operands.add_random(operand_t::diff_dst, c.src, steps, c.columns, 2 * c.gap, -2, 2);
    operands.add(operand_t::diff_src, c.dst, steps, c.columns, 3 * c.gap, c.call.non_temporal);
    backward_spec_t names;
    names.isa = c.call.isa;
    names.is_log = c.is_log;
    names.types[operand_t::dst] = names.types[operand_t::diff_dst] = c.src;
    names.types[operand_t::diff_src] = c.dst;
    const column_spec_t spec = spec_of(c, operands, names.name("column"));
    const auto code = column_backward_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name, c.details(), c.call.seed, {code.data(), code.size()});
    run(code, operands, operand_t::stepped, c.columns);
    for (dim_t column = 0; column < c.columns; ++column) {
        double sum = 0, sum_error = 0;
        for (size_t i = index(column); i < y.size(); i += index(c.columns)) {
            const double term = c.is_log ? dy[i] : y[i] * dy[i];
            sum += term;
            sum_error += 40 * unit * std::abs(term);
        }
        for (dim_t step = 0; step < steps; ++step) {
            const size_t i = index(step * c.columns + column);
            const double factor = c.is_log ? std::exp(y[i]) : y[i];
            const double dx = c.is_log ? dy[i] - factor * sum : factor * (dy[i] - sum);
            const double own = std::abs(dy[i]) + factor * std::abs(sum) * (8 + std::abs(y[i]));
            const double error = factor * sum_error + 4 * unit * own;
            const double got = operands[operand_t::diff_src].get(step, column);
            if (!is_near(got, stored(c.dst, {dx, error})))
                return failure.at(static_cast<int64_t>(i), dx, got);
        }
    }
    return operands.have_intact_gaps() ? ::testing::AssertionSuccess()
                                       : failure("wrote outside its operands");
}

template <typename body_t> void for_each_case(const body_t &body) {
    for (const isa_t isa : machine_levels())
        for (const dim_t steps : step_counts)
            for (const dim_t columns : column_counts)
                for (const data_type_t src : floats)
                    for (const bool is_log : {false, true})
                        body(case_t{.call = {.isa = isa,
                                            .steps = steps,
                                            .placement = steps % 3 == 0
                                                                 ? placement_t::begins_at_guard
                                                                 : placements[index(columns) % 2],
                                            .seed = 3,
                                            .non_temporal = steps % 3 == 0},
                                .columns = columns,
                                .src = src,
                                .dst = floats[index(steps + columns) % 3],
                                .is_log = is_log,
                                .gap = columns % 4});
}

TEST(softmax_column_kernel, forward_is_right_for_any_number_of_steps_and_columns) {
    for_each_case([](case_t c) {
        c.kept = c.is_log || c.dst != dnnl_f32 ? kept_t::nowhere : kept_t::in_dst;
        ASSERT_TRUE(forward_is_right(c));
    });
}

TEST(softmax_column_kernel, forward_keeps_exponentials_in_memory) {
    for_each_case([](case_t c) {
        if (c.is_log) return;
        c.kept = kept_t::in_memory;
        ASSERT_TRUE(forward_is_right(c));
    });
}

TEST(softmax_column_kernel, backward_is_right_for_any_number_of_steps_and_columns) {
    for_each_case([](const case_t &c) { ASSERT_TRUE(backward_is_right(c)); });
}

} // namespace
} // namespace kiln::x64::softmax::column_test
