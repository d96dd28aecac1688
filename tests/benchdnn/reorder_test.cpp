// SPDX-License-Identifier: Apache-2.0
// The reorder driver: its arithmetic and its results against values found by hand, and corrupted
// results that it must notice.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "executed_problem.hpp"
#include "reorder/problem.hpp"
#include "reorder/values.hpp"

namespace benchdnn {

namespace {

using words_t = std::vector<std::string>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

words_t reorder_of(words_t words) {
    words.insert(words.begin(), "--reorder");
    return words;
}

TEST(reorder_reference, integers_and_powers_of_two_are_exact) {
    const estimate_t x =
            quantization::scaled(quantization::shifted(quantization::loaded(7), -3), 0.625);
    EXPECT_EQ(x.value, 2.5);
    EXPECT_EQ(x.tolerance, 0);
    const estimate_t sum = quantization::accumulated(x, 0.5, 9);
    EXPECT_EQ(sum.value, 7);
    EXPECT_EQ(sum.tolerance, 0);
    const estimate_t dst = quantization::shifted(quantization::divided(sum, -2), 10);
    EXPECT_EQ(dst.value, 6.5);
    EXPECT_EQ(dst.tolerance, 0);
}

TEST(reorder_reference, what_f32_rounds_has_a_tolerance_of_that_size) {
    EXPECT_EQ(quantization::loaded(16777217).tolerance, 16777217 * f32_roundoff);
    EXPECT_EQ(quantization::loaded(16777218).tolerance, 0);
    const double third = 1. / 3;
    EXPECT_NEAR(quantization::divided(quantization::loaded(1), 3).value, third, 1e-16);
    EXPECT_LE(quantization::divided(quantization::loaded(1), 3).tolerance,
            4.1 * third * f32_roundoff);
    // The sum cancels, the roundings of its terms do not.
    const estimate_t cancelled = quantization::accumulated({100, 1e-5}, -1, 100);
    EXPECT_EQ(cancelled.value, 0);
    EXPECT_GE(cancelled.tolerance, 1e-5);
}

TEST(reorder_reference, what_is_not_finite_allows_nothing) {
    for (const double value : {infinity, -infinity, nan}) {
        EXPECT_EQ(quantization::scaled(quantization::loaded(value), 3).tolerance, 0);
        EXPECT_EQ(quantization::shifted(quantization::loaded(value), 3).tolerance, 0);
    }
}

// Element by element, so that conversions are compared with values and not with other conversions.
struct converted_t {
    double src, dst;
};

void expect_conversion(const words_t &words, const std::vector<converted_t> &values) {
    words_t all = reorder_of(words);
    all.push_back("1x" + std::to_string(values.size()));
    executed_problem_t executed(all, [&](arguments_t &arguments) {
        for (size_t i = 0; i < values.size(); ++i)
            arguments.at(DNNL_ARG_FROM).store(static_cast<dim_t>(i), values[i].src);
    });
    tensor_t &dst = executed.arguments.at(DNNL_ARG_TO);
    for (size_t i = 0; i < values.size(); ++i) dst.store(static_cast<dim_t>(i), values[i].dst);
    EXPECT_NE(executed.verdict(), verdict_t::failed) << words[0] << " " << words[1];
    for (size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i].dst)) continue;
        dst.store(static_cast<dim_t>(i), values[i].dst == 0 ? 3 : 0);
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << words[0] << " " << values[i].src;
        dst.store(static_cast<dim_t>(i), values[i].dst);
    }
}

