// SPDX-License-Identifier: Apache-2.0
// What kernels on columns share: tiles of columns side by side, steps along the reduced axis, and
// sums over them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/function_ref.hpp"
#include "cpu/x64/jit/divisor.hpp"
#include "cpu/x64/jit/kept_vecs.hpp"
#include "cpu/x64/rows/kernel_spec.hpp"
#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64 {

/// Arguments of a call. The kernel advances the addresses of post-ops' operands.
struct column_args_t {
    static constexpr size_t max_stepped = 4;

    void *operands[max_row_operands]; // of the first column
    // Of the operands that have elements for each step, in bytes: from the end of an inner loop to
    // the beginning of the next one, and from the first step past the last one.
    int64_t jumps[max_stepped];
    int64_t spans[max_stepped];
    int64_t columns; // as tiled_kernel_t wants them
    int64_t non_temporal;
    float *memory; // of the task; the kernel says what it is for
};

/// How many vectors wide a tile is: whole blocks, if a line consists of blocks. Where steps are
/// whole pages apart, it consists of several parts of that width: a load waits for earlier stores
/// to the same place of any page, so that many adjacent ones between two steps are better.
struct column_tile_t {
    column_tile_t(const kernel_spec_t &spec, bool needs_many);
    int vectors() const { return part * parts; }

    int part, parts;
};

/// A column is reduced to one value. Its elements are one step apart, in one loop or in two;
/// columns are adjacent, or blocks of them are evenly spaced. They are walked in tiles of a few
/// vectors: full ones, then what is left at the end of a line.
///
/// Registers for the whole call: the addresses of the held operands that are present, columns left.
class column_kernel_t : public tiled_kernel_t {
protected:
    /// The first `held` operands have elements for each step, or one element for each column. Their
    /// addresses are in registers. The operands of post-ops are the last ones.
    /// `coefficients`: how many vectors for each one of a tile are kept in memory, if tiles have
    /// parts.
    column_kernel_t(const kernel_spec_t &spec, const std::string &name, bool needs_many_registers,
            size_t held, int coefficients = 0);

    /// Whether the last step has code of its own, for bodies that ask is_last_step(). Steps are
    /// then in one loop.
    virtual bool has_own_last_step() const { return false; }
    /// Whether the body that is written is that of the last step.
    bool is_last_step() const { return is_last_step_; }
    /// Writes what happens to a tile. It leaves the addresses as they are.
    virtual void write_tile(const tile_t &tile) = 0;

    bool has_parts() const { return tile_.parts > 1; }
    /// Whether a walk prefetches the next tile. Blocks lie as they are walked: from a cache the
    /// processor prefetches them by itself.
    bool prefetches_next_tile() const {
        return !has_parts() && (spec_.column_block == 0 || spec_.is_streamed);
    }
    /// Calls `body` for each part of a tile. Meanwhile vector 0 of an operand is that of the part.
    void for_each_part(const tile_t &tile, const function_ref_t<void(const tile_t &)> &body);
    /// A coefficient of vector i of the part or of the tile, in memory.
    Xbyak::Address coefficient(int index, int i);

    /// Runs `body` at each step along the reduced axis of the operands `walked`.
    void for_each_step(const std::vector<size_t> &walked, const function_ref_t<void()> &body);
    /// The same for a body that calls apply_post_ops().
    void for_each_result(const std::vector<size_t> &walked, const function_ref_t<void()> &body);
    /// The same for a body that adds to `sums`, which are 0 at first. Few terms are added to a
    /// register before it is added to a total, whose rounding errors are added apart: long sums
    /// keep their precision.
    void sum_over_steps(const std::vector<const vecs_t *> &sums, const std::vector<size_t> &walked,
            const function_ref_t<void()> &body);

    void divide_by_steps(const Xmm &vec);

