// SPDX-License-Identifier: Apache-2.0
// The kernel that goes along: elements that lie side by side in src do so in dst.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/rows/row_walk.hpp"

namespace kiln::x64::reorder {

/// What a kernel is made for. A row is `steps` runs.
struct run_spec_t {
    isa_t isa;
    data_type_t src_type, dst_type; // the same one: bits are moved as they are
    dim_t cols;                     // elements of a run
    int rest_bytes;                 // behind them, a few that are moved as they are
    dim_t padding;                  // zeros behind a run in dst
    int block_bytes, kept_bytes;    // of elements in registers: what is kept of each block; 0: all
    int steps;
    bool is_non_temporal;

    /// Whether there is code for the padding: a part of a vector, or whole ones.
    bool has_padding() const;
    /// E.g. reorder_run_f32_bf16_avx512_core.
    std::string name() const;

    bool operator==(const run_spec_t &) const = default;
};

/// Strides are bytes.
struct run_args_t {
    const void *src;
    void *dst;
    dim_t rows;
    dim_t src_stride, dst_stride;
    dim_t src_step, dst_step;
};

class run_kernel_t : public jit::generator_t {
public:
    explicit run_kernel_t(const run_spec_t &spec);

private:
    struct registers_t;

    void generate() override;
    bool ends_with_fence() const override { return false; }
    void write_run(registers_t &r);
    void load(const Xbyak::Xmm &x, const Xbyak::RegExp &at, int count);
    void store(const Xbyak::Xmm &x, const Xbyak::RegExp &at, int count);
    std::vector<uint32_t> kept_lanes() const;
    void write_padding(registers_t &r);
    void write_rest(registers_t &r);

    const run_spec_t spec_;
    const int src_size_, dst_size_;
    const bool moves_bits_; // of elements narrower than a lane
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::reorder
