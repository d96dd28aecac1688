// SPDX-License-Identifier: Apache-2.0
// The operands of a matrix product in the layouts that tiles read: rows of A whose elements are
// adjacent, and panels of B.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/matrix/blocking.hpp"
#include "cpu/x64/matrix/pack_kernel.hpp"
#include "cpu/x64/nests/tile_kernel.hpp"

namespace kiln::x64::matrix {

/// Where the elements of a matrix are: distances in elements, 0 along an axis of one element.
struct matrix_layout_t {
    data_type_t type = dnnl_f32;
    dim_t row = 0;    // from row to row
    dim_t column = 0; // from column to column

    bool has_dense_rows() const { return column <= 1; }
    bool has_dense_columns() const { return row <= 1; }
    /// Bytes of `elements` elements.
    dim_t bytes(dim_t elements) const {
        return is_half_byte(type) ? elements / 2
                                  : elements * static_cast<dim_t>(data_type_size(type));
    }
    dim_t size() const { return bytes(1); }
    /// Whether the distance of rows is an immediate operand of an instruction.
    bool has_near_rows() const { return row <= std::numeric_limits<int>::max() / size(); }
};

/// Transposes: lines[i][j] = convert(rows[j][i]).
class transposition_t {
public:
    /// For `rows` rows and `lines` lines, or fewer: whole tiles of rows, and whole vectors of
    /// lines. `pads`: lines are padded with zeros to whole tiles.
    transposition_t(isa_t isa, data_type_t src_type, data_type_t dst_type, dim_t rows, dim_t lines,
            bool pads);
    /// Pitches are bytes, `tile` from the elements of a tile's rows in a line to those of the next.
    void operator()(const std::byte *src, dim_t row_pitch, dim_t rows, std::byte *dst,
            dim_t line_pitch, dim_t lines, dim_t tile) const;
    void operator()(const std::byte *src, dim_t row_pitch, dim_t rows, std::byte *dst,
            dim_t line_pitch, dim_t lines) const {
        (*this)(src, row_pitch, rows, dst, line_pitch, lines, tile_bytes());
    }

private:
    dim_t tile_bytes() const {
        return spec_.rows * static_cast<dim_t>(data_type_size(spec_.dst_type));
    }

    nests::tile_spec_t spec_;
    int rest_; // rows of the last tile
    jit::executable_code_t whole_;
    std::optional<jit::executable_code_t> last_;
};

/// Whether b_packer_t takes a layout of `k` rows. Half bytes that stay packed are moved by lanes.
inline bool can_pack_b(const matrix_layout_t &b, step_t step, dim_t k) {
    if (b.has_dense_rows()) return !converts_b(step) || is_half_byte(b.type);
    return b.has_dense_columns() && (!converts_b(step) || k % depth_of(step) == 0);
}
/// Whether columns of adjacent elements are converted, or padded to whole steps, before they are
/// transposed.
bool is_staged(const matrix_layout_t &b, step_t step, dim_t k);
/// Bytes from panel to panel of a packed block: not fewer where `steps` is greater. A step has 32
/// bits of each of `width` columns.
dim_t packed_panel_bytes(dim_t steps, dim_t width);
/// Bytes of a panel's columns in between, for blocks of K.
dim_t stage_bytes(isa_t isa, step_t step, const blocking_t &blocking);

/// Packs panels of B.
class b_packer_t {
public:
    /// For a B of `k` rows, `n` columns, and blocking's panels. Blocks are padded with zeros to a
    /// multiple of `step_unit` steps.
    b_packer_t(isa_t isa, step_t step, const matrix_layout_t &b, dim_t k, dim_t n,
            const blocking_t &blocking, dim_t step_unit = 1);
    /// A block of B, panel by panel. `b` is its first element. Behind the block are stage_bytes(),
    /// if is_staged().
    void operator()(const std::byte *b, range_t steps, range_t panels, std::byte *to) const;

private:
    /// A panel's columns, and the bytes from one to the next.
    struct columns_t {
        const std::byte *first;
        dim_t pitch, count;
    };
    columns_t staged(const columns_t &columns, range_t steps, std::byte *stage) const;
    void pad(std::byte *panels, dim_t panel_bytes, dim_t count, dim_t steps) const;

    const matrix_layout_t b_;
    const step_t step_;
    const dim_t k_, n_, lanes_, width_, step_unit_;
    std::optional<jit::executable_code_t> stage_; // of all steps, or of an incomplete last one
    std::optional<dim_t> whole_steps_;            // if the last step alone is staged
    std::optional<transposition_t> transposition_, last_;
    std::optional<jit::executable_code_t> copy_;
};

/// Whether a_packer_t takes a layout.
bool can_pack_a(const matrix_layout_t &a, step_t step);

/// What a_packer_t makes of rows.
enum class a_rows_t {
    whole,
    alternating, ///< All rows at a time: their first vectors, then the second ones and so on.
    remainders,  ///< Elements less their values in bf16, as bf16.
};

/// Packs rows of A: elements along K are adjacent and padded with zeros to a whole step. They are
/// what the step multiplies.
class a_packer_t {
public:
    /// For an A of `m` rows and `k` columns.
    a_packer_t(isa_t isa, step_t step, const matrix_layout_t &a, dim_t m, dim_t k,
            a_rows_t rows = a_rows_t::whole);
    /// Bytes from row to row of what is packed.
    static dim_t pitch(step_t step, dim_t k);
    /// The first row that is packed along with row `first`.
    dim_t first_row(dim_t first) const;
    dim_t end_row(dim_t end) const;
    /// Rows of A from first_row() to end_row(). `a` is its first element.
    /// Rows that are split and whose elements are not adjacent are transposed behind them first, to
    /// stage_bytes().
    void operator()(const std::byte *a, range_t rows, std::byte *to) const;
    static dim_t stage_bytes(isa_t isa, step_t step, const matrix_layout_t &a, dim_t k);

private:
    static constexpr int stage_vectors = 2; // of rows that are transposed at a time

    void transpose(const std::byte *a, dim_t rows, std::byte *to, dim_t pitch, dim_t tile) const;
    void copy(const std::byte *a, dim_t pitch, dim_t rows, std::byte *to) const;

    const matrix_layout_t a_;
    const dim_t m_, k_, lanes_, element_bytes_;
    const dim_t width_;         // elements that are copied at a time
    const dim_t pitch_, panel_; // bytes from row to row, and from these elements to the next
    std::optional<transposition_t> transposition_;
    std::optional<jit::executable_code_t> copy_;
};

} // namespace kiln::x64::matrix
