// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization forward on rows, on every ISA the machine has, between unmapped pages,
// against arithmetic in double.
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/row_forward_check.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

constexpr dim_t row_lengths[]{
        1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 128, 129, 255, 768, 1031};
constexpr dim_t row_counts[]{1, 2, 3, 4, 5, 7, 9};
constexpr data_type_t data_types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
constexpr data_type_t weight_types[]{dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr placement_t placements[]{placement_t::ends_at_guard, placement_t::begins_at_guard};

// ---- Right results, and no byte beside them

TEST(row_forward_kernel, every_number_of_rows_of_every_length) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const bool is_rms : {false, true})
                    for (const placement_t placement : placements) {
                        forward_case_t tested;
                        tested.isa = isa;
                        tested.rows = rows;
                        tested.cols = cols;
                        tested.is_rms = is_rms;
                        tested.scale_type = tested.shift_type = dnnl_f32;
                        tested.placement = placement;
                        if (placement == placement_t::ends_at_guard) tested.rows_unit = rows;
                        ASSERT_TRUE(rows_are_right(tested));
                    }
}

/// A case of these types with everything else drawn.
class draw_t {
public:
    forward_case_t operator()(data_type_t src_type, data_type_t dst_type) {
        forward_case_t tested;
        tested.src_type = src_type;
        tested.dst_type = dst_type;
        tested.rows = row_counts[below(std::size(row_counts))];
        tested.scale_type = weight_types[below(std::size(weight_types))];
        tested.shift_type = weight_types[below(std::size(weight_types))];
        tested.statistics = static_cast<statistics_t>(below(3));
        tested.is_rms = below(2);
        tested.has_src_scale = below(2);
        tested.has_dst_scale = below(2);
        tested.is_streamed = below(2);
        tested.is_in_place = src_type == dst_type && below(3) == 0;
        tested.gap = static_cast<dim_t>(below(2) ? 0 : 1 + below(20));
        return tested;
    }

private:
    size_t below(size_t bound) { return engine_() % bound; }
    std::mt19937 engine_{3};
};

TEST(row_forward_kernel, every_mix_of_data_types_with_any_options) {
    draw_t draw;
    for (const dim_t cols : row_lengths)
        for (const data_type_t src_type : data_types)
            for (const data_type_t dst_type : data_types)
                for (const placement_t placement : placements) {
                    forward_case_t tested = draw(src_type, dst_type);
                    tested.cols = cols;
                    tested.placement = placement;
                    for (const isa_t isa : machine_levels()) {
                        tested.isa = isa;
                        ASSERT_TRUE(rows_are_right(tested));
                    }
                }
}

TEST(row_forward_kernel, nan_makes_all_results_of_its_row_nan_and_no_others) {
    draw_t draw;
    for (const data_type_t src_type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const data_type_t dst_type : data_types)
            for (const dim_t cols : row_lengths)
                for (const dim_t nan_col : {dim_t(0), cols / 2, cols - 1}) {
                    forward_case_t tested = draw(src_type, dst_type);
                    tested.cols = cols;
                    tested.nan_col = nan_col;
                    for (const isa_t isa : machine_levels()) {
                        tested.isa = isa;
                        ASSERT_TRUE(rows_are_right(tested));
                    }
                }
}

TEST(row_forward_kernel, registers_suffice_for_every_spec) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t src_type : data_types)
            for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16, dnnl_s8})
                for (const data_type_t weight_type : weight_types)
                    for (int options = 0; options < 48; ++options) {
                        forward_case_t tested;
                        tested.isa = isa;
                        tested.rows = 9;
                        tested.cols = 37;
                        tested.src_type = src_type;
                        tested.dst_type = dst_type;
                        tested.scale_type = tested.shift_type = weight_type;
                        tested.is_rms = options & 1;
                        tested.has_src_scale = options & 2;
                        tested.has_dst_scale = options & 4;
                        tested.is_streamed = options & 8;
                        tested.statistics = static_cast<statistics_t>(options / 16);
                        const forward_spec_t spec = tested.spec();
                        ASSERT_NO_THROW(row_forward_kernel_t(spec).finish()) << tested.describe();
                    }
}

// ---- The same bits in any row block

/// A value of a row that must not change the results of other rows.
enum class oddity_t { none, nan, outlier };

