// SPDX-License-Identifier: Apache-2.0
// The packing of operands of matrix products, on every ISA level of the machine, between unmapped
// pages.
#include "cpu/x64/matrix/pack_kernel.hpp"

#include <cmath>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

data_type_t type_of_packed(const pack_spec_t &spec) {
    return spec.step == step_t::f32    ? dnnl_f32
           : spec.step == step_t::bf16 ? dnnl_bf16
                                       : spec.src_type;
}

class matrix_pack_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    /// dst[panel][step][column] of the elements of `rows` rows.
    ::testing::AssertionResult is_right(pack_spec_t spec, dim_t rows, dim_t panels) {
        ++seed_;
        const int depth = depth_of(spec.step), width = spec.width();
        const dim_t columns = panels * width + spec.tail, steps = rows / depth;
        spec.rest = static_cast<int>(rows % depth);
        const placement_t placement = placements[seed_ % 2];
        random_values_t random(seed_);
        guarded_matrix_t src(spec.src_type, step_t::f32, rows, columns,
                static_cast<dim_t>(seed_ % 3), placement);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns; ++i)
                src.set(row, i,
                        static_cast<float>(
                                std::floor(random.between(spec.src_type == dnnl_u8 ? 0 : -9, 9))));
        const dim_t all_steps = divide_up<dim_t>(rows, depth),
                    all_panels = divide_up<dim_t>(columns, width);
        const data_type_t dst_type = type_of_packed(spec);
        guarded_matrix_t dst(
                dst_type, spec.step, all_panels * all_steps, width * depth, 0, placement);
        const jit::executable_code_t code = pack_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(rows) + " rows of " + std::to_string(columns), seed_,
                {code.data(), code.size()});
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = all_steps * dst.pitch(),
                .steps = steps,
                .has_rest = spec.rest != 0,
                .panels = panels,
                .has_tail = spec.tail != 0};
        code(args);
        const int lanes = jit::lanes_of(spec.isa);
        for (dim_t panel = 0; panel < all_panels; ++panel)
            for (dim_t k = 0; k < all_steps * depth; ++k)
                for (dim_t i = 0; i < width; ++i) {
                    const dim_t column = panel * width + i;
                    if (column >= round_up<dim_t>(columns, lanes)) continue;
                    const float wanted = column < columns && k < rows ? src.get(k, column) : 0;
                    const float got =
                            dst.value(panel * all_steps + k / depth, i * depth + k % depth);
                    if (got != wanted) return failure.at(k * columns + column, wanted, got);
                }
        return src.has_intact_gaps() && dst.has_intact_gaps() ? ::testing::AssertionSuccess()
                                                              : failure("wrote outside dst");
    }
    /// dst[row][column], rounded up to whole vectors with zeros.
    ::testing::AssertionResult copies(pack_spec_t spec, dim_t rows, dim_t columns) {
        ++seed_;
        const placement_t placement = placements[seed_ % 2];
        random_values_t random(seed_);
        guarded_matrix_t src(spec.src_type, step_t::f32, rows, columns, 3, placement);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns; ++i)
                src.set(row, i,
                        static_cast<float>(std::floor(
                                random.between(spec.src_type == dnnl_u8 ? 0 : -99, 99))));
        const dim_t padded = round_up<dim_t>(columns, jit::lanes_of(spec.isa));
        spec.tail = static_cast<int>(columns % spec.width());
        const data_type_t dst_type = type_of_packed(spec);
        guarded_matrix_t dst(dst_type, spec.step, rows, padded, 2, placement);
        const jit::executable_code_t code = pack_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(), std::to_string(columns) + " columns of A",
                seed_, {code.data(), code.size()});
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = spec.width() * element_bytes(spec.step),
                .steps = rows,
                .has_rest = 0,
                .panels = columns / spec.width(),
                .has_tail = spec.tail != 0};
        code(args);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < padded; ++i) {
                const float wanted = i < columns ? src.get(row, i) : 0;
                const float got = dst.value(row, i);
                if (got != wanted) return failure.at(row * padded + i, wanted, got);
            }
        return src.has_intact_gaps() && dst.has_intact_gaps() ? ::testing::AssertionSuccess()
                                                              : failure("wrote outside dst");
    }
    /// Rows of whole panels; `elements` of bf16 for each one of src.
    static guarded_matrix_t packed_rows(
            const pack_spec_t &spec, guarded_matrix_t &src, dim_t elements) {
        guarded_matrix_t dst(
                dnnl_bf16, step_t::f32, src.rows(), src.columns() * elements, 0, placements[1]);
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = spec.width() * elements * 2,
                .steps = src.rows(),
                .has_rest = 0,
                .panels = src.columns() / spec.width(),
                .has_tail = 0};
        pack_kernel_t(spec).finish()(args);
        return dst;
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_pack_kernel, converts_and_interleaves_rows) {
    struct source_t {
        step_t step;
        data_type_t type;
    };
    for (const auto &[step, type] :
            {source_t{step_t::f32, dnnl_f32}, {step_t::f32, dnnl_bf16}, {step_t::f32, dnnl_f16},
                    {step_t::f32, dnnl_s8}, {step_t::bf16, dnnl_bf16}, {step_t::bf16, dnnl_f32},
                    {step_t::bf16, dnnl_s8}, {step_t::bf16, dnnl_u8}, {step_t::u8s8, dnnl_s8},
                    {step_t::u8s8, dnnl_u8}, {step_t::s16, dnnl_s8}, {step_t::s16, dnnl_u8}})
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (dim_t rows = 1; rows <= 9; ++rows) {
                if (step == step_t::bf16 && type != dnnl_bf16 && !has_step(GetParam(), step))
                    continue; // needs the conversion instruction
                pack_spec_t spec{
                        .isa = GetParam(), .src_type = type, .step = step, .vectors = vectors};
                ASSERT_TRUE(is_right(spec, rows, 2));
                spec.tail = 1 + static_cast<int>(seed_ * 3) % (spec.width() - 1);
                ASSERT_TRUE(is_right(spec, rows, rows % 2));
            }
}

