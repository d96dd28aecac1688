// SPDX-License-Identifier: Apache-2.0
// A tensor of the reference: a double and its tolerance for each element, in logical order.
#pragma once

#include <vector>

#include "common/tensor/dims.hpp"
#include "common/tensor/estimate.hpp"
#include "common/tensor/parallel.hpp"

namespace benchdnn::graph {

struct value_t {
    dims_t dims;
    dnnl_data_type_t type = dnnl_data_type_undef;
    // The type whose number of values limits how many different values the elements take.
    dnnl_data_type_t variety = dnnl_data_type_undef;
    std::vector<estimate_t> elements;

    dim_t count() const { return product(dims); }
};

// Calls body(index), which processes so many elements, for each index below count, in parallel.
template <typename body_t> void for_each_index(dim_t count, body_t &&body, dim_t elements = 1) {
    parallel_shares(count, count * elements, [&](int, int64_t begin, int64_t end) {
        for (int64_t index = begin; index < end; ++index) body(index);
    });
}

// Maps an element of the result to the element of an operand. The operand's axes are aligned with
// the result's last ones; axes of extent 1 are broadcast.
class broadcast_index_t {
public:
    broadcast_index_t(const dims_t &operand, const dims_t &result);
    // An operand that varies along one axis of the result only.
    broadcast_index_t(int axis, const dims_t &result);

    dim_t operator()(dim_t index) const {
        if (is_same_) return index;
        dim_t found = 0;
        for (size_t i = 0; i < axes_.size(); ++i)
            found += index / axes_[i].below % axes_[i].extent * axes_[i].stride;
        return found;
    }

private:
    struct axis_t {
        dim_t below, extent, stride; // elements of the result below one step; the operand's step
    };
    bool is_same_ = false;
    std::vector<axis_t> axes_; // along which the operand varies
};

// The value of an element stored in a tensor of this type between two operations. An implementation
// that fuses them may keep it in f32, so narrow floating-point types widen the tolerance; integers
// are always rounded and saturated.
estimate_t settled(dnnl_data_type_t type, estimate_t element);

// a * b and f(a, b) for any values of a and b within their tolerances.
inline estimate_t product_of(estimate_t a, estimate_t b) {
    const double value = a.value * b.value;
    return {value, std::fabs(a.value) * b.tolerance + std::fabs(b.value) * a.tolerance
                           + a.tolerance * b.tolerance + 2 * f32_roundoff * std::fabs(value)};
}
template <typename function_t>
estimate_t combined(estimate_t a, estimate_t b, function_t &&f, double roundings) {
    estimate_t result = mapped(
            a, [&](double x) { return f(x, b.value); }, roundings);
    if (b.tolerance == 0) return result;
    for (const double end : {b.value - b.tolerance, b.value + b.tolerance}) {
        const estimate_t other = mapped(
                a, [&](double x) { return f(x, end); }, 0);
        const double apart = std::fabs(other.value - result.value) + other.tolerance;
        result.tolerance = std::max(result.tolerance, std::isnan(apart) ? HUGE_VAL : apart);
    }
    return result;
}

} // namespace benchdnn::graph
