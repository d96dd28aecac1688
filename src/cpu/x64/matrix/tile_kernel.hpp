// SPDX-License-Identifier: Apache-2.0
// The kernel of matrix products: a few rows of C, tile by tile, from the same rows of A and panels
// of B.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/memory/data_type.hpp"
#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/matrix/epilogue.hpp"
#include "cpu/x64/matrix/groups.hpp"
#include "cpu/x64/matrix/row_join.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

/// How far ahead of what a tile reads packed panels of B are fetched, in each stream.
constexpr int panel_bytes_ahead = 2048;

/// What distinguishes one kernel from another. A panel is a run of `width()` adjacent columns of B
/// and C. Of packed weights that come from memory it may be several panels of their layout: each is
/// a stream of its own, and memory delivers several streams faster than one.
struct tile_spec_t {
    isa_t isa;
    int rows = 1;    // of A and C
    int vectors = 1; // of a panel
    int streams = 1; // 1, 2 or 4 panels of the layout that a panel consists of
    int tail = 0;    // columns of the last panel if that is narrower; else 0
    step_t step = step_t::f32;
    int rest = 0; // elements of A in the last step along K if they are fewer than its depth; else 0
    bool a_is_transposed = false;  // with step_t::f32: the elements of a column of A are adjacent
    bool a_is_signed = false;      // elements of A are s8, with step_t::u8s8 and u8s8x8; else u8
    data_type_t b_type = dnnl_f32; // elements of B, with step_t::f32, step_t::u8s8 and steps that
                                   // convert B; with step_t::s16, s8 or u8 say that packed elements
                                   // are widened
    bool is_packed = true;         // B is packed: each step of a panel lies behind the one before
    bool fetches_b = false;        // B comes from memory, and is read once or a few times
    bool fetches_rows = false;     // the same for a B in place whose panels are read in order: what
                                   // follows a panel in each row is fetched
    int lines_ahead = 0;           // cache lines of a panel of the next block of B that are fetched
                                   // in a period of next_block_fetch_t
    bool copies_b = false;       // B in place, or packed and converted, is stored as packed panels
                                 // of floats, too
    bool fetches_a = false;      // rows of A of the next tile come from memory
    bool subtracts = false;      // integers of A have zero points: products of sums of columns
                                 // of B and of values of rows are subtracted
    bool has_one_a_zero = false; // all rows have the zero point of the first one
    bool sums_b = false;         // with step_t::u8s8 and `subtracts`: tiles compute those sums of
                                 // columns themselves
    bool takes_products = false; // a_sums are products, which sums of their row are reduced by
    group_spec_t groups = {};
    bool has_blocks = false; // K is cut into blocks, a call for each
    data_type_t dst_type = dnnl_f32;
    std::vector<jit::post_op_link_t> epilogue = {}; // bias, scales and post-ops
    std::vector<dim_t> pitches = {}; // bytes from row to row of each operand of the epilogue

