// SPDX-License-Identifier: Apache-2.0
// One float for each of up to four rows that go together, in the lowest lanes of a vector: from
// memory, to memory, and to every lane. It must not know what the floats mean.
#pragma once

#include <span>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::normalization {

/// Where each row has one element.
struct row_elements_t {
    Xbyak::RegExp first;
    data_type_t type; // f32, bf16 or f16
    dim_t pitch;      // in bytes
};
/// Lane i = the element of row i. The other lanes of the lowest four are 0.
void load_lanes(jit::generator_t &g, const Xbyak::Xmm &lanes, const row_elements_t &from, int rows);
/// The element of row i = lane i. Types other than f32 need what their conversion does.
void store_lanes(jit::generator_t &g, const Xbyak::Xmm &lanes, const row_elements_t &to, int rows);
/// Every lane of vecs[i] = lane i.
void spread_lanes(jit::generator_t &g, std::span<const jit::vec_t> vecs, const Xbyak::Xmm &lanes);
/// From statistics in memory, for each row in every lane: mean (unless there is none) and
/// r = 1 / sqrt(variance + epsilon).
struct stored_statistics_t {
    const Xbyak::Reg64 &mean;
    const Xbyak::Reg64 &variance;
    dim_t pitch;
    data_type_t type;
};
void load_statistics(jit::generator_t &g, std::span<const jit::vec_t> mean,
        std::span<const jit::vec_t> r, const stored_statistics_t &from, float epsilon);
/// variance = 1 / sqrt(variance + epsilon) in each of the lowest four lanes.
void reciprocal_deviation(jit::generator_t &g, const Xbyak::Xmm &variance, float epsilon);

} // namespace kiln::x64::normalization
