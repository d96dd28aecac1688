// SPDX-License-Identifier: Apache-2.0
// What kernels have in common that walk the rows of any number of operands tile by tile, where the
// pitches of the operands are arguments.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/function_ref.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/operands.hpp"
#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64 {

/// Arguments of a call. The kernel moves the addresses along.
struct tiled_row_args_t {
    int64_t rows;
    int64_t length;                    // elements of each row, as tiled_kernel_t wants them
    void *operands[max_row_operands];  // of the first row
    int64_t pitches[max_row_operands]; // bytes from a row to the next
};

/// The arguments for the first `length` elements of a run of rows.
tiled_row_args_t tiled_row_args(const operands_t &operands, const row_plan_t &plan,
        const addresses_t &bases, const row_run_t &run, dim_t length);

/// Calls a kernel for the first `length` elements of rows [begin, end), run by run.
void call_for_each_run(const jit::executable_code_t &code, const operands_t &operands,
        const row_plan_t &plan, const addresses_t &bases, dim_t begin, dim_t end, dim_t length);

/// The arguments of a call begin with tiled_row_args_t. Registers: the current column, the elements
/// left in the row, the rows left, and the addresses of some operands. The addresses of the others
/// stay in the arguments; each use loads one to a common register.
class tiled_row_kernel_t : public tiled_kernel_t {
protected:
    /// `operands`, by index: the type, undef if the operand is absent, and whether it has elements
    /// along the row (per_lane), `stride` apart, or one for the row. Those of post-ops follow. The
    /// addresses of the first `held` that are present stay in registers.
    tiled_row_kernel_t(isa_t isa, const std::string &name, dim_t line, int tile_vectors,
            std::vector<jit::post_op_operand_t> operands,
            const std::vector<jit::post_op_link_t> &post_ops, size_t held,
            vectors_t vectors = vectors_t::single);

    /// Writes the walk over all rows.
    virtual void write_rows() { for_each_row(); }
    /// Writes what happens to a row.
    virtual void write_row() = 0;
    /// Writes a loop of write_row() over the rows of the arguments, each from column 0 on.
    void for_each_row();
    /// Writes `body` for the tiles of a row. Another sweep over it begins with begin_row(). A row
    /// of one tile stays at column 0.
    void for_each_tile_of_row(const function_ref_t<void(const tile_t &)> &body);

    /// Loads `count` elements for vector `vector` of the current tile, or the row's one element
    /// into all lanes.
    void load(const Xmm &to, size_t operand, int vector, int count);
    /// Stores the first `count` lanes of x to what load() loads from; whole vectors may be
    /// non-temporal.
    void store(const Xmm &x, size_t operand, int vector, int count, bool is_non_temporal = false,
            jit::subnormals_t subnormals = jit::subnormals_t::flushed);
    /// Applies the post-ops, or some of them, to x, which is vector `vector` of the current tile.
    void apply_post_ops(const Xmm &x, int vector, int count,
            const jit::held_post_op_operands_t &held = {}, post_op_range_t range = {});
    /// Likewise to paired vectors.
    void apply_post_ops_to_pair(const Xmm &even, const Xmm &odd, int vector, int count,
            const jit::held_post_op_operands_t &held);
    /// The operands of post-ops that are the same for all vectors of a row, in at most `most`
    /// registers: the first ones, sums' left out.
    jit::held_post_op_operands_t hold_row_operands(size_t most);
    /// The address of what load() loads. It holds until it is asked for another operand.
    RegExp at(size_t operand, int vector);
    /// The address of the operand's current row. It holds likewise.
    const Reg64 &row_of(size_t operand);
    /// Moves the address of one held operand to its next row, or back by rows() rows, which is
    /// overwritten.
    void next_row(size_t operand);
    void back_by_rows(size_t operand);

    /// Prefetches rows of operands, which have adjacent elements, while the rows before are
    /// processed: where operands are in memory and a kernel computes for long between its reads.
    class next_rows_t {
    public:
        /// Does nothing unless it `pays`.
        next_rows_t(tiled_row_kernel_t &kernel, bool pays, std::initializer_list<size_t> operands,
                int ahead = 0);
        /// Fetches what lies `ahead` bytes after the tile at the current column of the next row.
        void prefetch(const tile_t &tile) const;

    private:
        tiled_row_kernel_t &kernel_;
        std::vector<std::pair<size_t, gpr_t>> rows_; // addresses
    };

    /// Prefetches what an operand with adjacent elements has a page after the tile: a line of four,
    /// which makes the processor prefetch the others. Nothing of other operands.
    void fetch_next_page(const tile_t &tile, size_t operand);

    /// front = the elements in front of the first cache line of the operand's row at this address.
    /// Such elements are stored to a line that is shared with the row before; that of a later row
    /// is fetched.
    void find_front(const Reg64 &front, const Reg64 &row, size_t operand);
    /// part = the first `count` lanes of floats. AVX-512.
    void set_first_lanes(const Xbyak::Opmask &part, const Reg64 &count);

    const Reg64 &column() const { return *registers_->column; }
    const Reg64 &left() const { return *registers_->left; }
    const Reg64 &rows() const { return *registers_->rows; }
    /// Starts a row: column 0, all of its elements left.
    void begin_row();
    /// Adds to the address of each operand its element of the array at this offset in the
    /// arguments, times `factor` if there is one; or subtracts it.
    void advance(size_t distances, bool backwards = false);
    void move(size_t distances, const Reg64 &factor, bool backwards);

private:
    struct registers_t {
        explicit registers_t(tiled_row_kernel_t &k);
        gpr_t column, left, rows;
        std::vector<std::optional<gpr_t>> addresses; // by operand, of those that are held
        std::optional<gpr_t> address;                // of the operand that is used next
    };

    void generate() final;
    RegExp strided_at(size_t operand, int vector);
    RegExp half_byte_at(size_t operand, int vector);
    /// The address of the operand's current row, in the register of what is used next.
    const Reg64 &row_of_next(size_t operand);
    /// Whether the addresses of elements are computed for each use.
    bool needs_address(size_t operand) const {
        return operands_[operand].is_strided() || is_half_byte(operands_[operand].type);
    }
    bool is_absent(size_t operand) const { return operands_[operand].type == dnnl_data_type_undef; }
    /// The element of an array in the arguments.
    Xbyak::Address element(size_t array, size_t operand) {
        return argument(array + operand * sizeof(int64_t));
    }

    const size_t first_post_op_;
    std::vector<jit::post_op_operand_t> operands_;
    const std::vector<jit::post_op_link_t> links_;
    const jit::post_op_chain_t post_ops_;
    const size_t held_;
    registers_t *registers_ = nullptr; // while the kernel is written
};

} // namespace kiln::x64
