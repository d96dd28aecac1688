// SPDX-License-Identifier: Apache-2.0
// How conversions of a reorder treat subnormal values.
#pragma once

#include "common/types.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"

namespace kiln::x64::reorder {

/// Only f32 has values that become subnormal in bf16.
inline jit::subnormals_t subnormals_of(data_type_t src_type) {
    return src_type == dnnl_f32 ? jit::subnormals_t::kept : jit::subnormals_t::flushed;
}

} // namespace kiln::x64::reorder
