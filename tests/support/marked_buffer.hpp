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

    marked_buffer_t(size_t size, placement_t placement)
        : buffer_(size, placement) {
        std::fill_n(buffer_.data(), size, mark);
        std::fill_n(buffer_.slack(), buffer_.slack_size(), mark);
    }
    std::byte *data() const { return buffer_.data(); }
    size_t size() const { return buffer_.size(); }
    bool slack_is_untouched() const {
        return std::all_of(buffer_.slack(), buffer_.slack() + buffer_.slack_size(),
                [](std::byte byte) { return byte == mark; });
    }

private:
    guarded_buffer_t buffer_;
};

} // namespace kiln::test
