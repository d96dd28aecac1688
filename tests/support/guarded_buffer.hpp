// SPDX-License-Identifier: Apache-2.0
// Memory between unmapped pages, so that one byte read or written beyond its end is a crash. It
// knows bytes, not tensors.
#pragma once

#include <cstddef>

namespace kiln::test {

/// Which end of the buffer touches an unmapped page exactly. at_odd_address: the buffer begins one
/// byte behind such a page, where no element of two bytes or more is aligned.
enum class placement_t { ends_at_guard, begins_at_guard, at_odd_address };

/// Whether the bytes are accessible at first.
enum class pages_t { open, closed };

/// Address space for `size` bytes that read as zero. Where it is closed at first, it may be far
/// larger than the machine's memory: only opened pages that are touched cost any.
class guarded_buffer_t {
public:
    guarded_buffer_t(size_t size, placement_t placement, pages_t pages = pages_t::open);
    guarded_buffer_t(guarded_buffer_t &&other) noexcept;
    guarded_buffer_t &operator=(guarded_buffer_t &&) = delete;
    ~guarded_buffer_t();

    std::byte *data() const { return data_; }
    size_t size() const { return size_; }

    /// Makes the pages of these bytes accessible.
    void open(size_t offset, size_t bytes);

    /// The opened bytes behind the buffer or, where there are none, in front of it that share a
    /// page with it, if all is open.
    std::byte *slack() const { return behind() != 0 ? data_ + size_ : first_; }
    size_t slack_size() const { return behind() != 0 ? behind() : inside_ - size_; }

private:
    size_t behind() const { return inside_ - size_ - static_cast<size_t>(data_ - first_); }

    size_t size_;
    bool is_open_;     // all pages
    size_t inside_;    // whole pages between the guards
    std::byte *first_; // the first byte after the lower guard
    std::byte *data_;
};

} // namespace kiln::test
