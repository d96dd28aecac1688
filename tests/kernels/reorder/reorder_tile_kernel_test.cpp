// SPDX-License-Identifier: Apache-2.0
// The kernel of a reorder that transposes, on every ISA the machine has, between unmapped pages,
// against a model that goes element by element.
#include "cpu/x64/nests/tile_kernel.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "kernels/reorder/reorder_copy_case.hpp"

namespace kiln::x64::nests::test {

namespace {

struct tile_case_t : copy_case_t<tile_spec_t> {
    dim_t vectors = 1;
    bool has_tail = false; // where the spec has one
    dim_t tiles = 1;

    dim_t lines() const { return vectors * spec.lines_of_vector() + (has_tail ? spec.tail : 0); }
    dim_t row_bytes() const { return lines() * spec.cell * size_of(spec.src_type); }
    dim_t row_stride() const { return row_bytes() + gap; }
    dim_t src_tile() const { return spec.rows * row_stride() + gap; }
    dim_t line_bytes() const {
        return (spec.rows * spec.cell + spec.padding) * size_of(spec.dst_type);
    }
    /// Tiles lie side by side along lines that are apart, else behind one another.
    dim_t line_stride() const {
        return spec.is_dense ? line_bytes() : aligned(tiles * line_bytes() + gap);
    }
    dim_t dst_tile() const {
        return spec.is_dense ? aligned(lines() * line_bytes() + 2 * gap) : line_bytes();
    }
    size_t src_bytes() const {
        return static_cast<size_t>(
                (tiles - 1) * src_tile() + (spec.rows - 1) * row_stride() + row_bytes());
    }
    size_t dst_bytes() const {
        return static_cast<size_t>(
                aligned((tiles - 1) * dst_tile() + (lines() - 1) * line_stride() + line_bytes()));
    }

    std::string details() const {
        std::ostringstream text;
        text << tiles << " tiles of " << spec.rows << " rows of cells of " << spec.cell
             << ", padding " << spec.padding << ", " << vectors << " vectors, tail " << spec.tail
             << (has_tail ? " used" : "") << (spec.is_dense ? ", dense" : ", apart")
             << (spec.keeps_lanes ? ", keeps lanes" : "")
             << (spec.lines_outside ? ", lines outside" : "");
        return text.str();
    }
    tile_args_t args(const std::byte *src, std::byte *dst) const {
        return {src, dst, row_stride(), line_stride(), vectors, has_tail, tiles, src_tile(),
                dst_tile()};
    }
    void model(const std::byte *src, std::byte *dst) const {
        const int dst_size = size_of(spec.dst_type);
        for (dim_t tile = 0; tile < tiles; ++tile)
            for (dim_t line = 0; line < lines(); ++line) {
                std::byte *to = dst + tile * dst_tile() + line * line_stride();
                for (int row = 0; row < spec.rows; ++row)
                    for (int i = 0; i < spec.cell; ++i)
                        move(src + tile * src_tile() + row * row_stride(), line * spec.cell + i, to,
                                row * spec.cell + i);
                std::fill_n(to + spec.rows * spec.cell * dst_size, spec.padding * dst_size,
                        std::byte{});
            }
    }
};

::testing::AssertionResult is_right(const tile_case_t &tested) {
    return gives_what_it_should<tile_kernel_t>(tested);
}

tile_spec_t spec_of(isa_t isa, const type_pair_t &types, int rows) {
    tile_spec_t spec{.isa = isa, .src_type = types.src, .dst_type = types.dst, .rows = rows};
    set_types(spec, types);
    return spec;
}

/// Lines, tiles, gaps and a place by chance.
class draw_t : public copy_draw_t {
public:
    draw_t()
        : copy_draw_t(9) {}
    tile_case_t operator()(const tile_spec_t &spec) {
        tile_case_t tested;
        tested.spec = spec;
        tested.spec.tail = static_cast<int>(below(static_cast<size_t>(spec.lines_of_vector())));
        tested.vectors = static_cast<dim_t>(below(4));
        tested.spec.lines_outside = !spec.is_dense && below(2) == 0;
        tested.has_tail = tested.spec.tail != 0 && (tested.vectors == 0 || below(4) != 0);
        if (tested.lines() == 0) tested.vectors = 1;
        tested.tiles = static_cast<dim_t>(1 + below(3));
        place(tested);
        return tested;
    }
};

TEST(reorder_tile_kernel, tiles_of_any_rows_between_all_types) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (int rows = 1; rows <= spec_of(isa, types, 0).most_rows(); ++rows)
                for (const bool is_dense : {false, true}) {
                    tile_spec_t spec = spec_of(isa, types, rows);
                    spec.is_dense = is_dense;
                    ASSERT_TRUE(is_right(draw(spec)));
                }
}

TEST(reorder_tile_kernel, bytes_that_are_moved_four_at_a_time_are_clamped) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const data_type_t clamp : {dnnl_s8, dnnl_u8})
            for (int cell = 1; 2 * cell <= jit::lanes_of(isa); cell *= 2) {
                tile_spec_t spec = spec_of(isa, {dnnl_f32, dnnl_f32}, 0);
                spec.clamp = clamp;
                spec.cell = cell;
                spec.keeps_lanes = cell > 1;
                for (spec.rows = 1; spec.rows <= spec.most_rows(); ++spec.rows)
                    ASSERT_TRUE(is_right(draw(spec)));
            }
}

