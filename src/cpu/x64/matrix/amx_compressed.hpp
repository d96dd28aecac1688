// SPDX-License-Identifier: Apache-2.0
// The kernel that multiplies rows of bf16 by packed integers with AMX. It converts the integers of
// a step while it multiplies those of the step before.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/matrix/amx_conversion.hpp"
#include "cpu/x64/matrix/amx_kernel.hpp"
#include "cpu/x64/matrix/groups.hpp"
#include "cpu/x64/matrix/integer_pairs.hpp"

namespace kiln::x64::matrix {

struct amx_compressed_spec_t {
    isa_t isa;
    data_type_t b_type; // s8, u8, s4 or u4
    int vectors = 1;    // of a panel: up to 4
    int tail = 0;       // columns of the last panel if that is narrower; else 0
    int row_tiles = 1;  // 2: of more than amx_rows rows
    // Of groups along K. The types of zero points are such that bf16 has all differences.
    group_operand_t scale = {}, zero = {};

    int lane_depth() const { return lane_depth_of(b_type); }
    /// Lanes along K that a step has.
    int lanes_of_step() const { return amx_depth(step_t::bf16) / lane_depth(); }
    /// Vectors of a panel that are multiplied at a time: tile registers have their sums.
    int vectors_of_pass() const { return std::min(vectors, row_tiles == 1 ? 4 : 2); }
    /// E.g. matrix_amx_compressed_1x4_scales_s4_bf16_avx512_core_amx.
    std::string name() const;
};

/// How many steps conversion is ahead of multiplication. Tile registers are loaded from what has
/// been stored long before: such loads wait until the stores have left the processor's queue.
constexpr int steps_ahead = 2;
/// Bytes of a step as AMX multiplies it, for a panel of four vectors; sums of a group have as many.
constexpr int amx_step_bytes = 4 * amx_rows * amx_row_bytes;
/// Of amx_compressed_args_t::buffer and the sums behind it.
constexpr size_t amx_compressed_bytes = size_t{steps_ahead + 2} * amx_step_bytes;

/// Distances are bytes. The kernel changes the arguments.
struct amx_compressed_args_t {
    const void *a = nullptr;      // rows of bf16; of half bytes, in the order of step_t::bf16x8
    dim_t a_pitch = 0;            // from row to row
    const void *a_rest = nullptr; // 64 bytes a row: its last elements, with zeros behind them
    const void *b = nullptr;      // the first panel: lanes of integers along K
    dim_t b_panel = 0;            // from panel to panel
    dim_t panels = 0;
    dim_t has_tail = 0;   // whether the last one is narrower
    dim_t steps = 0;      // whole ones of amx_depth() elements: at least one
    dim_t rest_lanes = 0; // lanes behind the steps: at most as many as a step has
    // Sums of the first panel, f32, from row to row and from panel to panel. With scales, sums of
    // groups times scales are added to them.
    void *sums = nullptr;
    dim_t sums_pitch = 0;
    dim_t group_steps = 0;                          // of a group; `steps` if all are one
    const void *scales = nullptr, *zeros = nullptr; // of the first panel's first column
    dim_t scale_pitch = 0, zero_pitch = 0;          // from group to group
    void *buffer = nullptr, *buffer_end = nullptr;  // of steps; sums of a group follow
    dim_t rows = 0;                                 // amx_rows * row_tiles at most
    amx_configuration_t configuration = {};
    // Of the present pass: operands of the present groups, and the steps that are left of them.
    void *pass_sums = nullptr;
    const void *pass_scales = nullptr, *pass_zeros = nullptr;
    dim_t multiplied_left = 0, converted_left = 0;

    void set_buffer(void *to) {
        buffer = to;
        buffer_end = static_cast<std::byte *>(to) + (steps_ahead + 1) * amx_step_bytes;
    }
    /// Sets `rows` and the configuration for them.
    void set_rows(const amx_compressed_spec_t &spec, dim_t count);
};
/// sums[row][column] = the sum over k of A[row][k] * (B[k][column] - zero[column]); with scales of
/// groups, those sums of each group times scale[column] are added to sums[row][column].
///
/// Tile registers: sums in tmm0 to tmm3, one or two for rows of A, two for B. Vector registers:
/// those of integer_pairs_t; at the end of a group a scale for each vector of a pass, and a total.
class amx_compressed_kernel_t : public jit::generator_t {
public:
    explicit amx_compressed_kernel_t(const amx_compressed_spec_t &spec);

private:
    struct walk_t;
    enum class work_t { converts, multiplies, both };

    void generate() override;
    void start_pass(const walk_t &walk, int first, int count);
    void write_pass(const walk_t &walk, int first, int count);
    void start_group(const walk_t &walk, size_t left, size_t operand, size_t pitch);
    void set_lower_rows(const walk_t &walk);
    void clear_sums(int count);
    void store_sums(const walk_t &walk, int count);
    void write_step(const walk_t &walk, int count, work_t work);
    void load_a(const walk_t &walk);
    void multiply(const walk_t &walk, int vector);
    void next_place(const Reg64 &step);
    void write_rest(const walk_t &walk, int count);
    void convert(const walk_t &walk, const Reg64 &step, int lane, int vector, int count);
    void add_group(const walk_t &walk, int first, int count);
    template <typename body_t> void for_each_vector(int first, int count, const body_t &body);
    void load_zeros(const walk_t &walk, int first, int count);
    int lane_pitch() const { return spec_.vectors * amx_row_bytes; }

    const amx_compressed_spec_t spec_;
    jit::lanes_io_t io_;
    std::optional<integer_pairs_t> pairs_; // while the kernel is written
};

} // namespace kiln::x64::matrix
