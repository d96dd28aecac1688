// SPDX-License-Identifier: Apache-2.0
// Kernels on channels, executed on every ISA level of the machine between unmapped pages, against
// arithmetic in double.
#include <cmath>

#include "cpu/x64/channel_normalization/channel_normalization_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"
#include "kernels/channels/channel_kernel_run.hpp"

namespace kiln::x64::channel_normalization::test {

namespace {

constexpr uint64_t seed = 20;
constexpr data_type_t floats[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t all_types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
constexpr channel_operand_t absent{}, mask{.is_mask = true};

std::span<const uint8_t> bytes_of(const jit::executable_code_t &code) {
    return {code.data(), code.size()};
}

/// Values of a tensor that every type represents well.
void fill(channel_tensor_t &tensor, data_type_t type, random_values_t &random) {
    const bool is_integer = kiln::test::is_integer(type);
    tensor.fill(random, type == dnnl_u8 ? 0 : is_integer ? -100 : -3, is_integer ? 100 : 3);
}

/// Whether `got`, rounded to `type`, is the true value `expected` but for some roundings of f32 of
/// terms of size `magnitude`. NaN is near NaN only; integers store 0 for it.
bool is_near(data_type_t type, double expected, double got, double magnitude) {
    constexpr double f32_roundings = 8 * 0x1p-24;
    const double error = f32_roundings * magnitude;
    if (std::isnan(expected)) return kiln::test::is_integer(type) ? got == 0 : std::isnan(got);
    if (kiln::test::is_integer(type)) {
        const double low = type == dnnl_u8 ? 0 : -128, high = type == dnnl_u8 ? 255 : 127;
        return std::abs(got - std::clamp(expected, low, high)) <= 0.5 + error;
    }
    return std::abs(got - expected)
           <= error + 1.01 * kiln::test::unit_roundoff(type) * std::abs(expected) + 1e-7;
}

// ---- sums

/// Sums are the same, bit by bit, whether the kernel of `spec` walks rows one by one or in blocks.
/// `args`: all arguments but the sums.
::testing::AssertionResult compare_orders(const channel_case_t &c, channel_spec_t spec,
        const channel_args_t &args, const kernel_failure_t &failure) {
    channel_sums_t sums[]{channel_sums_t(c), channel_sums_t(c)};
    for (const bool is_streamed : {false, true}) {
        spec.walk.is_streamed = is_streamed;
        channel_args_t args_of_call = args;
        args_of_call.sums = sums[is_streamed ? 1 : 0].data();
        call(channel_normalization_kernel_t(spec).finish(), c, args_of_call);
    }
    for (dim_t channel = 0; channel < c.channels(); ++channel)
        for (const int sum : {0, 1}) {
            const double blocks = sums[0].get(sum, channel), rows = sums[1].get(sum, channel);
            if (blocks != rows && !(std::isnan(blocks) && std::isnan(rows)))
                return failure.at(2 * channel + sum, blocks, rows);
        }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult run_moments(const channel_case_t &c, data_type_t type) {
    const channel_spec_t spec{
            .work = channel_work_t::moments, .walk = c.walk(), .operands = {{{type}}}};
    const auto code = channel_normalization_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), seed, bytes_of(code));
    random_values_t random(seed);
    channel_tensor_t src(c, {type});
    fill(src, type, random);
    if (c.has_nan) src.spoil();
    channel_values_t pivots(c, 1);
    pivots.fill(random, c, 0, -2, 2);
    channel_sums_t sums(c);
    channel_args_t args{};
    src.bind(args, forward_operand::src);
    args.values = pivots.data();
    if (const auto same = compare_orders(c, spec, args, failure); !same) return same;
    args.sums = sums.data();
    call(code, c, args);
    true_sums_t truth(c.channels());
    c.for_each_element([&](dim_t unit, dim_t row, dim_t column) {
        const dim_t channel = c.channel(unit, column);
        const double x = src.get(unit, row, column) - pivots.get(0, channel);
        truth.add(0, channel, x);
        truth.add(1, channel, x * x);
    });
    return truth.compare(sums, failure);
}

TEST(channel_kernel_execution, moments) {
    for_each_case([](const channel_case_t &c) {
        for (const data_type_t type : all_types) EXPECT_TRUE(run_moments(c, type));
    });
}

::testing::AssertionResult run_gradient_sums(
        const channel_case_t &c, data_type_t type, const channel_operand_t &relu) {
    using namespace backward_operand;
    const channel_spec_t spec{.work = channel_work_t::gradient_sums,
            .walk = c.walk(),
            .operands = {{{dnnl_f32}, {type}, relu}}};
    const auto code = channel_normalization_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), seed, bytes_of(code));
    random_values_t random(seed);
    std::vector<channel_tensor_t> operands;
    channel_args_t args{};
    for (size_t i = 0; i < 3 && spec.operands[i].is_present(); ++i) {
        operands.emplace_back(c, spec.operands[i]);
        if (relu.is_mask && i == 2)
            operands[i].fill(random, 0, 255);
        else
            fill(operands[i], spec.operands[i].type, random);
        operands[i].bind(args, i);
    }
    if (c.has_nan) operands[diff_dst].spoil();
    channel_values_t means(c, 1);
    means.fill(random, c, 0, -2, 2);
    channel_sums_t sums(c);
    args.values = means.data();
    if (const auto same = compare_orders(c, spec, args, failure); !same) return same;
    args.sums = sums.data();
    call(code, c, args);
    true_sums_t truth(c.channels());
    c.for_each_element([&](dim_t unit, dim_t row, dim_t column) {
        if (relu.is_present() && !operands[2].passes(unit, row, column)) return;
        const dim_t channel = c.channel(unit, column);
        const double dy = operands[diff_dst].get(unit, row, column);
        truth.add(0, channel, dy);
        truth.add(1, channel, dy * (operands[src].get(unit, row, column) - means.get(0, channel)));
    });
    return truth.compare(sums, failure);
}

