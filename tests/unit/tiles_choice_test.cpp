// SPDX-License-Identifier: Apache-2.0
// Which step multiplies which operands of a matrix product.
#include <gtest/gtest.h>

#include "cpu/x64/matmul/tiles_choice.hpp"

namespace kiln::x64::matmul {
namespace {

using matrix::step_t;

product_t product_of(data_type_t a, data_type_t b, kind_t kind, dim_t m) {
    const dim_t n = 64, k = 256;
    return {.isa = isa_t::avx512_core_bf16,
            .kind = kind,
            .m = m,
            .n = n,
            .k = k,
            .a = {a, k, 1},
            .b = {b, n, 1}};
}

product_t with_chosen_layout(product_t product) {
    product.is_any = true;
    product.b = {product.b.type};
    return product;
}

TEST(tiles_choice, takes_pairs_of_bf16_unless_they_are_slow) {
    for (const bool are_slow : {false, true}) {
        const step_t expected = are_slow ? step_t::f32 : step_t::bf16;
        product_t product = product_of(dnnl_bf16, dnnl_bf16, floats, 100);
        product.has_slow_pairs = are_slow;
        EXPECT_EQ(choose(product)->step, expected);
        EXPECT_EQ(choose(with_chosen_layout(product))->step, expected);

        product_t rounded = product_of(dnnl_f32, dnnl_f32, floats, 100);
        rounded.may_round = true;
        rounded.has_slow_pairs = are_slow;
        EXPECT_EQ(choose(rounded)->step, expected);
    }
}

/// Another machine has chosen the layout.
TEST(tiles_choice, takes_slow_pairs_where_weights_lie_in_pairs) {
    product_t product = with_chosen_layout(product_of(dnnl_bf16, dnnl_bf16, floats, 100));
    product.is_any = false;
    product.depth = matrix::depth_of(step_t::bf16);
    product.has_slow_pairs = true;
    ASSERT_TRUE(choose(product));
    EXPECT_EQ(choose(product)->step, step_t::bf16);
    EXPECT_EQ(choose(product)->b, b_way_t::weights);
}

TEST(tiles_choice, amx_gets_pairs_from_weights_of_other_types) {
    const dim_t many_rows = 100;
    const auto way_of = [](product_t product, int depth) {
        product.isa = isa_t::avx512_core_amx;
        product.has_slow_pairs = true;
        product.b = {product.b.type};
        product.depth = depth;
        return choose(product)->b;
    };
    product_t f32 = product_of(dnnl_f32, dnnl_f32, floats, many_rows);
    EXPECT_EQ(way_of(f32, 1), b_way_t::weights);
    f32.may_round = true;
    EXPECT_EQ(way_of(f32, 1), b_way_t::converted);
    f32.has_groups = true;
    EXPECT_EQ(way_of(f32, 1), b_way_t::weights);
    f32.has_groups = false;
    f32.m = 1;
    EXPECT_EQ(way_of(f32, 1), b_way_t::weights);

    product_t bytes_of_weights = product_of(dnnl_bf16, dnnl_s8, compressed, many_rows);
    EXPECT_EQ(way_of(bytes_of_weights, 4), b_way_t::converted);
    EXPECT_EQ(way_of(bytes_of_weights, 1), b_way_t::weights);
    bytes_of_weights.is_exact_in_bf16 = false;
    EXPECT_EQ(way_of(bytes_of_weights, 4), b_way_t::weights);
    bytes_of_weights.may_round = true;
    EXPECT_EQ(way_of(bytes_of_weights, 4), b_way_t::converted);
    bytes_of_weights.a.type = dnnl_f16;
    EXPECT_EQ(way_of(bytes_of_weights, 4), b_way_t::weights);
}

TEST(tiles_choice, few_rows_by_columns_of_bytes_are_scalar_products_at_every_level) {
    const auto chosen = [](isa_t isa, dim_t m, dim_t k) {
        product_t product = product_of(dnnl_u8, dnnl_s8, bytes, m);
        product.isa = isa;
        product.k = k;
        product.b = {dnnl_s8, 1, k};
        return *choose(product);
    };
    const auto is_dots = [](const choice_t &choice, step_t step) {
        return choice.b == b_way_t::dots && choice.step == step;
    };
    constexpr dim_t long_k = 1024, short_k = 8;
    EXPECT_TRUE(is_dots(chosen(isa_t::avx512_core_vnni, 4, long_k), step_t::u8s8));
    EXPECT_EQ(chosen(isa_t::avx512_core_vnni, 5, long_k).b, b_way_t::packed);
    for (const isa_t isa : {isa_t::avx2, isa_t::avx512_core}) {
        for (const dim_t m : {1, 4, 5, 24})
            EXPECT_TRUE(is_dots(chosen(isa, m, long_k), step_t::s16)) << m;
        EXPECT_EQ(chosen(isa, 25, long_k).b, b_way_t::packed);
        EXPECT_EQ(chosen(isa, 24, short_k).b, b_way_t::packed);
    }
}

TEST(tiles_choice, amx_gets_bytes_from_half_bytes) {
    product_t product = product_of(dnnl_u8, dnnl_s4, half_bytes, 100);
    product.isa = isa_t::avx512_core_amx;
    product.b = {product.b.type};
    product.depth = 8;
    const auto way_of = [&](dim_t group, bool has_scales) {
        product.group = group;
        product.has_groups = has_scales;
        product.has_group_scales = has_scales;
        return choose(product)->b;
    };
    EXPECT_EQ(way_of(0, false), b_way_t::converted);
    EXPECT_EQ(way_of(64, true), b_way_t::converted);
    EXPECT_EQ(way_of(64, false), b_way_t::weights);
    EXPECT_EQ(way_of(32, true), b_way_t::weights);
    product.m = 8;
    EXPECT_EQ(way_of(0, false), b_way_t::weights);
}

/// One layout of weights serves all of them.
TEST(tiles_choice, compressed_integers_become_digits_or_floats_where_pairs_are_slow) {
    struct steps_t {
        data_type_t b;
        step_t by_digits, by_floats;
    };
    for (const auto &[b, by_digits, by_floats] : {steps_t{dnnl_u4, step_t::digits8, step_t::f32x8},
                 {dnnl_s8, step_t::digits4, step_t::f32x4}})
        for (const dim_t m : {1, 32, 33, 100}) {
            product_t product = product_of(dnnl_bf16, b, compressed, m);
            if (b == dnnl_u4) {
                EXPECT_EQ(choose(with_chosen_layout(product))->step, step_t::bf16x8);
            }
            product.has_slow_pairs = true;
            EXPECT_EQ(choose(with_chosen_layout(product))->step, m <= 32 ? by_digits : by_floats);
            product.is_strict = true;
            EXPECT_EQ(choose(with_chosen_layout(product))->step, by_floats);
            EXPECT_EQ(matrix::depth_of(by_digits), matrix::depth_of(by_floats));
        }
    EXPECT_EQ(matrix::depth_of(step_t::f32x8), matrix::depth_of(step_t::bf16x8));
}

TEST(tiles_choice, amx_converts_weights_step_by_step_for_some_rows) {
    const auto is_by_steps = [](data_type_t a, data_type_t b, dim_t m, dim_t n, dim_t k) {
        product_t product = product_of(a, b, compressed, m);
        product.isa = isa_t::avx512_core_amx;
        product.n = n;
        product.k = k;
        product.b = {b};
        product.depth = is_half_byte(b) ? 8 : 4;
        product.has_step_groups = true;
        return choose(product)->b == b_way_t::by_steps;
    };
    struct limits_t {
        data_type_t a, b;
        dim_t n, k, least, most; // rows; most 0: any number
    };
    for (const auto &[a, b, n, k, least, most] : {limits_t{dnnl_bf16, dnnl_u4, 64, 256, 1, 16},
                 {dnnl_bf16, dnnl_u4, 128, 256, 1, 32}, {dnnl_bf16, dnnl_u4, 4096, 4096, 1, 128},
                 {dnnl_bf16, dnnl_s8, 128, 256, 4, 32}, {dnnl_bf16, dnnl_s8, 4096, 4096, 1, 32},
                 {dnnl_f16, dnnl_u4, 64, 256, 8, 0}, {dnnl_f16, dnnl_u4, 512, 512, 2, 0},
                 {dnnl_f16, dnnl_s8, 512, 512, 4, 0}, {dnnl_f16, dnnl_s8, 4096, 4096, 1, 0}}) {
        EXPECT_TRUE(is_by_steps(a, b, least, n, k));
        if (least > 1) {
            EXPECT_FALSE(is_by_steps(a, b, least - 1, n, k)) << least;
        }
        EXPECT_TRUE(is_by_steps(a, b, most == 0 ? 10000 : most, n, k));
        if (most != 0) {
            EXPECT_FALSE(is_by_steps(a, b, most + 1, n, k)) << most;
        }
    }
    EXPECT_FALSE(is_by_steps(dnnl_f32, dnnl_u4, 8, 64, 256)) << "f32 would be rounded";
    EXPECT_FALSE(is_by_steps(dnnl_bf16, dnnl_u4, 8, 32, 256)) << "few columns";
    EXPECT_FALSE(is_by_steps(dnnl_bf16, dnnl_u4, 8, 64, 96)) << "few steps";
}

TEST(tiles_choice, amx_multiplies_elements_as_sums_of_two_terms) {
    product_t product = product_of(dnnl_f16, dnnl_f16, floats, 100);
    product.isa = isa_t::avx512_core_amx;
    EXPECT_EQ(choose(product)->step, step_t::f32);
    product.may_split = true;
    EXPECT_EQ(choose(product)->step, step_t::split);
    EXPECT_EQ(choose(product)->b, b_way_t::packed);
    product_t in_panels = product;
    in_panels.b = {dnnl_f16};
    in_panels.depth = 1;
    EXPECT_EQ(choose(in_panels)->step, step_t::split);
    EXPECT_EQ(choose(in_panels)->b, b_way_t::converted);
    product.has_groups = true;
    EXPECT_EQ(choose(product)->step, step_t::f32);
    product.has_groups = false;
    product.m = 16;
    EXPECT_EQ(choose(product)->step, step_t::f32);
}

} // namespace
} // namespace kiln::x64::matmul
