// SPDX-License-Identifier: Apache-2.0
// The kernel for few rows of A and a B whose columns lie in memory as rows do: scalar products.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix {

struct dot_spec_t {
    isa_t isa;
    int rows = 1; // of A: 1 to most_dot_rows; transposed: to most_transposed_rows()
    data_type_t b_type = dnnl_f32;
    int tail = 0; // lanes of a column beyond whole vectors; 0 with groups. May equal the lanes of a
                  // vector: the last lane may be partial
    int tail_bytes = 0; // of the tail if its last lane is filled in part, or with s16; else 0
    group_operand_t scale = {}, zero = {}; // of groups along K, for columns of 8 bits
    // bf16: rows and columns of bf16. u8s8: integers of 8 bits and integer sums; s16: likewise,
    // rows are integers of 16 bits. Zeros follow the elements of a row up to whole lanes.
    step_t step = step_t::f32;
    bool a_is_signed = false; // with u8s8: rows are s8, else u8
    // Without groups: vectors of rows alternate, and the sums of a column of B are adjacent.
    bool is_transposed = false;
    bool has_gaps = false; // without groups: columns of B are not adjacent

    /// Bytes that a lane takes of a column.
    int lane_bytes() const { return depth_of(step) * jit::generator_t::size_of(b_type); }
    /// Sets the tail of columns of `k` elements; returns how many whole vectors they have.
    dim_t set_length(dim_t k);
    /// Whether bytes of rows and columns are both signed or both unsigned: then 128 is added to
    /// those of columns, or subtracted, and 128 times the rows' sums is taken back.
    bool shifts_b() const { return step == step_t::u8s8 && a_is_signed == (b_type == dnnl_s8); }
    bool has_groups() const { return scale.exists() || zero.exists(); }

    /// E.g. matrix_dot_4_f32_avx512_core.
    std::string name() const;
};
/// How far ahead columns are fetched, bytes of each.
constexpr int dot_bytes_ahead = 1024;
constexpr int most_dot_rows = 4, most_dot_rows_of_groups = 2;
/// Rows whose sums are transposed. `shifts`: shifts_b().
int most_transposed_rows(isa_t isa, step_t step, bool shifts);
/// Columns that the kernel reads at a time.
int dot_columns(const dot_spec_t &spec);

/// Distances are bytes. The kernel changes the arguments.
struct dot_args_t {
    const void *a; // floats, or what the step multiplies
    dim_t a_pitch; // from row to row, unless their vectors alternate
    const void *b;
    dim_t b_pitch;     // from column to column, whose elements are adjacent
    dim_t b_ahead = 0; // with gaps: from a column to the one that is fetched meanwhile
    dim_t vectors;     // whole ones of a column
    float *sums;       // or s32
    dim_t sums_pitch;  // from row to row; transposed: from column to column
    // The columns of one iteration are `b_stream` bytes apart: each is the first of a run of
    // consecutive columns, so that memory is read in a few long streams. With groups, whose scales
    // are adjacent, they are adjacent.
    dim_t times = 0;       // that dot_columns() are read
    dim_t b_next = 0;      // bytes from the first column to that of the next time
    dim_t sums_next = 0;   // likewise
    dim_t b_stream = 0;    // bytes from column to column
    dim_t sums_stream = 0; // likewise
    dim_t rest = 0;        // columns that are left
    const void *b_rest = nullptr;
    float *sums_rest = nullptr;
    // Of groups of `group_vectors`, `vectors` of a column in all. Values of the first column; those
    // of another column of the same group are adjacent.
    dim_t group_vectors = 0;
    dim_t groups = 0;
    const void *scales = nullptr, *zeros = nullptr;
    dim_t scale_pitch = 0, zero_pitch = 0; // bytes from group to group
    const void *scales_rest = nullptr, *zeros_rest = nullptr;
    // Of transposed sums, where K is cut into blocks of whole vectors.
    dim_t adds = 0;       // whether sums of blocks before are added
    dim_t omits_tail = 0; // whether this is not the last block

    /// Divides `columns` from b on.
    void set_columns(const dot_spec_t &spec, dim_t columns) {
        const int together = dot_columns(spec);
        times = columns / together;
        rest = columns % together;
        const bool are_adjacent = spec.has_groups();
        const dim_t stream = are_adjacent ? 1 : times, next = are_adjacent ? together : 1;
        const dim_t sum = spec.is_transposed ? sums_pitch : 4;
        b_stream = stream * b_pitch;
        sums_stream = stream * sum;
        b_next = next * b_pitch;
        sums_next = next * sum;
        const dim_t first = times * together;
        b_rest = static_cast<const std::byte *>(b) + first * b_pitch;
        sums_rest = sums + first * sum / 4;
    }
};

/// sums[row][column] = the sum over k of A[row][k] * B[k][column], by lanes first; with groups, the
/// sum over groups of scale * (the group's sum - zero * the group's sum of A[row]). Columns are
/// read several at a time, which does not change their sums.
///
/// Registers: a vector for each sum (rows times columns), a vector for each row of A and one for B,
/// or for each column of B and one for A; where B is shifted, a sum of A for each row; with s16
/// one for products; with groups also a sum of the group for each sum, a sum of A for each row, and
/// a value of the group. An address for each three rows and each three columns, two pitches, the
/// vectors left.
class dot_kernel_t : public jit::generator_t {
public:
    explicit dot_kernel_t(const dot_spec_t &spec);

private:
    struct walk_t;

    void generate() override;
    void write_columns(int columns);
    void add_products(
            const vecs_t &sums, const walk_t &a, const walk_t &b, const vecs_t &of_a, bool is_tail);
    /// Whether an instruction may read columns of B from memory as they are.
    bool takes_b_from_memory() const;
    void load_b(const vec_t &to, const RegExp &at, bool is_tail);
    void load_bytes_as_words(const vec_t &to, const RegExp &at, bool is_tail);
    void load_tail_bytes(const vec_t &to, const RegExp &at);
    void multiply(const vec_t &sum, const vec_t &a, const Xbyak::Operand &b);
    void take_back_shift(const vecs_t &sums, const vecs_t &of_a);
    void fetch_columns(const walk_t &b, int columns);
    void write_vectors(const vecs_t &sums, const walk_t &a, const walk_t &b);
    void write_groups(const vecs_t &sums, const walk_t &a, const walk_t &b);
    void write_sums(const vecs_t &sums, int columns);
    void write_transposed_sums(const vecs_t &sums, int columns);

    const dot_spec_t spec_;
    jit::lanes_io_t io_, sums_io_; // of elements, of transposed sums
    std::optional<mask_t> tail_bytes_;
};

} // namespace kiln::x64::matrix