TEST(channel_kernel_execution, gradient_sums) {
    for_each_case([](const channel_case_t &c) {
        for (const data_type_t type : floats)
            for (const channel_operand_t &relu : {absent, mask, channel_operand_t{type}})
                EXPECT_TRUE(run_gradient_sums(c, type, relu));
    });
}

// ---- elements

/// Whether all rows of the case are aligned for non-temporal stores.
bool is_aligned(const channel_case_t &c) { return c.line % 16 == 0 && c.gap % 16 == 0; }

struct forward_variant_t {
    data_type_t src, dst;
    bool has_relu = false, has_mask = false, has_add = false, has_divisor = false;
    bool has_post_ops = false;
};

::testing::AssertionResult run_forward(const channel_case_t &c, const forward_variant_t &v) {
    using namespace forward_operand;
    channel_spec_t spec{.work = channel_work_t::forward,
            .walk = c.walk(),
            .operands = {{{v.src}, {v.dst}, v.has_add ? channel_operand_t{v.dst} : absent,
                    v.has_mask ? mask : absent}},
            .is_non_temporal = is_aligned(c) && kiln::test::size_of(v.dst) > 1,
            .has_relu = v.has_relu,
            .has_divisor = v.has_divisor};
    if (v.has_post_ops) // y * 2 + 1 + z
        spec.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1},
                {.alg = dnnl_binary_add, .operands = {{dnnl_f32, true}}}};
    const auto code = channel_normalization_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), seed, bytes_of(code));
    random_values_t random(seed);
    channel_tensor_t x(c, {v.src}), y(c, {v.dst}), added(c, {v.dst}), bits(c, mask);
    channel_tensor_t z(c, {dnnl_f32});
    fill(x, v.src, random);
    if (c.has_nan) x.spoil();
    fill(added, v.dst, random);
    z.fill(random, -3, 3);
    channel_values_t values(c, channel_value::count);
    for (const int value : {channel_value::center, channel_value::factor, channel_value::shift})
        values.fill(random, c, value, -2, 2);
    values.fill(random, c, channel_value::divisor, 0.5, 2);
    channel_args_t args{};
    x.bind(args, src);
    y.bind(args, dst);
    added.bind(args, src_1);
    bits.bind(args, relu_mask);
    z.bind(args, max_channel_operands); // the first operand of post-ops
    args.values = values.data();
    call(code, c, args);
    ::testing::AssertionResult result = ::testing::AssertionSuccess();
    c.for_each_element([&](dim_t unit, dim_t row, dim_t column) {
        if (!result) return;
        const dim_t channel = c.channel(unit, column);
        const double a = values.get(channel_value::factor, channel);
        const double normalized =
                (x.get(unit, row, column) - values.get(channel_value::center, channel)) * a;
        const double other = v.has_add ? added.get(unit, row, column) : 0;
        double truth = normalized + values.get(channel_value::shift, channel) + other;
        double magnitude = std::abs(normalized) + 2 + std::abs(other);
        const dim_t index = (unit * c.rows + row) * c.line + column;
        const bool passes = !(truth <= 0); // NaN passes
        if (v.has_mask && !(std::abs(truth) <= 1e-4) && bits.bit(unit, row, column) != passes)
            result = failure.at(index, passes, bits.bit(unit, row, column));
        if (v.has_relu) truth = std::max(truth, 0.);
        if (v.has_post_ops) {
            truth = truth * 2 + 1 + z.get(unit, row, column);
            magnitude = 2 * magnitude + 4;
        }
        if (v.has_divisor) {
            truth /= values.get(channel_value::divisor, channel);
            magnitude *= 2;
        }
        const double got = y.get(unit, row, column);
        if (result && !is_near(v.dst, truth, got, magnitude))
            result = failure.at(index, truth, got);
    });
    if (result && !(y.is_intact() && bits.is_intact())) return failure("a store outside of dst");
    return result;
}

