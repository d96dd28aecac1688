// SPDX-License-Identifier: Apache-2.0
// How kernels of the family are called in verbose lines, dumps and profilers.
#pragma once

#include <initializer_list>
#include <string>

#include "common/types.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::normalization {

/// E.g. layer_norm_fwd_row_bf16_f32_avx512_core; `pass` is "fwd_row" there.
std::string kernel_name(
        bool is_rms, const char *pass, std::initializer_list<data_type_t> types, isa_t isa);

} // namespace kiln::x64::normalization