    /// Statistics of the columns of a tile. Without means, these are 0.
    struct tile_statistics_t {
        tile_t tile;
        vecs_t means;            // rounded to floats
        vecs_t variances;        // after find_reciprocals() r = 1 / sqrt(variance + epsilon)
        jit::kept_vecs_t shifts; // of computed means: how far these are from their rounded values;
                                 // after find_reciprocals() times r
    };
    tile_statistics_t statistics_of(const tile_t &tile, bool has_means, bool are_computed);
    /// Computes them from a stepped operand. With a pivot K of a column,
    ///     walk 1:   mean = (C * K + sum(x - K)) / C
    ///     walk 2:   D = sum(x - mean),   variance = (sum((x - mean)^2) - D^2 / C) / C
    /// The mean is rounded: deviations from it sum to D instead of 0, and the sum of their squares
    /// is D^2 / C too large. Each walk takes a register for each vector of the tile, if there are
    /// means, and one for x.
    ///
    /// K is the first element. Of long columns it is the median of three elements, and walk 1 finds
    ///     variance = (sum((x - K)^2) - sum(x - K)^2 / C) / C,
    /// too; there is no walk 2 then, but where K is more than two standard deviations away from the
    /// mean of a column, walk 1 is repeated with the mean, rounded to few bits, as the K of such
    /// columns.
    void find_statistics(const tile_statistics_t &of, size_t operand);
    /// Sets the lanes that are not used to 0, so that normalized elements are 0 there.
    void find_reciprocals(const tile_statistics_t &of, float epsilon);
    /// x = (x - mean) * r - shift, for vector i of an operand.
    void load_normalized(const Xmm &x, size_t operand, int i, const tile_statistics_t &by);

    // ---- Held operands, at the current step

    /// The address of vector i of a tile.
    RegExp at(size_t operand, int i) const {
        return **bases_[operand] + (distance(operand, first_vector_ + i) + of_copy(operand));
    }
    void load(const Xmm &x, size_t operand, int i, const tile_t &tile);
    void store(const Xmm &x, size_t operand, int i, const tile_t &tile, store_t how);
    /// The same, but stores zeros in lanes that pad a block: so they must be in x.
    void store_padded(const Xmm &x, size_t operand, int i, const tile_t &tile, store_t how);
    /// How many lanes store_padded() stores.
    int padded_lanes_of(const tile_t &tile, int i) const {
        return spec_.column_block == 0 ? lanes_of(tile, i) : lanes();
    }
    void load_all(const vecs_t &to, size_t operand, const tile_t &tile);
    void store_all(const vecs_t &from, size_t operand, const tile_t &tile);
    /// Prefetches the same step of the next tile.
    void prefetch_next_tile(size_t operand, const tile_t &tile);
    /// Prefetches the step of an output for ordinary stores that come later: those of this tile, or
    /// of so many tiles ahead.
    void prefetch_for_stores(size_t operand, const tile_t &tile, int ahead);

    /// An operand with one element for each step, which all columns share.
    struct weight_t {
        size_t operand;
        gpr_t at;
        vec_t value; // in every lane
    };
    /// Takes the registers, if the operand is present; the first step comes next.
    std::optional<weight_t> weight(size_t operand);
    /// Loads the weight of the next step, if present.
    void load_next(const std::optional<weight_t> &weight);

    /// A scale of quantization in every lane, if present.
    std::optional<vec_t> load_scalar(size_t scalar);
    /// Likewise what vectors are divided by.
    std::optional<jit::divisor_t> load_divisor(size_t scalar);
    /// Applies the post-ops to y, vector i of a tile, at the current step.
    void apply_post_ops(const Xmm &y, int i, const tile_t &tile);

    /// Writes what `write` writes for ordinary stores and, if the operands are streamed and the
    /// output has such stores, for non-temporal ones; then the argument non_temporal chooses.
    void for_each_store(size_t output, const function_ref_t<void(store_t how)> &write);

