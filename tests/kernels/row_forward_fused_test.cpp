// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization forward on rows where an operand is added to src, the sum is stored, or
// rows get scales of their own; on every ISA the machine has, between unmapped pages, against
// arithmetic in double.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/row_forward_check.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

using kiln::test::random_values_t;

constexpr dim_t row_lengths[]{1, 3, 7, 8, 15, 16, 17, 31, 100, 129, 768, 4099};
constexpr data_type_t float_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t int8_types[]{dnnl_s8, dnnl_u8};
constexpr placement_t placements[]{placement_t::ends_at_guard, placement_t::begins_at_guard};
constexpr auto none = dnnl_data_type_undef;

bool is_used(data_type_t type) { return type != none; }

// ---- Right results, and no byte beside them

/// Every subset of {an added operand, its sum, rows' scales, stored statistics, scale, shift,
/// post-ops}, but for a sum of nothing; with scales, y may be kept.
std::vector<forward_case_t> subsets() {
    std::vector<forward_case_t> all;
    for (unsigned bits = 0; bits < 512; ++bits) {
        const auto has = [&](int bit) { return (bits >> bit & 1) != 0; };
        if ((has(1) && !has(0)) || (has(8) && !has(2))) continue;
        forward_case_t tested;
        if (has(0)) tested.src_1_type = dnnl_f32;
        if (has(1)) tested.sum_type = dnnl_f32;
        if (has(2)) tested.row_scale_type = dnnl_f32;
        if (has(2)) tested.dst_type = dnnl_s8;
        tested.keeps_results = has(2) && has(8);
        tested.statistics = has(3) ? statistics_t::computed_and_stored : statistics_t::computed;
        if (has(4)) tested.scale_type = dnnl_f32;
        if (has(5)) tested.shift_type = dnnl_f32;
        if (has(6)) tested.post_ops = {{dnnl_eltwise_relu}};
        tested.is_rms = has(7);
        all.push_back(tested);
    }
    return all;
}

TEST(row_forward_fused, every_subset_of_operands_on_every_length) {
    for (forward_case_t tested : subsets())
        for (const isa_t isa : machine_levels())
            for (const dim_t cols : row_lengths) {
                tested.isa = isa;
                tested.cols = cols;
                tested.rows = cols > 1000 ? 3 : 7;
                ASSERT_TRUE(rows_are_right(tested));
            }
}

class draw_t {
public:
    /// A case of these types with everything else drawn.
    forward_case_t operator()(data_type_t src_type, data_type_t src_1_type, data_type_t sum_type,
            data_type_t dst_type) {
        forward_case_t tested;
        tested.src_type = src_type;
        tested.src_1_type = src_1_type;
        tested.sum_type = sum_type;
        tested.dst_type = dst_type;
        tested.rows = static_cast<dim_t>(1 + below(9));
        tested.stat_type = float_types[below(3)];
        if (below(2)) tested.scale_type = float_types[below(3)];
        if (below(2)) tested.shift_type = float_types[below(3)];
        tested.statistics = static_cast<statistics_t>(below(3));
        tested.is_rms = below(2);
        tested.is_streamed = below(2);
        tested.keeps_results = below(2);
        if (kiln::test::is_integer(dst_type) && below(4))
            tested.row_scale_type = float_types[below(3)];
        else
            tested.has_dst_scale = kiln::test::is_integer(dst_type);
        tested.gap = static_cast<dim_t>(below(2) ? 0 : 1 + below(20));
        choose_places(tested);
        return tested;
    }

    size_t below(size_t bound) { return engine_() % bound; }

private:
    void choose_places(forward_case_t &tested) {
        const bool can_be_src = tested.sum_type == tested.src_type;
        const bool can_be_src_1 = tested.sum_type == tested.src_1_type;
        if (is_used(tested.sum_type)) {
            if (can_be_src && below(3) == 0) tested.sum_place = sum_place_t::of_src;
            if (can_be_src_1 && below(3) == 0) tested.sum_place = sum_place_t::of_src_1;
        }
        tested.is_in_place = tested.src_type == tested.dst_type
                             && tested.sum_place != sum_place_t::of_src && below(3) == 0;
    }

    std::mt19937 engine_{5};
};

