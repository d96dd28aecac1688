// SPDX-License-Identifier: Apache-2.0
// The only place that asks what the processor can do and what the user allows of it. It must not
// know what the answer is used for.
#pragma once

#include <string_view>

#include "common/types.hpp"

namespace kiln::x64 {

/// The levels Kiln generates code for, each including those before it.
enum class isa_t {
    none,        ///< Reference code only.
    avx2,        ///< AVX2 with FMA and F16C, as every processor with AVX2 that matters has them.
    avx512_core, ///< AVX-512 F, BW, VL and DQ.
    avx512_core_bf16, ///< The same, with conversions to bf16.
};

/// Whether the machine has a level and the user allows it. The first question, whichever it is,
/// settles the ISA for the life of the process.
bool has_isa(isa_t isa);

/// The best level that has_isa().
isa_t best_isa();

/// A level's name as implementation names spell it.
const char *isa_name(isa_t isa);

/// The public level of a name as ONEDNN_MAX_CPU_ISA has it, in lower case; dnnl_cpu_isa_default for
/// "default" and for what is no name.
dnnl_cpu_isa_t isa_by_name(std::string_view name);

/// Whether the user would rather see 256-bit than 512-bit vectors. Settles the hint.
bool prefers_ymm();

} // namespace kiln::x64
