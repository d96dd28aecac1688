// SPDX-License-Identifier: Apache-2.0
// Buffers of one execution, each ending or beginning at an unmapped page, and the check that no
// byte was written that is no output's.
#pragma once

#include <deque>
#include <vector>

#include "support/input.hpp"
#include "support/layouts.hpp"

namespace kiln::fuzz {

/// The largest buffer; a target does not execute problems that need more.
constexpr size_t most_bytes = size_t(1) << 17;

/// Bytes of a buffer for the tensor, the elements in front of it included.
size_t bytes_of(const_dnnl_memory_desc_t desc);

class buffers_t {
public:
    /// Input bytes choose each buffer's end and contents.
    explicit buffers_t(input_t &input)
        : input_(input) {}

    /// Filled with values: ones, zeros, small integers, NaNs or random bits.
    std::byte *add_input(size_t bytes, dnnl_data_type_t type);
    /// Only elements (and padding) of the tensor may be written; all bytes, if `desc` is null or
    /// not blocked.
    std::byte *add_output(size_t bytes, const_dnnl_memory_desc_t desc = nullptr);
    /// From now on the input at this address is an output, too.
    void overwrite(const std::byte *data, const_dnnl_memory_desc_t desc);

    void expect_intact() const;

private:
    struct buffer_t {
        std::byte *data;
        size_t bytes;
        std::byte *margin; // bytes beside the buffer on the side without a guard page
        std::vector<std::byte> before;
        std::vector<char> may_change; // one a byte; empty: none
    };

    buffer_t &add(size_t bytes);

    input_t &input_;
    std::deque<buffer_t> buffers_;
};

} // namespace kiln::fuzz