TEST(row_forward_fused, every_mix_of_data_types_with_any_options) {
    draw_t draw;
    for (const data_type_t src_type : float_types)
        for (const data_type_t src_1_type : float_types)
            for (const data_type_t sum_type : {none, dnnl_f32, dnnl_bf16, dnnl_f16})
                for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8})
                    for (const placement_t placement : placements) {
                        forward_case_t tested = draw(src_type, src_1_type, sum_type, dst_type);
                        tested.cols = row_lengths[draw.below(std::size(row_lengths))];
                        tested.placement = placement;
                        for (const isa_t isa : machine_levels()) {
                            tested.isa = isa;
                            ASSERT_TRUE(rows_are_right(tested));
                        }
                    }
}

TEST(row_forward_fused, statistics_are_given_in_narrow_types) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : float_types)
            for (const dim_t rows : {1, 2, 4, 7}) {
                forward_case_t tested;
                tested.isa = isa;
                tested.rows = rows;
                tested.cols = 33;
                tested.stat_type = type;
                tested.statistics = statistics_t::given;
                forward_run_t run(tested);
                for (dim_t row = 0; row < rows; ++row) {
                    run.mean.set(row, 0, static_cast<double>(row));
                    run.variance.set(row, 0, 4);
                    for (dim_t col = 0; col < 33; ++col)
                        run.src.set(row, col, static_cast<double>(row + 2 * col));
                }
                run.run();
                for (dim_t row = 0; row < rows; ++row)
                    for (dim_t col = 0; col < 33; ++col)
                        ASSERT_NEAR(run.dst().get(row, col), static_cast<double>(col), 1e-3);
            }
}

TEST(row_forward_fused, registers_suffice_for_every_spec) {
    draw_t draw;
    // Takes as many registers as any: exponentials of two kinds.
    const std::vector<jit::post_op_link_t> heavy{{dnnl_eltwise_gelu_erf}, {dnnl_eltwise_mish}};
    for (const isa_t isa : machine_levels())
        for (int i = 0; i < 400; ++i) {
            forward_case_t tested = draw(float_types[draw.below(3)], float_types[draw.below(3)],
                    float_types[draw.below(3)], int8_types[draw.below(2)]);
            tested.isa = isa;
            tested.cols = 37;
            tested.post_ops = heavy;
            ASSERT_NO_THROW(row_forward_kernel_t(tested.spec()).finish()) << tested.describe();
        }
}

// ---- Scales of odd rows

forward_case_t quantized(isa_t isa) {
    forward_case_t tested;
    tested.isa = isa;
    tested.rows = 5;
    tested.cols = 45;
    tested.dst_type = dnnl_s8;
    tested.row_scale_type = dnnl_f32;
    return tested;
}

TEST(row_forward_fused, a_row_of_zeros_has_the_scale_zero_and_stays_zero) {
    for (const isa_t isa : machine_levels()) {
        forward_run_t run(quantized(isa));
        fill(run.src, dnnl_f32, std::vector<double>(5 * 45, 3.));
        fill(run.row_factor, dnnl_f32, {row_scale_factor});
        run.run();
        for (dim_t row = 0; row < 5; ++row) {
            EXPECT_EQ(run.row_scale.get(row, 0), 0);
            for (dim_t col = 0; col < 45; ++col) ASSERT_EQ(run.dst().get(row, col), 0);
        }
    }
}

TEST(row_forward_fused, nan_in_a_row_makes_its_scale_nan_and_the_row_zero) {
    for (const isa_t isa : machine_levels())
        for (const dim_t col : {0, 15, 44}) {
            forward_case_t tested = quantized(isa);
            tested.shift_type = dnnl_f32; // through which a single y is NaN
            forward_run_t run(tested);
            random_values_t random(3);
            fill(run.src, dnnl_f32, random.many(5 * 45, -1, 1));
            fill(run.shift, dnnl_f32, random.many(45, -1, 1));
            fill(run.row_factor, dnnl_f32, {row_scale_factor});
            run.shift.set(0, col, std::numeric_limits<double>::quiet_NaN());
            run.run();
            for (dim_t row = 0; row < 5; ++row) {
                EXPECT_TRUE(std::isnan(run.row_scale.get(row, 0)));
                for (dim_t at = 0; at < 45; ++at) ASSERT_EQ(run.dst().get(row, at), 0);
            }
        }
}

TEST(row_forward_fused, infinity_in_a_row_makes_the_others_zero) {
    for (const isa_t isa : machine_levels()) {
        forward_case_t tested = quantized(isa);
        tested.shift_type = dnnl_f32;
        forward_run_t run(tested);
        random_values_t random(3);
        fill(run.src, dnnl_f32, random.many(5 * 45, -1, 1));
        fill(run.shift, dnnl_f32, random.many(45, -1, 1));
        fill(run.row_factor, dnnl_f32, {row_scale_factor});
        run.shift.set(0, 7, -std::numeric_limits<double>::infinity());
        run.run();
        for (dim_t row = 0; row < 5; ++row) {
            EXPECT_EQ(run.row_scale.get(row, 0), std::numeric_limits<double>::infinity());
            for (dim_t at = 0; at < 45; ++at) ASSERT_EQ(run.dst().get(row, at), 0);
        }
    }
}

