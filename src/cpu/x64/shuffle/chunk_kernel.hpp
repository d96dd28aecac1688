// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers chunks of bytes from the bytes of a few others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::shuffle {

constexpr dim_t least_chunk_bytes = 16, most_chunk_bytes = 64;
/// Chunks of src that a chunk of dst comes from at most.
constexpr int most_sources = 8;

/// What distinguishes one kernel from another.
struct chunk_spec_t {
    isa_t isa;
    int sources;                  // 1 to most_sources
    dim_t bytes;                  // of a chunk: 16; with AVX-512 also 32 or 64
    dim_t size;                   // of an element: 2 or 4 in chunks of more than 16 bytes
    bool is_non_temporal = false; // chunks of dst are aligned

    /// E.g. shuffle_chunk_16_of_3_avx2: of 16 bytes, from 3 sources.
    std::string name() const;
};

/// A chunk of dst, and what it is gathered from. Offsets are bytes from a position's element 0
/// along the axis. A source has a pattern, which has as many bytes as a chunk:
/// - Chunks of 16 bytes: the indices of vpshufb. Byte b is the index in the source of what becomes
///   byte b of dst, or no_byte.
/// - Larger chunks, of n elements: the indices of vpermt2w or vpermt2d, as large as elements.
///   Index e is n + i where element e of dst is element i of the source, and e where it is not in
///   the source.
struct chunk_t {
    int64_t dst;
    uint64_t kept = 0; // larger chunks: elements that are not padding, as bits
    std::array<int64_t, most_sources> sources{};
    std::array<uint8_t, size_t{most_sources} * most_chunk_bytes> patterns; // one after another
};

/// The same chunks of `rows` positions.
struct chunk_args_t {
    const void *src;
    void *dst;
    const chunk_t *chunks;
    int64_t count; // of chunks
    int64_t rows;
    int64_t rows_of_part; // of which all chunks are written before the next part
    int64_t src_pitch;    // bytes from a position to the next
    int64_t dst_pitch;
};
constexpr uint8_t no_byte = 0x80;

/// dst = what the patterns pick from the sources, each element from at most one; what none picks is
/// 0. Part by part of the positions, chunk by chunk. Registers: ten general ones; a pattern for
/// each source, two vectors, a mask.
class chunk_kernel_t : public jit::generator_t {
public:
    explicit chunk_kernel_t(const chunk_spec_t &spec);

private:
    struct registers_t;

    void generate() override;
    /// The part of a register that has a chunk.
    const Xmm &chunk_of(const Xmm &vec) const;
    /// A chunk of the positions of a part.
    void write_chunk(const registers_t &r);
    /// result = the elements that are picked from a source; those of other sources stay in it.
    void gather(const Xmm &result, bool is_first, const Xbyak::Address &source, const Xmm &pattern);

    const chunk_spec_t spec_;
    std::optional<mask_t> kept_; // while code is written
};

} // namespace kiln::x64::shuffle
