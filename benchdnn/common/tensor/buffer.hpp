// SPDX-License-Identifier: Apache-2.0
// Bytes for one tensor between pages that cannot be touched. Knows nothing of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace benchdnn {

// Which end of the buffer touches inaccessible memory exactly. A buffer of whole pages touches it
// with both.
enum class placement_t { begins_at_guard, ends_at_guard };

struct unmap_t {
    size_t bytes = 0;
    void operator()(unsigned char *space) const;
};

class buffer_t {
public:
    buffer_t() = default;
    // All bytes, those of the slack too, hold the garbage pattern.
    explicit buffer_t(size_t bytes, placement_t placement = placement_t::begins_at_guard);

    unsigned char *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    placement_t placement() const { return placement_; }

    // Moves the bytes to the other end of their pages; data() changes, the slack is garbage again.
    void move_to(placement_t placement);

    // Every byte 0xff: a NaN in each floating-point type (two in bf16's and f16's), -1 or 255 in
    // integers, so an element that nobody wrote shows, and so does one that nobody should have
    // read.
    static constexpr unsigned char garbage = 0xff;

    // Whether the slack, the bytes that share a page with the buffer without being its own, is as
    // it was. Everything farther off cannot be written without a fault.
    bool slack_intact() const;
    uint64_t digest() const;

    // The addresses whose touch is blamed on this buffer: itself, its slack and both guards.
    const unsigned char *territory_begin() const { return space_.get(); }
    const unsigned char *territory_end() const { return space_.get() + space_.get_deleter().bytes; }

private:
    size_t slack_bytes() const;
    unsigned char *slack() const;

    std::unique_ptr<unsigned char, unmap_t> space_;
    unsigned char *data_ = nullptr;
    size_t bytes_ = 0;
    placement_t placement_ = placement_t::begins_at_guard;
};

} // namespace benchdnn
