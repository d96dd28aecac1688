// SPDX-License-Identifier: Apache-2.0
// The buffers behind scratchpad_lease_t.

#include "common/primitive/scratchpad.hpp"

namespace kiln {
namespace {

/// Whether the thread's buffer has been destroyed. The flag has no destructor, so it can still be
/// read by functions that execute primitives while the process ends.
thread_local bool thread_buffer_is_gone = false;

struct thread_buffer_t {
    ~thread_buffer_t() { thread_buffer_is_gone = true; }
    buffer_t buffer;
    size_t size = 0;
    bool taken = false;
};
thread_local thread_buffer_t thread_buffer;

} // namespace

void *scratchpad_lease_t::take(size_t bytes) {
    if (thread_buffer_is_gone || thread_buffer.taken) {
        own_ = allocate_buffer(bytes);
        return own_.get();
    }
    if (thread_buffer.size < bytes) {
        thread_buffer.buffer.reset();
        thread_buffer.size = 0;
        thread_buffer.buffer = allocate_buffer(bytes);
        thread_buffer.size = bytes;
    }
    thread_buffer.taken = holds_thread_buffer_ = true;
    return thread_buffer.buffer.get();
}

scratchpad_lease_t::~scratchpad_lease_t() {
    if (holds_thread_buffer_) thread_buffer.taken = false;
}

} // namespace kiln
