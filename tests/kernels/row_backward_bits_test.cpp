// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization backward on rows: the same bits in any row block and with any stores,
// code that does not grow.
#include <algorithm>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "kernels/row_backward_check.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

// ---- The same bits in any row block

/// A value of the middle row that must not change the results of other rows.
struct oddity_t {
    std::optional<double> value;
    dim_t col = 0;
};

void run_in_calls(backward_run_t &run, dim_t rows_of_call, const oddity_t &odd) {
    const dim_t rows = run.tested().rows;
    if (odd.value) run.src.set(rows / 2, odd.col, *odd.value);
    for (dim_t row = 0; row < rows; row += rows_of_call)
        run.run(row, std::min(rows_of_call, rows - row));
}

/// Calls of any numbers of rows give the bits of one call; rows beside the odd one have the bits
/// that they have beside a usual one.
void expect_same_bits_in_any_block(const backward_case_t &tested, const oddity_t &odd) {
    checked_run_t together(tested);
    backward_run_t &whole = together.run();
    run_in_calls(whole, tested.rows, odd);
    for (const dim_t rows_of_call : {1, 2, 3, 5}) {
        checked_run_t in_calls(tested);
        backward_run_t &parts = in_calls.run();
        run_in_calls(parts, rows_of_call, odd);
        EXPECT_TRUE(parts.diff_src().bits() == whole.diff_src().bits()
                    && parts.diff_scale.bits() == whole.diff_scale.bits()
                    && parts.diff_shift.bits() == whole.diff_shift.bits())
                << tested.describe() << " in calls of " << rows_of_call << ", column " << odd.col
                << " odd";
    }
    checked_run_t usual(tested);
    usual.run().run();
    for (dim_t row = 0; row < tested.rows; ++row)
        if (row != tested.rows / 2) {
            EXPECT_TRUE(usual.run().diff_src().row_bits(row) == whole.diff_src().row_bits(row))
                    << tested.describe() << " row " << row << ", column " << odd.col << " odd";
        }
}

TEST(row_backward_kernel, a_row_has_the_same_bits_in_any_block) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {1, 3, 45, 129, 768})
            for (const bool is_rms : {false, true})
                for (unsigned options = 0; options < 8; ++options) {
                    backward_case_t tested;
                    tested.isa = isa;
                    tested.rows = 9;
                    tested.cols = cols;
                    tested.is_rms = is_rms;
                    tested.is_streamed = options & 1;
                    tested.recomputes_statistics = options & 2;
                    if (options & 4) tested.post_ops = post_op_chains(dnnl_f32)[cols % 3];
                    tested.scale_type = dnnl_f32;
                    expect_same_bits_in_any_block(tested, {});
                    for (const double value : {std::numeric_limits<double>::quiet_NaN(), 1e6})
                        for (const dim_t col : {dim_t(0), cols / 2, cols - 1})
                            expect_same_bits_in_any_block(tested, {value, col});
                }
}

TEST(row_backward_kernel, non_temporal_stores_give_the_same_bits) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : data_types)
            for (const dim_t cols : {16, 37, 129, 768, 3000}) {
                backward_case_t tested;
                tested.isa = isa;
                tested.rows = 5;
                tested.cols = cols;
                tested.diff_src_type = type;
                tested.is_streamed = true;
                tested.placement = placement_t::begins_at_guard;
                checked_run_t past(tested), through(tested);
                ASSERT_TRUE(past.run().has_non_temporal_diff_src()) << tested.describe();
                past.run().run();
                through.run().may_use_non_temporal_stores = false;
                through.run().run();
                EXPECT_TRUE(past.is_right());
                EXPECT_TRUE(past.run().diff_src().bits() == through.run().diff_src().bits())
                        << tested.describe();
            }
}

// ---- Code that does not grow

TEST(row_backward_kernel, code_does_not_grow_with_the_row) {
    for (const isa_t isa : float_kernel_isas)
        for (const data_type_t type : data_types)
            for (const bool is_rms : {false, true})
                for (const bool is_streamed : {false, true})
                    for (const dim_t rows : {1, 2, 1000}) {
                        backward_case_t tested;
                        tested.isa = isa;
                        tested.rows = rows;
                        tested.src_type = tested.diff_dst_type = tested.diff_src_type = type;
                        tested.scale_type = dnnl_f32;
                        tested.is_rms = is_rms;
                        tested.is_streamed = is_streamed;
                        const auto size_of = [&](dim_t cols) {
                            tested.cols = cols;
                            return row_backward_kernel_t(tested.spec()).finish().size();
                        };
                        const size_t size = size_of(8192);
                        EXPECT_LT(size, 16384u) << tested.describe();
                        EXPECT_EQ(size_of(1 << 20), size) << tested.describe();
                        // Blocks of fewer, longer rows have more copies of a loop's body.
                        EXPECT_LE(size, size_of(256) * 5 / 4) << tested.describe();
                    }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
