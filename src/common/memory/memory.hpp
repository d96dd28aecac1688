// SPDX-License-Identifier: Apache-2.0
// The memory object: a descriptor and the buffers it describes.
#pragma once

#include <memory>
#include <vector>

#include "common/memory/memory_desc.hpp"
#include "common/primitive/engine.hpp"

namespace kiln {

struct free_t {
    void operator()(void *buffer) const;
};
/// A buffer aligned to a cache line.
using buffer_t = std::unique_ptr<void, free_t>;
/// Throws std::bad_alloc; an empty buffer for 0 bytes.
buffer_t allocate_buffer(size_t bytes);

/// Writes zeros to the elements of `data` between dims and padded dims; nothing for a layout
/// without padding.
void zero_pad(const memory_desc_t &md, void *data);

} // namespace kiln

struct dnnl_memory {
    /// Buffers of `handles`; those that are DNNL_MEMORY_ALLOCATE are allocated and owned.
    dnnl_memory(kiln::engine_t *engine, const kiln::memory_desc_t &md, void **handles, int count);
    /// One value on the host, held by the object itself.
    dnnl_memory(const kiln::memory_desc_t &md, const void *scalar);

    kiln::engine_t *engine() const { return engine_.get(); }
    const kiln::memory_desc_t &md() const { return md_; }
    int handle_count() const { return static_cast<int>(handles_.size()); }
    void *handle(int index = 0) const { return handles_[static_cast<size_t>(index)]; }
    void set_handle(void *handle, int index) { handles_[static_cast<size_t>(index)] = handle; }
    /// Bytes of the first buffer, offset0 included.
    size_t capacity() const { return capacity_; }
    void set_scalar(const void *value);

private:
    kiln::engine_ref_t engine_;
    kiln::memory_desc_t md_;
    size_t capacity_;
    std::vector<void *> handles_;
    std::vector<kiln::buffer_t> owned_;
    alignas(8) unsigned char scalar_[8] = {};
};