TEST(reorder_results, made_by_hand_are_right_and_others_are_not) {
    expect_conversion({"--sdt=f32", "--ddt=s8"},
            {{1, 1}, {0.5, 0}, {1.5, 2}, {2.5, 2}, {-2.5, -2}, {127.4, 127}, {300, 127},
                    {-infinity, -128}, {infinity, 127}});
    expect_conversion(
            {"--sdt=f32", "--ddt=u8"}, {{-1, 0}, {0.4, 0}, {254.5, 254}, {255.5, 255}, {1e9, 255}});
    expect_conversion({"--sdt=f32", "--ddt=bf16"},
            {{1, 1}, {1.00390625, 1}, {1.01171875, 1.015625}, {3.4e38, infinity}, {nan, nan}});
    expect_conversion(
            {"--sdt=f32", "--ddt=f16"}, {{65504, 65504}, {65519, 65504}, {65520, infinity},
                                                {0x1p-25, 0}, {0x1.8p-25, 0x1p-24}});
    expect_conversion({"--sdt=s32", "--ddt=f32"},
            {{16777217, 16777216}, {16777219, 16777220}, {2147483647, 2147483648.}});
    expect_conversion({"--sdt=f32", "--ddt=f8_e4m3"},
            {{448, 448}, {464, 448}, {0x1p-9, 0x1p-9}, {0x1p-10, 0}, {465, nan}, {infinity, nan}});
    expect_conversion({"--sdt=f64", "--ddt=s32"}, {{2147483646.5, 2147483646}, {3e9, 2147483647}});
}

TEST(reorder_results, made_by_hand_with_attributes) {
    expect_conversion({"--sdt=s8", "--ddt=f32", "--attr-scales=src:common:0.5",
                              "--attr-zero-points=src:common:3"},
            {{5, 1}, {3, 0}, {-128, -65.5}});
    expect_conversion({"--sdt=f32", "--ddt=u8", "--attr-scales=src:common:3+dst:common:2",
                              "--attr-zero-points=dst:common:10"},
            {{1, 12}, {2, 13}, {3, 14}, {-6, 1}, {-7, 0}, {1000, 255}});
}

TEST(reorder_results, a_sum_takes_what_dst_held) {
    executed_problem_t executed(
            reorder_of({"--sdt=s8", "--ddt=s32", "--attr-post-ops=sum:2:3", "3x50"}));
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    const tensor_t &dst = executed.arguments.at(DNNL_ARG_TO);
    const tensor_t &prior = executed.arguments.original(DNNL_ARG_TO);
    const tensor_t &src = executed.arguments.at(DNNL_ARG_FROM);
    for (dim_t i = 0; i < 150; ++i)
        EXPECT_EQ(dst.load(i), src.load(i) + 2 * (prior.load(i) - 3)) << i;
}

TEST(reorder_results, scales_lie_along_the_axes_of_their_mask) {
    executed_problem_t executed(
            reorder_of({"--sdt=s8", "--attr-scales=src:5+dst:per_dim_1", "2x3x4"}));
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    arguments_t &arguments = executed.arguments;
    const tensor_t &by_src = arguments.at(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM);
    const tensor_t &by_dst = arguments.at(DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO);
    ASSERT_EQ(by_src.layout().elements(), 8);
    ASSERT_EQ(by_dst.layout().elements(), 3);
    for (dim_t i = 0; i < 24; ++i) {
        const double scale = by_src.load(i / 12 * 4 + i % 4) / by_dst.load(i / 4 % 3);
        const double wanted = arguments.at(DNNL_ARG_FROM).load(i) * scale;
        EXPECT_NEAR(arguments.at(DNNL_ARG_TO).load(i), wanted, 1e-6 * std::fabs(wanted)) << i;
    }
}

