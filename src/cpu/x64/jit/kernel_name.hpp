// SPDX-License-Identifier: Apache-2.0
// Names of kernels, as dumps, profilers and tests show them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::jit {

/// "<what>_<type>_..._<isa>", e.g. reorder_run_f32_bf16_avx512_core.
std::string kernel_name(std::string_view what, std::initializer_list<data_type_t> types, isa_t isa);

} // namespace kiln::x64::jit
