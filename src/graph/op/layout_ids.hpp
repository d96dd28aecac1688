// SPDX-License-Identifier: Apache-2.0
// The numbers of opaque layouts: one table for the process, so that a number that left the library
// in a logical tensor means the same layout when it comes back.
#pragma once

#include "common/memory/memory_desc.hpp"

namespace kiln::graph::layout_ids {

/// The number of a layout; equal descriptors have one number. Any thread may ask.
size_t id_of(const memory_desc_t &md);
/// The descriptor of that number; the zero descriptor for a number that was never given out.
memory_desc_t md(size_t id);

} // namespace kiln::graph::layout_ids
