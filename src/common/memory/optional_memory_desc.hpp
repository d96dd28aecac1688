// SPDX-License-Identifier: Apache-2.0
// The descriptor of a tensor that a problem may not have.
#pragma once

#include <memory>
#include <utility>

#include "common/memory/memory_desc.hpp"

namespace kiln {

/// A memory descriptor that is read as one. Until it is set to another than the zero descriptor it
/// takes no memory, as a cached primitive keeps many of them; from then on it stays at one address.
class optional_memory_desc_t {
public:
    optional_memory_desc_t() = default;
    optional_memory_desc_t(const memory_desc_t &md)
        : md_(is_zero(md) ? nullptr : std::make_unique<memory_desc_t>(md)) {}
    optional_memory_desc_t(const optional_memory_desc_t &other)
        : optional_memory_desc_t(other.get()) {}
    optional_memory_desc_t(optional_memory_desc_t &&) = default;
    optional_memory_desc_t &operator=(optional_memory_desc_t other) {
        if (md_)
            *md_ = other.get();
        else
            md_ = std::move(other.md_);
        return *this;
    }

    const memory_desc_t &get() const { return md_ ? *md_ : zero_md; }
    operator const memory_desc_t &() const { return get(); }
    const memory_desc_t *operator->() const { return &get(); }
    /// To be written. From here on it takes memory.
    memory_desc_t &edit() {
        if (!md_) md_ = std::make_unique<memory_desc_t>(zero_md);
        return *md_;
    }

private:
    std::unique_ptr<memory_desc_t> md_;
};

inline status_t follow(optional_memory_desc_t &md, const memory_desc_t &model) {
    return is_any(md) ? follow(md.edit(), model) : dnnl_success;
}

} // namespace kiln
