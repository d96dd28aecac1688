// SPDX-License-Identifier: Apache-2.0
// Binary operations on one pair of values, and the table that names them.
#include "cpu/binary_scalar.hpp"

#include <cassert>
#include <cmath>
#include <limits>

namespace kiln {

namespace {

template <typename T> T max(T x, T y) { return x > y || std::isnan(x) ? x : y; }

template <typename T> T min(T x, T y) { return x < y || std::isnan(x) ? x : y; }

template <typename T> T evaluate(dnnl_alg_kind_t alg, T src0, T src1) {
    switch (alg) {
    case dnnl_binary_add: return src0 + src1;
    case dnnl_binary_mul: return src0 * src1;
    case dnnl_binary_max: return max(src0, src1);
    case dnnl_binary_min: return min(src0, src1);
    case dnnl_binary_div: return src0 / src1;
    case dnnl_binary_sub: return src0 - src1;
    case dnnl_binary_ge: return static_cast<T>(src0 >= src1);
    case dnnl_binary_gt: return static_cast<T>(src0 > src1);
    case dnnl_binary_le: return static_cast<T>(src0 <= src1);
    case dnnl_binary_lt: return static_cast<T>(src0 < src1);
    case dnnl_binary_eq: return static_cast<T>(src0 == src1);
    case dnnl_binary_ne: return static_cast<T>(src0 != src1);
    default:
        assert(!is_binary_alg(alg) || alg == dnnl_binary_select);
        return std::numeric_limits<T>::quiet_NaN();
    }
}

} // namespace

float binary(dnnl_alg_kind_t alg, float src0, float src1) { return evaluate(alg, src0, src1); }

double binary_in_double(dnnl_alg_kind_t alg, double src0, double src1) {
    return evaluate(alg, src0, src1);
}

} // namespace kiln
