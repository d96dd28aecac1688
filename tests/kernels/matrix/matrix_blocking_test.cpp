// SPDX-License-Identifier: Apache-2.0
// How matrix products are cut: every row, column and step belongs to one tile and one block, tiles
// fit into registers, and cuts do not depend on anything but the shape and the ISA level.
#include "cpu/x64/matrix/blocking.hpp"

#include <gtest/gtest.h>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/packing.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix::test {

namespace {

constexpr dim_t extents[] = {1, 2, 5, 13, 14, 15, 28, 29, 64, 197, 511, 768, 4096, 50257};

template <typename visit_t> void for_each_blocking(const visit_t &visit) {
    for (const isa_t isa : kernel_isas)
        for (const step_t step : {step_t::f32, step_t::s16})
            for (const b_layout_t layout : {b_layout_t::packed, b_layout_t::plain})
                for (const dim_t m : extents)
                    for (const dim_t n : extents)
                        for (const dim_t steps : {1, 16, 1000, 1025, 11008}) {
                            SCOPED_TRACE(testing::Message()
                                         << isa_name(isa) << " " << m << "x" << steps << "x" << n);
                            const shape_t shape{m, n, steps};
                            visit(isa, step, shape, block(isa, step, shape, layout));
                        }
}

TEST(matrix_blocking, packed_panels_do_not_share_a_set_of_the_first_level_cache) {
    for (const dim_t width : {8, 16, 24, 32, 48, 64})
        for (dim_t steps = 1, shorter = 0; steps <= 1100; ++steps) {
            const dim_t bytes = packed_panel_bytes(steps, width);
            ASSERT_GE(bytes, steps * width * 4);
            ASSERT_LE(bytes, steps * width * 4 + 2 * cache_line_bytes);
            ASSERT_EQ(bytes % cache_line_bytes, 0);
            ASSERT_NE(bytes % (page_bytes / 8), 0) << steps << "x" << width;
            ASSERT_GE(bytes, shorter);
            shorter = bytes;
        }
}

TEST(matrix_blocking, strips_have_all_rows_and_fit_into_registers) {
    for_each_blocking([](isa_t isa, step_t step, const shape_t &shape, const blocking_t &b) {
        dim_t row = 0;
        for (dim_t strip = 0; strip < b.strips; ++strip) {
            ASSERT_EQ(row, b.first_row(strip));
            ASSERT_GE(b.rows_of(strip), 1);
            row += b.rows_of(strip);
        }
        ASSERT_EQ(shape.m, row);
        ASSERT_EQ(shape.m, b.first_row(b.strips));
        ASSERT_LE(b.rows, most_rows(isa, step, b.vectors));
        ASSERT_LE(b.vectors, most_vectors(isa, step, b.rows));
    });
}

// Rows of whole pages lie in one set, of half pages in two, of odd numbers of lines in all.
TEST(matrix_blocking, rows_that_share_sets_are_as_many_as_the_ways_hold_beside_b) {
    const struct {
        dim_t row_bytes;
        size_t ways;
        dim_t rows;
    } cases[] = {{16384, 12, 10}, {4096, 12, 10}, {4096, 8, 6}, {2048, 12, 20}, {6144, 8, 12},
            {1024, 8, 24}, {4096, 2, 1}, {4096, 1, 1}, {16000, 12, 320}, {64, 8, 384}, {0, 12, 10}};
    for (const auto &c : cases)
        EXPECT_EQ(near_rows(c.row_bytes, c.ways), c.rows) << c.row_bytes << ", " << c.ways;
}

TEST(matrix_blocking, columns_that_share_sets_are_as_many_as_half_of_the_ways_hold) {
    constexpr size_t cache = 2 << 20;
    const struct {
        dim_t column_bytes, columns;
    } cases[] = {{4096, 256}, {2048, 512}, {3072, 1024}, {16384, 64}, {131072, 8}, {2800, 16384},
            {4, 16384}};
    for (const auto &c : cases)
        EXPECT_EQ(near_columns(c.column_bytes, cache), c.columns) << c.column_bytes;
}

TEST(matrix_blocking, strips_have_no_more_rows_than_are_allowed) {
    for (const isa_t isa : kernel_isas)
        for (const b_layout_t layout : {b_layout_t::packed, b_layout_t::plain})
            for (const dim_t most : {1, 6, 10, 100})
                for (const dim_t m : extents)
                    for (const dim_t n : extents) {
                        const blocking_t b = block(isa, step_t::f32, {m, n, 64, most}, layout);
                        ASSERT_LE(b.rows, most);
                        ASSERT_EQ(b.first_row(b.strips), m);
                        ASSERT_LE(b.vectors, most_vectors(isa, step_t::f32, b.rows));
                    }
}

// A tile of few rows uses each cache line of B few times.
TEST(matrix_blocking, tiles_of_long_panels_are_tall) {
    for (const isa_t isa : kernel_isas)
        for (const dim_t m : {1024, 4096})
            for (const dim_t n : {768, 1024, 3072})
                for (const dim_t steps : {600, 1024, 3072}) {
                    const shape_t shape{m, n, steps};
                    const blocking_t b = block(isa, step_t::f32, shape, b_layout_t::packed);
                    EXPECT_GE(b.rows, jit::lanes_of(isa) == 16 ? 8 : 4) << isa_name(isa);
                }
}

// Each line of B is used once, whatever the tile.
TEST(matrix_blocking, panels_of_a_single_strip_are_wide) {
    for (const isa_t isa : kernel_isas) {
        const blocking_t b = block(isa, step_t::f32, {1, 256, 2048}, b_layout_t::packed);
        EXPECT_EQ(b.vectors, most_packed_vectors) << isa_name(isa);
    }
}

TEST(matrix_blocking, tiles_whose_rows_are_packed_are_no_better_than_as_large_ones_in_place) {
    constexpr dim_t near = 10;
    for (const dim_t m : {300, 1024, 4096})
        for (const dim_t n : {768, 1024, 3072}) {
            shape_t shape{m, n, 1024};
            shape.near_rows = near;
            const blocking_t b = block(isa_t::avx512_core, step_t::f32, shape, b_layout_t::packed);
            EXPECT_LE(b.rows, near) << m << "x1024 by 1024x" << n;
            EXPECT_GE(b.rows * b.vectors, 24);
        }
}

TEST(matrix_blocking, panels_have_all_columns) {
    for_each_blocking([](isa_t isa, step_t, const shape_t &shape, const blocking_t &b) {
        const dim_t width = b.vectors * jit::lanes_of(isa);
        const dim_t last = b.tail == 0 ? width : b.tail;
        ASSERT_EQ(shape.n, (b.panels - 1) * width + last);
        ASSERT_GE(b.block_panels, 1);
        ASSERT_LE(b.block_panels, b.panels);
    });
}

TEST(matrix_blocking, blocks_have_all_steps) {
    for_each_blocking([](isa_t, step_t, const shape_t &shape, const blocking_t &b) {
        dim_t step = 0;
        for (dim_t i = 0; i < b.blocks; ++i) {
            const range_t steps = b.steps_of(i, shape.steps);
            ASSERT_EQ(step, steps.begin);
            ASSERT_GT(steps.size(), 0);
            step = steps.end;
        }
        ASSERT_EQ(shape.steps, step);
    });
}

TEST(matrix_blocking, blocks_of_k_depend_on_k_alone) {
    for_each_blocking([](isa_t isa, step_t step, const shape_t &shape, const blocking_t &b) {
        const blocking_t other = block(isa, step, {3, 7, shape.steps}, b_layout_t::packed);
        ASSERT_EQ(other.block_steps, b.block_steps);
    });
}

TEST(matrix_blocking, shares_are_even_where_tiles_allow) {
    for (const dim_t threads : {1, 2, 3, 4, 7, 16, 64})
        for_each_blocking([&](isa_t, step_t, const shape_t &, const blocking_t &b) {
            for (const packing_cost_t packing : {packing_cost_t{}, {12, 0}, {0, 3}, {12, 3}}) {
                const parts_t parts = share(b, threads, packing);
                ASSERT_LE(parts.count(), threads);
                ASSERT_LE(parts.strips, b.strips);
                ASSERT_LE(parts.panels, b.panels);
                if (b.panels >= threads && b.strips >= threads) {
                    ASSERT_GE(parts.count(), threads * 7 / 8);
                }
                for (dim_t i = 0; i < parts.panels; ++i)
                    ASSERT_GT(part_of(b.panels, parts.panels, i).size(), 0);
                for (dim_t i = 0; i < parts.strips; ++i)
                    ASSERT_GT(part_of(b.strips, parts.strips, i).size(), 0);
            }
        });
}

// Of 21 panels a thread has 11; half of the eight strips each would have both threads pack B.
TEST(matrix_blocking, packing_b_twice_is_not_worth_a_more_even_cut) {
    const blocking_t b =
            block(isa_t::avx512_core, step_t::f32, {64, 1000, 2048}, b_layout_t::packed, 3);
    ASSERT_EQ(b.strips, 8);
    ASSERT_EQ(b.panels, 21);
    const parts_t packed = share(b, 2), packs = share(b, 2, {.rows = 12});
    EXPECT_EQ(packed.strips, 2);
    EXPECT_EQ(packs.panels, 2);
}

// Half of the panels each would have both threads pack A.
TEST(matrix_blocking, packing_a_twice_is_not_worth_a_cut_along_the_panels) {
    const blocking_t b =
            block(isa_t::avx512_core, step_t::f32, {3072, 768, 512}, b_layout_t::packed);
    EXPECT_EQ(share(b, 2, {.rows = 40}).panels, 2);
    EXPECT_EQ(share(b, 2, {.vectors = 1}).strips, 2);
    EXPECT_EQ(share(b, 2, {.rows = 12, .vectors = 3}).strips, 2);
}

// A second panel of two columns is not half of the work.
TEST(matrix_blocking, a_narrow_last_panel_counts_by_its_vectors) {
    const blocking_t b =
            block(isa_t::avx512_core, step_t::f32, {140, 66, 64}, b_layout_t::packed, 4);
    ASSERT_EQ(b.panels, 2);
    EXPECT_EQ(b.last_vectors, 1);
    const parts_t parts = share(b, 2);
    EXPECT_EQ(parts.panels, 1);
    EXPECT_EQ(parts.strips, 2);
    const blocking_t wide =
            block(isa_t::avx512_core, step_t::f32, {140, 256, 64}, b_layout_t::packed, 4);
    EXPECT_EQ(share(wide, 2).panels, 2);
}

TEST(matrix_blocking, threads_read_the_smaller_matrix_twice) {
    const auto parts = [](dim_t m, dim_t n) {
        return share(block(isa_t::avx512_core, step_t::f32, {m, n, 512}, b_layout_t::packed), 2);
    };
    EXPECT_EQ(parts(3072, 768).strips, 2);
    EXPECT_EQ(parts(768, 3072).panels, 2);
    EXPECT_EQ(parts(2048, 512).strips, 2); // 171 strips, of which a part has 86
}

TEST(matrix_blocking, few_strips_fetch_the_next_block_once) {
    for (const dim_t strips : {2, 3, 10, 18, 293})
        for (const dim_t step_bytes : {64, 128, 256})
            for_each_blocking([&](isa_t, step_t, const shape_t &, const blocking_t &b) {
                const next_block_fetch_t fetch = fetch_next_block(b, strips, step_bytes, 0);
                const dim_t periods = b.block_steps / next_block_fetch_t::period;
                const dim_t panel_bytes = b.block_steps * step_bytes;
                const bool is_much = panel_bytes > periods * strips * 64;
                ASSERT_EQ(fetch.lines != 0, periods != 0 && is_much);
                if (fetch.lines == 0) return;
                ASSERT_EQ(fetch.strip_run, periods * fetch.lines * 64);
                dim_t end = 0; // of what the strips from the last one on fetch
                for (dim_t strip = strips - 1; strip >= 0; --strip) {
                    const std::optional<dim_t> offset = fetch.offset(strip, strips, panel_bytes);
                    ASSERT_EQ(offset.has_value(), end < panel_bytes);
                    if (!offset) continue;
                    ASSERT_EQ(*offset, end);
                    end = *offset + fetch.strip_run;
                }
                ASSERT_GE(end, panel_bytes);
            });
}

TEST(matrix_blocking, a_single_strip_fetches_no_next_block) {
    for_each_blocking([](isa_t, step_t, const shape_t &, const blocking_t &b) {
        const next_block_fetch_t fetch = fetch_next_block(b, 1, 128, 0);
        ASSERT_EQ(fetch.lines, 0);
        ASSERT_FALSE(fetch.offset(0, 1, b.block_steps * 128));
    });
}

TEST(matrix_blocking, few_strips_fetch_each_of_the_next_columns_once) {
    constexpr dim_t column_bytes = 4100;
    for (const dim_t width : {8, 16, 48, 64})
        for (dim_t strips = 1; strips <= 24; ++strips) {
            const next_block_fetch_t fetch = fetch_next_columns(strips, column_bytes, width);
            EXPECT_EQ(fetch.line, column_bytes);
            EXPECT_EQ(fetch.advance, 64);
            EXPECT_EQ(fetch.panel, width * column_bytes);
            dim_t end = 0; // column behind those that the strips from the last one on fetch
            for (dim_t strip = strips - 1; strip >= 0; --strip) {
                const std::optional<dim_t> offset = fetch.offset(strip, strips, fetch.panel);
                ASSERT_EQ(offset.has_value(), end < width);
                if (!offset) continue;
                ASSERT_EQ(*offset, end * column_bytes);
                end += fetch.lines;
            }
            EXPECT_GE(end, width);
        }
    EXPECT_EQ(fetch_next_columns(100, column_bytes, 64).lines, 0);
}

TEST(matrix_blocking, few_rows_of_plain_weights_are_read_in_long_runs) {
    const blocking_t one =
            block(isa_t::avx512_core, step_t::f32, {1, 4096, 4096}, b_layout_t::plain);
    EXPECT_GE(one.vectors, 16);
    const blocking_t many =
            block(isa_t::avx512_core, step_t::f32, {512, 4096, 4096}, b_layout_t::plain);
    EXPECT_GE(many.rows * many.vectors, 24);
}

TEST(matrix_blocking, two_threads_share_the_panels_of_a_row_equally) {
    for (const dim_t n : {500, 512, 640, 1000, 1500, 2000}) {
        const blocking_t row =
                block(isa_t::avx512_core, step_t::f32, {1, n, 300}, b_layout_t::plain);
        const dim_t half = row.panels / 2 * row.vectors;
        EXPECT_LE(2 * half - divide_up<dim_t>(n, 16), row.panels) << n;
        EXPECT_TRUE(row.panels == 1 || row.panels % 2 == 0) << n;
    }
}

} // namespace

} // namespace kiln::x64::matrix::test
