// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by packed integers that AMX converts step by step, between unmapped pages, on
// machines that have it. Values are small integers and scales powers of two, so that sums are exact
// and are compared bit by bit.
#include "cpu/x64/matrix/amx_compressed.hpp"

#include <cmath>

#include "oneapi/dnnl/dnnl_debug.h"

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

constexpr isa_t isa = isa_t::avx512_core_amx;

struct problem_t {
    dim_t rows, panels, k;
    dim_t group = 0;      // 0: all of K
    bool has_tail = true; // the last panel is as narrow as the spec says, if it says so
};

/// Bytes and half bytes of a matrix, some with a sign.
class integers_t {
public:
    integers_t(data_type_t type, dim_t rows, dim_t columns, random_values_t &random)
        : type_(type)
        , columns_(columns) {
        const bool is_signed = type == dnnl_s8 || type == dnnl_s4;
        const double most = bits() == 4 ? 8 : 128;
        for (dim_t i = 0; i < rows * columns; ++i)
            values_.push_back(static_cast<int>(std::floor(
                    random.between(is_signed ? -most : 0, is_signed ? most : 2 * most))));
    }
    int bits() const { return kiln::is_half_byte(type_) ? 4 : 8; }
    int at(dim_t row, dim_t column) const {
        return values_[static_cast<size_t>(row * columns_ + column)];
    }
    uint32_t code(dim_t row, dim_t column) const {
        return static_cast<uint32_t>(at(row, column)) & ((1u << bits()) - 1);
    }

private:
    data_type_t type_;
    dim_t columns_;
    std::vector<int> values_;
};

class matrix_amx_compressed : public testing::TestWithParam<data_type_t> {
protected:
    void SetUp() override {
        if (!has_isa(isa)) GTEST_SKIP() << "the machine has no AMX";
    }

    ::testing::AssertionResult is_right(amx_compressed_spec_t spec, const problem_t &problem) {
        const auto [rows, panels, k, group, may_have_tail] = problem;
        const bool has_tail = may_have_tail && spec.tail != 0;
        const placement_t placement = placements[++seed_ % 2];
        random_values_t random(seed_);
        spec.row_tiles = rows > amx_rows ? 2 : 1;
        const int lane = spec.lane_depth();
        const dim_t width = spec.vectors * jit::lanes_of(isa);
        const dim_t columns = panels * width - (has_tail ? width - spec.tail : 0);
        const dim_t lanes = divide_up<dim_t>(k, lane), groups = group == 0 ? 1 : k / group;
        const dim_t depth = amx_depth(step_t::bf16), padded = round_up<dim_t>(k, lane);
        const dim_t steps = padded / depth, whole = steps * depth;

        const integers_t weights(spec.b_type, padded, panels * width, random);
        guarded_matrix_t b(dnnl_f32, step_t::f32, panels * lanes, width, 0, placement);
        for (dim_t i = 0; i < panels * lanes; ++i)
            for (dim_t column = 0; column < width; ++column) {
                uint32_t bits = 0;
                for (int d = 0; d < lane; ++d)
                    bits |= weights.code(i % lanes * lane + d, i / lanes * width + column)
                            << (d * weights.bits());
                std::memcpy(b.at(i, column), &bits, sizeof(bits));
            }
        constexpr int octet[] = {0, 4, 1, 5, 2, 6, 3, 7};
        const auto place_in_a = [&](dim_t i) { return lane == 8 ? i / 8 * 8 + octet[i % 8] : i; };
        guarded_matrix_t values(dnnl_f32, step_t::f32, rows, k, 0, placement);
        guarded_matrix_t a(dnnl_bf16, step_t::f32, rows, whole, 5, placement);
        guarded_matrix_t rest(dnnl_bf16, step_t::f32, rows, depth, 0, placement);
        for (dim_t row = 0; row < rows; ++row) {
            for (dim_t i = 0; i < k; ++i) values.set(row, i, std::floor(random.between(-4, 5)));
            for (dim_t i = 0; i < whole + depth; ++i) {
                const dim_t at = place_in_a(i);
                const float value = at < k ? values.get(row, at) : 0;
                i < whole ? a.set(row, i, value) : rest.set(row, i - whole, value);
            }
        }
        const dim_t of_scales = spec.scale.per_lane ? columns : 1;
        guarded_matrix_t scales(spec.scale.exists() ? spec.scale.type : dnnl_f32, step_t::f32,
                groups, of_scales, 0, placement);
        for (dim_t i = 0; i < groups; ++i)
            for (dim_t column = 0; column < of_scales; ++column)
                scales.set(i, column, std::ldexp(1.0f, static_cast<int>((i + column) % 3) - 1));
        const dim_t of_zeros = spec.zero.per_lane ? columns : 1;
        const integers_t zero_points(
                spec.zero.exists() ? spec.zero.type : dnnl_s8, groups, of_zeros, random);
        const int zeros_of_byte = 8 / zero_points.bits();
        guarded_matrix_t zeros(dnnl_u8, step_t::f32, groups,
                divide_up<dim_t>(of_zeros, zeros_of_byte), 0, placement);
        for (dim_t i = 0; i < groups; ++i)
            for (dim_t column = 0; column < of_zeros; column += zeros_of_byte) {
                uint32_t bits = 0;
                for (int d = 0; d < zeros_of_byte; ++d)
                    bits |= zero_points.code(i, column + d) << (d * 4);
                std::memcpy(zeros.at(i, column / zeros_of_byte), &bits, 1);
            }
        guarded_matrix_t sums(dnnl_f32, step_t::f32, rows, panels * width, 3, placement);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t column = 0; column < panels * width; ++column)
                sums.set(row, column, spec.scale.exists() ? 8.f : NAN);

