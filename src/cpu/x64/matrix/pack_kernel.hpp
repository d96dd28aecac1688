// SPDX-License-Identifier: Apache-2.0
// The kernel that packs rows of a matrix: it converts their elements to what a step multiplies, and
// interleaves the rows of a step.
#pragma once

#include <optional>
#include <string>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/matrix/row_join.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matrix {

struct pack_spec_t {
    isa_t isa;
    data_type_t src_type;
    step_t step = step_t::f32;
    int vectors = 1;        // of a panel
    int tail = 0;           // columns of the last panel if that is narrower; else 0
    int rest = 0;           // rows of the last step if it has fewer; else 0
    bool is_a = false;      // rows of A: elements of a row stay adjacent, each row is a step
    bool is_of_b = false;   // with is_a: the rows are columns of B, with lanes of B
    bool in_octets = false; // rows of A in the order of a step that converts eight elements of B
    bool takes_remainder = false; // rows of A as bf16: elements less their values in bf16

    int width() const { return vectors * jit::lanes_of(isa); }
    /// E.g. matrix_pack_s16_a_s8_avx512_core.
    std::string name() const;
};

/// Distances are bytes. The kernel changes the arguments.
struct pack_args_t {
    const void *src;
    dim_t src_pitch; // from row to row
    void *dst;
    dim_t dst_pitch; // from step to step
    dim_t dst_panel; // from panel to panel
    dim_t steps;     // of depth_of(step) rows
    dim_t has_rest;  // whether a step of fewer rows follows; its other elements are zero
    dim_t panels;    // whole ones
    dim_t has_tail;  // whether the narrower panel follows; its last vector is padded with zeros
};

/// dst[panel][step][column] = the elements of the step's rows in that column, in a lane of 32 bits:
/// a float, two elements of bf16, eight of 4 bits, four of 8 bits, or two of those widened to 16.
/// With is_a, dst[row][column] = the element, of element_bytes(step) bytes. step_t::split: a lane
/// has the two terms of an element; rows of A have the lanes of 16 elements, then those with the
/// terms exchanged.
///
/// Registers: the step, a row of it, and what conversions or row_join_t take; addresses of src, of
/// dst and of every third row, the pitch, the rows ahead, panels and steps left.
class pack_kernel_t : public jit::generator_t {
public:
    explicit pack_kernel_t(const pack_spec_t &spec);

private:
    struct walk_t;

    void generate() override;
    void write_panels(const walk_t &walk, int rows);
    void fetch_rows(const walk_t &walk, int rows, int columns);
    void write_step(const walk_t &walk, int rows, int columns);
    void subtract_bf16(const Xmm &floats);
    void store_split(const Xmm &floats, int first, const RegExp &row);
    void split(const Xmm &floats);
    void store_octets(const Xmm &packed, int size, const RegExp &at);
    void store_elements(const Xmm &floats, const RegExp &at);
    void store_words(const Xmm &words, const RegExp &at);
    int src_bytes(int elements) const {
        return is_half_byte(spec_.src_type) ? elements / 2 : elements * size_of(spec_.src_type);
    }
    int depth() const { return spec_.is_a ? 1 : depth_of(spec_.step); }
    void load_step(const Xmm &to, const walk_t &walk, int rows, int vector, int count);
    void load_lanes(const Xmm &to, const walk_t &walk, int row, int vector, int count);

    const pack_spec_t spec_;
    jit::lanes_io_t io_;
    std::optional<row_join_t> join_; // of rows of bytes, while they are packed
};

} // namespace kiln::x64::matrix