// Without the library, so that post-ops can be checked that it does not implement.
bool accepts(const std::string &post_ops, const std::vector<double> &dst) {
    reorder::spec_t spec;
    spec.shape.dims = {1, 3};
    attributes_t attributes;
    attributes.scales = parse_scales("src:common:0.5+dst:common:0.25");
    attributes.post_ops = parse_post_ops(post_ops);
    const memory_desc_t row = make_descriptor({1, 3}, dnnl_f32, "ab");
    arguments_t arguments;
    const auto store = [](tensor_t &tensor, const std::vector<double> &values) {
        tensor.store_row(0, values.data());
    };
    store(arguments.add(DNNL_ARG_FROM, arguments_t::role_t::input, row.get()), {-4, 2, 6});
    for (const size_t index : {0, 1})
        store(arguments.add(operand_argument(index), arguments_t::role_t::input, row.get()),
                {1, 2, 3});
    store(arguments.add_updated(DNNL_ARG_TO, row.get()), {10, 20, 30});
    engine_t engine;
    require_success(dnnl_engine_create(engine.out(), dnnl_cpu, 0), "engine");
    arguments.seal(engine, true);
    store(arguments.at(DNNL_ARG_TO), dst);
    return reorder::compare(spec, attributes, arguments)[0].errors() == 0;
}

TEST(reorder_results, post_ops_come_between_the_scales_in_their_order) {
    EXPECT_TRUE(accepts("relu", {0, 4, 12}));
    EXPECT_FALSE(accepts("relu", {-8, 4, 12}));
    EXPECT_TRUE(accepts("add:f32:per_tensor", {-4, 12, 24}));
    EXPECT_TRUE(accepts("relu+mul:f32:per_tensor", {0, 8, 36}));
    EXPECT_TRUE(accepts("sum:0.5+relu", {12, 44, 72}));
    EXPECT_TRUE(accepts("relu+sum:0.5", {20, 44, 72}));
    EXPECT_FALSE(accepts("relu+sum:0.5", {12, 44, 72}));
}

class corrupted_reorder : public testing::TestWithParam<words_t> {
protected:
    executed_problem_t executed{reorder_of(GetParam())};
    tensor_t &dst = executed.arguments.at(DNNL_ARG_TO);
    const dim_t count = dst.layout().elements();

    // The first element from `at` on that is neither zero nor the type's limit.
    dim_t ordinary(dim_t at) const {
        while (dst.load(at) == 0 || !(std::fabs(dst.load(at)) < 100)) ++at;
        return at;
    }
    void replace(dim_t index, double value) {
        dst.store(index, value);
        ASSERT_EQ(executed.verdict(), verdict_t::failed) << "element " << index;
    }
};

TEST_P(corrupted_reorder, untouched_passes) {
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    EXPECT_EQ(executed.arguments.damage(), "");
}

TEST_P(corrupted_reorder, the_next_value_of_the_type_fails) {
    const dim_t at = ordinary(count / 2);
    const dnnl_data_type_t type = dst.layout().data_type();
    const double value = dst.load(at);
    // Twice the step from 1 on is the next value, or the one after it, for all types. With
    // attributes f32's roundings are allowed.
    const double step = is_integer_type(type)
                                ? 1
                                : std::ldexp(1, std::ilogb(value) + 5 - significand_digits(type));
    replace(at, value + step);
}

TEST_P(corrupted_reorder, nan_fails) {
    if (!is_integer_type(dst.layout().data_type())) replace(ordinary(1), nan);
}

TEST_P(corrupted_reorder, an_unwritten_element_fails) {
    const dim_t at = ordinary(5);
    tensor_t garbage = dst.copy();
    garbage.spoil();
    replace(at, garbage.load(at));
}

