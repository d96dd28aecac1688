// SPDX-License-Identifier: Apache-2.0
// The kernel that copies or converts runs: adjacent elements of src become adjacent elements of
// dst.
#pragma once

#include <string>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/jit/row_walk.hpp"

namespace kiln::x64::nests {

/// What distinguishes one kernel from another. A row is `steps` runs.
struct run_spec_t {
    isa_t isa;
    data_type_t src_type, dst_type;           // equal: bits are copied
    data_type_t clamp = dnnl_data_type_undef; // to which bytes that are copied are clamped
    dim_t cols = 0;                           // elements of a run
    int rest_bytes = 0;                       // behind them, a few that are copied
    dim_t padding = 0;                        // zeros behind a run in dst
    int block_bytes = 0; // of lanes: the first kept_bytes of each block are kept, the
    int kept_bytes = 0;  // others become zero; 0: all are kept
    int steps = 1;
    bool is_non_temporal = false;
    bool fetches_next_page = false; // whether src is prefetched a page ahead

    /// Whether there is code for the padding: it ends in the run's last vector, or with a vector.
    bool has_padding() const;
    /// E.g. nest_run_f32_bf16_avx512_core.
    std::string name() const;

    bool operator==(const run_spec_t &) const = default;
};

/// Distances are bytes.
struct run_args_t {
    const void *src;
    void *dst;
    dim_t rows;                   // of a plane
    dim_t src_stride, dst_stride; // from a row to the next
    dim_t src_step, dst_step;     // from a run to the next in a row
    dim_t planes;
    dim_t src_plane, dst_plane; // from the first row of a plane to that of the next
};

/// dst = convert(src), or its bits, of which bytes may be clamped, run by run in one pass; then
/// zeros as padding. Registers: addresses of the row and of the run in both tensors, rows left of
/// the plane, planes left; one vector of elements and its packed form, zeros, the mask of kept
/// lanes.
class run_kernel_t : public jit::generator_t {
public:
    explicit run_kernel_t(const run_spec_t &spec);

private:
    struct registers_t;

    void generate() override;
    void write_plane(registers_t &r);
    /// Moves a tensor's address among the arguments to the next plane, and the row's register to
    /// it.
    void go_to_next_plane(const gpr_t &row, size_t tensor, size_t stride);
    void write_run(registers_t &r);
    void load(const Xmm &x, const RegExp &at, int count);
    void store(const Xmm &x, const RegExp &at, int count);
    Xbyak::Address kept_lanes();
    void write_padding(registers_t &r);
    void write_rest(registers_t &r);

    const run_spec_t spec_;
    const int src_size_, dst_size_;
    const bool copies_bits_; // of elements narrower than a lane
    jit::lanes_io_t io_;
};

} // namespace kiln::x64::nests
