// SPDX-License-Identifier: Apache-2.0
// Scalar products, on every ISA level of the machine, between unmapped pages. Values are small
// integers and scales powers of two, so that sums are exact and results are compared bit by bit.
#include "cpu/x64/matrix/dot_kernel.hpp"

#include <cmath>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/operands.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

/// A, B with its columns as rows, their scalar products, and the extents.
struct dot_operands_t {
    const guarded_matrix_t &a, &b, &sums;
    dim_t k, columns;
};

/// Without groups.
dot_args_t args_of(dot_spec_t spec, const dot_operands_t &of) {
    dot_args_t args{.a = of.a.data(),
            .a_pitch = of.a.pitch(),
            .b = of.b.data(),
            .b_pitch = of.b.pitch(),
            .b_ahead = 2 * of.b.pitch(),
            .vectors = spec.set_length(of.k),
            .sums = reinterpret_cast<float *>(of.sums.data()),
            .sums_pitch = of.sums.pitch()};
    args.set_columns(spec, of.columns);
    return args;
}

class matrix_dot_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    ::testing::AssertionResult is_right(dot_spec_t spec, dim_t k, dim_t columns) {
        const placement_t placement = placements[++seed_ % 2];
        random_values_t random(seed_);
        spec.set_length(k);
        const bool are_bytes = is_integer(spec.step);
        const step_t of_a = spec.step == step_t::s16 ? step_t::s16 : step_t::f32;
        const data_type_t a_type = are_bytes ? spec.a_is_signed ? dnnl_s8 : dnnl_u8
                                   : spec.step == step_t::bf16 ? dnnl_bf16
                                                               : dnnl_f32;
        const dim_t whole_k = round_up<dim_t>(k, depth_of(spec.step));
        guarded_matrix_t a(a_type, of_a, spec.rows, whole_k, 3, placement);
        const auto gap = static_cast<dim_t>(seed_ % 3);
        guarded_matrix_t b(spec.b_type, step_t::f32, columns, k, gap, placement);
        spec.has_gaps = gap != 0;
        const int elements = jit::lanes_of(spec.isa) * depth_of(spec.step); // of a vector
        guarded_matrix_t alternating(
                a_type, of_a, spec.rows * divide_up<dim_t>(k, elements), elements, 0, placement);
        guarded_matrix_t sums(are_bytes ? dnnl_s32 : dnnl_f32, step_t::f32,
                spec.is_transposed ? columns : spec.rows, spec.is_transposed ? spec.rows : columns,
                1, placement);
        const float most = are_bytes ? 127 : 4;
        const auto fill = [&](guarded_matrix_t &matrix, dim_t rows) {
            for (dim_t row = 0; row < rows; ++row)
                for (dim_t i = 0; i < k; ++i)
                    matrix.set(row, i, static_cast<float>(std::floor(random.between(-most, most))));
        };
        fill(a, spec.rows);
        fill(b, columns);
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t i = k; i < whole_k; ++i) a.set(row, i, 0);
        const jit::executable_code_t code = dot_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(spec.rows) + " rows, " + std::to_string(columns) + " columns of "
                        + std::to_string(k),
                seed_, {code.data(), code.size()});
        if (spec.is_transposed) alternate(a, alternating, spec);
        const dot_operands_t operands{spec.is_transposed ? alternating : a, b, sums, k, columns};
        if (spec.is_transposed) {
            multiply_block_by_block(code, spec, operands);
        } else {
            dot_args_t args = args_of(spec, operands);
            code(args);
        }
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t column = 0; column < columns; ++column) {
                float wanted = 0;
                for (dim_t i = 0; i < k; ++i) wanted += a.value(row, i) * b.get(column, i);
                const float sum =
                        spec.is_transposed ? sums.get(column, row) : sums.get(row, column);
                if (sum != wanted) return failure.at(row * columns + column, wanted, sum);
            }
        return a.has_intact_gaps() && alternating.has_intact_gaps() && b.has_intact_gaps()
                               && sums.has_intact_gaps()
                       ? ::testing::AssertionSuccess()
                       : failure("wrote outside its sums");
    }
    /// The vectors of rows, one of each, then the next ones.
    static void alternate(
            const guarded_matrix_t &rows, guarded_matrix_t &vectors, const dot_spec_t &spec) {
        const dim_t elements = vectors.columns();
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t i = 0; i < rows.columns(); ++i)
                vectors.set(i / elements * spec.rows + row, i % elements, rows.value(row, i));
    }
    /// A vector at a time.
    static void multiply_block_by_block(const jit::executable_code_t &code, const dot_spec_t &spec,
            const dot_operands_t &operands) {
        const dot_args_t all = args_of(spec, operands);
        const dim_t lanes = jit::lanes_of(spec.isa);
        dim_t first = 0;
        do {
            dot_args_t args = all;
            args.vectors = std::min<dim_t>(1, all.vectors - first);
            args.adds = first != 0;
            args.omits_tail = first + args.vectors < all.vectors;
            args.a = x64::moved(all.a, first * spec.rows * lanes * 4);
            args.b = x64::moved(all.b, first * lanes * spec.lane_bytes());
            args.b_rest = x64::moved(all.b_rest, first * lanes * spec.lane_bytes());
            code(args);
        } while (++first < all.vectors);
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_dot_kernel, multiplies_any_number_of_rows_columns_and_elements) {
    for (int rows = 1; rows <= most_dot_rows; ++rows)
        for (const data_type_t type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8})
            for (const dim_t k : {1, 7, 16, 33, 50})
                for (dim_t columns = 1; columns <= 17; columns += 1 + columns / 4)
                    ASSERT_TRUE(is_right(
                            {.isa = GetParam(), .rows = rows, .b_type = type}, k, columns));
}

