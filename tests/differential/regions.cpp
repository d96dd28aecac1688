// SPDX-License-Identifier: Apache-2.0
#include "differential/regions.hpp"

#include <algorithm>
#include <stdexcept>

namespace kiln::test::differential {

place_t regions_t::take(size_t bytes, random_t &random) {
    constexpr size_t slack = 160; // on the side without an inaccessible page
    if (bytes > most_bytes) throw std::logic_error("an operand is too large");
    if (used_ == regions_.size())
        regions_.emplace_back(most_bytes + 4096, placement_t::begins_at_guard);
    guarded_buffer_t &region = regions_[used_++];
    std::byte *const first = region.data(), *const last = first + region.size();
    const size_t off = random.chance(0.4) ? 1 : 0;
    if (random.chance(0.5)) {
        std::byte *const data = last - off - bytes;
        return {std::max(first, data - slack), data, last};
    }
    std::byte *const data = first + off;
    return {first, data, std::min(last, data + bytes + slack)};
}

} // namespace kiln::test::differential
