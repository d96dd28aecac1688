// SPDX-License-Identifier: Apache-2.0
// The kernel of matrix products: a few rows of C, tile by tile, from the same rows of A and panels
// of B.
#pragma once

#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

/// What distinguishes one kernel from another. A panel is a run of `width()` adjacent columns of B
/// and C.
struct tile_spec_t {
    isa_t isa;
    int rows = 1;    // of A and C
    int vectors = 1; // of a panel
    int tail = 0;    // columns of the last panel if that is narrower; else 0
    step_t step = step_t::f32;
    data_type_t b_type = dnnl_f32; // elements of B, with step_t::f32; with step_t::s16, s8 or u8
                                   // say that packed elements are to be widened
    bool is_packed = true;         // B is packed: each step of a panel lies behind the one before
    bool fetches_b = false;        // B comes from memory, and is read once or a few times
    bool copies_b = false;         // B in place is stored as packed panels of floats, too
    bool fetches_a = false;        // rows of A of the next tile come from memory
    bool subtracts = false;        // integers are subtracted from the sums of each column
    bool has_blocks = false;       // K is cut into blocks, a call for each
    data_type_t dst_type = dnnl_f32;
    std::vector<jit::post_op_link_t> epilogue = {}; // bias, scales and post-ops
    std::vector<dim_t> pitches = {}; // bytes from row to row of each operand of the epilogue

    int width() const { return vectors * jit::lanes_of(isa); }
    /// Bytes of what a lane of B holds.
    int unit() const {
        if (step == step_t::f32) return jit::generator_t::size_of(b_type);
        return widens_b() ? 2 : 4;
    }
    bool widens_b() const {
        return step == step_t::s16 && (b_type == dnnl_s8 || b_type == dnnl_u8);
    }
    /// Whether results are stored from the accumulators; else they go through memory, one by one.
    bool is_plain() const { return epilogue.empty(); }
    /// E.g. matrix_tile_14x2_f32_f32_avx512_core.
    std::string name() const;
};

/// The rows that a tile of so many vectors has at most: its accumulators, a row of B or a column of
/// A, and one more operand fill the registers.
int most_rows(isa_t isa, step_t step, int vectors);
/// Vectors that a tile of so many rows has at most.
int most_vectors(isa_t isa, step_t step, int rows);

/// Distances are bytes. The kernel changes the arguments.
struct tile_args_t {
    const void *a;             // rows of A; the elements of a row are adjacent
    dim_t a_pitch;             // from row to row
    const void *b;             // the first panel
    dim_t b_pitch;             // from step to step, if B is not packed
    dim_t b_panel;             // from panel to panel
    void *copy;                // packed panels of B, if they are stored
    dim_t copy_panel;          // from panel to panel
    dim_t a_ahead;             // from a row to the same one of the next tile
    dim_t steps;               // along K; 0: the products are zero
    dim_t panels;              // whole ones
    dim_t has_tail;            // whether the narrower panel follows
    void *partial;             // sums of the blocks of K before, and of this one: 4 bytes each
    dim_t partial_pitch;       // from row to row
    dim_t adds;                // whether `partial` has the sums of blocks before
    dim_t finishes;            // whether this is the last block, and dst is written
    const int32_t *subtracted; // for the first column and those behind it
    void *dst;                 // may be `partial`
    dim_t dst_pitch;           // from row to row
    const void *operands[max_row_operands]; // of the epilogue, at the first row and column
};

/// For each panel: sums = A x B; + partial, if there are blocks before; then either partial = sums,
/// or dst = convert(epilogue(sums - subtracted)). The order of additions along K is that of K, with
/// one chain of fused multiply-adds for each element of C, which starts with zero in each block.
///
/// Registers: an accumulator for each vector of the tile; a vector of each of B's columns and one
/// for elements of A, or the other way round where there are fewer rows than vectors.
class tile_kernel_t : public jit::generator_t {
public:
    explicit tile_kernel_t(const tile_spec_t &spec);

private:
    struct sums_t;
    struct walk_t;

    void generate() override;
    void write_panel(int columns);
    void write_products(const sums_t &sums);
    void write_step(const sums_t &sums, const walk_t &walk, int copy);
    Xbyak::RegExp b_at(const walk_t &walk, int copy, int vector) const;
    bool reads_b_from_memory(int count) const;
    void fetch_b(const walk_t &walk, int copy, int vector);
    void fetch_next_rows(const walk_t &walk);
    int steps_of_loop() const;
    int rows_ahead() const;
    void load_b(const Xbyak::Xmm &to, const Xbyak::RegExp &at, int count);
    void multiply(const Xbyak::Xmm &sum, const Xbyak::Xmm &a, const Xbyak::Operand &b);
    void subtract(const sums_t &sums);
    void fetch_partial(int columns);
    void add_partial(const sums_t &sums);
    void store_rows(const sums_t &sums, size_t address, size_t pitch, data_type_t type);
    void write_results(sums_t &sums);
    void write_epilogue(sums_t &sums);
    data_type_t sum_type() const { return is_integer(spec_.step) ? dnnl_s32 : dnnl_f32; }

    const tile_spec_t spec_;
    jit::lanes_io_t io_;
    const jit::post_op_chain_t epilogue_;
    std::optional<jit::gpr_t> column_; // of the panel, while the kernel is written
};

} // namespace kiln::x64::matrix
