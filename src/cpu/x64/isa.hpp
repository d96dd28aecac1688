// SPDX-License-Identifier: Apache-2.0
// The only place that asks what the processor can do and what the user allows of it.
//
// A feature is a set of instructions that the processor has or lacks. An ISA level is the set of
// features that a kernel is generated for. Levels name kernels and implementations; code that
// depends on instructions asks for a feature, has(isa, feature), and never compares levels.
//
// To add a level, e.g. one with arithmetic on f16:
// 1. here: its feature in feature_t, unless it is there already;
// 2. here: its value in isa_t and its row in isa_levels;
// 3. isa.cpp: a line of detect_features() for a new feature, and a row of public_levels if the
//    interface has a new level, too;
// 4. jit/: the building block that the feature makes faster asks for it.
// Dispatch, names, and the tests of every kernel follow from isa_levels.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "common/types.hpp"

namespace kiln::x64 {

/// Features of a processor, one bit each.
enum class feature_t : unsigned {
    sse41 = 1u << 0,
    avx = 1u << 1,
    avx2 = 1u << 2,        ///< 256-bit vectors, 16 vector registers.
    fma_f16c = 1u << 3,    ///< Fused multiply-add, and conversions between f16 and f32.
    avx2_vnni = 1u << 4,   ///< Products of 8 and of 16 bits, of up to 256-bit vectors.
    avx2_vnni_2 = 1u << 5, ///< VNNI of every 8-bit signedness, conversions from bf16 and f16.
    avx512_core = 1u << 6, ///< AVX-512 F, BW, VL, DQ: 512-bit vectors, 32 of them, mask registers.
    avx512_vnni = 1u << 7,
    avx512_bf16 = 1u << 8, ///< Conversion from f32 to bf16, and products of bf16 pairs.
    avx512_fp16 = 1u << 9, ///< Arithmetic on f16.
    avx10_2 = 1u << 10,
    amx = 1u << 11, ///< Tiles of bf16 and of 8-bit integers.
    amx_fp16 = 1u << 12,
    amx_2 = 1u << 13, ///< Tiles of f8 and tf32, and moves between tiles and vectors.
};

/// A set of features.
struct features_t {
    unsigned bits = 0;

    constexpr features_t() = default;
    constexpr features_t(feature_t feature)
        : bits(static_cast<unsigned>(feature)) {}

    constexpr bool includes(features_t others) const { return (others.bits & ~bits) == 0; }
    constexpr features_t &operator|=(features_t others) {
        bits |= others.bits;
        return *this;
    }
};
constexpr features_t operator|(features_t one, features_t other) { return one |= other; }
constexpr features_t operator|(feature_t one, feature_t other) {
    return features_t(one) | features_t(other);
}

/// The levels that kernels are generated for, the better ones later. Each includes avx2; those of
/// AVX-512 include each other.
enum class isa_t {
    none,
    avx2,
    avx2_vnni,
    avx512_core,
    avx512_core_vnni,
    avx512_core_bf16,
    avx512_core_amx
};

inline constexpr features_t avx2_features =
        feature_t::avx2 | feature_t::fma_f16c | feature_t::avx | feature_t::sse41;
inline constexpr features_t avx2_vnni_features = avx2_features | feature_t::avx2_vnni;
inline constexpr features_t avx512_core_features = avx2_features | feature_t::avx512_core;
inline constexpr features_t avx512_core_vnni_features =
        avx512_core_features | feature_t::avx512_vnni;
inline constexpr features_t avx512_core_bf16_features =
        avx512_core_vnni_features | feature_t::avx512_bf16;
inline constexpr features_t avx512_core_amx_features = avx512_core_bf16_features | feature_t::amx;

struct isa_level_t {
    isa_t isa;
    const char *name; ///< As kernels' names spell it.
    features_t features;
};

/// Every level at the index isa_t. The first one has no kernels.
inline constexpr isa_level_t isa_levels[] = {
        {isa_t::none, "none", {}},
        {isa_t::avx2, "avx2", avx2_features},
        {isa_t::avx2_vnni, "avx2_vnni", avx2_vnni_features},
        {isa_t::avx512_core, "avx512_core", avx512_core_features},
        {isa_t::avx512_core_vnni, "avx512_core_vnni", avx512_core_vnni_features},
        {isa_t::avx512_core_bf16, "avx512_core_bf16", avx512_core_bf16_features},
        {isa_t::avx512_core_amx, "avx512_core_amx", avx512_core_amx_features},
};

constexpr const isa_level_t &level_of(isa_t isa) { return isa_levels[static_cast<size_t>(isa)]; }

/// The levels that have kernels.
inline constexpr auto kernel_isas = [] {
    std::array<isa_t, std::size(isa_levels) - 1> isas{};
    for (size_t i = 0; i < isas.size(); ++i) isas[i] = isa_levels[i + 1].isa;
    return isas;
}();

/// The levels of which no two generate the same code outside matrix products.
inline constexpr std::array float_kernel_isas{
        isa_t::avx2, isa_t::avx512_core, isa_t::avx512_core_bf16};

/// Whether code of a level may use a feature.
constexpr bool has(isa_t isa, feature_t feature) {
    return level_of(isa).features.includes(feature);
}

/// Whether code of a level multiplies integers of 8 and of 16 bits and adds up the products in an
/// instruction.
constexpr bool has_vnni(isa_t isa) {
    return has(isa, feature_t::avx2_vnni) || has(isa, feature_t::avx512_vnni);
}

constexpr const char *isa_name(isa_t isa) { return level_of(isa).name; }

/// The level for data that fills half a vector of `isa` at most: the highest one whose vectors are
/// half as wide, or `isa` itself if there is none.
constexpr isa_t half_width_isa(isa_t isa) {
    return has(isa, feature_t::avx512_core) ? isa_t::avx2 : isa;
}

/// Whether the machine has a level and the user allows it. The first question, whichever it is,
/// settles the ISA for the life of the process.
bool has_isa(isa_t isa);

/// The last level that has_isa(). isa_t::none: there are no kernels for this machine, or the
/// system refuses code pages. with_kernels() asks once for each problem; the implementation that
/// accepts it keeps the answer in its plan.
isa_t best_isa();

/// Why an implementation refuses a problem where best_isa() is isa_t::none.
const char *no_kernels_reason();

/// The public level of a name as ONEDNN_MAX_CPU_ISA has it, in lower case; dnnl_cpu_isa_default for
/// "default" and for unknown names.
dnnl_cpu_isa_t isa_by_name(std::string_view name);

/// Whether the processor copies strings of a few KiB at least as fast as vectors (`rep movsb`, of
/// which CPUID says that even short ones are fast). It does not read the lines that a string
/// overwrites.
bool has_fast_strings();

/// Whether vdpbf16ps takes longer than multiply-adds of the same elements as floats do. On Intel's
/// processors it takes four times as long as one multiply-add, for two products in each lane.
bool has_slow_bf16_products();

/// Whether prefetches a page ahead of rows that follow each other pay if the rows are shorter than
/// half a page. On AMD's processors they cost time.
bool gains_from_prefetches_in_order();

/// Whether the user prefers 256-bit to 512-bit vectors (ONEDNN_CPU_ISA_HINTS). Settles the hint.
bool prefers_ymm();

} // namespace kiln::x64
