// SPDX-License-Identifier: Apache-2.0
// The kernel of reorders on runs, on every ISA level of the machine, between unmapped pages,
// against a model that goes element by element.
#include "cpu/x64/nests/run_kernel.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "kernels/reorder/reorder_copy_case.hpp"

namespace kiln::x64::nests::test {

namespace {

struct run_case_t : copy_case_t<run_spec_t> {
    dim_t rows = 1, planes = 1;

    dim_t src_run() const { return spec.cols * size_of(spec.src_type) + spec.rest_bytes; }
    dim_t dst_run() const {
        return (spec.cols + spec.padding) * size_of(spec.dst_type) + spec.rest_bytes;
    }
    dim_t src_step() const { return src_run() + gap; }
    dim_t dst_step() const { return aligned(dst_run() + 2 * gap); }
    dim_t src_stride() const { return spec.steps * src_step() + gap; }
    dim_t dst_stride() const { return aligned(spec.steps * dst_step() + 3 * gap); }
    dim_t src_plane() const { return rows * src_stride() + gap; }
    dim_t dst_plane() const { return aligned(rows * dst_stride() + 5 * gap); }
    size_t src_bytes() const { return bytes(src_plane(), src_stride(), src_step(), src_run()); }
    size_t dst_bytes() const {
        return bytes(dst_plane(), dst_stride(), dst_step(), aligned(dst_run()));
    }

    std::string details() const {
        std::ostringstream text;
        text << planes << " planes of " << rows << " rows of " << spec.steps << " runs of "
             << spec.cols << " and " << spec.rest_bytes << " bytes, padding " << spec.padding
             << ", " << spec.kept_bytes << " of " << spec.block_bytes << " bytes kept";
        return text.str();
    }
    run_args_t args(const std::byte *src, std::byte *dst) const {
        return {.src = src,
                .dst = dst,
                .rows = rows,
                .src_stride = src_stride(),
                .dst_stride = dst_stride(),
                .src_step = src_step(),
                .dst_step = dst_step(),
                .planes = planes,
                .src_plane = src_plane(),
                .dst_plane = dst_plane()};
    }
    void model(const std::byte *src, std::byte *dst) const {
        for (dim_t plane = 0; plane < planes; ++plane)
            for (dim_t row = 0; row < rows; ++row)
                for (int step = 0; step < spec.steps; ++step)
                    model_run(src + plane * src_plane() + row * src_stride() + step * src_step(),
                            dst + plane * dst_plane() + row * dst_stride() + step * dst_step());
    }

private:
    void model_run(const std::byte *from, std::byte *to) const {
        const int src_size = size_of(spec.src_type), dst_size = size_of(spec.dst_type);
        for (dim_t col = 0; col < spec.cols; ++col) move(from, col, to, col, mask(col));
        std::copy_n(from + spec.cols * src_size, spec.rest_bytes, to + spec.cols * dst_size);
        std::fill_n(to + spec.cols * dst_size, spec.padding * dst_size, std::byte{});
    }
    /// The bits of an element that are kept.
    uint32_t mask(dim_t col) const {
        uint32_t mask = spec.block_bytes == 0 ? ~0u : 0;
        for (int byte = 0; spec.block_bytes != 0 && byte < 4; ++byte)
            if ((4 * col + byte) % spec.block_bytes < spec.kept_bytes) mask |= 0xffu << 8 * byte;
        return mask;
    }
    size_t bytes(dim_t plane, dim_t stride, dim_t step, dim_t run) const {
        return static_cast<size_t>(
                (planes - 1) * plane + (rows - 1) * stride + (spec.steps - 1) * step + run);
    }
};

::testing::AssertionResult is_right(const run_case_t &tested) {
    return gives_what_it_should<run_kernel_t>(tested);
}

run_spec_t spec_of(isa_t isa, const type_pair_t &types, dim_t cols) {
    run_spec_t spec{.isa = isa, .src_type = types.src, .dst_type = types.dst, .cols = cols};
    set_types(spec, types);
    return spec;
}

/// Planes, rows, steps, gaps and a place by chance.
class draw_t : public copy_draw_t {
public:
    draw_t()
        : copy_draw_t(5) {}
    run_case_t operator()(const run_spec_t &spec) {
        run_case_t tested;
        tested.spec = spec;
        tested.spec.steps = static_cast<int>(below(3) == 0 ? 1 : 1 + below(8));
        tested.rows = static_cast<dim_t>(1 + below(4));
        tested.planes = static_cast<dim_t>(1 + below(3));
        place(tested);
        return tested;
    }
};

constexpr dim_t run_lengths[] = {
        1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 130, 515};

TEST(reorder_run_kernel, runs_of_any_length_between_all_types) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (const dim_t cols : run_lengths)
                for (int i = 0; i < 2; ++i) ASSERT_TRUE(is_right(draw(spec_of(isa, types, cols))));
}

TEST(reorder_run_kernel, zeros_follow_runs_wherever_there_is_code_for_them) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (dim_t cols = 1; cols <= 40; ++cols)
                for (dim_t padding = 1; padding <= 64; ++padding) {
                    run_spec_t spec = spec_of(isa, types, cols);
                    spec.padding = padding;
                    // Of those in a vector with the run, some.
                    if (!spec.has_padding() || (cols + padding) % 4 == 1) continue;
                    ASSERT_TRUE(is_right(draw(spec)));
                }
}

