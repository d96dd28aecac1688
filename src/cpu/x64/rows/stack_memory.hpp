// SPDX-License-Identifier: Apache-2.0
// Memory of a task on its stack.
#pragma once

#include <cstddef>

namespace kiln::x64 {

/// Calls `body` with `bytes` bytes on the stack, aligned to a cache line. It is not inlined, so
/// that callers that do not reach it have a small stack frame.
template <size_t bytes, typename body_t>
[[gnu::noinline]] void with_stack_memory(const body_t &body) {
    alignas(64) std::byte memory[bytes];
    body(memory);
}

} // namespace kiln::x64