TEST(row_forward_fused, subnormal_scales_divide_as_others_do) {
    for (const isa_t isa : machine_levels()) {
        forward_case_t tested = quantized(isa);
        tested.is_rms = true;
        tested.epsilon = 1;
        forward_run_t run(tested);
        for (dim_t row = 0; row < 5; ++row)
            for (dim_t col = 0; col < 45; ++col)
                run.src.set(row, col, std::ldexp(static_cast<double>(col - 22), -140));
        fill(run.row_factor, dnnl_f32, {1. / 22});
        run.run();
        for (dim_t row = 0; row < 5; ++row)
            for (dim_t col = 0; col < 45; ++col)
                ASSERT_EQ(run.dst().get(row, col), static_cast<double>(col - 22));
    }
}

// ---- The same bits in any row block, at any address, by either kind of store

TEST(row_forward_fused, a_row_has_the_same_bits_in_any_block) {
    for (forward_case_t tested : subsets())
        for (const isa_t isa : machine_levels())
            for (const dim_t cols : {3, 45, 129}) {
                tested.isa = isa;
                tested.cols = cols;
                tested.rows = 9;
                checked_forward_t together(tested);
                together.run().run();
                for (const dim_t rows_of_call : {1, 2, 3, 7}) {
                    checked_forward_t in_calls(tested);
                    ASSERT_TRUE(have_same_bits(in_calls.run_in_calls(rows_of_call), together.run()))
                            << "in calls of " << rows_of_call;
                }
            }
}

TEST(row_forward_fused, non_temporal_stores_give_the_same_bits) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : float_types)
            for (const data_type_t dst_type : {type, dnnl_s8})
                for (const dim_t cols : {16, 37, 129, 768}) {
                    forward_case_t tested;
                    tested.isa = isa;
                    tested.rows = 5;
                    tested.cols = cols;
                    tested.src_type = tested.src_1_type = tested.sum_type = type;
                    tested.dst_type = dst_type;
                    if (dst_type == dnnl_s8) tested.row_scale_type = dnnl_f32;
                    tested.is_streamed = true;
                    tested.placement = placement_t::begins_at_guard;
                    checked_forward_t past(tested), through(tested);
                    ASSERT_TRUE(past.run().has_non_temporal_sum()) << tested.describe();
                    past.run().run();
                    through.run().may_use_non_temporal_stores = false;
                    through.run().run();
                    EXPECT_TRUE(past.is_right());
                    EXPECT_TRUE(have_same_bits(past.run(), through.run()));
                }
}

TEST(row_forward_fused, a_sum_in_its_operands_place_has_the_same_bits) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : float_types)
            for (const dim_t cols : {1, 7, 45, 768})
                for (const bool is_rms : {false, true})
                    for (const auto place : {sum_place_t::of_src, sum_place_t::of_src_1}) {
                        forward_case_t tested;
                        tested.isa = isa;
                        tested.rows = 7;
                        tested.cols = cols;
                        tested.is_rms = is_rms;
                        tested.src_type = tested.src_1_type = tested.sum_type = type;
                        checked_forward_t apart(tested);
                        apart.run().run();
                        tested.sum_place = place;
                        checked_forward_t in_place(tested);
                        in_place.run().run();
                        EXPECT_TRUE(in_place.is_right());
                        ASSERT_TRUE(have_same_bits(in_place.run(), apart.run()));
                    }
}

// ---- Code that does not grow

TEST(row_forward_fused, code_does_not_grow_with_the_row) {
    for (forward_case_t tested : subsets())
        for (const isa_t isa : float_kernel_isas)
            for (const bool is_streamed : {false, true})
                for (const dim_t rows : {1, 1000}) {
                    tested.isa = isa;
                    tested.rows = rows;
                    tested.is_streamed = is_streamed;
                    const auto size_of = [&](dim_t cols) {
                        tested.cols = cols;
                        return row_forward_kernel_t(tested.spec()).finish().size();
                    };
                    const size_t row = size_of(4096); // as many rows at once
                    ASSERT_LE(size_of(32768), row) << tested.describe();
                }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