TEST_P(matrix_pack_kernel, copies_rows_of_a) {
    struct source_t {
        step_t step;
        data_type_t type;
    };
    for (const auto &[step, type] : {source_t{step_t::f32, dnnl_f32}, {step_t::f32, dnnl_f16},
                 {step_t::f32, dnnl_bf16}, {step_t::bf16, dnnl_bf16}, {step_t::bf16, dnnl_f32},
                 {step_t::u8s8, dnnl_u8}, {step_t::s16, dnnl_s8}, {step_t::s16, dnnl_u8}})
        for (int columns = 1; columns < 2 * jit::lanes_of(GetParam()); ++columns) {
            pack_spec_t spec{.isa = GetParam(), .src_type = type, .step = step, .vectors = 1};
            spec.is_a = true;
            ASSERT_TRUE(copies(spec, 3, columns));
        }
}

/// Every number of f16; infinities have no remainder.
TEST_P(matrix_pack_kernel, splits_f16_in_elements_of_bf16_and_remainders) {
    if (!has_step(GetParam(), step_t::bf16)) GTEST_SKIP() << "no conversion to bf16";
    constexpr dim_t rows = 64, columns = 1024;
    guarded_matrix_t src(dnnl_f16, step_t::f32, rows, columns, 0, placements[0]);
    for (dim_t row = 0; row < rows; ++row)
        for (dim_t i = 0; i < columns; ++i) {
            const auto code = static_cast<uint16_t>(row * columns + i);
            std::memcpy(src.at(row, i), &code, sizeof(code));
        }
    const auto packed = [&](bool takes_remainder) {
        return packed_rows({.isa = GetParam(),
                                   .src_type = dnnl_f16,
                                   .step = step_t::bf16,
                                   .is_a = true,
                                   .takes_remainder = takes_remainder},
                src, 1);
    };
    const guarded_matrix_t rounded = packed(false), remainders = packed(true);
    for (dim_t row = 0; row < rows; ++row)
        for (dim_t i = 0; i < columns; ++i) {
            const float value = src.get(row, i), sum = rounded.get(row, i) + remainders.get(row, i);
            ASSERT_TRUE(sum == value || (std::isnan(value) && std::isnan(sum))) << value;
        }
}

