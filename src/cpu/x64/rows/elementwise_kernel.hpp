// SPDX-License-Identifier: Apache-2.0
// The kernel of elementwise operations: dst from src and any number of other operands, element by
// element, along rows in which each operand has elements at one distance or one for the row.
#pragma once

#include <string>
#include <vector>

#include "cpu/x64/jit/post_op_chain.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"

namespace kiln::x64 {

/// Operands of the kernel; those of the chain follow.
enum elementwise_operand_t : size_t { elementwise_dst, elementwise_src, first_chain_operand };

/// What distinguishes one kernel from another.
struct elementwise_spec_t {
    std::string operation = {}; // the kernel's name begins with it
    isa_t isa;
    dim_t line = 1; // elements of a row
    jit::post_op_operand_t dst = {dnnl_data_type_undef, true}, src = {dnnl_data_type_undef, true};
    std::vector<jit::post_op_link_t> chain = {}; // what is computed; a sum reads dst
    bool is_non_temporal = false;                // where rows are aligned
    bool splits_stores = false; // vectors of dst cross cache lines, and are stored in halves
    dim_t padding = 0; // zeros stored behind each row of dst, which fill whole vectors with it
    bool fetches_next_page = false; // whether what is read is prefetched a page ahead
    jit::subnormals_t subnormals = jit::subnormals_t::flushed; // of results in bf16
    // s8 or u8: is_integer_maximum(), and elements are words of four such integers, typed s32.
    data_type_t word_type = dnnl_data_type_undef;

    /// Any operand by its index.
    jit::post_op_operand_t &operand(size_t index);

    /// Pairs where every operand with elements along the row has adjacent bf16.
    vectors_t vectors() const;
    /// Whether floats of src are what s32 values are rounded to for another rounding, to 16 bits.
    bool rounds_src_to_odd() const;
    /// Whether what the chain reads for all vectors of a row is the same for all rows.
    bool has_fixed_row_operands() const;
    /// Whether results that become s8 are numbers less than 2^31.
    bool has_bounded_results() const;
    /// Whether the chain is the maximum of an integer and 0, which is computed without floats.
    bool is_integer_maximum() const;
    /// Whether the chain has a function of about twenty instructions or more.
    bool has_long_function() const;
    /// E.g. reorder_row_f32_s8_avx512_core.
    std::string name() const;
};

/// dst = chain(src) in f32, in one pass. Operands with one element for the row are loaded once a
/// row, or once if all rows have the same, as long as registers are left.
/// Registers: such operands, x, the packed result; temporaries of the chain; in those that are
/// left, constants.
class elementwise_kernel_t : public tiled_row_kernel_t {
public:
    explicit elementwise_kernel_t(const elementwise_spec_t &spec);

private:
    void write_rows() override;
    void write_row() override;
    jit::held_post_op_operands_t hold_row_operands();
    void write_vector(int vector, int count, const jit::held_post_op_operands_t &held);
    void store_with_padding(const Xmm &x, int count);
    void write_integer_maximum(int vector, int count);
    /// Loads what src has, in 32 bits, without conversion.
    void load_bits(const Xmm &to, int vector, int count);
    void write_pair(int vector, int count, const jit::held_post_op_operands_t &held);

    const elementwise_spec_t spec_;
    /// Those of all rows, while these are written.
    std::optional<jit::held_post_op_operands_t> row_operands_;
};

} // namespace kiln::x64