    int width() const { return vectors * jit::lanes_of(isa); }
    /// Rows of sums: one of each part of A's elements.
    int part_rows() const { return rows * a_parts(step); }
    /// Columns of a panel of the layout.
    int stream_width() const { return width() / streams; }
    /// Whether half bytes of rows of B in place are loaded for two vectors at a time: a lane gets
    /// an even column and the odd one behind it.
    bool has_pairs() const {
        return step == step_t::f32 && is_half_byte(b_type) && !is_packed && !copies_b;
    }
    /// Whether half bytes are looked up in a register. Where they become floats and have zero
    /// points, the subtraction that takes those converts, too.
    bool has_table() const {
        if (step == step_t::bf16x8) return true;
        return (step == step_t::f32x8 || has_pairs()) && !groups.b_zero.exists()
               && has(isa, feature_t::avx512_core);
    }
    /// Whether the rows of a step of B, which lie apart, are joined as they are loaded.
    bool joins_rows() const { return !is_packed && step == step_t::u8s8; }
    /// Bytes of B in `lanes` lanes, of each row if rows are joined.
    int b_bytes(int lanes) const {
        if (joins_rows()) return lanes * jit::generator_t::size_of(b_type);
        if (step != step_t::f32) return lanes * (widens_b() ? 2 : 4);
        return is_half_byte(b_type) ? lanes / 2 : lanes * jit::generator_t::size_of(b_type);
    }
    bool widens_b() const {
        return step == step_t::s16 && (b_type == dnnl_s8 || b_type == dnnl_u8);
    }
    /// Whether zero points are subtracted from elements of B, which are floats then; else from
    /// sums.
    bool subtracts_zeros_of_b() const {
        return groups.b_zero.exists() && base_of(step) == step_t::f32;
    }
    /// Whether zero points of B, or b_shift(), are multiplied by the sums of A's elements.
    bool needs_sums_of_a() const {
        return base_of(step) != step_t::f32
               && (shift_of_zeros() != 0 || groups.b_zero.exists() || takes_products);
    }
    /// What is added to zero points that are multiplied so. Sums of digits begin with what takes
    /// b_shift() back.
    int shift_of_zeros() const { return has_digits(step) ? 0 : b_shift(); }
    /// What is added to integers of B before they are converted or multiplied, and to their zero
    /// points: it makes signed ones unsigned ones or the other way round. Half bytes that become
    /// bf16 have it where it makes sums smaller.
    int b_shift() const {
        const bool is_signed = b_type == dnnl_s8 || b_type == dnnl_s4;
        switch (step) {
        case step_t::f32: return has_pairs() && is_signed && !has_table() ? 8 : 0;
        case step_t::f32x8: return is_signed && !has_table() ? 8 : 0;
        case step_t::f32x4: return is_signed ? 128 : 0;
        case step_t::bf16x8: return b_type == dnnl_u4 && groups.b_zero.exists() ? -8 : 0;
        case step_t::u8s8: return is_signed != a_is_signed ? 0 : is_signed ? 128 : -128;
        case step_t::u8s8x8:
        case step_t::s16x8:
        case step_t::digits8: return is_signed ? 8 : 0;
        case step_t::digits4: return is_signed ? 128 : 0;
        default: return 0;
        }
    }
    /// Whether the sums of a group are integers when its steps are done. Those of digits are
    /// joined.
    bool has_integer_groups() const { return is_integer(step) && !has_digits(step); }
    /// Whether the sums of a tile are integers when its steps, or groups, are done.
    bool has_integer_sums() const { return is_integer(step) && !groups.have_scales(); }
    bool only_adds() const { return matrix::only_adds(epilogue, has_integer_sums(), dst_type); }
    /// Whether results are stored from the accumulators; else they go through memory, one by one.
    bool is_plain() const { return epilogue.empty() || only_adds(); }
    /// E.g. matrix_tile_14x2_f32_f32_avx512_core, matrix_tile_bf16_6x4_blocks_f32_bf16_....
    std::string name() const;
};

/// The rows that a tile of `vectors` vectors has at most: its accumulators, a row of B or a column
/// of A, and one more operand fill the registers; if it sums B's columns, their sums and a vector
/// of ones, too.
int most_rows(isa_t isa, step_t step, int vectors, bool sums_b = false);
/// The vectors that a tile of `rows` rows has at most.
int most_vectors(isa_t isa, step_t step, int rows, bool sums_b = false);

/// The same where the rows of a step of B are joined; 0 if none fits.
int most_joined_vectors(isa_t isa, int rows, bool sums_b);

