// SPDX-License-Identifier: Apache-2.0
// The buffer that a kernel is emitted to before it is copied to code pages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/memory/buffer_pool.hpp"

namespace kiln::x64::jit {

class emission_buffer_t {
public:
    /// The largest code of a kernel.
    static constexpr size_t size = size_t{1} << 18;

    /// Throws std::bad_alloc.
    emission_buffer_t();
    /// Aligned to a cache line, so that what is aligned here stays aligned in code pages.
    uint8_t *data() const { return data_; }

private:
    buffer_pool_t::lease_t lease_;
    uint8_t *data_;
};

} // namespace kiln::x64::jit
