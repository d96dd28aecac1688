// SPDX-License-Identifier: Apache-2.0
// Which step multiplies an A and a B, and how tiles get B: the order of preference in one table.
#pragma once

#include <optional>

#include "cpu/x64/matrix/amx_kernel.hpp"
#include "cpu/x64/matrix/packing.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matmul {

/// What the elements of A and B are.
enum kind_t : unsigned {
    floats = 1u << 0,     ///< f32, bf16, f16; A may be f8.
    compressed = 1u << 1, ///< Floats by f8 or by integers of 4 or 8 bits, which are converted.
    bytes = 1u << 2,      ///< s8 and u8
    half_bytes = 1u << 3, ///< s8 or u8 by integers of 4 bits.
};

/// How tiles get B.
enum class b_way_t {
    weights,   ///< Weights lie in panels: packed_weights().
    converted, ///< AMX gets pairs of bf16, or bytes, made block by block from weights in panels, or
               ///< from B packed as these.
    by_steps,  ///< AMX multiplies weights in panels, which its kernel converts step by step.
    dots,      ///< Columns of adjacent elements are multiplied by few rows of A: scalar products.
    rows,      ///< A few columns, packed as rows are, are multiplied by rows of A: scalar products.
    in_place,  ///< Tiles read rows where they are.
    copied,    ///< Rows are packed, block by block, by the tiles of the first strip that read them.
    packed,    ///< B is packed block by block by a kernel of its own.
};

/// Bytes of a B that the second-level cache of most cores holds: few rows wait for a larger one.
/// The limit is the same on every processor, since the order of additions depends on it.
constexpr dim_t most_near_bytes = 2 << 20;
/// Rows of A at most that multiply a row-major B of floats where it is: five or six strips.
constexpr dim_t rows_in_place(isa_t isa) { return 4 * jit::lanes_of(isa); }

/// What the choice depends on.
struct product_t {
    isa_t isa;
    kind_t kind;
    dim_t m, n, k;
    matrix::matrix_layout_t a, b; // b of weights in panels: the type alone
    dim_t group = 0;              // elements along K that share a scale or zero point; 0: all
    bool has_groups = false;      // scales or zero points are applied group by group
    bool has_group_scales = false;
    bool has_dot_groups = false;  // those are what scalar products apply
    bool is_exact_in_bf16 = true; // bf16 has the values of integer weights less their zero points
    bool has_step_groups = false; // scales and zero points are what by_steps applies
    bool has_a_scale = false;     // src has scales of groups
    bool has_a_zero = false;      // src has a zero point
    bool is_strict = false;       // fpmath mode is strict
    bool may_round = false;       // f32 may be rounded to bf16
    bool may_split = false;       // elements may be the sums of two of bf16
    bool has_slow_pairs = false;  // has_slow_bf16_products()
    bool is_any = false;          // B is weights whose layout is chosen
    int depth = 0;                // of weights in panels; else 0
};

struct choice_t {
    matrix::step_t step;
    b_way_t b;
};
/// Whether AMX multiplies integers by groups of so many elements along K; 0: all are one group.
/// Sums of several groups become floats: they have scales.
constexpr bool has_groups_of_amx(dim_t extent, bool has_scales) {
    return extent == 0 || (extent % matrix::amx_depth(matrix::step_t::u8s8) == 0 && has_scales);
}
/// The first candidate of the table that takes the product.
std::optional<choice_t> choose(const product_t &product);

} // namespace kiln::x64::matmul