TEST(reorder_tile_kernel, any_tail_of_lines_alone_or_behind_vectors) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (int tail = 1; tail < jit::lanes_of(isa); ++tail)
                for (const int vectors : {0, 1, 2}) {
                    const int most_rows = spec_of(isa, types, 0).most_rows();
                    tile_case_t tested = draw(spec_of(isa, types, 1 + draw.up_to(most_rows - 1)));
                    tested.spec.is_dense = draw.up_to(1) != 0;
                    tested.spec.tail = tail;
                    tested.vectors = vectors;
                    tested.has_tail = true;
                    ASSERT_TRUE(is_right(tested));
                }
}

TEST(reorder_tile_kernel, zeros_follow_the_rows_of_each_line) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs()) {
            const int most_rows = spec_of(isa, types, 0).most_rows();
            for (int rows = 1; rows < most_rows; ++rows)
                for (const bool is_dense : {false, true})
                    for (const int padding :
                            {most_rows - rows, 1 + draw.up_to(most_rows - rows - 1)}) {
                        tile_spec_t spec = spec_of(isa, types, rows);
                        spec.padding = padding;
                        spec.is_dense = is_dense;
                        ASSERT_TRUE(is_right(draw(spec)));
                    }
        }
}

TEST(reorder_tile_kernel, cells_of_any_size_with_lines_converted) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs()) {
            // Bits of narrow elements are moved as f32.
            if (moves_bits(types) && types.src != dnnl_f32) continue;
            for (int cell = 1; cell <= jit::lanes_of(isa) / 2; cell *= 2) {
                tile_spec_t spec = spec_of(isa, types, 0);
                spec.cell = cell;
                spec.keeps_lanes = true;
                for (spec.rows = 1; spec.rows <= spec.most_rows(); ++spec.rows)
                    for (const bool is_dense : {false, true}) {
                        spec.is_dense = is_dense;
                        ASSERT_TRUE(is_right(draw(spec)));
                    }
            }
        }
}

TEST(reorder_tile_kernel, non_temporal_stores_give_the_same) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (const bool keeps_lanes : {false, true}) {
                if (keeps_lanes && moves_bits(types) && types.src != dnnl_f32) continue;
                for (int cell = 1; cell <= (keeps_lanes ? jit::lanes_of(isa) / 2 : 1); cell *= 2) {
                    tile_spec_t spec = spec_of(isa, types, 0);
                    spec.cell = cell;
                    spec.keeps_lanes = keeps_lanes;
                    spec.is_non_temporal = true;
                    const int most_rows = spec.most_rows();
                    for (int line = 1; line <= most_rows; line *= 2) {
                        spec.padding = keeps_lanes ? 0 : draw.up_to(line - 1);
                        spec.rows = line - spec.padding;
                        // Dense lines that make up whole vectors; whole vectors apart.
                        spec.is_dense = true;
                        ASSERT_TRUE(is_right(draw(spec)));
                        if (line < most_rows) continue;
                        spec.is_dense = false;
                        ASSERT_TRUE(is_right(draw(spec)));
                    }
                }
            }
}

} // namespace

} // namespace kiln::x64::nests::test
