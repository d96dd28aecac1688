// SPDX-License-Identifier: Apache-2.0
// What every generated kernel of layer normalization asks of a problem.

#include "cpu/x64/layer_normalization/layer_normalization_checks.hpp"

#include "common/one_of.hpp"
#include "cpu/x64/isa.hpp"

namespace kiln::x64::layer_normalization {
namespace {

refusal_t check_forward(const layer_normalization_pd_t &pd) {
    for (const memory_desc_t *md : {&pd.src(), &pd.dst()})
        if (!one_of(md->data_type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8}))
            return refused("unsupported datatype");
    return accepted();
}

refusal_t check_backward(const layer_normalization_pd_t &pd) {
    for (const memory_desc_t *md : {&pd.src(), &pd.diff_src(), &pd.diff_dst()})
        if (!one_of(md->data_type, {dnnl_f32, dnnl_bf16, dnnl_f16}))
            return refused("unsupported datatype");
    return accepted();
}

refusal_t refuse_narrow_statistics(const layer_normalization_pd_t &pd) {
    return pd.stat().data_type == dnnl_f32 ? accepted()
                                           : refused("statistics in another type than f32");
}

} // namespace

refusal_t check_kernel_operands(const layer_normalization_pd_t &pd) {
    if (!has_isa(isa_t::avx2)) return refused("the processor has no AVX2");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (pd.recomputes_stats()) return check_backward(pd);
    if (!one_of(pd.stat().data_type, {dnnl_f32, dnnl_bf16, dnnl_f16}))
        return refused("unsupported datatype");
    if (!is_plain(pd.stat())) return refused("statistics in a blocked layout");
    return pd.is_forward() ? check_forward(pd) : check_backward(pd);
}

refusal_t refuse_fused_forward(const layer_normalization_pd_t &pd) {
    if (pd.has_src_1() || pd.has_sum()) return refused("an operand is added to src");
    if (pd.has_row_scale()) return refused("dst has a scale for each row");
    return refuse_narrow_statistics(pd);
}

refusal_t refuse_fused_backward(const layer_normalization_pd_t &pd) {
    if (pd.recomputes_stats()) return refused("statistics are not given");
    if (!pd.attr().post_ops.entries.empty()) return refused("post-ops on a gradient");
    return refuse_narrow_statistics(pd);
}

} // namespace kiln::x64::layer_normalization
