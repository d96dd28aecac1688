// SPDX-License-Identifier: Apache-2.0
// The kernel of reorders on runs, on every ISA level of the machine, between unmapped pages,
// against a model that goes element by element.
#include "cpu/x64/reorder/run_kernel.hpp"

#include <algorithm>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "kernels/kernel_failure.hpp"
#include "kernels/reorder_elements.hpp"
#include "support/marked_buffer.hpp"
#include "unit/element_model.hpp"

namespace kiln::x64::reorder::test {

namespace {

using kiln::test::kernel_failure_t;
using kiln::test::marked_buffer_t;
using kiln::test::placement_t;
using kiln::test::placements;
using kiln::test::read_code;
using kiln::test::write_code;

constexpr dim_t alignment = 64; // of non-temporal stores

struct run_case_t {
    run_spec_t spec;
    dim_t rows = 1;
    dim_t gap = 0; // bytes between the runs of src; in dst there are others
    placement_t placement = placement_t::ends_at_guard;

    dim_t src_run() const { return spec.cols * size_of(spec.src_type) + spec.rest_bytes; }
    dim_t dst_run() const {
        return (spec.cols + spec.padding) * size_of(spec.dst_type) + spec.rest_bytes;
    }
    dim_t src_step() const { return src_run() + gap; }
    dim_t dst_step() const { return aligned(dst_run() + 2 * gap); }
    dim_t src_stride() const { return spec.steps * src_step() + gap; }
    dim_t dst_stride() const { return aligned(spec.steps * dst_step() + 3 * gap); }
    size_t src_bytes() const { return bytes(src_stride(), src_step(), src_run()); }
    size_t dst_bytes() const { return bytes(dst_stride(), dst_step(), aligned(dst_run())); }

    std::string describe() const {
        std::ostringstream text;
        text << rows << " rows of " << spec.steps << " runs of " << spec.cols << " and "
             << spec.rest_bytes << " bytes, padding " << spec.padding << ", " << spec.kept_bytes
             << " of " << spec.block_bytes << " bytes kept, gap " << gap
             << (spec.is_non_temporal ? ", non-temporal" : "")
             << (placement == placement_t::ends_at_guard ? ", ends" : ", begins") << " at guard";
        return text.str();
    }

private:
    dim_t aligned(dim_t size) const {
        return spec.is_non_temporal ? (size + alignment - 1) / alignment * alignment : size;
    }
    size_t bytes(dim_t stride, dim_t step, dim_t run) const {
        return static_cast<size_t>((rows - 1) * stride + (spec.steps - 1) * step + run);
    }
};

/// What shall lie in dst: marks beside the runs.
std::vector<std::byte> model_of(const run_case_t &tested, const std::byte *src) {
    const run_spec_t &spec = tested.spec;
    const int src_size = size_of(spec.src_type), dst_size = size_of(spec.dst_type);
    std::vector<std::byte> dst(tested.dst_bytes(), marked_buffer_t::mark);
    const auto mask_of = [&](dim_t col) {
        uint32_t mask = spec.block_bytes == 0 ? ~0u : 0;
        for (int byte = 0; spec.block_bytes != 0 && byte < 4; ++byte)
            if ((4 * col + byte) % spec.block_bytes < spec.kept_bytes) mask |= 0xffu << 8 * byte;
        return mask;
    };
    for (dim_t row = 0; row < tested.rows; ++row)
        for (int step = 0; step < spec.steps; ++step) {
            const std::byte *from = src + row * tested.src_stride() + step * tested.src_step();
            std::byte *to = dst.data() + row * tested.dst_stride() + step * tested.dst_step();
            for (dim_t col = 0; col < spec.cols; ++col) {
                const auto i = static_cast<size_t>(col);
                const uint32_t code =
                        reordered({spec.src_type, spec.dst_type}, read_code(from, i, src_size));
                write_code(to, i, dst_size, code & mask_of(col));
            }
            std::copy_n(from + spec.cols * src_size, spec.rest_bytes, to + spec.cols * dst_size);
            std::fill_n(to + spec.cols * dst_size, spec.padding * dst_size, std::byte{});
        }
    return dst;
}

::testing::AssertionResult gives_what_it_should(const run_case_t &tested) {
    const marked_buffer_t src(tested.src_bytes(), tested.placement);
    const marked_buffer_t dst(tested.dst_bytes(), tested.placement);
    const auto src_size = static_cast<size_t>(size_of(tested.spec.src_type));
    const auto seed = static_cast<uint32_t>(src.size());
    const auto elements = tricky_elements(tested.spec.src_type, src.size() / src_size + 1, seed);
    std::copy_n(elements.begin(), src.size(), src.data());
    run_args_t args{src.data(), dst.data(), tested.rows, tested.src_stride(), tested.dst_stride(),
            tested.src_step(), tested.dst_step()};
    const jit::executable_code_t code = run_kernel_t(tested.spec).finish();
    const kernel_failure_t failure(
            tested.spec.name(), tested.describe(), seed, {code.data(), code.size()});
    code.entry<void (*)(run_args_t *)>()(&args);
    if (!src.slack_is_untouched() || !dst.slack_is_untouched())
        return failure("wrote outside its tensors");
    const std::vector<std::byte> expected = model_of(tested, src.data());
    const auto [one, other] = std::mismatch(expected.begin(), expected.end(), dst.data());
    if (one == expected.end()) return ::testing::AssertionSuccess();
    return failure.at(one - expected.begin(), int(*one), int(*other));
}

run_spec_t spec_of(isa_t isa, const type_pair_t &types, dim_t cols) {
    return {isa, types.src, types.dst, cols, 0, 0, 0, 0, 1, false};
}

/// Rows, steps, gaps and a place by chance.
class draw_t {
public:
    run_case_t operator()(const run_spec_t &spec) {
        run_case_t tested{spec};
        tested.spec.steps = static_cast<int>(below(3) == 0 ? 1 : 1 + below(8));
        tested.rows = static_cast<dim_t>(1 + below(4));
        tested.gap = static_cast<dim_t>(below(2) * below(20));
        tested.placement = placements[below(2)];
        return tested;
    }

private:
    size_t below(size_t bound) { return engine_() % bound; }
    std::mt19937 engine_{5};
};

constexpr dim_t run_lengths[] = {
        1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 130, 515};

TEST(reorder_run_kernel, runs_of_any_length_between_all_types) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const type_pair_t &types : type_pairs())
            for (const dim_t cols : run_lengths)
                for (int i = 0; i < 2; ++i)
                    ASSERT_TRUE(gives_what_it_should(draw(spec_of(isa, types, cols))));
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
                    ASSERT_TRUE(gives_what_it_should(draw(spec)));
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
                        ASSERT_TRUE(gives_what_it_should(draw(spec)));
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
                    ASSERT_TRUE(gives_what_it_should(draw(spec)));
                }
}

TEST(reorder_run_kernel, a_few_bytes_follow_runs_or_are_all_there_is) {
    draw_t draw;
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {0, 1, 3, 8, 15, 16, 35, 130})
            for (int rest = cols == 0 ? 1 : 0; rest <= 15; ++rest) {
                run_spec_t spec = spec_of(isa, {dnnl_f32, dnnl_f32}, cols);
                spec.rest_bytes = rest;
                ASSERT_TRUE(gives_what_it_should(draw(spec)));
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
                ASSERT_TRUE(gives_what_it_should(draw(spec)));
            }
        }
}

} // namespace

} // namespace kiln::x64::reorder::test
