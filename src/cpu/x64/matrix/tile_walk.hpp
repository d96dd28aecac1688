// SPDX-License-Identifier: Apache-2.0
// The registers of the loop along K, for the files that write the kernel of matrix products.
#pragma once

#include <cstddef>
#include <optional>

#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix {

/// Rows that share a register for their addresses: base, base + pitch, base + 2 * pitch.
constexpr int rows_of_base = 3;

/// Whether a product is added in an instruction of its own.
inline bool has_product(isa_t isa, step_t step) {
    return base_of(step) == step_t::s16 && !has_vnni(isa);
}

/// The registers of the loop along K.
struct tile_kernel_t::walk_t {
    explicit walk_t(tile_kernel_t &k)
        : pitch(k.gpr("pitch of A", k.argument(offsetof(tile_args_t, a_pitch))))
        , b(k.gpr("B", k.argument(offsetof(tile_args_t, b))))
        , left(k.gpr("steps left", k.argument(offsetof(tile_args_t, steps)))) {
        const int rows = k.spec_.a_is_transposed ? 1 : k.spec_.rows; // others are adjacent
        for (int row = 0; row < rows; row += rows_of_base) {
            const gpr_t &base = bases.emplace_back(k.gpr("rows of A"));
            if (row == 0) {
                k.mov(*base, k.argument(offsetof(tile_args_t, a)));
            } else {
                const gpr_t &before = bases[bases.size() - 2];
                k.lea(*base, k.ptr[*before + *pitch * 2]);
                k.add(*base, *pitch);
            }
        }
        if (!k.spec_.is_packed || k.spec_.streams > 1) {
            b_pitch.emplace(k.gpr("pitch of B", k.argument(offsetof(tile_args_t, b_pitch))));
        }
        if (k.spec_.streams > 2) {
            third.emplace(k.gpr("third stream of B"));
            k.lea(**third, k.ptr[*b + **b_pitch * 2]);
        }
        if (k.spec_.joins_rows() && depth_of(k.spec_.step) > rows_of_base) {
            three_rows.emplace(k.gpr("three rows of B"));
            k.lea(**three_rows, k.ptr[**b_pitch + **b_pitch * 2]);
        }
        if (k.spec_.rest != 0) k.sub(*left, k.argument(offsetof(tile_args_t, has_rest)));
        if (k.spec_.copies_b) {
            to.emplace(k.gpr("copy of B", k.argument(offsetof(tile_args_t, copy))));
        }
        if (k.spec_.lines_ahead != 0) {
            next.emplace(k.gpr("next block of B", k.argument(offsetof(tile_args_t, b_next))));
        }
        if (!k.spec_.fetches_b || k.spec_.streams > 1) return;
        ahead.emplace(k.gpr("B ahead"));
        if (k.spec_.is_packed) {
            k.mov(**ahead, k.argument(offsetof(tile_args_t, b_ahead)));
        } else {
            k.imul(**ahead, **b_pitch, k.steps_ahead() * depth_of(k.spec_.step));
            k.add(**ahead, *b);
        }
    }
    /// Of an A that is not transposed.
    RegExp row(int index) const {
        const gpr_t &base = bases[index / rows_of_base];
        const int place = index % rows_of_base;
        return place == 0 ? RegExp(*base) : *base + *pitch * place;
    }

    /// A row of a step of B, if rows are joined, from that of row 0.
    RegExp b_row(const gpr_t &first, int index) const {
        if (index == 0) return RegExp(*first);
        return index < rows_of_base ? *first + **b_pitch * index : *first + **three_rows;
    }

    gpr_t pitch, b, left;
    std::optional<gpr_t> b_pitch, three_rows, third, to, ahead, next;
    jit::list_t<gpr_t> bases;
};

} // namespace kiln::x64::matrix
