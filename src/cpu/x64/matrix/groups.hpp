// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of matrix products: of columns, and of groups of steps along K.
#pragma once

#include "common/memory/data_type.hpp"
#include "common/types.hpp"

namespace kiln::x64::matrix {

/// Bytes of adjacent values: an even number of half bytes.
inline int bytes_of(data_type_t type, int count) {
    return is_half_byte(type) ? count / 2 : count * static_cast<int>(data_type_size(type));
}

/// What a value of each column, or one for all, is multiplied by or subtracted from the sums of a
/// group of steps.
struct group_operand_t {
    data_type_t type = dnnl_data_type_undef; // undef: there is none
    bool per_lane = false;                   // one for each column
    int run = 1; // groups of steps, one behind another, that share a value

    bool exists() const { return type != dnnl_data_type_undef; }
};

/// K is cut into groups, each with scales and zero points. A group adds
///     (sums - b_zero * a_sum) * a_scale * b_scale
/// to a tile, where sums are those of its steps, and a_sum and a_scale belong to a row. Where B's
/// elements become floats, b_zero is subtracted from them instead.
struct group_spec_t {
    group_operand_t b_scale = {}, b_zero = {};
    bool has_a_scale = false;
    bool are_summed_apart = false; // in any case

    bool exist() const {
        return b_scale.exists() || b_zero.exists() || has_a_scale || are_summed_apart;
    }
    bool have_scales() const { return b_scale.exists() || has_a_scale; }
};
/// Values of a group in tile_args_t::a_sums and a_scales, one for a row: no tile has more rows.
constexpr int rows_of_group = 16;

} // namespace kiln::x64::matrix
