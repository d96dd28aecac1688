// SPDX-License-Identifier: Apache-2.0
// Kernels of layer normalization on columns, on every ISA the machine has, between unmapped pages,
// against arithmetic in double.
#include <random>

#include <gtest/gtest.h>

#include "kernels/column_run.hpp"
#include "kernels/machine_levels.hpp"
#include "support/data_type.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

constexpr dim_t step_counts[]{1, 2, 7, 16, 17, 33, 300};
/// Tiles of every width on every ISA, whole and with a partial vector.
constexpr dim_t column_counts[]{1, 3, 8, 15, 16, 17, 32, 33, 64, 77, 80, 131, 200};
constexpr data_type_t forward_types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
constexpr data_type_t backward_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t weight_types[]{dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr placement_t placements[]{placement_t::ends_at_guard, placement_t::begins_at_guard};

TEST(column_forward_kernel, every_number_of_steps_and_columns) {
    for (const isa_t isa : machine_levels())
        for (const dim_t steps : step_counts)
            for (const dim_t columns : column_counts)
                for (const placement_t placement : placements)
                    ASSERT_TRUE(forward_is_right({.isa = isa,
                            .steps = steps,
                            .columns = columns,
                            .scale_type = dnnl_f32,
                            .shift_type = dnnl_f32,
                            .is_rms = (steps + columns) % 3 == 0,
                            .gap = columns % 5,
                            .placement = placement}));
}

TEST(column_backward_kernel, every_number_of_steps_and_columns) {
    for (const isa_t isa : machine_levels())
        for (const dim_t steps : step_counts)
            for (const dim_t columns : column_counts)
                for (const placement_t placement : placements)
                    ASSERT_TRUE(backward_is_right({.isa = isa,
                            .steps = steps,
                            .columns = columns,
                            .scale_type = dnnl_f32,
                            .is_rms = (steps + columns) % 3 == 0,
                            .gap = columns % 5,
                            .placement = placement}));
}

TEST(column_forward_kernel, nan_spoils_its_own_column_only) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : forward_types)
            for (const dim_t columns : {7, 33, 131})
                for (const dim_t nan_column : {dim_t(0), columns / 2, columns - 1})
                    ASSERT_TRUE(forward_is_right({.isa = isa,
                            .steps = 17,
                            .columns = columns,
                            .dst_type = type,
                            .scale_type = dnnl_f32,
                            .nan_column = nan_column}));
}

TEST(column_backward_kernel, nan_spoils_its_own_column_and_step_only) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : backward_types)
            for (const dim_t columns : {7, 33, 131})
                for (const dim_t nan_column : {dim_t(0), columns / 2, columns - 1})
                    ASSERT_TRUE(backward_is_right({.isa = isa,
                            .steps = 17,
                            .columns = columns,
                            .dst_type = type,
                            .scale_type = dnnl_f32,
                            .nan_column = nan_column}));
}

/// Everything but the types is drawn.
class draw_t {
public:
    column_case_t operator()(data_type_t src_type, data_type_t dst_type) {
        column_case_t tested;
        tested.src_type = src_type;
        tested.dst_type = dst_type;
        tested.steps = step_counts[below(std::size(step_counts))];
        tested.columns = column_counts[below(std::size(column_counts))];
        tested.diff_dst_type = backward_types[below(std::size(backward_types))];
        tested.stat_type = backward_types[below(std::size(backward_types))];
        tested.scale_type = weight_types[below(std::size(weight_types))];
        tested.shift_type = weight_types[below(std::size(weight_types))];
        tested.is_rms = below(2);
        tested.gap = static_cast<dim_t>(below(20));
        tested.non_temporal = below(2) && kiln::test::size_of(dst_type) > 1;
        // Non-temporal stores want the first step aligned, which a page's beginning is.
        tested.placement =
                tested.non_temporal ? placement_t::begins_at_guard : placements[below(2)];
        tested.seed = below(1000);
        tested.statistics = static_cast<statistics_t>(below(3));
        tested.has_src_scale = below(2);
        tested.has_dst_scale = below(2);
        tested.has_post_ops = below(2);
        tested.has_constant_statistics = below(2);
        tested.has_weight_gradients = below(2);
        tested.wants_diff_src = below(4) != 0;
        return tested;
    }
    dim_t tiles_per_call() { return static_cast<dim_t>(below(3)); }

private:
    size_t below(size_t bound) { return engine_() % bound; }
    std::mt19937 engine_{5};
};

TEST(column_forward_kernel, every_mix_of_data_types_with_any_options) {
    draw_t draw;
    for (int repetition = 0; repetition < 12; ++repetition)
        for (const data_type_t src_type : forward_types)
            for (const data_type_t dst_type : forward_types) {
                column_case_t tested = draw(src_type, dst_type);
                const dim_t tiles_per_call = draw.tiles_per_call();
                for (const isa_t isa : machine_levels()) {
                    tested.isa = isa;
                    ASSERT_TRUE(forward_is_right(tested, tiles_per_call));
                }
            }
}

TEST(column_backward_kernel, every_mix_of_data_types_with_any_options) {
    draw_t draw;
    for (int repetition = 0; repetition < 30; ++repetition)
        for (const data_type_t src_type : backward_types)
            for (const data_type_t diff_src_type : backward_types) {
                column_case_t tested = draw(src_type, diff_src_type);
                const dim_t tiles_per_call = draw.tiles_per_call();
                for (const isa_t isa : machine_levels()) {
                    tested.isa = isa;
                    ASSERT_TRUE(backward_is_right(tested, tiles_per_call));
                }
            }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
