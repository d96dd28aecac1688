// SPDX-License-Identifier: Apache-2.0
// What results by AMX are made from, and what they should be.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cpu/x64/matrix/amx_results.hpp"
#include "cpu/x64/reciprocal.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {

/// What follows sums: nothing, a tensor of integers that is added, a tensor of bf16 with factors of
/// rows, or scales of the tensor, of rows and of columns with a bias. These end with a division by
/// a number, with or without an activation before it.
enum class epilogue_t { none, integers, tensors, scales, scales_and_relu };

inline std::vector<jit::post_op_link_t> links_of(epilogue_t epilogue) {
    const jit::post_op_link_t relu{.alg = dnnl_eltwise_relu, .alpha = 0.5f};
    const auto by = [](alg_kind_t alg, data_type_t type, bool per_lane) {
        return jit::post_op_link_t{.alg = alg, .operands = {{type, per_lane}}};
    };
    switch (epilogue) {
    case epilogue_t::none: return {};
    case epilogue_t::integers: return {by(dnnl_binary_add, dnnl_s32, true)};
    case epilogue_t::tensors:
        return {by(dnnl_binary_add, dnnl_bf16, true), by(dnnl_binary_mul, dnnl_f32, false), relu};
    default: break;
    }
    std::vector<jit::post_op_link_t> links{by(dnnl_binary_mul, dnnl_f32, false),
            by(dnnl_binary_mul, dnnl_f32, false), by(dnnl_binary_mul, dnnl_f32, true),
            by(dnnl_binary_add, dnnl_bf16, true)};
    if (epilogue == epilogue_t::scales_and_relu) links.push_back(relu);
    links.push_back({.alg = dnnl_binary_div,
            .operands = {{dnnl_f32, false}, {dnnl_f32, false}},
            .is_by_scale = true});
    return links;
}

/// What results are made from, and dst.
class results_case_t {
public:
    results_case_t(const amx_results_spec_t &spec, epilogue_t epilogue, dim_t rows, dim_t columns,
            dim_t gap, placement_t placement, random_values_t &random)
        : spec_(spec)
        , epilogue_(epilogue)
        , dst_(spec.dst_type, step_t::f32, rows, columns, gap, placement)
        , expected_(spec.dst_type, step_t::f32, rows, columns, 0, placement)
        , added_(adds_integers() ? dnnl_s32 : dnnl_bf16, step_t::f32, rows, columns, gap, placement)
        , factors_(dnnl_f32, step_t::f32, rows, 1, gap, placement)
        , scales_(dnnl_f32, step_t::f32, 1, columns, 0, placement)
        , bias_(dnnl_bf16, step_t::f32, 1, columns, 0, placement) {
        for (size_t i = 0; i < amx_offset_count; ++i) {
            const data_type_t type = spec.offsets[i].of_columns;
            of_columns_.emplace_back(type == dnnl_data_type_undef ? dnnl_s32 : type, step_t::f32, 1,
                    columns, 0, placement);
            of_rows_.emplace_back(dnnl_s32, step_t::f32, rows, 1, 0, placement);
            for (dim_t row = 0; row < rows; ++row)
                of_rows_[i].set(row, 0, std::floor(random.between(0, 200)));
            for (dim_t column = 0; column < columns; ++column)
                of_columns_[i].set(0, column, std::floor(random.between(-120, 120)));
        }
        constexpr float large = 2147483520; // the greatest float below 2^31
        for (dim_t row = 0; row < rows; ++row) {
            factors_.set(row, 0, row % 3 == 0 ? -1.f / 64 : 1.f / 256);
            for (dim_t i = 0; i < columns; ++i) {
                const float value = std::floor(random.between(-100, 100));
                added_.set(row, i,
                        !adds_integers() || i % 3 != 0 ? value
                        : row % 2 == 0                 ? large
                                                       : -large);
            }
        }
        for (dim_t column = 0; column < columns; ++column) {
            scales_.set(0, column, column % 5 == 0 ? 4 : 0.5f);
            bias_.set(0, column, std::floor(random.between(-100, 100)));
        }
    }

    bool adds_integers() const { return epilogue_ == epilogue_t::integers; }

    /// Bytes from row to row of what the epilogue reads.
    std::vector<dim_t> pitches() const {
        switch (epilogue_) {
        case epilogue_t::none: return {};
        case epilogue_t::integers: return {added_.pitch()};
        case epilogue_t::tensors: return {added_.pitch(), factors_.pitch()};
        default: return {0, factors_.pitch(), 0, 0, 0, 0};
        }
    }

    amx_results_place_t place(dim_t column) const {
        amx_results_place_t place{.dst = dst_.at(0, column)};
        if (epilogue_ == epilogue_t::integers || epilogue_ == epilogue_t::tensors) {
            place.operands[0] = added_.at(0, column);
            place.operands[1] = factors_.data();
        } else if (epilogue_ != epilogue_t::none) {
            const void *const operands[] = {&scale_, factors_.data(), scales_.at(0, column),
                    bias_.at(0, column), &reciprocal_.high, &reciprocal_.low};
            std::ranges::copy(operands, place.operands);
        }
        for (size_t i = 0; i < amx_offset_count; ++i)
            place.offsets[i] = {of_columns_[i].at(0, column),
                    reinterpret_cast<const int32_t *>(of_rows_[i].data())};
        return place;
    }
    dim_t dst_pitch() const { return dst_.pitch(); }

    float expected(dim_t row, dim_t column, double sum) {
        for (size_t i = 0; i < amx_offset_count; ++i) {
            const amx_offset_t &offset = spec_.offsets[i];
            const double of_row = offset.of_rows ? of_rows_[i].get(row, 0) : 1;
            const double of_column = offset.has_columns() ? of_columns_[i].get(0, column) : 1;
            if (offset.exists()) sum -= of_row * of_column;
        }
        if (epilogue_ == epilogue_t::integers) sum += added_.get(row, column);
        if (epilogue_ == epilogue_t::tensors)
            sum = (sum + added_.get(row, column)) * factors_.get(row, 0);
        const bool has_scales = spec_.epilogue.size() > 3;
        if (has_scales)
            sum = sum * scale_ * factors_.get(row, 0) * scales_.get(0, column)
                  + bias_.get(0, column);
        const bool has_relu =
                epilogue_ == epilogue_t::tensors || epilogue_ == epilogue_t::scales_and_relu;
        if (has_relu && sum < 0) sum *= 0.5;
        if (has_scales) sum /= divisor;
        expected_.set(row, column, static_cast<float>(sum));
        return expected_.get(row, column);
    }
    float got(dim_t row, dim_t column) const { return dst_.get(row, column); }
    bool has_intact_gaps() const { return dst_.has_intact_gaps(); }

private:
    // Products with these are exact.
    static constexpr float divisor = 0.125f;
    const float scale_ = 2;
    const reciprocal_t reciprocal_{divisor};
    const amx_results_spec_t spec_;
    const epilogue_t epilogue_;
    guarded_matrix_t dst_, expected_, added_, factors_, scales_, bias_;
    std::vector<guarded_matrix_t> of_columns_, of_rows_;
};

} // namespace kiln::x64::matrix::test