TEST(reorder_run_kernel, of_each_block_so_many_elements_are_kept) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (int block = 2; block <= jit::lanes_of(isa); block *= 2)
                for (int kept = 1; kept < block; ++kept)
                    for (const dim_t blocks : {1, 2, 3, 7, 16}) {
                        run_spec_t spec = spec_of(isa, types, blocks * block);
                        spec.block_bytes = 4 * block;
                        spec.kept_bytes = 4 * kept;
                        ASSERT_TRUE(is_right(draw(spec)));
                    }
}

// Bytes of any type are moved as f32.
TEST(reorder_run_kernel, of_each_block_of_moved_bytes_so_many_are_kept) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (int block = 4; block <= 4 * jit::lanes_of(isa); block *= 2)
            for (int kept = 1; kept < block; ++kept)
                for (const dim_t blocks : {1, 3, 16}) {
                    run_spec_t spec = spec_of(isa, {dnnl_f32, dnnl_f32}, blocks * block / 4);
                    spec.block_bytes = block;
                    spec.kept_bytes = kept;
                    ASSERT_TRUE(is_right(draw(spec)));
                }
}

TEST(reorder_run_kernel, bytes_that_are_moved_four_at_a_time_are_clamped) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const data_type_t clamp : {dnnl_s8, dnnl_u8})
            for (const dim_t cols : run_lengths) {
                run_spec_t spec = spec_of(isa, {dnnl_f32, dnnl_f32}, cols);
                spec.clamp = clamp;
                ASSERT_TRUE(is_right(draw(spec)));
            }
}

TEST(reorder_run_kernel, a_few_bytes_follow_runs_or_are_all_there_is) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {0, 1, 3, 8, 15, 16, 35, 130})
            for (int rest = cols == 0 ? 1 : 0; rest <= 15; ++rest) {
                run_spec_t spec = spec_of(isa, {dnnl_f32, dnnl_f32}, cols);
                spec.rest_bytes = rest;
                ASSERT_TRUE(is_right(draw(spec)));
            }
}

TEST(reorder_run_kernel, non_temporal_stores_give_the_same) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs()) {
            if (size_of(types.dst) == 1) continue; // not offered
            const dim_t whole = 4 * jit::lanes_of(isa) / size_of(types.dst);
            for (dim_t cols = 1; cols <= 4 * whole; ++cols) {
                run_spec_t spec = spec_of(isa, types, cols);
                spec.padding = (whole - cols % whole) % whole;
                spec.is_non_temporal = true;
                ASSERT_TRUE(is_right(draw(spec)));
            }
        }
}

} // namespace

} // namespace kiln::x64::nests::test
