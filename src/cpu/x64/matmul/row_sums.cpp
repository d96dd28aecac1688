// SPDX-License-Identifier: Apache-2.0
// Sums and scales of groups of elements of rows of A.

#include "cpu/x64/matmul/row_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "common/memory/data_type.hpp"

namespace kiln::x64::matmul {
namespace {

/// By lanes first, which the compiler makes vectors of.
template <typename sum_t, typename element_t, typename value_t>
sum_t sum_of(const element_t *elements, dim_t count, const value_t &value) {
    constexpr dim_t lanes = 16;
    std::array<sum_t, lanes> sums{};
    const dim_t whole = count / lanes * lanes;
    for (dim_t i = 0; i < whole; i += lanes)
        for (dim_t lane = 0; lane < lanes; ++lane)
            sums[static_cast<size_t>(lane)] += value(elements[i + lane]);
    for (dim_t i = whole; i < count; ++i)
        sums[static_cast<size_t>(i - whole)] += value(elements[i]);
    sum_t sum = 0;
    for (const sum_t x : sums) sum += x;
    return sum;
}

template <typename sum_t, typename element_t, typename value_t>
void sum_row(const std::byte *row, const row_groups_t &groups, void *to, const value_t &value) {
    const auto *const elements = reinterpret_cast<const element_t *>(row);
    auto *sums = static_cast<sum_t *>(to);
    for (dim_t first = 0; first < groups.k; first += groups.extent, sums += groups.pitch) {
        const dim_t count = std::min(groups.extent, groups.k - first);
        const dim_t summed = std::min(groups.extent, groups.summed_k - first);
        *sums = sum_of<sum_t>(elements + first, summed, value)
                - static_cast<sum_t>(groups.zero) * static_cast<sum_t>(count);
    }
}

} // namespace

void sum_groups(matrix::step_t step, const std::byte *row, const row_groups_t &groups, void *sums) {
    const auto itself = [](auto x) { return x; };
    const auto integer = [](auto x) { return static_cast<uint32_t>(x); };
    switch (matrix::base_of(step)) {
    case matrix::step_t::bf16:
        return sum_row<float, uint16_t>(row, groups, sums, [](uint16_t bits) {
            return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
        });
    case matrix::step_t::u8s8:
        return groups.is_signed ? sum_row<uint32_t, int8_t>(row, groups, sums, integer)
                                : sum_row<uint32_t, uint8_t>(row, groups, sums, integer);
    case matrix::step_t::s16: return sum_row<uint32_t, int16_t>(row, groups, sums, integer);
    default: return sum_row<float, float>(row, groups, sums, itself);
    }
}

float value_at(data_type_t type, const void *base, dim_t index) {
    return static_cast<float>(load_f64(type, base, index));
}

} // namespace kiln::x64::matmul
