// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers chunks of 16 bytes from the bytes of a few others.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::shuffle {

constexpr dim_t chunk_bytes = 16;
/// Chunks of src that a chunk of dst comes from at most.
constexpr int most_sources = 8;

/// What distinguishes one kernel from another.
struct chunk_spec_t {
    isa_t isa;
    int sources; // 1 to most_sources

    /// E.g. shuffle_chunk_of_3_avx2.
    std::string name() const;
};

/// A byte of a pattern is the place of the byte in the source, or no_byte.
struct chunk_args_t {
    const void *sources[most_sources];
    void *dst;
    const uint8_t *patterns; // of the sources, chunk_bytes each
    dim_t count;             // chunks
    dim_t src_pitch;         // bytes from a chunk to the next in each source
    dim_t dst_pitch;
};
constexpr uint8_t no_byte = 0x80;

/// dst = the bytes that the patterns pick from the sources, each from at most one; bytes that none
/// picks are 0. Registers: an address for each source, that of dst, a counter; a pattern for each
/// source, two vectors.
class chunk_kernel_t : public jit::generator_t {
public:
    explicit chunk_kernel_t(const chunk_spec_t &spec);

private:
    void generate() override;
    bool ends_with_fence() const override { return false; }

    const chunk_spec_t spec_;
};

} // namespace kiln::x64::shuffle
