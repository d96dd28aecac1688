// SPDX-License-Identifier: Apache-2.0
// The scale of a quantized tensor, as an execution passes it.
#pragma once

#include "common/memory/data_type.hpp"
#include "common/primitive/primitive.hpp"

namespace kiln::cpu::reference {

/// The single scale of `arg`; 1 if it is absent.
inline double quantization_scale(const exec_ctx_t &ctx, int arg) {
    const int slot = ctx.pd().slot_of(DNNL_ARG_ATTR_SCALES | arg);
    if (slot < 0) return 1.;
    return load_f64(ctx.pd().md_of(DNNL_ARG_ATTR_SCALES | arg).data_type, ctx.input(slot), 0);
}

} // namespace kiln::cpu::reference