/// One value of the middle row is odd: the first, middle or last element, of which the kernel
/// chooses its K, or another one.
void spoil(forward_run_t &run, oddity_t oddity, dim_t col) {
    const double value = oddity == oddity_t::nan ? std::numeric_limits<double>::quiet_NaN() : 1e6;
    if (oddity != oddity_t::none) run.src.set(run.tested().rows / 2, col, value);
}

void expect_same_bits_in_any_block(const forward_case_t &tested, oddity_t oddity, dim_t col) {
    checked_forward_t together(tested);
    spoil(together.run(), oddity, col);
    together.run().run();
    for (const dim_t rows_of_call : {1, 2, 3, 5}) {
        checked_forward_t in_calls(tested);
        spoil(in_calls.run(), oddity, col);
        EXPECT_TRUE(have_same_bits(in_calls.run_in_calls(rows_of_call), together.run()))
                << "in calls of " << rows_of_call << ", column " << col << " odd";
    }
    // The odd row's neighbours are what they are beside a row of no oddity.
    checked_forward_t usual(tested);
    usual.run().run();
    EXPECT_TRUE(have_same_bits(usual.run(), together.run(), tested.rows / 2))
            << "column " << col << " odd";
}

TEST(row_forward_kernel, a_row_has_the_same_bits_in_any_block) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {1, 3, 45, 129, 768})
            for (const bool is_rms : {false, true})
                for (const bool is_streamed : {false, true}) {
                    forward_case_t tested;
                    tested.isa = isa;
                    tested.rows = 9;
                    tested.cols = cols;
                    tested.is_rms = is_rms;
                    tested.is_streamed = is_streamed;
                    tested.scale_type = tested.shift_type = dnnl_f32;
                    expect_same_bits_in_any_block(tested, oddity_t::none, 0);
                    for (const auto oddity : {oddity_t::nan, oddity_t::outlier})
                        for (const dim_t col : {dim_t(0), cols / 2, cols - 1, cols / 3})
                            expect_same_bits_in_any_block(tested, oddity, col);
                }
}

TEST(row_forward_kernel, non_temporal_stores_give_the_same_bits) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const dim_t cols : {16, 37, 129, 768}) {
                forward_case_t tested;
                tested.isa = isa;
                tested.rows = 5;
                tested.cols = cols;
                tested.dst_type = dst_type;
                tested.is_streamed = true;
                tested.placement = placement_t::begins_at_guard;
                checked_forward_t past(tested), through(tested);
                ASSERT_TRUE(past.run().has_non_temporal_dst()) << tested.describe();
                past.run().run();
                through.run().may_use_non_temporal_stores = false;
                through.run().run();
                EXPECT_TRUE(past.is_right());
                EXPECT_TRUE(have_same_bits(past.run(), through.run()));
            }
}

TEST(row_forward_kernel, the_place_of_operands_changes_no_bits) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : data_types)
            for (const dim_t cols : {5, 45, 129, 768}) {
                forward_case_t tested = draw(type, type);
                tested.isa = isa;
                tested.cols = cols;
                checked_forward_t at_end(tested);
                at_end.run().run();
                tested.placement = placement_t::begins_at_guard;
                checked_forward_t at_start(tested);
                at_start.run().run();
                EXPECT_TRUE(have_same_bits(at_end.run(), at_start.run()));
            }
}

// ---- Code that does not grow

TEST(row_forward_kernel, code_does_not_grow_with_the_row) {
    for (const isa_t isa : float_kernel_isas)
        for (const data_type_t type : data_types)
            for (const auto statistics : {statistics_t::computed_and_stored, statistics_t::computed,
                         statistics_t::given})
                for (const bool is_rms : {false, true})
                    for (const bool is_streamed : {false, true})
                        for (const dim_t rows : {1, 2, 1000}) {
                            forward_case_t tested;
                            tested.isa = isa;
                            tested.rows = rows;
                            tested.src_type = tested.dst_type = type;
                            tested.scale_type = tested.shift_type = dnnl_f32;
                            tested.statistics = statistics;
                            tested.is_rms = is_rms;
                            tested.is_streamed = is_streamed;
                            const auto size_of = [&](dim_t cols) {
                                tested.cols = cols;
                                return row_forward_kernel_t(tested.spec()).finish().size();
                            };
                            const size_t row = size_of(4096); // as many rows at once
                            EXPECT_LE(size_of(32768), row) << tested.describe();
                        }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
