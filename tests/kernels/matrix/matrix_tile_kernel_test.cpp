// SPDX-License-Identifier: Apache-2.0
// The tile of matrix products, on every ISA level of the machine, between unmapped pages.
#include "kernels/matrix/matrix_tile_run.hpp"

namespace kiln::x64::matrix::test {
namespace {

/// A scale, a bias of bf16, the addition of a tensor, a ReLU, and the addition of dst.
std::vector<jit::post_op_link_t> epilogue_of(data_type_t dst_type) {
    return {{.alg = dnnl_binary_mul, .operands = {{dnnl_f32, false}}},
            {.alg = dnnl_binary_add, .operands = {{dnnl_bf16, true}}},
            {.alg = dnnl_binary_add, .operands = {{dnnl_f32, true}}}, {.alg = dnnl_eltwise_relu},
            {.alg = dnnl_binary_add, .alpha = 1, .operands = {{dst_type, true}}, .is_sum = true}};
}

struct multiplied_t {
    step_t step;
    data_type_t b_type;
    bool a_is_signed;
};
constexpr multiplied_t multiplied[] = {{step_t::bf16, dnnl_f32, false},
        {step_t::u8s8, dnnl_s8, false}, {step_t::u8s8, dnnl_u8, false},
        {step_t::u8s8, dnnl_s8, true}, {step_t::u8s8, dnnl_u8, true},
        {step_t::s16, dnnl_f32, false}};

class matrix_tile_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    ::testing::AssertionResult is_right(const tile_spec_t &spec, dim_t steps, dim_t panels) {
        return tile_run_t(spec, steps, panels, ++seed_).is_right();
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_tile_kernel, multiplies_any_number_of_rows_columns_and_steps) {
    for (int vectors = 1; vectors <= most_vectors(GetParam(), step_t::f32, 1); ++vectors)
        for (int rows = 1; rows <= most_rows(GetParam(), step_t::f32, vectors); ++rows)
            for (const bool is_packed : {false, true}) {
                tile_spec_t spec{.isa = GetParam(),
                        .rows = rows,
                        .vectors = vectors,
                        .is_packed = is_packed};
                for (const int tail : {0, 1, spec.width() - 1, spec.width() / 2}) {
                    spec.tail = tail;
                    spec.fetches_b = rows % 2 == 0;
                    spec.fetches_rows = !is_packed && rows % 2 != 0;
                    for (const dim_t steps : {1 + rows % 3, 4, 9})
                        ASSERT_TRUE(is_right(spec, steps, tail == 0 ? 1 + rows % 2 : tail % 3));
                }
            }
}

TEST_P(matrix_tile_kernel, takes_every_width_of_the_last_panel) {
    for (const int rows : {1, 2, 5})
        for (const bool is_packed : {false, true})
            for (const bool has_epilogue : {false, true}) {
                tile_spec_t spec{
                        .isa = GetParam(), .rows = rows, .vectors = 2, .is_packed = is_packed};
                if (has_epilogue) spec.epilogue = epilogue_of(dnnl_f32);
                for (spec.tail = 1; spec.tail < spec.width(); ++spec.tail)
                    ASSERT_TRUE(is_right(spec, 5, spec.tail % 2));
            }
}

TEST_P(matrix_tile_kernel, converts_elements_of_b_and_results) {
    for (const data_type_t b_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8})
        for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8})
            for (const bool is_packed : {false, true})
                for (const bool has_epilogue : {false, true})
                    for (const int vectors : {1, 2, 3}) {
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = most_rows(GetParam(), step_t::f32, vectors),
                                .vectors = vectors,
                                .b_type = b_type,
                                .is_packed = is_packed,
                                .dst_type = dst_type};
                        if (has_epilogue) spec.epilogue = epilogue_of(dst_type);
                        spec.tail = static_cast<int>(seed_ % static_cast<uint64_t>(spec.width()));
                        ASSERT_TRUE(is_right(spec, 6, 1));
                    }
}

TEST_P(matrix_tile_kernel, packs_the_b_that_it_reads) {
    for (const data_type_t b_type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const bool has_blocks : {false, true})
            for (const int vectors : {1, 2, 3, 4})
                for (const int rows : {1, 2, most_rows(GetParam(), step_t::f32, vectors)})
                    for (const dim_t steps : {3, 37}) {
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = rows,
                                .vectors = vectors,
                                .b_type = b_type,
                                .is_packed = false,
                                .fetches_b = true,
                                .copies_b = true,
                                .has_blocks = has_blocks};
                        spec.tail =
                                static_cast<int>(seed_ * 3 % static_cast<uint64_t>(spec.width()));
                        ASSERT_TRUE(is_right(spec, steps, 2));
                    }
}

