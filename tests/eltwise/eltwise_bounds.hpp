// SPDX-License-Identifier: Apache-2.0
// How far results of elementwise functions may be from exact ones, for all floats and parameters.
#pragma once

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test {

/// In units in the last place of the exact result, of at least 2^-149.
inline double eltwise_bound(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_eltwise_abs:
    case dnnl_eltwise_round:
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return 0;
    case dnnl_eltwise_relu:
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_square:
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_sqrt_use_dst_for_bwd:
    case dnnl_eltwise_linear:
    case dnnl_eltwise_hardsigmoid: return 0.5;
    case dnnl_eltwise_exp:
    case dnnl_eltwise_exp_use_dst_for_bwd:
    case dnnl_eltwise_log: return 1;
    case dnnl_eltwise_hardswish: return 1.5;
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_tanh_use_dst_for_bwd:
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_logistic_use_dst_for_bwd:
    case dnnl_eltwise_elu:
    case dnnl_eltwise_elu_use_dst_for_bwd: return 2;
    case dnnl_eltwise_pow: return 2.5;
    case dnnl_eltwise_gelu_erf: return 3;
    case dnnl_eltwise_gelu_tanh:
    case dnnl_eltwise_swish: return 3.5;
    case dnnl_eltwise_soft_relu: return 4;
    case dnnl_eltwise_mish: return 5;
    default: return 0;
    }
}

/// In units in the last place of the exact derivative; of one that is a sum, of the sum of its
/// terms' magnitudes, which counts as 2^-100 (gelu_tanh, swish) or 2^-120 (mish) at least.
inline double eltwise_derivative_bound(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_eltwise_log:
    case dnnl_eltwise_tanh_use_dst_for_bwd:
    case dnnl_eltwise_sqrt_use_dst_for_bwd:
    case dnnl_eltwise_elu_use_dst_for_bwd:
        return 0.501; // one rounding, and that of the truth in double
    case dnnl_eltwise_exp: return 1;
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_logistic_use_dst_for_bwd: return 1.5;
    case dnnl_eltwise_elu:
    case dnnl_eltwise_soft_relu: return 2;
    case dnnl_eltwise_pow: return 2.5;
    case dnnl_eltwise_gelu_erf: return 3;
    case dnnl_eltwise_tanh:
    case dnnl_eltwise_logistic:
    case dnnl_eltwise_mish: return 5;
    case dnnl_eltwise_swish: return 9;
    case dnnl_eltwise_gelu_tanh: return 160;
    default: return 0;
    }
}

/// Of derivatives that are a sum of terms, in units in the last place of the derivative or of 1/8,
/// whichever is larger.
constexpr double eltwise_derivative_bound_of_eighth = 20;

} // namespace kiln::test