TEST_P(matrix_dot_kernel, multiplies_pairs_of_bf16) {
    if (!has_step(GetParam(), step_t::bf16)) GTEST_SKIP() << "this level lacks vdpbf16ps";
    for (int rows = 1; rows <= most_dot_rows; ++rows)
        for (const dim_t k : {1, 2, 13, 14, 32, 33, 50, 63, 96, 126})
            for (dim_t columns = 1; columns <= 17; columns += 1 + columns / 4)
                ASSERT_TRUE(is_right({.isa = GetParam(),
                                             .rows = rows,
                                             .b_type = dnnl_bf16,
                                             .step = step_t::bf16},
                        k, columns));
}

TEST_P(matrix_dot_kernel, multiplies_integers_of_8_bits) {
    for (const step_t step : {step_t::u8s8, step_t::s16}) {
        if (!has_step(GetParam(), step)) continue;
        for (int rows = 1; rows <= most_dot_rows; ++rows)
            for (const bool a_is_signed : {false, true})
                for (const data_type_t type : {dnnl_s8, dnnl_u8})
                    for (const dim_t k : {1, 3, 16, 29, 61, 62, 63, 64, 65, 200, 254})
                        for (dim_t columns = 1; columns <= 17; columns += 1 + columns / 4)
                            ASSERT_TRUE(is_right({.isa = GetParam(),
                                                         .rows = rows,
                                                         .b_type = type,
                                                         .step = step,
                                                         .a_is_signed = a_is_signed},
                                    k, columns));
    }
}

TEST_P(matrix_dot_kernel, stores_the_sums_of_a_column_side_by_side) {
    struct types_t {
        step_t step;
        data_type_t b_type;
        bool a_is_signed;
    };
    for (const auto &[step, b_type, a_is_signed] :
            {types_t{step_t::f32, dnnl_f32, false}, {step_t::f32, dnnl_f16, false},
                    {step_t::bf16, dnnl_bf16, false}, {step_t::u8s8, dnnl_u8, true},
                    {step_t::u8s8, dnnl_s8, true}, {step_t::u8s8, dnnl_s8, false},
                    {step_t::s16, dnnl_u8, true}, {step_t::s16, dnnl_s8, true}}) {
        if (!has_step(GetParam(), step)) continue;
        const bool shifts = step == step_t::u8s8 && a_is_signed == (b_type == dnnl_s8);
        for (int rows = 1; rows <= most_transposed_rows(GetParam(), step, shifts); ++rows)
            for (const dim_t k : {1, 63, 64, 201})
                for (const dim_t columns : {1, 2, 7, 9, 17})
                    ASSERT_TRUE(is_right({.isa = GetParam(),
                                                 .rows = rows,
                                                 .b_type = b_type,
                                                 .step = step,
                                                 .a_is_signed = a_is_signed,
                                                 .is_transposed = true},
                            k, columns));
    }
}

