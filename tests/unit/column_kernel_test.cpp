// SPDX-License-Identifier: Apache-2.0
// Every kernel on columns can be written, for every ISA: registers suffice whatever the spec asks
// for, and code stays small whatever the size of the problem.
#include <gtest/gtest.h>

#include "cpu/x64/layer_normalization/column_kernels.hpp"

namespace kiln::x64::layer_normalization {
namespace {

constexpr auto &levels = float_kernel_isas;
constexpr data_type_t forward_types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
constexpr data_type_t backward_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t weight_types[]{dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16};

/// Tiles of every width on every ISA, whole and with a partial vector.
constexpr dim_t lines[]{8, 16, 17, 32, 33, 48, 51, 64, 65, 80, 77, 3136};

using forward_t = forward_spec_t;
using backward_t = backward_spec_t;

forward_t forward_spec(isa_t isa) {
    forward_t spec;
    spec.isa = isa;
    spec.operands.assign(forward_t::first_post_op, {dnnl_f32, 0});
    spec.length = 300;
    spec.run_length = 77;
    spec.statistics = statistics_t::computed_and_stored;
    spec.epsilon = 1e-5f;
    return spec;
}

backward_t backward_spec(isa_t isa) {
    backward_t spec;
    spec.isa = isa;
    spec.operands.assign(backward_t::first_post_op, {dnnl_f32, 0});
    spec.length = 300;
    spec.run_length = 77;
    spec.epsilon = 1e-5f;
    return spec;
}

size_t code_size(const forward_spec_t &spec) {
    return column_forward_kernel_t(spec).finish().size();
}

size_t code_size(const backward_spec_t &spec) {
    return column_backward_kernel_t(spec).finish().size();
}

TEST(column_kernel, forward_has_registers_for_every_spec) {
    for (const isa_t isa : levels)
        for (const dim_t line : lines)
            for (const auto src : forward_types)
                for (const auto dst : forward_types)
                    for (const auto statistics : {statistics_t::computed_and_stored,
                                 statistics_t::computed, statistics_t::given})
                        for (const bool is_rms : {false, true}) {
                            auto spec = forward_spec(isa);
                            spec.run_length = line;
                            spec.operands[forward_t::src].type = src;
                            spec.operands[forward_t::dst].type = dst;
                            spec.statistics = statistics;
                            spec.is_rms = is_rms;
                            EXPECT_NO_THROW(code_size(spec)) << spec.name("column") << ' ' << line;
                        }
}

TEST(column_kernel, forward_has_registers_for_post_ops) {
    for (const isa_t isa : levels)
        for (const dim_t line : lines)
            for (const auto dst : forward_types) {
                auto spec = forward_spec(isa);
                spec.run_length = line;
                spec.operands[forward_t::dst].type = dst;
                spec.post_ops = {{.alg = dnnl_eltwise_pow, .alpha = 2, .beta = 0.3f},
                        {.alg = dnnl_binary_select,
                                .operands = {{dnnl_s8, true}, {dnnl_u8, false}}}};
                spec.operands.push_back({dnnl_s8, 100});
                spec.operands.push_back({dnnl_u8, 0});
                EXPECT_NO_THROW(code_size(spec)) << spec.name("column") << ' ' << line;
            }
}

TEST(column_kernel, backward_has_registers_for_every_spec) {
    for (const isa_t isa : levels)
        for (const dim_t line : lines)
            for (const auto src : backward_types)
                for (const auto diff_src : backward_types)
                    for (const auto scale : weight_types)
                        for (const bool is_rms : {false, true})
                            for (const bool is_constant : {false, true})
                                for (const bool has_weights : {false, true}) {
                                    auto spec = backward_spec(isa);
                                    spec.run_length = line;
                                    spec.operands[backward_t::src].type = src;
                                    spec.operands[backward_t::diff_src].type = diff_src;
                                    spec.operands[backward_t::scale].type = scale;
                                    spec.is_rms = is_rms;
                                    spec.has_constant_statistics = is_constant;
                                    if (!has_weights) spec.leave_out_weight_gradients();
                                    EXPECT_NO_THROW(code_size(spec))
                                            << spec.name("column") << ' ' << line;
                                }
}

TEST(column_kernel, code_does_not_grow_with_the_problem) {
    for (const isa_t isa : levels) {
        const auto size_of = [&](auto spec, dim_t steps, dim_t line) {
            spec.length = steps;
            spec.run_length = line;
            return code_size(spec);
        };
        const auto forward = forward_spec(isa);
        EXPECT_EQ(size_of(forward, 8192, 3136), size_of(forward, 256, 3136));
        EXPECT_EQ(size_of(forward, 256, 1 << 20), size_of(forward, 256, 256));
        const auto backward = backward_spec(isa);
        EXPECT_EQ(size_of(backward, 8192, 3136), size_of(backward, 256, 3136));
        EXPECT_EQ(size_of(backward, 256, 1 << 20), size_of(backward, 256, 256));
        EXPECT_LT(size_of(backward, 1000, 3139), 16384u);
    }
}

TEST(column_kernel, names_tell_the_variant) {
    EXPECT_EQ(forward_spec(isa_t::avx512_core).name("column"),
            "layer_norm_fwd_column_f32_f32_avx512_core");
    auto spec = backward_spec(isa_t::avx2);
    spec.is_rms = true;
    spec.operands[backward_t::src].type = dnnl_bf16;
    EXPECT_EQ(spec.name("column"), "rms_norm_bwd_column_bf16_f32_avx2");
}

// Tiles have four vectors if a line has many, else as many as leave no narrow tile at its end.
TEST(column_kernel, tiles_are_even) {
    const auto vectors = [](dim_t line) { return tile_vectors(isa_t::avx512_core, false, line); };
    EXPECT_EQ(vectors(7), 1);
    EXPECT_EQ(vectors(49), 4);
    EXPECT_EQ(vectors(80), 5);
    EXPECT_EQ(vectors(196), 5);
    EXPECT_EQ(vectors(3136), 4);
    EXPECT_EQ(tile_vectors(isa_t::avx2, false, 80), 4);
    EXPECT_EQ(tile_vectors(isa_t::avx2, true, 80), 2);
}

} // namespace
} // namespace kiln::x64::layer_normalization