        const jit::executable_code_t code = amx_compressed_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(rows) + "x" + std::to_string(k) + " by " + std::to_string(columns)
                        + " columns, groups of " + std::to_string(group),
                seed_, {code.data(), code.size()});
        alignas(64) std::byte buffer[amx_compressed_bytes];
        std::fill(std::begin(buffer), std::end(buffer), std::byte{0xff}); // NaN
        amx_compressed_args_t args{.a = a.data(),
                .a_pitch = a.pitch(),
                .a_rest = rest.data(),
                .b = b.data(),
                .b_panel = lanes * width * 4,
                .panels = panels,
                .has_tail = has_tail,
                .steps = steps,
                .rest_lanes = divide_up<dim_t>(std::max<dim_t>(0, k - whole), lane),
                .sums = sums.data(),
                .sums_pitch = sums.pitch(),
                .group_steps = group == 0 ? steps : group / depth,
                .scales = scales.data(),
                .zeros = zeros.data(),
                .scale_pitch = scales.pitch(),
                .zero_pitch = zeros.pitch()};
        args.set_buffer(buffer);
        args.set_rows(spec, rows);
        code(args);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t column = 0; column < columns; ++column) {
                double wanted = spec.scale.exists() ? 8 : 0;
                for (dim_t i = 0; i < k; ++i) {
                    const dim_t of = group == 0 ? 0 : i / group;
                    double product = weights.at(i, column);
                    if (spec.zero.exists())
                        product -= zero_points.at(of, spec.zero.per_lane ? column : 0);
                    if (spec.scale.exists())
                        product *= scales.get(of, spec.scale.per_lane ? column : 0);
                    wanted += product * static_cast<double>(values.get(row, i));
                }
                const float got = sums.get(row, column);
                if (got != static_cast<float>(wanted))
                    return failure.at(row * columns + column, static_cast<float>(wanted), got);
            }
        return sums.has_intact_gaps() ? ::testing::AssertionSuccess()
                                      : failure("wrote outside sums");
    }

    amx_compressed_spec_t spec_of(int vectors, int tail = 0) const {
        return {.isa = isa, .b_type = GetParam(), .vectors = vectors, .tail = tail};
    }

    uint64_t seed_ = 0;
};

TEST_P(matrix_amx_compressed, multiplies_any_number_of_rows) {
    for (const dim_t rows : {1, 2, 7, 15, 16, 17, 31, 32})
        for (int vectors = 1; vectors <= 4; ++vectors)
            ASSERT_TRUE(is_right(spec_of(vectors), {rows, 2, 160}));
}

TEST_P(matrix_amx_compressed, multiplies_any_number_of_elements) {
    for (const dim_t rows : {3, 20})
        for (dim_t k = 32; k <= 200; k += k < 140 ? 1 : 7)
            ASSERT_TRUE(is_right(spec_of(4), {rows, 2, k}));
}

TEST_P(matrix_amx_compressed, subtracts_zero_points_and_multiplies_by_scales) {
    const data_type_t half_or_byte = GetParam();
    for (const data_type_t zero : {dnnl_data_type_undef, half_or_byte})
        for (const data_type_t scale : {dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const bool per_lane : {false, true}) {
                if (!per_lane && kiln::is_half_byte(zero)) continue; // a byte has two of them
                for (const int tail : {0, 2, 16, 22, 62})
                    for (const auto &[rows, k, group] :
                            {std::tuple(1, 96, 32), {5, 384, 128}, {18, 192, 64}, {32, 64, 0}}) {
                        amx_compressed_spec_t spec = spec_of(4, tail);
                        spec.scale = {scale, per_lane};
                        spec.zero = {zero, per_lane};
                        ASSERT_TRUE(is_right(spec, {rows, 2, k, group}));
                    }
            }
}

TEST_P(matrix_amx_compressed, multiplies_in_panels_of_fewer_vectors) {
    for (const int vectors : {1, 2, 3})
        for (const dim_t rows : {4, 30}) {
            amx_compressed_spec_t spec = spec_of(vectors, vectors * 16 - 6);
            spec.scale = {dnnl_f32, true};
            spec.zero = {GetParam(), true};
            for (const bool has_tail : {false, true})
                ASSERT_TRUE(is_right(spec, {rows, 3, 128, 32, has_tail}));
        }
}

INSTANTIATE_TEST_SUITE_P(types, matrix_amx_compressed,
        testing::Values(dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4),
        [](const auto &info) { return std::string(dnnl_dt2str(info.param)); });

} // namespace
} // namespace kiln::x64::matrix::test