/// Scales are powers of two, sums and zero points small integers, so results are exact.
TEST_P(matrix_dot_kernel, apply_scales_and_zero_points_of_groups) {
    struct operands_t {
        group_operand_t scale, zero;
    };
    constexpr operands_t all[] = {{{dnnl_f32, true}, {}}, {{dnnl_f16, true}, {dnnl_u8, true}},
            {{dnnl_bf16, false}, {dnnl_s32, true}}, {{}, {dnnl_s8, false}},
            {{dnnl_f32, true}, {dnnl_s8, true}}};
    const int lanes = jit::lanes_of(GetParam());
    for (const auto &[scale, zero] : all)
        for (int rows = 1; rows <= most_dot_rows_of_groups; ++rows)
            for (const data_type_t type : {dnnl_s8, dnnl_u8})
                for (const dim_t columns : {1, 5, 19}) {
                    const dot_spec_t spec{.isa = GetParam(),
                            .rows = rows,
                            .b_type = type,
                            .scale = scale,
                            .zero = zero};
                    const dim_t groups = 1 + static_cast<dim_t>(seed_ % 3), vectors = 2,
                                k = groups * vectors * lanes;
                    const placement_t placement = placements[++seed_ % 2];
                    const auto type_or = [](const group_operand_t &operand) {
                        return operand.exists() ? operand.type : dnnl_f32;
                    };
                    const auto count = [&](const group_operand_t &operand) {
                        return operand.per_lane ? columns : 1;
                    };
                    guarded_matrix_t a(dnnl_f32, step_t::f32, rows, k, 3, placement);
                    guarded_matrix_t b(type, step_t::f32, columns, k, 0, placement);
                    guarded_matrix_t sums(dnnl_f32, step_t::f32, rows, columns, 1, placement);
                    guarded_matrix_t scales(
                            type_or(scale), step_t::f32, groups, count(scale), 1, placement);
                    guarded_matrix_t zeros(
                            type_or(zero), step_t::f32, groups, count(zero), 1, placement);
                    const auto fill = [](guarded_matrix_t &matrix, dim_t of_rows, dim_t width,
                                              const auto &value) {
                        for (dim_t row = 0; row < of_rows; ++row)
                            for (dim_t i = 0; i < width; ++i)
                                matrix.set(row, i, static_cast<float>(value(row, i)));
                    };
                    fill(a, rows, k, [](dim_t row, dim_t i) { return (row + i * 3) % 7 - 3; });
                    fill(b, columns, k, [](dim_t row, dim_t i) { return (row * 5 + i) % 9; });
                    fill(scales, groups, count(scale),
                            [](dim_t row, dim_t i) { return 1 << (row + i) % 4; });
                    fill(zeros, groups, count(zero),
                            [](dim_t row, dim_t i) { return (row * 2 + i) % 5; });
                    dot_args_t args = args_of(spec, {a, b, sums, k, columns});
                    args.groups = groups;
                    args.group_vectors = vectors;
                    args.scales = scales.data();
                    args.zeros = zeros.data();
                    args.scale_pitch = scales.pitch();
                    args.zero_pitch = zeros.pitch();
                    const jit::executable_code_t code = dot_kernel_t(spec).finish();
                    const kernel_failure_t failure(spec.name(),
                            std::to_string(rows) + " rows, " + std::to_string(columns)
                                    + " columns, " + std::to_string(groups) + " groups",
                            seed_, {code.data(), code.size()});
                    code(args);
                    for (dim_t row = 0; row < rows; ++row)
                        for (dim_t column = 0; column < columns; ++column) {
                            const auto of = [&](const guarded_matrix_t &matrix,
                                                    const group_operand_t &operand, dim_t group) {
                                return matrix.get(group, operand.per_lane ? column : 0);
                            };
                            float wanted = 0;
                            for (dim_t i = 0; i < k; ++i) {
                                const dim_t group = i / (vectors * lanes);
                                const float y = b.get(column, i)
                                                - (zero.exists() ? of(zeros, zero, group) : 0);
                                wanted += a.get(row, i) * y
                                          * (scale.exists() ? of(scales, scale, group) : 1);
                            }
                            ASSERT_TRUE(sums.get(row, column) == wanted) << failure.at(
                                    row * columns + column, wanted, sums.get(row, column));
                        }
                    ASSERT_TRUE(a.has_intact_gaps() && b.has_intact_gaps() && sums.has_intact_gaps()
                                && scales.has_intact_gaps() && zeros.has_intact_gaps());
                }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_dot_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace
} // namespace kiln::x64::matrix::test
