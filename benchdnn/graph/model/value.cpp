// SPDX-License-Identifier: Apache-2.0
// A tensor of the reference.
#include "graph/model/value.hpp"

#include <cmath>

#include "common/tensor/data_type.hpp"

namespace benchdnn::graph {

broadcast_index_t::broadcast_index_t(const dims_t &operand, const dims_t &result)
    : is_same_(operand == result) {
    const size_t missing = result.size() - operand.size();
    dim_t below = 1, stride = 1;
    for (size_t i = result.size(); i-- > 0;) {
        const dim_t extent = i < missing ? 1 : operand[i - missing];
        if (extent > 1) axes_.push_back({below, result[i], stride});
        stride *= extent;
        below *= result[i];
    }
}

broadcast_index_t::broadcast_index_t(int axis, const dims_t &result) {
    dim_t below = 1;
    for (size_t i = axis + 1; i < result.size(); ++i) below *= result[i];
    axes_.push_back({below, result[axis], 1});
}

estimate_t settled(dnnl_data_type_t type, estimate_t element) {
    if (is_integer_type(type))
        return mapped(
                element, [=](double x) { return rounded_to(type, x); }, 0);
    // Half a unit in the last place, and half of the least subnormal number.
    if (significand_digits(type) < significand_digits(dnnl_f32)) {
        const double half_digit = std::ldexp(1.0, -significand_digits(type));
        const double least = type == dnnl_bf16 ? 0
                                               : std::ldexp(1.0, type == dnnl_f8_e4m3   ? -10
                                                                 : type == dnnl_f8_e5m2 ? -17
                                                                                        : -25);
        element.tolerance += half_digit * (std::fabs(element.value) + element.tolerance) + least;
        if (!std::isfinite(rounded_to(type, element.value))) element.tolerance = HUGE_VAL;
    }
    return element;
}

} // namespace benchdnn::graph
