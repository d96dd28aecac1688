// SPDX-License-Identifier: Apache-2.0
// The conversion of packed weights to pairs of bf16 and to bytes, between unmapped pages, on
// machines that have AMX. Values are small integers and scales powers of two, so that results are
// exact.
#include "cpu/x64/matrix/amx_conversion.hpp"

#include <cmath>

#include "oneapi/dnnl/dnnl_debug.h"

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

class matrix_amx_conversion : public testing::TestWithParam<data_type_t> {
protected:
    static constexpr isa_t isa = isa_t::avx512_core_amx;

    void SetUp() override {
        if (!has_isa(isa)) GTEST_SKIP() << "the machine has no AMX";
    }

    /// A panel of `k` elements along K.
    ::testing::AssertionResult is_right(amx_conversion_spec_t spec, dim_t k, bool is_tail) {
        const placement_t placement = placements[++seed_ % 2];
        random_values_t random(seed_);
        const int width = spec.vectors * jit::lanes_of(isa), lane = spec.lane_depth();
        const dim_t columns = is_tail ? spec.tail : width;
        const dim_t run = std::max(2, lane), padded = lane == 1 ? k : round_up<dim_t>(k, lane);
        const int depth = depth_of(spec.step);
        const dim_t steps = divide_up<dim_t>(lane == 1 ? k : round_up(k, run), depth);
        const bool is_signed = spec.src_type != dnnl_u8 && spec.src_type != dnnl_u4;
        const double least = lane == 8 ? -8 : -100, most = lane == 8 ? (is_signed ? 8 : 16) : 100;
        const auto drawn = [&](bool has_sign) {
            return static_cast<float>(std::floor(random.between(has_sign ? least : 0, most)));
        };
        std::vector<float> weights;
        for (dim_t i = 0; i < padded * width; ++i) weights.push_back(drawn(is_signed));
        const dim_t lanes = padded / lane;
        guarded_matrix_t src(dnnl_f32, step_t::f32, lanes, width, 0, placement);
        for (dim_t i = 0; i < lanes; ++i)
            for (dim_t column = 0; column < width; ++column) {
                if (lane == 1) {
                    src.set(i, column, weights[static_cast<size_t>(i * width + column)]);
                    continue;
                }
                uint32_t bits = 0;
                for (int d = 0; d < lane; ++d) {
                    const auto at = static_cast<size_t>((i * lane + d) * width + column);
                    const auto element = static_cast<uint32_t>(static_cast<int>(weights[at]));
                    bits |= (element & (lane == 4 ? 0xffu : 0xfu)) << (d * 32 / lane);
                }
                std::memcpy(src.at(i, column), &bits, sizeof(bits));
            }
        guarded_matrix_t dst(spec.dst_type(), step_t::f32, steps, depth * width, 0, placement);
        guarded_matrix_t zeros(spec.zero.exists() ? spec.zero.type : dnnl_s8, step_t::f32, 1,
                spec.zero.per_lane ? columns : 1, 0, placement);
        guarded_matrix_t scales(spec.scale.exists() ? spec.scale.type : dnnl_f32, step_t::f32, 1,
                spec.scale.per_lane ? columns : 1, 0, placement);
        for (dim_t i = 0; i < zeros.columns(); ++i) zeros.set(0, i, static_cast<float>(i % 5));
        for (dim_t i = 0; i < scales.columns(); ++i)
            scales.set(0, i, std::ldexp(1.0f, static_cast<int>(i % 3) - 1));
        const jit::executable_code_t code = amx_conversion_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(k) + " rows, " + std::to_string(columns) + " columns", seed_,
                {code.data(), code.size()});
        amx_conversion_args_t args{.src = src.data(),
                .dst = dst.data(),
                .runs = lane == 1 ? k / 2 : divide_up(k, run),
                .has_half = lane == 1 && k % 2 != 0,
                .is_tail = is_tail,
                .scales = scales.data(),
                .zeros = zeros.data()};
        code(args);
        for (dim_t i = 0; i < k; ++i)
            for (dim_t column = 0; column < columns; ++column) {
                float wanted = weights[static_cast<size_t>(i * width + column)];
                if (spec.zero.exists()) wanted -= zeros.get(0, spec.zero.per_lane ? column : 0);
                if (spec.scale.exists()) wanted *= scales.get(0, spec.scale.per_lane ? column : 0);
                const float got = dst.get(i / depth, depth * column + i % depth);
                if (got != wanted) return failure.at(i * width + column, wanted, got);
            }
        return src.has_intact_gaps() && dst.has_intact_gaps() ? ::testing::AssertionSuccess()
                                                              : failure("wrote outside dst");
    }

    uint64_t seed_ = 0;
};

TEST_P(matrix_amx_conversion, converts_any_number_of_rows) {
    for (int vectors = 1; vectors <= 4; ++vectors)
        for (dim_t k = 1; k <= 40; ++k)
            ASSERT_TRUE(
                    is_right({.isa = isa, .src_type = GetParam(), .vectors = vectors}, k, false));
}

TEST_P(matrix_amx_conversion, makes_bytes_of_half_bytes) {
    if (!kiln::is_half_byte(GetParam())) GTEST_SKIP() << "other types are not converted to bytes";
    for (int vectors = 1; vectors <= 4; ++vectors)
        for (dim_t k = 1; k <= 40; ++k)
            ASSERT_TRUE(is_right(
                    {.isa = isa, .src_type = GetParam(), .step = step_t::u8s8, .vectors = vectors},
                    k, false));
}

TEST_P(matrix_amx_conversion, subtracts_zero_points_and_multiplies_by_scales) {
    if (GetParam() == dnnl_f32) GTEST_SKIP() << "floats have neither";
    for (const data_type_t zero : {dnnl_data_type_undef, dnnl_s8, dnnl_u8, dnnl_s32})
        for (const data_type_t scale : {dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16})
            for (const bool per_lane : {false, true})
                for (const int tail : {1, 15, 16, 20}) {
                    const amx_conversion_spec_t spec{.isa = isa,
                            .src_type = GetParam(),
                            .vectors = 2,
                            .tail = tail,
                            .scale = {scale, per_lane},
                            .zero = {zero, per_lane}};
                    ASSERT_TRUE(is_right(spec, 32, false));
                    ASSERT_TRUE(is_right(spec, 24, true));
                }
}

INSTANTIATE_TEST_SUITE_P(types, matrix_amx_conversion,
        testing::Values(dnnl_f32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4),
        [](const auto &info) { return std::string(dnnl_dt2str(info.param)); });

} // namespace
} // namespace kiln::x64::matrix::test
