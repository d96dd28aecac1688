// SPDX-License-Identifier: Apache-2.0
// Elements on their way through a reorder's kernel: which types go to which, tricky values, and
// what becomes of each, by the scalar models of their formats. It knows no layouts.
#pragma once

#include <cstdint>
#include <vector>

#include "common/types.hpp"
#include "kernels/machine_levels.hpp"

namespace kiln::x64::nests::test {

struct type_pair_t {
    data_type_t src, dst;
};

/// Every pair that kernels take; of one type to itself, those whose bits are moved.
std::vector<type_pair_t> type_pairs();

int size_of(data_type_t type);

/// The bits of an element of dst that was made from the bits of one of src.
uint32_t reordered(const type_pair_t &types, uint32_t code);

/// The same for four bytes of u8 that become s8, or the reverse.
uint32_t clamped(data_type_t dst, uint32_t code);

/// Whether kernels move the bits of elements, and whether they clamp them on the way.
bool moves_bits(const type_pair_t &types);
bool clamps(const type_pair_t &types);

/// The types and the clamp of a kernel's specification for a pair of types.
template <typename spec_t> void set_types(spec_t &spec, const type_pair_t &types) {
    spec.src_type = moves_bits(types) ? types.dst : types.src;
    spec.dst_type = types.dst;
    spec.clamp = clamps(types) ? types.dst : dnnl_data_type_undef;
}

/// Elements side by side: numbers, ties, subnormal values, infinities, NaN, any bits.
std::vector<std::byte> tricky_elements(data_type_t type, size_t count, uint32_t seed);

} // namespace kiln::x64::nests::test
