// SPDX-License-Identifier: Apache-2.0
// The bytes of one tensor between inaccessible pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace benchdnn {

// Which end of the buffer is next to an inaccessible page. For a buffer of whole pages, both are.
enum class placement_t { begins_at_guard, ends_at_guard };

struct unmap_t {
    size_t bytes = 0;
    void operator()(unsigned char *space) const;
};

class buffer_t {
public:
    buffer_t() = default;
    // All bytes, including those of the slack, hold the garbage pattern.
    explicit buffer_t(size_t bytes, placement_t placement = placement_t::begins_at_guard);

    unsigned char *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    placement_t placement() const { return placement_; }

    // Moves the bytes to the other end of their pages; data() changes, and the slack is filled with
    // garbage again.
    void move_to(placement_t placement);

    // Every byte is 0xff: a NaN in each floating-point type, -1 or 255 in integers. An element that
    // was not written is noticed, and so is the use of an element that must not be read.
    static constexpr unsigned char garbage = 0xff;

    // Whether the slack, the remaining bytes of the buffer's pages, is unchanged. A write farther
    // away is a fault.
    bool slack_intact() const;
    uint64_t digest() const;

    // The addresses at which faults are attributed to this buffer: its bytes, the slack and both
    // guards.
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
