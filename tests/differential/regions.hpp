// SPDX-License-Identifier: Apache-2.0
// Memory between inaccessible pages for the operands of one problem after another.
#pragma once

#include <cstddef>
#include <deque>

#include "differential/random.hpp"
#include "support/guarded_buffer.hpp"

namespace kiln::test::differential {

/// A buffer and the bytes around it that nobody may write.
struct place_t {
    std::byte *begin; // of all bytes
    std::byte *data;  // of the buffer
    std::byte *end;   // of all bytes
};

class regions_t {
public:
    /// Of operands whose layout the library chooses, which pads to whole blocks.
    static constexpr size_t most_bytes = size_t(1) << 24;

    /// A place in a region of its own. The buffer ends at an inaccessible page or begins at one, or
    /// is one byte away from that.
    place_t take(size_t bytes, random_t &random);
    /// Makes all regions free again.
    void reset() { used_ = 0; }

private:
    std::deque<guarded_buffer_t> regions_;
    size_t used_ = 0;
};

} // namespace kiln::test::differential
