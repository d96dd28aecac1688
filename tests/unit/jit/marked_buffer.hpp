// SPDX-License-Identifier: Apache-2.0
// A buffer at a guard page that shows who wrote beside it. It knows bytes only.
#pragma once

#include <algorithm>
#include <cstddef>

#include "support/guarded_buffer.hpp"

namespace kiln::test {

inline constexpr placement_t placements[] = {
        placement_t::ends_at_guard, placement_t::begins_at_guard};

/// A buffer at a guard page that is marked, with its slack, to see that nobody writes there.
class marked_buffer_t {
public:
    static constexpr std::byte mark{0xa7};

    marked_buffer_t(size_t size, placement_t placement, std::byte filling = mark)
        : mark_(filling)
        , buffer_(size, placement) {
        std::fill_n(buffer_.data(), size, mark_);
        std::fill_n(buffer_.slack(), buffer_.slack_size(), mark_);
    }

    std::byte *data() const { return buffer_.data(); }
    size_t size() const { return buffer_.size(); }
    /// Whether bytes of the buffer, or those beside it, are as they were marked.
    bool is_untouched(const std::byte *begin, const std::byte *end) const {
        return std::all_of(begin, end, [&](std::byte byte) { return byte == mark_; });
    }
    bool slack_is_untouched() const {
        return is_untouched(buffer_.slack(), buffer_.slack() + buffer_.slack_size());
    }

private:
    std::byte mark_;
    guarded_buffer_t buffer_;
};

} // namespace kiln::test
