// SPDX-License-Identifier: Apache-2.0
// Checks of operations that take any number of sources.
#pragma once

#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln {

/// Copies the descriptors of `n` sources. Refuses null pointers, and more sources than a primitive
/// has slots for; `slots` of them belong to each source.
status_t take_sources(const char *component, int n, const memory_desc_t *const *descs,
        std::vector<memory_desc_t> &sources, size_t slots = 1);

/// A source has a layout, whose strides are known, and elements that can be loaded.
status_t check_source(const char *component, const memory_desc_t &md, const char *name);
/// The same for dst, whose format may be `any`; its elements do not overlap.
status_t check_destination(const char *component, const memory_desc_t &md);

/// The descriptor with the format `any`.
memory_desc_t with_open_format(const memory_desc_t &md);

} // namespace kiln