TEST_P(matrix_tile_kernel, reads_a_transposed_a_where_it_is) {
    for (int vectors = 1; vectors <= 4; ++vectors)
        for (int rows = 1; rows <= most_rows(GetParam(), step_t::f32, vectors); ++rows)
            for (const bool is_packed : {false, true})
                for (const dim_t steps : {1, 4, 11}) {
                    tile_spec_t spec{.isa = GetParam(),
                            .rows = rows,
                            .vectors = vectors,
                            .a_is_transposed = true,
                            .is_packed = is_packed,
                            .has_blocks = steps == 11};
                    spec.tail = static_cast<int>(seed_ % static_cast<uint64_t>(spec.width()));
                    ASSERT_TRUE(is_right(spec, steps, 2));
                }
}

TEST_P(matrix_tile_kernel, fetches_rows_of_the_next_tile) {
    for (const int vectors : {1, 2, 3, 4})
        for (const int rows : {1, 3, most_rows(GetParam(), step_t::f32, vectors)})
            for (const dim_t steps : {1, 16, 37}) {
                tile_spec_t spec{
                        .isa = GetParam(), .rows = rows, .vectors = vectors, .fetches_a = true};
                ASSERT_TRUE(is_right(spec, steps, 2));
            }
}

TEST_P(matrix_tile_kernel, fetches_the_next_block_of_b) {
    for (const int vectors : {1, 2, 3, 4})
        for (const int lines : {1, 3, 16})
            for (const bool fetches_more : {false, true})
                for (const dim_t steps : {1, 16, 37}) {
                    tile_spec_t spec{.isa = GetParam(),
                            .rows = most_rows(GetParam(), step_t::f32, vectors),
                            .vectors = vectors,
                            .fetches_b = fetches_more,
                            .lines_ahead = lines,
                            .fetches_a = fetches_more};
                    ASSERT_TRUE(is_right(spec, steps, 2));
                }
}

TEST_P(matrix_tile_kernel, adds_blocks_of_k) {
    for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16})
        for (const bool has_epilogue : {false, true})
            for (const int vectors : {1, 2, 4})
                for (const dim_t steps : {1, 2, 13}) {
                    tile_spec_t spec{.isa = GetParam(),
                            .rows = most_rows(GetParam(), step_t::f32, vectors),
                            .vectors = vectors,
                            .has_blocks = true,
                            .dst_type = dst_type};
                    if (has_epilogue) spec.epilogue = epilogue_of(dst_type);
                    spec.tail = static_cast<int>(seed_ * 5 % static_cast<uint64_t>(spec.width()));
                    ASSERT_TRUE(is_right(spec, steps, 2));
                }
}

TEST_P(matrix_tile_kernel, reads_several_panels_of_a_layout_at_a_time) {
    for (const step_t step : {step_t::f32, step_t::bf16, step_t::u8s8})
        for (const data_type_t b_type : {dnnl_f32, dnnl_bf16, dnnl_s8}) {
            if (!has_step(GetParam(), step) || (step == step_t::u8s8) != (b_type == dnnl_s8))
                continue;
            for (const int streams : {2, 4})
                for (const int rows : {1, 2})
                    for (const int vectors : {streams, 2 * streams}) {
                        if (vectors > most_vectors(GetParam(), step, rows)) continue;
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = rows,
                                .vectors = vectors,
                                .streams = streams,
                                .step = step,
                                .b_type = b_type};
                        for (const int tail : {0, 1, spec.width() / 2 + 1, spec.width() - 1})
                            for (const bool has_blocks : {false, true}) {
                                spec.tail = tail;
                                spec.has_blocks = has_blocks;
                                spec.fetches_b = seed_ % 2 == 0;
                                ASSERT_TRUE(is_right(spec, 9, tail == 0 ? 1 + rows % 2 : tail % 3));
                            }
                    }
        }
}

TEST_P(matrix_tile_kernel, multiplies_pairs_and_quadruples_of_elements) {
    for (const auto &[step, b_type, a_is_signed] : multiplied) {
        if (!has_step(GetParam(), step)) continue;
        for (const data_type_t dst_type : {dnnl_f32, dnnl_s32, dnnl_s8, dnnl_bf16})
            for (const bool has_epilogue : {false, true})
                for (const int vectors : {1, 2, 3, 4})
                    for (const bool has_blocks : {false, true}) {
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = most_rows(GetParam(), step, vectors),
                                .vectors = vectors,
                                .step = step,
                                .a_is_signed = a_is_signed,
                                .b_type = b_type,
                                .has_blocks = has_blocks,
                                .dst_type = dst_type};
                        if (has_epilogue) spec.epilogue = epilogue_of(dst_type);
                        spec.tail =
                                static_cast<int>(seed_ * 7 % static_cast<uint64_t>(spec.width()));
                        spec.subtracts = is_integer(step) && vectors % 2 == 0;
                        ASSERT_TRUE(is_right(spec, 7, 1));
                    }
    }
}