/// Distances are bytes. The kernel changes the arguments.
struct tile_args_t {
    const void *a;          // rows of A; the elements of a row are adjacent, or of a column
    dim_t a_pitch;          // from row to row; if A is transposed, from column to column
    const void *b;          // the first panel
    dim_t b_pitch;          // from row to row, if B is not packed
    dim_t b_panel;          // from panel to panel
    const void *b_ahead;    // if B is packed: what is fetched while its first panel is read
    const void *b_next;     // the same, of the next block: lines_ahead lines that are
    dim_t next_line;        // so far apart, those of the next period
    dim_t next_period;      // so far behind, and those of the next panel
    dim_t next_panel;       // so far
    void *copy;             // packed panels of B, if they are stored
    dim_t copy_panel;       // from panel to panel
    dim_t a_ahead;          // from a row to the same one of the next tile
    dim_t steps;            // along K, of a group if there are groups; 0: the products are zero
    dim_t has_rest;         // whether the last of them has fewer elements of A
    dim_t strips;           // runs of rows that are computed one after the other
    dim_t panels;           // whole ones
    dim_t left_panels;      // of a strip, while it is computed
    dim_t has_tail;         // whether the narrower panel follows
    void *partial;          // sums of the blocks of K before, and of this one: 4 bytes each
    dim_t partial_pitch;    // from row to row
    dim_t adds;             // whether `partial` has the sums of blocks before
    dim_t finishes;         // whether this is the last block, and dst is written
    const int32_t *b_sums;  // of the first column and those behind it, as the step multiplies them
    dim_t b_sums_pitch;     // from group to group, if groups have scales
    dim_t groups;           // their number; 0: the products are zero
    dim_t a_group, b_group; // from the first step of a group to that of the next one
    const void *b_scales,
            *b_zeros; // for the first column of the first group; half bytes begin there
    dim_t b_scale_pitch, b_zero_pitch; // from value to value
    dim_t b_scale_left, b_zero_left;   // groups that share the first value
    const void *a_sums;     // [group][rows_of_group]: of the group's elements of a row, as the step
                            // multiplies them, or of all steps; floats or integers as sums are; or,
                            // if the spec takes them, products of these sums
    const float *a_scales;  // [group][rows_of_group]
    const int32_t *a_zeros; // [group][rows_of_group], or of all steps: by which b_sums are
                            // multiplied. Of digits, digit_places for each row: what their sums
                            // begin with, -b_shift() times the sums of the group's digits
    dim_t strip_values;     // bytes from these of a strip to those of the next
    void *dst;              // may be `partial`
    dim_t dst_pitch;        // from row to row
    const void *operands[max_row_operands]; // of the epilogue, at the first row and column
};

/// For each strip and panel: sums = A x B, group by group if there are groups; + partial, if there
/// are blocks before; then either partial = sums, or dst = convert(epilogue(sums - a_zeros *
/// b_sums)). The order of additions along K is that of K, with one chain of fused multiply-adds for
/// each element of C, which starts with zero in each block. Where B is converted and the
/// accumulators are few, there are two chains: of elements at even and at odd places of a step.
///
/// Registers: an accumulator for each vector of the tile; a vector of each of B's columns and one
/// for elements of A, or the other way round where there are fewer rows than vectors.
class tile_kernel_t : public jit::generator_t {
public:
    explicit tile_kernel_t(const tile_spec_t &spec);

private:
    /// The accumulators of a panel: of each part of A's elements while these are multiplied, those
    /// of a row one behind the other; then of each row.
    struct sums_t {
        sums_t(tile_kernel_t &k, int columns);
        const vec_t &at(int row, int vector) const { return vecs[row * vectors + vector]; }
        /// Lanes of a vector.
        int count(const tile_kernel_t &k, int vector) const {
            return vector + 1 == vectors ? last : k.lanes();
        }

        const int vectors, last;
        vecs_t vecs;
    };
    struct walk_t;

