// SPDX-License-Identifier: Apache-2.0
// Adjacent bf16 elements as two vectors of floats.
#pragma once

#include <optional>

#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::jit {

/// Loads and stores 2 * lanes() adjacent bf16 elements: those at even places as the floats of one
/// vector, those at odd places as the floats of another. It takes half the instructions that
/// lanes_io_t takes for two vectors, and serves where the order of lanes does not matter.
/// Conversion is as lanes_io_t does it: feature_t::avx512_bf16 flushes subnormal results, integer
/// instructions keep them.
///
/// While the object exists, it takes two vectors with feature_t::avx512_bf16, else one, and a mask
/// if there is a tail.
class bf16_pairs_t {
public:
    static bool exists(isa_t isa) { return x64::has(isa, feature_t::avx512_core); }
    static int elements_of(isa_t isa) { return 2 * lanes_of(isa); }
    /// Whether pairs take fewer instructions along a line than vectors: it has no long partial
    /// pair.
    static bool suits(isa_t isa, dim_t line);

    /// `tail`: the elements of a partial pair, 0 if there is none.
    bf16_pairs_t(generator_t &g, int tail);

    /// `count`, in all functions: elements_of() or the tail. The elements beyond are +0.
    void load(const Xmm &even, const Xmm &odd, const RegExp &at, int count) const;
    /// Those elements of a full pair that a mask has.
    void load_part(
            const Xmm &even, const Xmm &odd, const RegExp &at, const Xbyak::Opmask &part) const;
    /// packed = the elements without conversion, two in each lane, as vdpbf16ps takes them.
    void load_packed(const Xmm &packed, const RegExp &at, int count) const;
    /// odd, which has lanes() floats, becomes the odd ones of a pair that has them twice, even the
    /// even ones.
    void repeat(const Xmm &even, const Xmm &odd) const;
    /// even and odd are unchanged. Non-temporal stores of a full pair want an address that is
    /// aligned as lanes_io_t::store() wants it. Needs a vector; without feature_t::avx512_bf16, two
    /// and a mask.
    void store(const Xmm &even, const Xmm &odd, const RegExp &at, int count, store_t how) const;
    void store_part(
            const Xmm &even, const Xmm &odd, const RegExp &at, const Xbyak::Opmask &part) const;

private:
    /// odd, which is packed, becomes two vectors.
    void split(const Xmm &even, const Xmm &odd) const;
    vec_t pack(const Xmm &even, const Xmm &odd) const;
    bool is_full(int count) const;

    generator_t &g_;
    [[maybe_unused]] const int tail_; // in assertions
    const vec_t odd_bits_;            // of each lane
    std::optional<vec_t> order_;      // even elements, then odd ones, to adjacent ones
    std::optional<mask_t> tail_mask_;
};

} // namespace kiln::x64::jit
