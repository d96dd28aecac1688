// SPDX-License-Identifier: Apache-2.0
// Which kind of operation each algorithm is of.
#pragma once

#include "common/types.hpp"

namespace kiln {

/// Elementwise functions; the *_use_dst_for_bwd forms differ from their plain forms in the backward
/// pass only.
inline bool is_eltwise_alg(alg_kind_t alg) {
    return (dnnl_eltwise_relu <= alg && alg <= dnnl_eltwise_hardswish)
           || (dnnl_eltwise_relu_use_dst_for_bwd <= alg
                   && alg <= dnnl_eltwise_clip_v2_use_dst_for_bwd);
}

/// Elementwise functions whose derivative is computed from their result.
inline bool uses_dst_for_backward(alg_kind_t alg) {
    return dnnl_eltwise_relu_use_dst_for_bwd <= alg && alg <= dnnl_eltwise_clip_v2_use_dst_for_bwd;
}

/// Binary operations; dnnl_binary_select, which takes a third operand, is one.
inline bool is_binary_alg(alg_kind_t alg) {
    return dnnl_binary_add <= alg && alg <= dnnl_binary_select;
}

/// Binary operations whose result is 0 or 1.
inline bool is_comparison(alg_kind_t alg) {
    return dnnl_binary_ge <= alg && alg <= dnnl_binary_ne;
}

inline bool is_reduction_alg(alg_kind_t alg) {
    return dnnl_reduction_max <= alg && alg <= dnnl_reduction_norm_lp_power_p_sum;
}

/// Reductions that look at p and epsilon.
inline bool is_norm_alg(alg_kind_t alg) {
    return dnnl_reduction_norm_lp_max <= alg && alg <= dnnl_reduction_norm_lp_power_p_sum;
}

} // namespace kiln
