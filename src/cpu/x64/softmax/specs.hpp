// SPDX-License-Identifier: Apache-2.0
// What distinguishes one kernel of softmax from another. A direction has one table of operands for
// kernels on rows and on columns, in which the operands that have elements along the axis come
// first.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/kernel_spec.hpp"
#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64::softmax {

/// What a kernel does with lines. A long line is cut into chunks: the first kernel reduces each
/// chunk, the driver combines the chunks' values in order, the second kernel computes the results.
enum class stage_t { whole, chunk, result };

/// Operands of a kernel at most, those of post-ops aside.
constexpr size_t most_operands = 8;

/// What the kernels of both directions have.
struct line_spec_t {
    isa_t isa;
    dim_t line;                                     // elements along the axis
    std::array<data_type_t, most_operands> types{}; // undef: the operand is absent
    bool is_log = false;
    stage_t stage = stage_t::whole;
    bool fetches_next_row = false; // rows, while a row is processed
    bool is_non_temporal = false;  // rows: stores to dst or diff_src
    bool is_shifted = false;       // rows that begin anywhere: such stores start at the first
                                   // cache line

    bool has(size_t operand) const { return types[operand] != dnnl_data_type_undef; }
};

/// The operands of a kernel on rows, of which the first `stepped` have elements along the axis.
std::vector<jit::post_op_operand_t> elements_of(std::span<const data_type_t> types, size_t stepped);
/// gradient = diff_src; y, an element of dst, becomes undefined.
void find_gradient(jit::generator_t &g, const Xbyak::Xmm &gradient, const Xbyak::Xmm &y,
        const Xbyak::Xmm &sum, bool is_log);

struct forward_spec_t : line_spec_t {
    enum operand : size_t {
        src,
        dst,
        stepped,           // columns: the operands before have elements for each step
        interim = stepped, // rows: floats that a line keeps between two sweeps, unless dst does
        stats,             // log(sum(exp(src))) of a line
        held,              // columns: the operands before have their addresses in registers
        src_scale = held,
        dst_scale,
        maximum, // of a chunk: an output of stage chunk; of the line: an input of stage result
        sum,     // chunk: an output, sum(exp(src - maximum)); result: what exponentials are
                 // multiplied by, or for logsoftmax log(sum)
        first_post_op
    };
    static constexpr operand output = dst;

    bool is_inf_zero = false; // a line of -infinity alone gives zeros instead of NaN
    std::vector<jit::post_op_link_t> post_ops = {};
    size_t pre_ops = 0; // rows: so many links, the first ones, are applied to src

    bool has_post_ops() const { return post_ops.size() > pre_ops; }
    /// Rows: a line's elements stay in registers between the sweeps.
    bool is_in_registers() const;
    /// Rows keep floats between two sweeps: first what the pre-ops make of src, then, if the result
    /// is not a logarithm, the exponentials.
    bool keeps_line() const {
        return (!is_log || pre_ops != 0) && !(stage == stage_t::whole && is_in_registers());
    }
    /// Rows: the results of a row are written while the next row's exponentials are computed.
    bool is_delayed() const;
    /// Where rows keep floats.
    operand kept() const { return types[dst] == dnnl_f32 && !is_delayed() ? dst : interim; }
    /// E.g. softmax_fwd_row_bf16_f32_avx512_core of shape "row".
    std::string name(const char *shape) const;
};

struct backward_spec_t : line_spec_t {
    enum operand : size_t {
        dst,
        diff_dst,
        diff_src,
        stepped,       // as forward
        sum = stepped, // of dst * diff_dst, or for logsoftmax of diff_dst: an output of stage
                       // chunk, an input of stage result
        first_post_op
    };
    static constexpr operand output = diff_src;

    bool sweeps_twice = false; // rows: a short row is read again, not kept in registers

    /// Rows: a line's elements stay in registers between the sweeps.
    bool is_in_registers() const;
    /// Rows: pairs where all tensors are bf16.
    vectors_t vectors() const;
    std::string name(const char *shape) const;
};

/// Where a kernel on columns keeps exponentials until their sums are known. Nowhere: it computes
/// them twice, or its results are logarithms. Memory: that of the task.
enum class kept_t { nowhere, in_dst, in_memory };

/// A kernel on columns. Where blocks cut the axis, a step is a block: the columns of a block are
/// reduced to one value.
struct column_spec_t : kernel_spec_t {
    std::string name;
    int block = 1;   // adjacent columns
    int padding = 0; // of the last block, the last so many columns; zeros in every tensor
    bool is_log = false;
    bool is_inf_zero = false;
    kept_t kept = kept_t::nowhere;  // forward
    bool fetches_next_tile = false; // prefetches what is read, while sums are computed
    bool fetches_output = false;    // prefetches for ordinary stores

    /// What is done to a vector takes many registers.
    static constexpr bool needs_many_registers = true;
};

} // namespace kiln::x64::softmax
