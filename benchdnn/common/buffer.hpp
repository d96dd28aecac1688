// SPDX-License-Identifier: Apache-2.0
// Bytes for one tensor with a guard zone on both sides. Knows nothing of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace benchdnn {

class buffer_t {
public:
    buffer_t() = default;
    // All bytes, the guard zones' too, hold the garbage pattern.
    explicit buffer_t(size_t bytes);

    unsigned char *data() const { return data_; }
    size_t bytes() const { return bytes_; }

    // Every byte 0xff: a NaN in each floating-point type (two in bf16's and f16's), -1 or 255 in
    // integers, so an element that nobody wrote shows, and so does one that nobody should have
    // read.
    static constexpr unsigned char garbage = 0xff;

    bool guards_intact() const;
    uint64_t digest() const;

private:
    // A vector or two beyond the end, and enough for a whole unrolled loop of them.
    static constexpr size_t guard_bytes = 4096;

    struct free_t {
        void operator()(unsigned char *block) const;
    };
    std::unique_ptr<unsigned char, free_t> block_;
    unsigned char *data_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace benchdnn