TEST(channel_kernel_execution, forward) {
    for_each_case([](const channel_case_t &c) {
        for (const data_type_t src : all_types)
            for (const data_type_t dst : all_types) {
                EXPECT_TRUE(run_forward(c, {.src = src, .dst = dst}));
                EXPECT_TRUE(run_forward(c, {.src = src, .dst = dst, .has_divisor = true}));
            }
        for (const data_type_t type : floats) {
            EXPECT_TRUE(run_forward(c, {.src = type, .dst = type, .has_relu = true}));
            EXPECT_TRUE(
                    run_forward(c, {.src = type, .dst = type, .has_relu = true, .has_mask = true}));
            EXPECT_TRUE(run_forward(c, {.src = type,
                                               .dst = type,
                                               .has_relu = true,
                                               .has_mask = true,
                                               .has_add = true}));
            EXPECT_TRUE(run_forward(
                    c, {.src = type, .dst = type, .has_divisor = true, .has_post_ops = true}));
        }
    });
}

struct backward_variant_t {
    data_type_t type;
    channel_operand_t relu;
    bool reads_src = true, has_diff_src = true, has_diff_src_1 = false;
};

::testing::AssertionResult run_backward(const channel_case_t &c, const backward_variant_t &v) {
    using namespace backward_operand;
    const auto if_wanted = [](bool is_wanted, data_type_t type) {
        return is_wanted ? channel_operand_t{type} : absent;
    };
    const channel_spec_t spec{.work = channel_work_t::backward,
            .walk = c.walk(),
            .operands = {{if_wanted(v.reads_src, v.type), {v.type}, v.relu,
                    if_wanted(v.has_diff_src, dnnl_f32), if_wanted(v.has_diff_src_1, v.type)}},
            .is_non_temporal = is_aligned(c)};
    const auto code = channel_normalization_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), seed, bytes_of(code));
    random_values_t random(seed);
    channel_tensor_t x(c, {v.type}), dy(c, {v.type}), dx(c, {dnnl_f32}), dx_1(c, {v.type});
    channel_tensor_t gate(c, v.relu.is_present() ? v.relu : mask);
    fill(x, v.type, random);
    fill(dy, v.type, random);
    if (c.has_nan) dy.spoil();
    if (v.relu.is_mask)
        gate.fill(random, 0, 255);
    else
        gate.fill(random, -3, 3);
    channel_values_t values(c, channel_value::count);
    for (int value = 0; value < channel_value::count; ++value) values.fill(random, c, value, -2, 2);
    channel_args_t args{};
    x.bind(args, src);
    dy.bind(args, diff_dst);
    gate.bind(args, relu);
    dx.bind(args, diff_src);
    dx_1.bind(args, diff_src_1);
    args.values = values.data();
    call(code, c, args);
    ::testing::AssertionResult result = ::testing::AssertionSuccess();
    c.for_each_element([&](dim_t unit, dim_t row, dim_t column) {
        if (!result) return;
        const auto value = [&](int which) { return values.get(which, c.channel(unit, column)); };
        const dim_t index = (unit * c.rows + row) * c.line + column;
        const bool passes = !v.relu.is_present() || gate.passes(unit, row, column);
        const double gradient = passes ? dy.get(unit, row, column) : 0;
        const double got_1 = v.has_diff_src_1 ? dx_1.get(unit, row, column) : gradient;
        if (got_1 != gradient && !(std::isnan(got_1) && std::isnan(gradient)))
            result = failure.at(index, gradient, got_1);
        if (!v.has_diff_src || !result) return;
        const double direct = gradient * value(channel_value::factor);
        const double distance = x.get(unit, row, column) - value(channel_value::center);
        const double rest =
                v.reads_src ? value(channel_value::offset) + distance * value(channel_value::slope)
                            : 0;
        const double got = dx.get(unit, row, column);
        if (!is_near(dnnl_f32, direct + rest, got, 20))
            result = failure.at(index, direct + rest, got);
    });
    if (result && !(dx.is_intact() && dx_1.is_intact()))
        return failure("a store outside of the gradients");
    return result;
}

