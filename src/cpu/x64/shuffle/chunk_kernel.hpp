// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers chunks of bytes from the bytes of a few others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::shuffle {

constexpr dim_t least_chunk_bytes = 8, most_chunk_bytes = 64;
/// Chunks up to this size are permuted byte by byte.
constexpr dim_t most_bytes_by_byte = 16;
/// Chunks of src that a chunk of dst comes from at most.
constexpr int most_sources = 8;

/// What distinguishes one kernel from another.
struct chunk_spec_t {
    isa_t isa;
    int sources;                  // 1 to most_sources
    dim_t bytes;                  // of a chunk: 8 or 16; with AVX-512 also 32 or 64
    dim_t size;                   // of an element: 2 or 4 in chunks of more than 16 bytes
    bool is_non_temporal = false; // 16 bytes or more; chunks of dst are aligned

    bool is_by_byte() const { return bytes <= most_bytes_by_byte; }

    /// Of the pattern of a source; each is a byte.
    dim_t indices() const { return is_by_byte() ? bytes : bytes / size; }
    /// Bytes of a description of a chunk (chunk_t::write).
    dim_t description_bytes() const;
    /// E.g. shuffle_chunk_16_of_3_avx2: of 16 bytes, from 3 sources.
    std::string name() const;
};

/// A chunk of dst, and what it is gathered from. Offsets are bytes from a position's element 0
/// along the axis. A source has a pattern of indices, which are bytes:
/// - Chunks of 8 or 16 bytes: the indices of vpshufb. Index b is the byte of the source that becomes
///   byte b of dst, or no_byte.
/// - Larger chunks, of n elements: the indices of vpermt2w or vpermt2d. Index e is n + i where
///   element e of dst is element i of the source, and e where it is not in the source.
struct chunk_t {
    static constexpr size_t most_indices = 32;

    int64_t dst;
    uint64_t kept = 0; // larger chunks: elements that are not padding, as bits
    std::array<int64_t, most_sources> sources{};
    std::array<std::array<uint8_t, most_indices>, most_sources> patterns{};

    /// Writes what the kernel reads, spec.description_bytes(): dst, kept, sources, and patterns.
    void write(const chunk_spec_t &spec, std::byte *to) const;
};

/// The same chunks of `rows` positions.
struct chunk_args_t {
    const void *src;
    void *dst;
    const std::byte *chunks; // their descriptions
    int64_t count;
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
    /// A chunk in memory, and back.
    void load_chunk(const Xmm &to, const Xbyak::Address &from);
    void store_chunk(const Xbyak::Address &to, const Xmm &from);
    /// to = the indices, as large as elements.
    void load_pattern(const Xmm &to, const Xbyak::Address &indices);
    /// result = the elements that are picked from a source; those of other sources stay in it.
    void gather(const Xmm &result, bool is_first, const Xbyak::Address &source, const Xmm &pattern);

    const chunk_spec_t spec_;
    std::optional<mask_t> kept_; // while code is written
};

} // namespace kiln::x64::shuffle
