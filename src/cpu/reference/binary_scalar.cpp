// SPDX-License-Identifier: Apache-2.0
// Binary operations on one pair of values, and the table that names them.
#include "cpu/reference/binary_scalar.hpp"

#include <cassert>
#include <cmath>
#include <limits>

namespace kiln {

namespace {

float max(float x, float y) { return x > y || std::isnan(x) ? x : y; }

float min(float x, float y) { return x < y || std::isnan(x) ? x : y; }

} // namespace

float binary(dnnl_alg_kind_t alg, float src0, float src1) {
    switch (alg) {
    case dnnl_binary_add: return src0 + src1;
    case dnnl_binary_mul: return src0 * src1;
    case dnnl_binary_max: return max(src0, src1);
    case dnnl_binary_min: return min(src0, src1);
    case dnnl_binary_div: return src0 / src1;
    case dnnl_binary_sub: return src0 - src1;
    case dnnl_binary_ge: return src0 >= src1;
    case dnnl_binary_gt: return src0 > src1;
    case dnnl_binary_le: return src0 <= src1;
    case dnnl_binary_lt: return src0 < src1;
    case dnnl_binary_eq: return src0 == src1;
    case dnnl_binary_ne: return src0 != src1;
    default:
        assert(!is_binary_alg(alg) || alg == dnnl_binary_select);
        return std::numeric_limits<float>::quiet_NaN();
    }
}

} // namespace kiln