    void generate() override;
    void write_strip();
    void advance_to_next_strip();
    void write_panel(int columns);
    void write_products(const sums_t &sums);
    void write_step(const sums_t &sums, const walk_t &walk, int copy, bool is_rest = false);
    void load_ones(uint32_t count);
    void advance_rows(const Reg64 &b, const walk_t &walk);
    void load_rest_of_a(const Xmm &to, const walk_t &walk, int row);
    bool has_two_chains(const sums_t &sums) const;
    void write_conversions(const sums_t &sums, const walk_t &walk, int copy);
    bool is_pair(const sums_t &sums, int vector) const {
        return spec_.has_pairs() && vector % 2 == 0 && vector + 1 < sums.vectors
               && sums.count(*this, vector + 1) == lanes();
    }
    void write_pairs(const sums_t &sums, const walk_t &walk, int copy);
    void interleave(const Xmm &even, const Xmm &odd);
    void separate(const Xmm &first, const Xmm &second);
    void exchange(const Xmm &one, const Xmm &other, bool separates);
    void put_above_bits(const Xmm &to, const Xmm &lanes, int place);
    void convert_b(const Xmm &to, const Xmm &lanes, int index, int vector);
    void look_up(const Xmm &to, const Xmm &lanes, int index);
    void convert_to_float(const Xmm &to, const Xmm &lanes, int index, int vector);
    jit::constant_t flips();
    int bits_of_b() const { return is_half_byte(spec_.b_type) ? 4 : 8; }
    int places_of_b() const;
    float base_of_place(int place) const;
    /// Where the zero points of a vector of a group are on the stack.
    int zeros_at(int vector, int place) const {
        return *b_zeros_ + (vector * zero_places() + place) * lanes() * 4;
    }
    int zero_places() const { return converts_b(spec_.step) ? places_of_b() : 1; }
    void prepare_conversions();
    void hold_places();
    void release_places();
    uint32_t mask_of_place(int place) const;
    uint32_t power_of_place(int place) const;
    void subtract_base(const Xmm &b, int vector, int kept_place, int place);
    std::vector<uint32_t> table_of_b() const;
    void write_groups(sums_t &sums);
    void begin_sums(const sums_t &sums, int slots);
    void keep_zeros_of_b(const sums_t &sums, int slots);
    void finish_group(const sums_t &sums, int slots);
    void join_digits(const sums_t &sums);
    void subtract_zero_points(const sums_t &sums, int vector, int slots);
    void subtract_zero_points_of_a(const sums_t &sums, int vector, int slots);
    void subtract_sums_of_a(const sums_t &sums);
    void subtract_sums_of_b(const sums_t &sums);
    void subtract_products(
            const sums_t &sums, int vector, const gpr_t &of_rows, const vec_t &of_columns);
    template <typename write_t> void with_broadcast(const RegExp &at, const write_t &write);
    void load_group_operand(
            const Xmm &to, const group_operand_t &operand, int slot, int vector, int count);
    int b_offset(int copy, int vector) const;
    int copied_bytes() const;
    void keep_copy(const walk_t &walk, int copy, int vector, int index, const Xmm &floats);
    RegExp b_at(const walk_t &walk, int copy, int vector) const;
    RegExp a_at(const walk_t &walk, int row, int copy) const;
    bool reads_a_from_memory(int vectors) const;
    bool reads_b_from_memory(int count) const;
    void fetch_b(const walk_t &walk, int copy, int vector);
    /// Fetches cache lines of this row of a B in place that panels to come begin with.
    void fetch_row(const walk_t &walk, int copy, int vectors);
    void fetch_column_of_a(const walk_t &walk);
    void fetch_next(const walk_t &walk);
    int steps_of_loop() const;
    int steps_ahead() const;
    void load_b(const Xmm &to, const RegExp &at, int count);
    void join_pair_of_b(const Xmm &to, const Xmm &next, const walk_t &walk, int vector);
    void join_b(const Xmm &to, const walk_t &walk, int vector, int count, bool is_rest);
    void multiply(const Xmm &sum, const Xmm &a, const Xbyak::Operand &b);
    void subtract(const sums_t &sums);
    void fetch_partial(int columns);
    void add_partial(const sums_t &sums);
    void store_rows(const sums_t &sums, size_t address, size_t pitch, data_type_t type);
    void write_results(sums_t &sums);
    void write_epilogue(sums_t &sums);
    template <typename body_t> void for_each_with_addends(const sums_t &sums, const body_t &body);
    void add_operands(const sums_t &sums);
    void add_integers(const sums_t &sums);
    void add_modulo(const vec_t &total, const vec_t &sum, const vec_t &operand);
    void jump_if_no_sign(const Xmm &x, const Xbyak::Label &target);
    data_type_t sum_type() const { return spec_.has_integer_sums() ? dnnl_s32 : dnnl_f32; }

    const tile_spec_t spec_;
    jit::lanes_io_t io_;
    const jit::post_op_chain_t epilogue_;
    std::optional<gpr_t> column_;    // of the panel, while the kernel is written
    std::optional<gpr_t> frame_;     // of what groups keep on the stack
    std::optional<int> b_zeros_;     // where zero points of a group are on the stack
    std::optional<row_join_t> join_; // of the rows of a step of B
    std::optional<vec_t> table_;     // what half bytes of B are, by their bits
    // For the bits of integers of B that become floats, by their places, while products are
    // written.
    vecs_t masks_, powers_, bases_;
    vecs_t b_sums_;                  // of the columns of a panel, if the tile computes them
    std::optional<vec_t> ones_;      // what they are sums of products by, while those are written
    std::optional<sums_t> odd_sums_; // of every other conversion, while products are written
};

} // namespace kiln::x64::matrix
