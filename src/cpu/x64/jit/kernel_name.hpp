// SPDX-License-Identifier: Apache-2.0
// How kernels are called in verbose lines, dumps and profilers.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::jit {

/// E.g. reorder_run_f32_bf16_avx512_core; `what` is "reorder_run" there.
std::string kernel_name(std::string_view what, std::initializer_list<data_type_t> types, isa_t isa);

} // namespace kiln::x64::jit