    /// Where the address of an operand is in the arguments.
    Xbyak::Address operand_argument(size_t operand);
    /// address += bytes. `address` is a register or a quad word in memory.
    void advance(const Xbyak::Operand &address, dim_t bytes);

private:
    void generate() override;
    int vector_bytes() const { return lanes() * size_of(dnnl_f32); }
    int sum_bytes() const;
    int stack_bytes() const;
    /// A sum of sums and what its roundings have left out, in memory.
    struct total_t {
        Xbyak::Address sum, error;
    };
    /// Changes `sum`. Needs a vector.
    void add_to_total(const total_t &total, const Xmm &sum);
    /// Bytes from the step at an operand's address to that of the current copy.
    int of_copy(size_t operand) const {
        return copy_ == 0 ? 0 : copy_ * static_cast<int>(spec_.pitch(operand));
    }
    /// Calls `visit` with an address in each cache line of the current step's vectors from `first`
    /// on.
    void for_each_line(size_t operand, int first, int vectors,
            const function_ref_t<void(const RegExp &)> &visit);
    /// Bytes from the first vector of a tile to vector i.
    int distance(size_t operand, int i) const;
    dim_t inner_length() const {
        return spec_.inner_length == 0 ? spec_.length : spec_.inner_length;
    }
    dim_t outer_length() const { return spec_.length / inner_length(); }
    /// How many steps have the same code.
    dim_t like_steps() const { return spec_.length - (has_own_last_step() ? 1 : 0); }
    /// Walks a number of like steps, the last step if that has code of its own, a number of inner
    /// loops, or like steps or inner loops with `between` after each `block`.
    void walk_steps(
            dim_t steps, const std::vector<size_t> &walked, const function_ref_t<void()> &body);
    void walk_own_last_step(const std::vector<size_t> &walked, const function_ref_t<void()> &body);
    void walk_inner_loops(
            dim_t loops, const std::vector<size_t> &walked, const function_ref_t<void()> &body);
    void in_blocks(dim_t count, dim_t block, const function_ref_t<void(dim_t)> &walk,
            const function_ref_t<void()> &between);
    /// Advances the operands of post-ops by `steps` steps, or to the next tile.
    void advance_operands(dim_t steps);
    void next_tile_of_operands(const tile_t &tile);
    /// From the end of an inner loop to the beginning of the next one.
    void jump(const std::vector<size_t> &walked);
    void advance_steps(int steps, const std::vector<size_t> &walked);
    void rewind(const std::vector<size_t> &walked);
    /// Finds variances, too, if has_samples().
    void find_means(const tile_statistics_t &v, size_t operand);
    /// Emits walk 1 by `walk`, which sums x - K and (x - K)^2 to means and variances; then
    /// variances are found. `offset` is overwritten. Needs a general register, three vectors and a
    /// condition.
    void walk_about_near_pivots(const tile_statistics_t &v, const vecs_t &pivots, const Xmm &offset,
            const function_ref_t<void()> &walk);
    /// Rounds a pivot to a multiple of the greatest power of 2 within the standard deviation:
    /// differences of elements from it have few bits, so that their sums are exact more often.
    void round_to_deviations(const Xmm &pivot, const Xmm &variance);
    /// Elements that a pivot is the median of, and whether it is.
    static constexpr int samples = 3;
    bool has_samples(size_t operand) const;
    void load_pivots(const vecs_t &pivots, size_t operand, const tile_t &tile, const Xmm &x);
    /// sum = what the mean lacks by rounding, (sum - C * (mean - K)) / C, nearly exactly. K becomes
    /// undefined.
    void find_remainder(const Xmm &sum, const Xmm &pivot, const Xmm &mean);
    void find_variances(const tile_statistics_t &v, size_t operand);
    /// Sets the shift of a mean, which is its remainder, to what deviations have measured where
    /// these differ by more than roundings of deviations explain: the sum was not exact then.
    void choose_shift(
            const tile_statistics_t &v, int i, const Xmm &measured, const Xmm &difference);

    const kernel_spec_t spec_;
    const column_tile_t tile_;
    const int coefficients_;
    const dim_t sum_block_; // terms that are added to one register
    const size_t held_;
    const jit::post_op_chain_t post_ops_;
    const std::vector<jit::post_op_operand_t> post_op_operands_;
    const size_t first_post_op_;
    std::vector<std::optional<gpr_t>> bases_; // by operand, while the kernel is written
    int first_vector_ = 0;                    // of the part
    bool is_last_step_ = false;               // of the body that is written
    int unroll_ = 1, copy_ = 0;               // of a step's code: copies, and the current one
};

} // namespace kiln::x64