/// A float of f16 is the sum of two of bf16 with its sign, neither of them 0; of f32 its first 16
/// bits are.
TEST_P(matrix_pack_kernel, splits_elements_in_two_terms) {
    if (!has_step(GetParam(), step_t::split)) GTEST_SKIP() << "no AMX";
    constexpr dim_t rows = 64, columns = 1024, lanes = 16;
    for (const data_type_t type : {dnnl_f16, dnnl_f32}) {
        guarded_matrix_t src(type, step_t::f32, rows, columns, 0, placements[0]);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns; ++i) {
                const auto number = static_cast<uint32_t>(row * columns + i);
                const uint32_t code =
                        type == dnnl_f16 ? number : number << 16 | number * 40503 % 65536;
                std::memcpy(src.at(row, i), &code, type == dnnl_f16 ? 2 : 4);
            }
        const auto packed = [&](bool is_a, bool is_of_b) {
            return packed_rows({.isa = GetParam(),
                                       .src_type = type,
                                       .step = step_t::split,
                                       .vectors = 2,
                                       .is_a = is_a,
                                       .is_of_b = is_of_b},
                    src, is_a && !is_of_b ? 4 : 2);
        };
        const auto of_a = packed(true, false), of_column = packed(true, true),
                   of_b = packed(false, false);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns; ++i) {
                const float value = src.get(row, i);
                const float first = of_b.get(row, 2 * i), second = of_b.get(row, 2 * i + 1);
                const dim_t at = i / lanes * 4 * lanes + i % lanes * 2;
                const auto is_same = [&](float one, float other) {
                    return one == other || (std::isnan(one) && std::isnan(other));
                };
                ASSERT_TRUE(is_same(of_column.get(row, 2 * i), first)
                            && is_same(of_column.get(row, 2 * i + 1), second)
                            && is_same(of_a.get(row, at), first)
                            && is_same(of_a.get(row, at + 1), second)
                            && is_same(of_a.get(row, at + 2 * lanes), second)
                            && is_same(of_a.get(row, at + 2 * lanes + 1), first));
                if (std::isnan(value)) {
                    ASSERT_TRUE(std::isnan(first + second)) << value;
                    continue;
                }
                const double distance =
                        std::fabs(static_cast<double>(value) - (double(first) + second));
                const bool is_right = type == dnnl_f16 || std::isinf(value)
                                              ? first + second == value
                                              : distance <= std::ldexp(std::fabs(value), -15);
                if (value != 0 && std::fabs(value) < 1e-30f) continue; // terms are subnormal
                ASSERT_TRUE(is_right) << value << " " << first << " " << second;
                if (value == 0) continue;
                ASSERT_TRUE(first != 0 && second != 0) << value;
                ASSERT_EQ(std::signbit(first), std::signbit(value)) << value;
                ASSERT_EQ(std::signbit(second), std::signbit(value)) << value;
            }
    }
}

