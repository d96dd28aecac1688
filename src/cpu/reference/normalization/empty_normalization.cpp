// SPDX-License-Identifier: Apache-2.0
// Normalizations of tensors without elements.

#include "cpu/reference/normalization/empty_normalization.hpp"

#include "common/primitive/primitive.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

void fill_zero(const memory_desc_t &md, void *data) {
    const tensor_t tensor(md);
    const dim_t count = element_count(md);
    if (count == 0) return;
    odometer_t at(md.ndims, md.dims, 0);
    for (dim_t i = 0; i < count; ++i, at.next()) tensor.store(data, at.offset(tensor.layout()), 0.);
}

} // namespace

status_t empty_normalization_t::execute(const exec_ctx_t &ctx) const {
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_DST_2, DNNL_ARG_DIFF_SCALE,
                 DNNL_ARG_DIFF_SHIFT}) {
        const int slot = ctx.pd().slot_of(arg);
        if (slot < 0 || ctx.pd().slots()[static_cast<size_t>(slot)].use != arg_use_t::output)
            continue;
        if (void *data = ctx.output(slot)) fill_zero(ctx.pd().md_of(arg), data);
    }
    return dnnl_success;
}

} // namespace kiln::cpu::reference