TEST_P(corrupted_reorder, elements_shifted_by_one_fail) {
    for (dim_t i = 0; i + 1 < count; ++i) dst.store(i, dst.load(i + 1));
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST_P(corrupted_reorder, blocks_swapped_fail) {
    for (const dim_t size : {4, 8, 16, 64}) {
        const tensor_t right = dst.copy();
        for (dim_t i = 0; i < size; ++i) {
            dst.store(i, right.load(size + i));
            dst.store(size + i, right.load(i));
        }
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << size;
        for (dim_t i = 0; i < 2 * size; ++i) dst.store(i, right.load(i));
    }
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
}

TEST_P(corrupted_reorder, a_block_repeated_fails) {
    for (dim_t i = 0; i < 16; ++i) dst.store(count / 2 + i, dst.load(i));
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

const std::vector<words_t> cases = {
        {"--stag=abx", "--dtag=xba", "3x20x30"},
        {"--sdt=f32", "--ddt=bf16", "--dtag=axb", "3x20x30"},
        {"--sdt=bf16", "--ddt=f32", "--stag=aBx16b", "3x20x30"},
        {"--sdt=f16", "--ddt=f64", "--dtag=aBx8b", "3x20x30"},
        {"--sdt=f32", "--ddt=s8", "--dtag=aBx16b", "3x20x30"},
        {"--sdt=s32", "--ddt=f32", "--stag=axb", "3x20x30"},
        {"--sdt=s8", "--ddt=u8", "--dtag=axb", "3x20x30"},
        {"--sdt=f32", "--ddt=f8_e4m3", "--dtag=aBx16b", "3x20x30"},
        {"--sdt=f8_e5m2", "--ddt=bf16", "3x20x30"},
        {"--sdt=f32", "--ddt=s8", "--attr-scales=src:common:0.5+dst:common:2", "3x20x30"},
        {"--sdt=f32", "--ddt=f32", "--attr-scales=src:per_dim_1", "--dtag=axb", "3x20x30"},
        {"--sdt=u8", "--ddt=f32", "--attr-zero-points=src:per_dim_1", "3x20x30"},
        {"--sdt=f32", "--ddt=s8", "--attr-post-ops=sum:0.5", "--dtag=aBx16b", "3x20x30"},
        {"--sdt=s8", "--ddt=s8", "--attr-scales=src:common:0.5", "--inplace=true", "3x20x30"},
        {"--strides=700x33x1:,:1x3x60", "--match=.*700x33x1:.*", "3x20x30"},
};

INSTANTIATE_TEST_SUITE_P(reorder, corrupted_reorder, testing::ValuesIn(cases));

TEST(corrupted_zero, of_the_wrong_sign_fails) {
    executed_problem_t executed(reorder_of({"--ddt=bf16", "30x30"}));
    tensor_t &dst = executed.arguments.at(DNNL_ARG_TO);
    dim_t at = 0;
    while (dst.load(at) != 0 || !std::signbit(dst.load(at))) ++at;
    dst.store(at, 0.);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(corrupted_nan, that_became_a_number_fails) {
    executed_problem_t executed(reorder_of({"--ddt=f8_e4m3", "30x30"}));
    tensor_t &dst = executed.arguments.at(DNNL_ARG_TO);
    dim_t at = 0;
    while (!std::isnan(dst.load(at))) ++at;
    dst.store(at, 448);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(memory_of_a_reorder, padding_that_is_not_zero_is_damage) {
    for (const char *post_ops : {"--attr-post-ops=", "--attr-post-ops=sum:0.5"}) {
        executed_problem_t executed(reorder_of({"--dtag=aBx8b", post_ops, "3x5x7"}));
        ASSERT_EQ(executed.arguments.damage(), "");
        executed.arguments.at(DNNL_ARG_TO).data()[4 * 5] = 1;
        EXPECT_NE(executed.arguments.damage().find("padding at offset 5"), std::string::npos);
    }
}

TEST(memory_of_a_reorder, a_written_gap_is_damage) {
    executed_problem_t executed(reorder_of({"--strides=:44x1", "16x32"}));
    ASSERT_EQ(executed.arguments.damage(), "");
    executed.arguments.at(DNNL_ARG_TO).data()[4 * 32] = 0;
    EXPECT_NE(executed.arguments.damage().find("dst: the gap at offset 32"), std::string::npos);
}

TEST(memory_of_a_reorder, a_written_src_is_damage) {
    executed_problem_t executed(reorder_of({"16x32"}));
    executed.arguments.at(DNNL_ARG_FROM).data()[17] ^= 1;
    EXPECT_EQ(executed.arguments.damage(), "src: an input was written");
}

constexpr dnnl_data_type_t all_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s32,
        dnnl_s8, dnnl_u8, dnnl_f8_e5m2, dnnl_f8_e4m3};

TEST(reorder_values, of_every_pair_of_types_still_differ_in_dst) {
    for (const dnnl_data_type_t src : all_types)
        for (const dnnl_data_type_t dst : all_types) {
            const reorder::src_values_t values(src, dst, {}, 1000);
            std::set<double> kept;
            for (const double value : values.carriers())
                kept.insert(rounded_to(dst, rounded_to(src, value)));
            // u8 and f8_e5m2 have no more than 33 values in common.
            EXPECT_GE(kept.size(), 25u) << data_type_text(src) << " " << data_type_text(dst);
        }
}

TEST(reorder_values, hold_what_is_special) {
    const auto count = [](dnnl_data_type_t src, dnnl_data_type_t dst, auto &&is_wanted) {
        const reorder::src_values_t values(src, dst, {}, 3000);
        dim_t found = 0;
        for (dim_t i = 0; i < 3000; ++i) found += is_wanted(values(i));
        return found;
    };
    const auto is_nan = [](double x) { return std::isnan(x); };
    const auto is_negative_zero = [](double x) { return x == 0 && std::signbit(x); };
    const auto is_subnormal = [](double x) { return x != 0 && std::fabs(x) < 0x1p-126; };
    const auto is_tie = [](double x) { return std::fabs(x - std::trunc(x)) == 0.5; };
    EXPECT_GT(count(dnnl_f32, dnnl_bf16, is_nan), 0);
    EXPECT_GT(count(dnnl_f32, dnnl_bf16, is_negative_zero), 0);
    EXPECT_GT(count(dnnl_f32, dnnl_bf16, is_subnormal), 0);
    EXPECT_GT(count(dnnl_f32, dnnl_s8, is_tie), 100);
    EXPECT_GT(count(dnnl_f32, dnnl_s32, is_tie), 100);
    EXPECT_GT(count(dnnl_f32, dnnl_s8, [](double x) { return x == 127.5; }), 0);
    EXPECT_GT(count(dnnl_f32, dnnl_u8, [](double x) { return x == -0.5; }), 0);
    EXPECT_GT(count(dnnl_f32, dnnl_f16, [](double x) { return x == 65520; }), 0);
    EXPECT_GT(count(dnnl_s32, dnnl_f32, [](double x) { return x == 16777217; }), 0);
    EXPECT_EQ(count(dnnl_s32, dnnl_f32, is_nan), 0);
}

TEST(reorder_values, have_no_period_that_a_block_divides) {
    const reorder::src_values_t values(dnnl_s8, dnnl_s8, {}, dim_t(1) << 20);
    for (const dim_t distance : {4, 8, 16, 64, 251, 256, 1024, 4096, 65536}) {
        dim_t equal = 0;
        for (dim_t i = 0; i < 1000; ++i) equal += values(i) == values(i + distance);
        EXPECT_LT(equal, 50) << distance;
    }
}

TEST(reorder_values, are_tame_in_large_tensors) {
    const dim_t elements = dim_t(1) << 20;
    const reorder::src_values_t values(dnnl_f32, dnnl_s8, {}, elements);
    for (const double value : values.specials())
        EXPECT_TRUE(value == 0 || (std::fabs(value) >= 0x1p-20 && std::fabs(value) <= 0x1p31));
}

TEST(reorder_verdict, of_a_result_that_proves_nothing_is_mistrust) {
    executed_problem_t executed(
            reorder_of({"--sdt=s8", "--ddt=s8", "--attr-scales=src:common:1e-9", "30x30"}));
    EXPECT_EQ(executed.verdict(), verdict_t::mistrusted);
}

} // namespace

} // namespace benchdnn
