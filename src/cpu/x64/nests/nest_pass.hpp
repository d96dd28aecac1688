// SPDX-License-Identifier: Apache-2.0
// A nest with a kernel for its inner loops, which moves or converts elements: the loops around the
// kernel, and the items of work that threads share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/layout/nest.hpp"
#include "cpu/x64/layout/row_plan.hpp"

namespace kiln::x64::nests {

/// Items of a pass that few threads can share equally. A pass has as many if its loops allow, so
/// that of passes beside each other a thread writes the same cache lines.
constexpr dim_t least_items = 8;

/// Types of elements and their sizes in bytes.
struct element_types_t {
    data_type_t src, dst;
    dim_t src_size, dst_size;

    /// Whether kernels move the bits of elements, or convert their values by way of f32 without
    /// rounding twice.
    bool have_kernels() const;
    /// Whether kernels move the bits of elements. Those of s8 and u8 are clamped on the way.
    bool move_bits() const { return src == dst || clamps(); }
    /// The type as which kernels load elements.
    data_type_t loaded() const { return move_bits() ? dst : src; }
    /// The type to which bytes are clamped; undefined if they are not.
    data_type_t clamp() const { return clamps() ? dst : dnnl_data_type_undef; }

private:
    bool clamps() const;
};

element_types_t types_of(const memory_desc_t &src, const memory_desc_t &dst);

/// Addresses in both tensors. Those of whole tensors are in front of offset0.
struct place_t {
    const std::byte *src;
    std::byte *dst;
};

class nest_pass_t {
public:
    virtual ~nest_pass_t() = default;

    dim_t items() const { return items_; }
    /// About how many bytes an item reads and writes.
    dim_t item_bytes() const { return item_bytes_; }
    dim_t bytes() const { return items_ * item_bytes_; }
    /// Whether non-temporal stores pay, where this pass and others beside it read and write `bytes`
    /// bytes, and a dst at this address is aligned for them.
    bool is_non_temporal(const void *dst, dim_t bytes) const;
    void execute(const place_t &tensors, dim_t begin, dim_t end, bool is_non_temporal) const;

protected:
    nest_pass_t(const nest_t &nest, const element_types_t &types)
        : nest_(nest)
        , types_(types) {}

    /// Calls the kernel for one of the chunks that its loops are cut into.
    virtual void execute_chunk(place_t at, dim_t chunk, bool is_non_temporal) const = 0;

    /// `outer`: the loops around the kernel. Each iteration has `chunks` items.
    void set_items(const std::vector<loop_t> &outer, dim_t chunks, dim_t chunk_bytes);
    /// Stores of `vector_bytes` may be non-temporal if all strides of `loops` keep the alignment.
    void set_non_temporal(dim_t vector_bytes, const std::vector<loop_t> &loops);
    /// Says that stores follow each other for some cache lines at least, as those of results do.
    void set_long_runs() { has_long_runs_ = true; }

    const nest_t nest_;
    const element_types_t types_;

private:
    /// Operand 0 is dst, whose strides give the order of the loops; operand 1 is src.
    std::optional<row_plan_t> outer_;
    dim_t chunks_ = 1;
    dim_t items_ = 0;
    dim_t item_bytes_ = 0;
    dim_t vector_bytes_ = 0; // 0: no non-temporal stores
    bool has_long_runs_ = false;
};

using passes_t = std::vector<std::unique_ptr<nest_pass_t>>;

/// The parts from `begin` to `end` of `parts` equal ones, of the items of each pass.
struct pass_share_t {
    dim_t begin, end, parts;
};

/// Executes a share of passes that read and write `bytes` bytes together. Returns whether a fence
/// of non-temporal stores must follow.
bool execute_share(const passes_t &passes, const place_t &tensors, const pass_share_t &share,
        dim_t bytes, bool may_be_non_temporal);

/// Whether a kernel takes the nest: an axis has stride 1 in src, and one in dst.
bool has_kernel(const nest_t &nest);
/// Gives a nest that no kernel takes an innermost loop of extent 1, so that each element is a run.
void split_into_elements(nest_t &nest);

/// Adds a pass for a nest that has_kernel(), or two if a loop has a remainder beside what a kernel
/// takes at a time. `pads` becomes false if padding is left to the caller.
void add_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads);

// Each adds passes for one kind of kernel and returns false for nests of other kinds.

/// Runs: one loop has stride 1 in both tensors.
bool add_run_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads);
/// Tiles of single elements: one loop has stride 1 in src, another one in dst.
bool add_tile_passes(
        passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types, bool &pads);
/// Tiles of cells: the same for short runs of a loop of stride 1 in both.
bool add_cell_passes(passes_t &passes, isa_t isa, const nest_t &nest, const element_types_t &types);

} // namespace kiln::x64::nests