TEST_P(matrix_pack_kernel, orders_octets) {
    constexpr int columns = 40;
    constexpr int order_of_words[] = {0, 4, 1, 5, 2, 6, 3, 7};
    constexpr int order_of_bytes[] = {0, 2, 4, 6, 1, 3, 5, 7};
    for (const auto &[step, type] :
            {std::pair{step_t::bf16, dnnl_bf16}, {step_t::bf16, dnnl_f32}, {step_t::u8s8, dnnl_u8},
                    {step_t::u8s8, dnnl_s8}, {step_t::s16, dnnl_u8}, {step_t::s16, dnnl_s8}}) {
        if (!has_step(GetParam(), step)) continue;
        const int bytes = element_bytes(step);
        const int *const order = bytes == 1 ? order_of_bytes : order_of_words;
        const data_type_t dst_type = step == step_t::bf16 ? dnnl_bf16 : type;
        pack_spec_t spec{
                .isa = GetParam(), .src_type = type, .step = step, .is_a = true, .in_octets = true};
        spec.tail = columns % spec.width();
        guarded_matrix_t src(type, step_t::f32, 2, columns, 3, placements[0]);
        guarded_matrix_t dst(dst_type, step, 2, round_up(columns, spec.width()), 0, placements[0]);
        for (dim_t row = 0; row < 2; ++row)
            for (dim_t i = 0; i < columns; ++i) src.set(row, i, static_cast<float>(row * 50 + i));
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = spec.width() * bytes,
                .steps = 2,
                .has_rest = 0,
                .panels = columns / spec.width(),
                .has_tail = spec.tail != 0};
        const jit::executable_code_t code = pack_kernel_t(spec).finish();
        code(args);
        for (dim_t row = 0; row < 2; ++row)
            for (dim_t i = 0; i < columns; ++i)
                ASSERT_EQ(
                        dst.value(row, i), static_cast<float>(row * 50 + i / 8 * 8 + order[i % 8]));
        ASSERT_TRUE(src.has_intact_gaps() && dst.has_intact_gaps()) << spec.name();
    }
}

/// Eight rows of half bytes become lanes; those of rows that are missing are zero.
TEST_P(matrix_pack_kernel, gathers_half_bytes_of_columns) {
    for (const step_t step : {step_t::u8s8x8, step_t::s16x8})
        for (int rows = 1; rows <= 17; ++rows)
            for (const int vectors : {1, 2, 4}) {
                pack_spec_t spec{
                        .isa = GetParam(), .src_type = dnnl_u4, .step = step, .vectors = vectors};
                spec.tail = rows % 2 == 0 ? 0 : 2 * (rows % (spec.width() / 2));
                spec.rest = rows % 8;
                const int columns = spec.width() + spec.tail, steps = (rows + 7) / 8;
                guarded_matrix_t src(
                        dnnl_u8, step_t::f32, rows, columns / 2, rows % 3, placements[rows % 2]);
                const auto code = [](int row, int column) { return (row * 7 + column * 3) % 16; };
                for (int row = 0; row < rows; ++row)
                    for (int i = 0; i < columns; i += 2)
                        src.set(row, i / 2,
                                static_cast<float>(code(row, i) + code(row, i + 1) * 16));
                const int panels = spec.tail == 0 ? 1 : 2;
                guarded_matrix_t dst(dnnl_f32, step_t::f32, panels * steps, spec.width(), 0,
                        placements[rows % 2]);
                pack_args_t args{.src = src.data(),
                        .src_pitch = src.pitch(),
                        .dst = dst.data(),
                        .dst_pitch = dst.pitch(),
                        .dst_panel = steps * dst.pitch(),
                        .steps = rows / 8,
                        .has_rest = spec.rest != 0,
                        .panels = 1,
                        .has_tail = spec.tail != 0};
                const jit::executable_code_t kernel = pack_kernel_t(spec).finish();
                kernel(args);
                for (int step_index = 0; step_index < steps; ++step_index)
                    for (int i = 0; i < columns; ++i) {
                        uint32_t wanted = 0;
                        for (int row = step_index * 8; row < std::min(rows, step_index * 8 + 8);
                                ++row)
                            wanted |= static_cast<uint32_t>(code(row, i)) << row % 8 * 4;
                        const int panel = i / spec.width();
                        ASSERT_EQ(dst.code(panel * steps + step_index, i % spec.width()), wanted)
                                << spec.name() << " " << rows << " rows, column " << i;
                    }
                ASSERT_TRUE(src.has_intact_gaps() && dst.has_intact_gaps());
            }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_pack_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace
} // namespace kiln::x64::matrix::test