TEST_P(matrix_tile_kernel, reads_the_elements_of_an_incomplete_last_step) {
    for (const auto &[step, b_type, a_is_signed] : multiplied)
        for (int rest = 1; has_step(GetParam(), step) && rest < depth_of(step); ++rest)
            for (const int vectors : {1, 2, 3, 4})
                for (const int rows : {1, 2, most_rows(GetParam(), step, vectors)})
                    for (const bool has_blocks : {false, true})
                        for (const dim_t steps : {1, 2, 6}) {
                            if (step == step_t::s16) continue;
                            tile_spec_t spec{.isa = GetParam(),
                                    .rows = rows,
                                    .vectors = vectors,
                                    .step = step,
                                    .rest = rest,
                                    .a_is_signed = a_is_signed,
                                    .b_type = b_type,
                                    .has_blocks = has_blocks};
                            ASSERT_TRUE(is_right(spec, steps, 2));
                        }
}

TEST_P(matrix_tile_kernel, joins_the_rows_of_a_step_where_they_lie) {
    for (const auto &[step, b_type, a_is_signed] : multiplied)
        for (int rows = 1; step == step_t::u8s8 && has_step(GetParam(), step) && rows <= 13; ++rows)
            for (const bool sums_b : {false, true}) {
                const int most = most_joined_vectors(GetParam(), rows, sums_b);
                for (const int vectors : {1, most / 2, most})
                    for (int rest = 0; rest < depth_of(step); ++rest) {
                        if (vectors == 0 || vectors > most) continue;
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = rows,
                                .vectors = vectors,
                                .step = step,
                                .rest = rest,
                                .a_is_signed = a_is_signed,
                                .b_type = b_type,
                                .is_packed = false,
                                .fetches_b = rest % 2 != 0,
                                .subtracts = sums_b,
                                .sums_b = sums_b};
                        spec.tail =
                                static_cast<int>(seed_ * 7 % static_cast<uint64_t>(spec.width()));
                        ASSERT_TRUE(is_right(spec, 7, 1 + rest % 2));
                        spec.has_blocks = true;
                        ASSERT_TRUE(is_right(spec, 4, 1));
                    }
            }
}

TEST_P(matrix_tile_kernel, sums_the_columns_of_packed_bytes) {
    for (const auto &[step, b_type, a_is_signed] : multiplied)
        for (int vectors = 1; step == step_t::u8s8 && has_step(GetParam(), step) && vectors <= 4;
                ++vectors)
            for (const int rest : {0, 1, 3})
                for (const bool has_blocks : {false, true}) {
                    tile_spec_t spec{.isa = GetParam(),
                            .rows = most_rows(GetParam(), step, vectors, true),
                            .vectors = vectors,
                            .step = step,
                            .rest = rest,
                            .a_is_signed = a_is_signed,
                            .b_type = b_type,
                            .subtracts = true,
                            .sums_b = true,
                            .has_blocks = has_blocks};
                    spec.tail = static_cast<int>(seed_ * 5 % static_cast<uint64_t>(spec.width()));
                    ASSERT_TRUE(is_right(spec, 9, 2));
                }
}

/// The shape decides which columns and elements along K remain, how far apart rows lie, and how
/// much of the next block is fetched. Panels, strips and steps are arguments. The last panel, and
/// the last step of each panel, have code of their own.
TEST_P(matrix_tile_kernel, has_code_that_does_not_grow_with_the_shape) {
    const auto size_of = [](const tile_spec_t &spec) {
        return tile_kernel_t(spec).finish().size();
    };
    constexpr size_t most_bytes = 16 << 10, few_bytes = 256;
    for (const step_t step : {step_t::f32, step_t::bf16, step_t::u8s8, step_t::s16})
        for (int vectors = 1;
                has_step(GetParam(), step) && vectors <= most_vectors(GetParam(), step, 1);
                ++vectors)
            for (const bool has_epilogue : {false, true}) {
                tile_spec_t spec{.isa = GetParam(),
                        .rows = most_rows(GetParam(), step, vectors),
                        .vectors = vectors,
                        .step = step,
                        .b_type = step == step_t::u8s8 ? dnnl_s8 : dnnl_f32,
                        .has_blocks = true};
                if (has_epilogue)
                    spec.epilogue = epilogue_of(dnnl_f32), spec.pitches = {0, 0, 64, 64};
                const size_t size = size_of(spec);
                spec.lines_ahead = 16;
                EXPECT_LE(size_of(spec), size + few_bytes) << spec.name();
                if (has_epilogue) spec.pitches = {0, 0, dim_t(1) << 36, dim_t(1) << 36};
                EXPECT_LE(size_of(spec), size + 2 * few_bytes) << spec.name();
                spec.rest = depth_of(step) - 1;
                for (const int tail : {1, spec.width() / 2, spec.width() - 1}) {
                    spec.tail = tail;
                    EXPECT_LE(size_of(spec), std::min(3 * size, most_bytes))
                            << spec.name() << " tail " << tail;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_tile_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace
} // namespace kiln::x64::matrix::test
