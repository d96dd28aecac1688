// SPDX-License-Identifier: Apache-2.0
// Derivatives as quotients of small differences, in long double.
#include "eltwise/truth.hpp"

#include <algorithm>
#include <cmath>

#include "support/data_type.hpp"
#include "support/post_op_functions.hpp"

namespace kiln::test {

namespace {

long double slope_by_dst(dnnl_alg_kind_t alg, float alpha, float beta, long double y) {
    switch (alg) {
    case dnnl_eltwise_relu_use_dst_for_bwd: return y > 0 ? 1.L : alpha;
    case dnnl_eltwise_tanh_use_dst_for_bwd: return 1 - y * y;
    case dnnl_eltwise_elu_use_dst_for_bwd: return y > 0 ? 1.L : y + alpha;
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return 0.5L / y;
    case dnnl_eltwise_logistic_use_dst_for_bwd: return y * (1 - y);
    case dnnl_eltwise_exp_use_dst_for_bwd: return y;
    default: return y > alpha && y < beta; // clip_v2
    }
}

} // namespace

bool uses_dst(dnnl_alg_kind_t alg) { return alg >= dnnl_eltwise_relu_use_dst_for_bwd; }

bool needs_positive(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_sqrt || alg == dnnl_eltwise_sqrt_use_dst_for_bwd
           || alg == dnnl_eltwise_log || alg == dnnl_eltwise_pow;
}

interval_t slope(dnnl_alg_kind_t alg, float alpha, float beta, long double data) {
    const auto at = [&](long double x) {
        return eltwise(alg, alpha, beta, interval_t::exactly(x)).value;
    };
    const long double step = 1e-5L * std::max(std::fabs(data), 1e-3L);
    const long double value = uses_dst(alg) ? slope_by_dst(alg, alpha, beta, data)
                                            : (at(data + step) - at(data - step)) / (2 * step);
    // Terms of order 1 that cancel, and functions of rounded arguments.
    const long double size = 1 + std::fabs(value) + std::min(std::fabs(data), 8.L);
    return interval_t::around(value, 32 * unit_roundoff(dnnl_f32) * size);
}

} // namespace kiln::test
