// SPDX-License-Identifier: Apache-2.0
// A nest of a reorder with a kernel for its inner loops: what is left as loops around the kernel,
// and how all of it is cut into items that threads share.
#pragma once

#include <memory>
#include <vector>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/layout/reorder_nest.hpp"

namespace kiln::x64::reorder {

/// Elements as they are in memory.
struct element_types_t {
    data_type_t src, dst;
    dim_t src_size, dst_size;
};

/// Where a kernel works, in bytes from where a tensor's offset0 counts from.
struct place_t {
    const std::byte *src;
    std::byte *dst;
};

class reorder_pass_t {
public:
    virtual ~reorder_pass_t() = default;

    dim_t items() const { return items_; }
    /// Bytes that an item reads and writes, about.
    dim_t item_bytes() const { return item_bytes_; }
    /// Whether non-temporal stores pay, and there are some for a dst that begins there.
    bool is_non_temporal(const void *dst) const;
    void execute(const place_t &tensors, dim_t begin, dim_t end, bool is_non_temporal) const;

protected:
    reorder_pass_t(const nest_t &nest, const element_types_t &types)
        : nest_(nest)
        , types_(types) {}

    /// One of the chunks that the kernel's loops are cut into.
    virtual void execute_chunk(place_t at, dim_t chunk, bool is_non_temporal) const = 0;

    /// `outer` are the loops around the kernel.
    void set_items(std::vector<loop_t> outer, dim_t chunks, dim_t chunk_bytes);
    /// Stores of so many bytes are non-temporal in tensors that fill the last-level cache so many
    /// times, if all strides of these loops allow it.
    void set_non_temporal(dim_t vector_bytes, dim_t caches, const std::vector<loop_t> &loops);

    const nest_t nest_;
    const element_types_t types_;

private:
    std::vector<loop_t> outer_;
    dim_t chunks_ = 1;
    dim_t items_ = 0;
    dim_t item_bytes_ = 0;
    dim_t vector_bytes_ = 0; // 0: no non-temporal stores
    dim_t caches_ = 0;
};

using passes_t = std::vector<std::unique_ptr<reorder_pass_t>>;

/// Adds a pass for the nest, or two where a loop is longer than a multiple of what a kernel takes
/// at a time. `pads` becomes false where padding is not written. The nest has_kernel().
void add_passes(passes_t &passes, const nest_t &nest, const element_types_t &types, bool &pads);

bool has_kernel(const nest_t &nest);

/// One way each; false where it is not for the nest. By runs that go along both tensors; by tiles
/// of elements; by tiles of short runs.
bool add_run_passes(passes_t &passes, const nest_t &nest, const element_types_t &types, bool &pads);
bool add_tile_passes(
        passes_t &passes, const nest_t &nest, const element_types_t &types, bool &pads);
bool add_unit_passes(passes_t &passes, const nest_t &nest, const element_types_t &types);

} // namespace kiln::x64::reorder
