// SPDX-License-Identifier: Apache-2.0
// The kernel that goes along: elements that lie side by side in src do so in dst.
#pragma once

#include <string>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/row_walk.hpp"

namespace kiln::x64::reorder {

/// What a kernel is made for. A row is `steps` runs.
struct run_spec_t {
    isa_t isa;
    data_type_t src_type, dst_type; // bits that are moved as they are count as f32, 4 bytes each
    dim_t cols;                     // elements of a run
    int rest_bytes;                 // behind them, fewer than 4, moved as they are
    dim_t padding;                  // zeros behind a run in dst
    int steps;
    bool is_non_temporal;

    /// Whether there is code for the padding: whole vectors of elements and zeros.
    bool has_padding() const { return padding == 0 || (cols + padding) % jit::lanes_of(isa) == 0; }
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
    void write_run(registers_t &r);
    void write_padding(registers_t &r);
    void write_rest(registers_t &r);

    const run_spec_t spec_;
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::reorder
