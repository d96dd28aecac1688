// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization backward on rows, on every ISA the machine has, between unmapped pages,
// against arithmetic in double.
#include <random>

#include <gtest/gtest.h>

#include "kernels/machine_levels.hpp"
#include "kernels/row_backward_check.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

// ---- Right results, and no byte beside them

TEST(row_backward_kernel, every_number_of_rows_of_every_length) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const bool is_rms : {false, true})
                    for (const placement_t placement : placements) {
                        backward_case_t tested;
                        tested.isa = isa;
                        tested.rows = rows;
                        tested.cols = cols;
                        tested.is_rms = is_rms;
                        tested.scale_type = dnnl_f32;
                        tested.placement = placement;
                        if (placement == placement_t::ends_at_guard) tested.rows_unit = rows;
                        ASSERT_TRUE(gives_what_it_should(tested));
                    }
}

/// A case with everything but types and length drawn.
class draw_t {
public:
    backward_case_t operator()(data_type_t src, data_type_t diff_dst, data_type_t diff_src) {
        backward_case_t tested;
        tested.src_type = src;
        tested.diff_dst_type = diff_dst;
        tested.diff_src_type = diff_src;
        tested.rows = row_counts[below(std::size(row_counts))];
        tested.scale_type = weight_types[below(std::size(weight_types))];
        tested.is_rms = below(2);
        tested.stat_type = data_types[below(std::size(data_types))];
        tested.has_constant_statistics = below(3) == 0;
        const size_t outputs = 1 + below(7);
        tested.has_diff_src = outputs & 1;
        tested.has_diff_scale = outputs & 2;
        tested.has_diff_shift = outputs & 4;
        tested.is_streamed = below(2);
        tested.gap = static_cast<dim_t>(below(2) ? 0 : 1 + below(20));
        const size_t place = below(4);
        if (place == 0 && diff_src == src) tested.diff_src_place = place_t::of_src;
        if (place == 1 && diff_src == diff_dst) tested.diff_src_place = place_t::of_diff_dst;
        return tested;
    }

private:
    size_t below(size_t bound) { return engine_() % bound; }
    std::mt19937 engine_{3};
};

TEST(row_backward_kernel, nan_makes_its_row_and_its_columns_gradients_nan_and_no_others) {
    draw_t draw;
    for (const data_type_t type : data_types)
        for (const dim_t cols : row_lengths)
            for (const dim_t nan_col : {dim_t(0), cols / 2, cols - 1}) {
                backward_case_t tested = draw(type, type, dnnl_f32);
                tested.cols = cols;
                tested.nan_col = nan_col;
                for (const isa_t isa : machine_levels()) {
                    tested.isa = isa;
                    ASSERT_TRUE(gives_what_it_should(tested));
                }
            }
}

TEST(row_backward_kernel, statistics_of_its_own) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const bool is_rms : {false, true})
                    for (const data_type_t type : data_types)
                        for (const placement_t placement : placements) {
                            backward_case_t tested;
                            tested.isa = isa;
                            tested.rows = rows;
                            tested.cols = cols;
                            tested.is_rms = is_rms;
                            tested.recomputes_statistics = true;
                            tested.src_type = type;
                            tested.scale_type = dnnl_f32;
                            tested.is_streamed = rows % 2 == 0;
                            tested.gap = rows % 3;
                            tested.placement = placement;
                            ASSERT_TRUE(gives_what_it_should(tested));
                        }
}

TEST(row_backward_kernel, post_ops_on_diff_src) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const data_type_t type : data_types)
                    for (const auto &post_ops : post_op_chains(type))
                        // All options with every number of rows, two with each length.
                        for (unsigned options = cols % 4; options < 8; options += 4) {
                            backward_case_t tested;
                            tested.isa = isa;
                            tested.rows = rows;
                            tested.cols = cols;
                            tested.diff_src_type = type;
                            tested.post_ops = post_ops;
                            tested.is_rms = options & 1;
                            tested.recomputes_statistics = options & 2;
                            tested.is_streamed = options & 4;
                            tested.scale_type = dnnl_f32;
                            tested.gap = rows % 3;
                            tested.placement = placements[cols % 2];
                            ASSERT_TRUE(gives_what_it_should(tested));
                        }
}

