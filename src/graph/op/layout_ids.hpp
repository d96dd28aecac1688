// SPDX-License-Identifier: Apache-2.0
// Numbers for opaque layouts. One table serves the process, so that an id in a logical tensor that
// comes back to the library still means the same layout.
#pragma once

#include "common/memory/memory_desc.hpp"

namespace kiln::graph::layout_ids {

/// The id of a layout; equal descriptors have one id. Thread-safe.
size_t id_of(const memory_desc_t &md);
/// The descriptor with that id; the zero descriptor if the id was never assigned.
memory_desc_t md(size_t id);

} // namespace kiln::graph::layout_ids
