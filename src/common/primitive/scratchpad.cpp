// SPDX-License-Identifier: Apache-2.0
// The buffers behind scratchpad_lease_t.

#include "common/primitive/scratchpad.hpp"

namespace kiln {
namespace {

constinit buffer_pool_t scratchpads;

[[gnu::destructor]] void close_scratchpads() { scratchpads.close(); }

} // namespace

void *scratchpad_lease_t::take(size_t bytes) { return lease_.take(scratchpads, bytes); }

} // namespace kiln