TEST(row_backward_kernel, diff_src_may_take_the_place_of_what_is_added) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : row_lengths)
            for (const data_type_t type : data_types)
                for (const auto place :
                        {place_t::of_operand, place_t::of_diff_dst, place_t::of_src})
                    for (const bool recomputes : {false, true}) {
                        backward_case_t tested;
                        tested.isa = isa;
                        tested.rows = 5;
                        tested.cols = cols;
                        tested.src_type = tested.diff_dst_type = tested.diff_src_type = type;
                        tested.post_ops = post_op_chains(type).front();
                        tested.diff_src_place = place;
                        tested.recomputes_statistics = recomputes;
                        tested.gap = 3;
                        ASSERT_TRUE(gives_what_it_should(tested));
                    }
}

TEST(row_backward_kernel, every_mix_of_data_types_with_any_options) {
    draw_t draw;
    for (const dim_t cols : row_lengths)
        for (const data_type_t src_type : data_types)
            for (const data_type_t diff_dst_type : data_types)
                for (const data_type_t diff_src_type : data_types)
                    for (const placement_t placement : placements) {
                        auto tested = draw(src_type, diff_dst_type, diff_src_type);
                        tested.cols = cols;
                        tested.placement = placement;
                        for (const isa_t isa : machine_levels()) {
                            tested.isa = isa;
                            ASSERT_TRUE(gives_what_it_should(tested));
                        }
                    }
}

TEST(row_backward_kernel, every_subset_of_outputs) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {3, 33, 768})
            for (unsigned options = 0; options < 64; ++options) {
                backward_case_t tested;
                tested.isa = isa;
                tested.rows = 7;
                tested.cols = cols;
                tested.scale_type = dnnl_f32;
                tested.has_diff_src = options & 1;
                tested.has_diff_scale = options & 2;
                tested.has_diff_shift = options & 4;
                tested.is_rms = options & 8;
                tested.has_constant_statistics = options & 16;
                tested.is_streamed = options & 32;
                ASSERT_TRUE(gives_what_it_should(tested));
            }
}

TEST(row_backward_kernel, registers_suffice_for_every_spec) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t src_type : data_types)
            for (const data_type_t diff_src_type : data_types)
                for (const data_type_t scale_type : weight_types)
                    for (const dim_t cols : {37, 1000, 8195})
                        for (unsigned options = 0; options < 64; ++options) {
                            backward_case_t tested;
                            tested.isa = isa;
                            tested.rows = 9;
                            tested.cols = cols;
                            tested.src_type = src_type;
                            tested.diff_dst_type = diff_src_type;
                            tested.diff_src_type = diff_src_type;
                            tested.scale_type = scale_type;
                            tested.is_rms = options & 1;
                            tested.has_constant_statistics = options & 2;
                            tested.is_streamed = options & 4;
                            tested.has_diff_scale = tested.has_diff_shift = options & 8;
                            tested.recomputes_statistics = options & 16 && !(options & 2);
                            if (options & 32)
                                tested.post_ops = {{.alg = dnnl_eltwise_pow, .beta = 1.5f},
                                        {.alg = dnnl_eltwise_mish},
                                        {.alg = dnnl_binary_max,
                                                .operand_type = dnnl_f16,
                                                .per_lane = true}};
                            backward_spec_t spec = tested.spec();
                            if (options & 32) {
                                spec.post_ops.push_back({dnnl_binary_select, 0, 0,
                                        {{dnnl_bf16, true}, {dnnl_s8, false}}});
                                spec.operands.push_back({dnnl_bf16, 64});
                                spec.operands.push_back({dnnl_s8, 1});
                            }
                            ASSERT_NO_THROW(row_backward_kernel_t(spec).finish())
                                    << tested.describe();
                        }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
