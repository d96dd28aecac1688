// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/jit/code/emission_buffer.hpp"

namespace kiln::x64::jit {
namespace {

constinit buffer_pool_t emission_buffers;

[[gnu::destructor]] void close_emission_buffers() { emission_buffers.close(); }

} // namespace

emission_buffer_t::emission_buffer_t()
    : data_(static_cast<uint8_t *>(lease_.take(emission_buffers, size))) {}

} // namespace kiln::x64::jit
