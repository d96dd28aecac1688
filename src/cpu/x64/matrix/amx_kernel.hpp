// SPDX-License-Identifier: Apache-2.0
// The kernel that multiplies matrices with AMX: sums, or results, of up to 32 rows of A and panels
// of B.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/matrix/amx_results.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

/// What a tile register holds: rows of A, of B's steps or of sums, of 64 bytes each.
constexpr int amx_rows = 16, amx_rows_shift = 4;
static_assert(amx_rows == 1 << amx_rows_shift);
constexpr int amx_row_bytes = 64;
constexpr int amx_columns = amx_row_bytes / 4;
/// Rows of A in a call at most: two tile registers.
constexpr int most_amx_rows = 2 * amx_rows;
/// Steps whose rows of A, and columns of B, stay in the first-level cache beside each other and
/// beside sums.
constexpr int near_amx_steps = 8;
/// Panels of a call whose sums stay there, too.
constexpr int near_amx_panels = 4;
/// Elements along K that an instruction multiplies.
constexpr int amx_depth(step_t step) { return amx_rows * depth_of(step); }

/// Whether tile registers multiply what a step does.
constexpr bool has_amx(isa_t isa, step_t step) {
    return has(isa, feature_t::amx)
           && (step == step_t::bf16 || step == step_t::u8s8 || step == step_t::split);
}

/// The operand of `ldtilecfg`. Source: Intel SDM volume 1, 18.2 (palette 1).
struct amx_configuration_t {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {}; // of each tile register
    uint8_t rows[16] = {};

    /// A tile register of `count` whole rows.
    void set(const Xbyak::Tmm &tile, dim_t count) {
        const auto index = static_cast<size_t>(tile.getIdx());
        row_bytes[index] = amx_row_bytes;
        rows[index] = static_cast<uint8_t>(count);
    }
};

struct amx_spec_t {
    isa_t isa;
    data_type_t a_type, b_type; // both bf16, or each s8 or u8
    int vectors = 1;            // of a panel of B
    int last_columns = 0;       // of the last panel, if that is narrower
    int lines_ahead = 0;        // cache lines that are fetched in a step
    bool fetches_near = false;  // into the first-level cache, not the second-level one
    int dst_size = 0;           // bytes of an element of dst, if it is fetched for writing
    int dst_rows = 2;           // that each step of two row tiles fetches then: a few, so that few
                                // loads of A and B wait behind them, or all of few steps
    bool splits = false;        // step_t::split, of bf16
    amx_results_spec_t results = {};

    step_t step() const {
        return splits ? step_t::split : a_type == dnnl_bf16 ? step_t::bf16 : step_t::u8s8;
    }
    /// Bytes of a step in a row of A.
    int a_step_bytes() const { return a_copies(step()) * amx_row_bytes; }
    int width() const { return vectors * amx_columns; }
    /// E.g. matrix_amx_2_u8_s8_avx512_core_amx.
    std::string name() const;
};

/// Distances are bytes. The kernel changes the arguments.
struct amx_args_t {
    const void *a = nullptr; // rows of A; the elements of a row are adjacent
    dim_t a_pitch = 0;       // from row to row
    // 64 bytes of each row, which begin with its last elements. Zeros of B multiply what follows
    // those: any integers, but zeros of floats, since NaN times zero is NaN.
    const void *a_rest = nullptr;
    dim_t rest_pitch = amx_row_bytes;  // from row to row of these
    const void *b = nullptr;           // the first panel: steps of 4 bytes a column
    dim_t b_panel = 0;                 // from panel to panel
    dim_t steps = 0;                   // of amx_depth() elements
    dim_t near_steps = near_amx_steps; // that are multiplied in all panels before the next ones
    dim_t has_rest = 0;                // whether a step with `a_rest` follows
    dim_t panels = 0;                  // whole ones
    dim_t has_last = 0;                // whether the narrower panel follows
    void *sums = nullptr;              // f32 or s32: whole vectors of columns
    dim_t sums_pitch = 0;              // from row to row
    dim_t sums_panel = 0;              // from panel to panel; 0: a panel's are stored over those of
                                       // the one before, whose results are made first
    dim_t adds = 0;                    // whether `sums` has the sums of the steps before
    const void *ahead = nullptr;       // lines that are fetched; behind the call those that follow
    // Rows of dst that are fetched for writing while the first `near_steps` are multiplied; null:
    // none.
    const void *fetched_dst = nullptr;
    dim_t rows = 0;       // 1 to most_amx_rows
    dim_t configures = 0; // whether `configuration` is loaded first: that of `rows`
    dim_t releases = 0;   // whether the tile registers are released at the end
    amx_results_args_t results = {};
    // While near_steps, or fewer, are multiplied in all panels: the steps, whether the step
    // with `a_rest` follows, whether results do, the present panel, and the panels left.
    dim_t run_steps = 0, run_rest = 0, run_finishes = 0;
    const void *run_b = nullptr, *run_sums = nullptr;
    dim_t left_panels = 0;
    amx_configuration_t configuration = {};

    /// Sets `rows` and the configuration for them.
    void set_rows(dim_t count);
};

/// sums[row][column] (+)= the sum over k of A[row][k] * B[k][column]. bf16: pairs of products are
/// added to a float, pair by pair in the order of K; subnormal elements count as zeros. Integers
/// are exact modulo 2^32. Results of a tile are stored while the next one is multiplied.
///
/// Tile registers: tmm0 to tmm3 are sums of two times 16 rows and 16 columns, tmm4 and tmm5 rows of
/// A, tmm6 and tmm7 steps of B.
class amx_kernel_t : public jit::generator_t {
public:
    explicit amx_kernel_t(const amx_spec_t &spec);

private:
    struct walk_t;

    void generate() override;
    void write_runs(const walk_t &walk, int row_tiles);
    void write_panels(const walk_t &walk, int row_tiles);
    void write_panel(const walk_t &walk, int row_tiles, int columns);
    void write_columns(const walk_t &walk, int row_tiles, int first_column, int columns);
    template <typename body_t>
    void for_each_sum(const walk_t &walk, int row_tiles, int first_column, int column_tiles,
            const body_t &body);
    void set_lower_rows(const walk_t &walk, int row_tiles);
    void write_steps(const walk_t &walk, int row_tiles, int column_tiles, bool fetches_dst);
    void fetch_rows_of_dst(const walk_t &walk, int row_tiles, int column_tiles);
    void write_step(const walk_t &walk, int row_tiles, int column_tiles);
    void multiply(const Xbyak::Tmm &sum, const Xbyak::Tmm &a, const Xbyak::Tmm &b);

    /// Bytes of a step of a panel of B.
    int step_bytes() const { return spec_.vectors * amx_rows * amx_row_bytes; }

    const amx_spec_t spec_;
    std::optional<amx_results_t> results_; // while the kernel is written
};

} // namespace kiln::x64::matrix
