// SPDX-License-Identifier: Apache-2.0
// Sums of groups of elements of rows of A.

#include "cpu/x64/matmul/row_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "common/memory/data_type.hpp"
#include "cpu/x64/instructions.hpp"

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

/// `sum_of(elements, count)`: of elements behind one another.
template <typename element_t, typename sum_of_t>
void sum_row(const std::byte *row, const row_groups_t &groups, void *to, const sum_of_t &sum_of) {
    const auto *const elements = reinterpret_cast<const element_t *>(row);
    using sum_t = decltype(sum_of(elements, 0));
    auto *sums = static_cast<sum_t *>(to);
    const int32_t *zero = groups.zeros;
    for (dim_t first = 0; first < groups.k; first += groups.extent, sums += groups.pitch) {
        const dim_t count = std::min(groups.extent, groups.k - first);
        const dim_t summed = std::min(groups.extent, groups.summed_k - first);
        *sums = sum_of(elements + first, summed);
        if (zero == nullptr) continue;
        *sums -= static_cast<sum_t>(*zero) * static_cast<sum_t>(count);
        zero += groups.pitch;
    }
}

} // namespace

void sum_groups(matrix::step_t step, const std::byte *row, const row_groups_t &groups, void *sums) {
    const auto by_lanes = [&]<typename element_t>(element_t, auto sum, const auto &value) {
        using sum_t = decltype(sum);
        sum_row<element_t>(row, groups, sums, [&](const element_t *elements, dim_t count) {
            return sum_of<sum_t>(elements, count, value);
        });
    };
    switch (matrix::base_of(step)) {
    case matrix::step_t::bf16:
        return by_lanes(uint16_t(), float(), [](uint16_t bits) {
            return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
        });
    case matrix::step_t::u8s8:
        return sum_row<std::byte>(row, groups, sums, [&](const std::byte *elements, dim_t count) {
            return sum_of_bytes(elements, count, groups.is_signed);
        });
    case matrix::step_t::s16:
        return by_lanes(int16_t(), uint32_t(), [](int16_t x) { return static_cast<uint32_t>(x); });
    default: return by_lanes(float(), float(), [](float x) { return x; });
    }
}

} // namespace kiln::x64::matmul
