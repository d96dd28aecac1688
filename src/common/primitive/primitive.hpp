// SPDX-License-Identifier: Apache-2.0
// The primitive: an implementation made for one problem, and the context of an execution.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "common/memory/memory.hpp"
#include "common/primitive/primitive_desc.hpp"
#include "common/primitive/stream.hpp"

namespace kiln {

/// What one execution works on: the buffer of each slot and the scratchpad. Lives on the caller's
/// stack.
class exec_ctx_t {
public:
    explicit exec_ctx_t(const primitive_desc_t &pd)
        : pd_(pd) {
        std::fill_n(places_.begin(), pd.slots().size(), place_t{});
    }

    const primitive_desc_t &pd() const { return pd_; }
    /// Whether the slot's argument was passed.
    bool has(int slot) const {
        return slot >= 0 && places_[static_cast<size_t>(slot)].md != nullptr;
    }
    /// The descriptor of the memory that was passed for the slot; null for an absent argument.
    const memory_desc_t *md(int slot) const {
        return slot >= 0 ? places_[static_cast<size_t>(slot)].md : nullptr;
    }
    /// Start of the argument's buffer, in front of offset0; null for an absent one.
    const void *input(int slot) const { return output(slot); }
    void *output(int slot) const {
        return slot >= 0 ? places_[static_cast<size_t>(slot)].handle : nullptr;
    }
    std::byte *scratchpad() const { return scratchpad_; }

    /// Checks the caller's arguments and assigns them to slots.
    status_t bind(int nargs, const dnnl_exec_arg_t *args);
    /// For callers that have checked the size of the buffer, which `md` describes.
    void set(int slot, void *handle, const memory_desc_t &md) {
        places_[static_cast<size_t>(slot)] = {handle, &md};
    }
    /// The same where the buffer is as the primitive descriptor says.
    void set(int slot, void *handle) {
        set(slot, handle, *pd_.slots()[static_cast<size_t>(slot)].md);
    }
    void set_scratchpad(void *scratchpad) { scratchpad_ = static_cast<std::byte *>(scratchpad); }

private:
    struct place_t {
        void *handle;
        const memory_desc_t *md; // null: nothing is bound
    };

    /// Reports the first argument that is missing.
    status_t refuse_incomplete() const;

    const primitive_desc_t &pd_;
    std::byte *scratchpad_ = nullptr;
    std::array<place_t, max_slots> places_; // those of the slots are set
};

/// An implementation and the descriptor it was made for; shared through the cache.
struct cached_primitive_t {
    std::shared_ptr<const primitive_desc_t> pd;
    std::unique_ptr<primitive_impl_t> impl;

    /// Executes on bound arguments and a scratchpad large enough; padding of outputs is zero then.
    status_t execute(const exec_ctx_t &ctx) const;
};

} // namespace kiln

struct dnnl_primitive {
    std::shared_ptr<const kiln::cached_primitive_t> shared;
    dnnl_primitive_desc desc;
};
