// SPDX-License-Identifier: Apache-2.0
// Every kernel on channels can be written, for every ISA: registers suffice whatever the spec asks
// for, and code stays small whatever the size of the problem.
#include <gtest/gtest.h>

#include "cpu/x64/channel_normalization/channel_normalization_kernel.hpp"
#include "cpu/x64/channel_normalization/channel_sample_kernel.hpp"

namespace kiln::x64::channel_normalization {
namespace {

constexpr data_type_t float_kinds[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t all_types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
constexpr channel_operand_t absent{}, mask{.is_mask = true};
/// What says where a ReLU passes a gradient.
constexpr channel_operand_t relus[]{absent, mask, {dnnl_f32}, {dnnl_bf16}, {dnnl_f16}};
/// Tiles of every width on every ISA, whole and with a partial vector.
constexpr dim_t lines[]{1, 8, 16, 17, 32, 33, 48, 51, 64, 65, 80, 77, 96, 113, 128, 144, 3136};

/// Calls `body` for every walk on every ISA.
template <typename body_t> void for_each_walk(const body_t &body) {
    for (const isa_t isa : float_kernel_isas)
        for (const auto rows : {channel_rows_t::columns, channel_rows_t::planes})
            for (const dim_t line : lines)
                for (const bool is_streamed : {false, true})
                    body(channel_walk_t{
                            isa, rows, line, 4096, 4096, 8192, is_streamed, is_streamed});
}

size_t code_size(const channel_spec_t &spec) {
    return channel_normalization_kernel_t(spec).finish().size();
}

TEST(channel_kernel, sums_and_samples_have_registers_for_every_spec) {
    for_each_walk([](const channel_walk_t &walk) {
        for (const auto src : all_types) {
            const channel_sample_spec_t sample{walk.isa, walk.rows, walk.line, src};
            EXPECT_NO_THROW(channel_sample_kernel_t(sample).finish());
            EXPECT_NO_THROW(code_size({channel_work_t::moments, walk, {{{src}}}}));
        }
        for (const auto src : float_kinds)
            for (const auto diff_dst : float_kinds)
                for (const channel_operand_t &relu : relus) {
                    const channel_operands_t operands{{{src}, {diff_dst}, relu}};
                    EXPECT_NO_THROW(code_size({channel_work_t::gradient_sums, walk, operands}));
                }
    });
}

TEST(channel_kernel, forward_has_registers_for_every_spec) {
    for_each_walk([](const channel_walk_t &walk) {
        for (const auto src : all_types)
            for (const auto dst : all_types)
                for (const bool has_relu : {false, true}) {
                    const channel_spec_t spec{.work = channel_work_t::forward,
                            .walk = walk,
                            .operands = {{{src}, {dst}, has_relu ? channel_operand_t{dst} : absent,
                                    has_relu ? mask : absent}},
                            .is_non_temporal = dst != dnnl_s8 && dst != dnnl_u8,
                            .has_relu = has_relu,
                            .has_divisor = true};
                    EXPECT_NO_THROW(code_size(spec)) << spec.name();
                }
    });
}

TEST(channel_kernel, forward_has_registers_for_post_ops) {
    const std::vector<std::vector<jit::post_op_link_t>> chains{{{dnnl_eltwise_gelu_erf, 0, 0}},
            {{dnnl_eltwise_pow, 1.5f, 0.3f}},
            {{dnnl_eltwise_mish, 0, 0}, {dnnl_binary_add, 0, 0, {{dnnl_bf16, true}}}},
            {{dnnl_binary_select, 0, 0, {{dnnl_f16, true}, {dnnl_s8, false}}}}};
    for_each_walk([&](const channel_walk_t &walk) {
        for (const auto &chain : chains)
            for (const auto dst : all_types) {
                const channel_spec_t spec{.work = channel_work_t::forward,
                        .walk = walk,
                        .operands = {{{dnnl_bf16}, {dst}, {dst}, mask}},
                        .has_relu = true,
                        .has_divisor = true,
                        .post_ops = chain};
                EXPECT_NO_THROW(code_size(spec)) << spec.name();
            }
    });
}

TEST(channel_kernel, backward_has_registers_for_every_spec) {
    for_each_walk([](const channel_walk_t &walk) {
        for (const auto type : float_kinds)
            for (const bool reads_src : {false, true})
                for (const channel_operand_t &relu : relus)
                    for (const bool has_diff_src : {false, true}) {
                        const auto if_wanted = [](bool is_wanted, data_type_t of) {
                            return is_wanted ? channel_operand_t{of} : absent;
                        };
                        const channel_spec_t spec{.work = channel_work_t::backward,
                                .walk = walk,
                                .operands = {{if_wanted(reads_src, type), {type}, relu,
                                        if_wanted(has_diff_src, dnnl_f32),
                                        if_wanted(!has_diff_src || relu.is_present(), type)}},
                                .is_non_temporal = has_diff_src};
                        EXPECT_NO_THROW(code_size(spec)) << spec.name();
                    }
    });
}

TEST(channel_kernel, code_does_not_grow_with_the_problem) {
    for (const auto rows : {channel_rows_t::columns, channel_rows_t::planes}) {
        const auto size = [&](dim_t line) {
            const channel_walk_t walk{
                    isa_t::avx512_core, rows, line, line, line, 2 * line, true, true};
            const channel_spec_t spec{.work = channel_work_t::forward,
                    .walk = walk,
                    .operands = {{{dnnl_f32}, {dnnl_f32}, {dnnl_f32}, mask}},
                    .has_relu = true};
            return code_size(spec);
        };
        EXPECT_LE(size(1 << 20), size((1 << 12) + 16));
        EXPECT_LE(size(1 << 20), 4096u);
    }
}

TEST(channel_kernel, names_tell_the_variant) {
    const channel_walk_t walk{isa_t::avx2, channel_rows_t::planes, 49, 1, 1, 2, false, false};
    EXPECT_EQ((channel_spec_t{channel_work_t::moments, walk, {{{dnnl_f16}}}}.name()),
            "channel_moments_planes_f16_avx2");
    const channel_spec_t spec{.work = channel_work_t::backward,
            .walk = walk,
            .operands = {{{dnnl_bf16}, {dnnl_bf16}, absent, {dnnl_f32}, absent}}};
    EXPECT_EQ(spec.name(), "channel_backward_planes_bf16_f32_avx2");
}

} // namespace
} // namespace kiln::x64::channel_normalization