TEST(channel_kernel_execution, backward) {
    for_each_case([](const channel_case_t &c) {
        for (const data_type_t type : floats)
            for (const channel_operand_t &relu : {absent, mask, channel_operand_t{type}}) {
                EXPECT_TRUE(run_backward(c, {.type = type, .relu = relu}));
                EXPECT_TRUE(run_backward(c, {.type = type, .relu = relu, .reads_src = false}));
                EXPECT_TRUE(run_backward(c, {.type = type, .relu = relu, .has_diff_src_1 = true}));
                EXPECT_TRUE(run_backward(c, {.type = type,
                                                    .relu = relu,
                                                    .reads_src = false,
                                                    .has_diff_src = false,
                                                    .has_diff_src_1 = true}));
            }
    });
}

// ---- pivots

::testing::AssertionResult run_sample(const channel_case_t &c, data_type_t type) {
    const channel_sample_spec_t spec{c.isa, c.kind, c.line, type};
    const auto code = channel_sample_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), seed, bytes_of(code));
    random_values_t random(seed);
    channel_tensor_t src(c, {type});
    fill(src, type, random);
    // Rows and elements of a unit, some of them several times.
    const auto row_of = [&](size_t i) { return static_cast<dim_t>(i) * 7 % c.rows; };
    const auto column_of = [&](size_t i) {
        return c.is_columns() ? 0 : static_cast<dim_t>(i) * 5 % c.line;
    };
    channel_sample_args_t args{};
    for (size_t i = 0; i < channel_samples; ++i)
        args.samples[i] = src.row(0, row_of(i))
                          + column_of(i) * static_cast<dim_t>(kiln::test::size_of(type));
    tensor_t pivots(dnnl_f32, 1, c.channels(), 0, c.placement);
    args.pivots = reinterpret_cast<float *>(pivots.data());
    args.length = c.line;
    args.units = c.units;
    args.unit_pitch = src.elements_between_units();
    code.entry<void (*)(channel_sample_args_t *)>()(&args);
    for (dim_t channel = 0; channel < c.channels(); ++channel) {
        std::vector<double> left;
        for (size_t i = 0; i < channel_samples; ++i)
            left.push_back(c.is_columns() ? src.get(0, row_of(i), channel)
                                          : src.get(channel, row_of(i), column_of(i)));
        for (bool takes_lesser = true; left.size() > 1; takes_lesser = !takes_lesser) {
            std::vector<double> winners;
            for (size_t i = 0; i < left.size(); i += 2)
                winners.push_back(takes_lesser ? std::min(left[i], left[i + 1])
                                               : std::max(left[i], left[i + 1]));
            left = winners;
        }
        if (pivots.get(0, channel) != left[0])
            return failure.at(channel, left[0], pivots.get(0, channel));
    }
    if (!pivots.has_intact_gaps()) return failure("a store outside of the pivots");
    return ::testing::AssertionSuccess();
}

TEST(channel_kernel_execution, sample) {
    for_each_case([](const channel_case_t &c) {
        for (const data_type_t type : all_types) EXPECT_TRUE(run_sample(c, type));
    });
}

} // namespace
} // namespace kiln::x64::channel_normalization::test
