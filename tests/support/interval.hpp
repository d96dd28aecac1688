// SPDX-License-Identifier: Apache-2.0
// True values with the error a correct implementation may make, and the comparison of a tensor
// with them. It knows no operation.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/tensor.hpp"

namespace kiln::test {

/// A true value and what lies within the permitted error of it. A result is right if it lies
/// between the two ends, each rounded to the result's data type: rounding is monotone, so this
/// asks of every type exactly what it can give.
struct interval_t {
    long double low;
    long double value;
    long double high;

    static interval_t exactly(long double value) { return {value, value, value}; }
    static interval_t around(long double value, long double error) {
        return {value - error, value, value + error};
    }

    /// The largest magnitude that it holds, far from `value` or not.
    long double size() const { return std::fmax(std::fabs(low), std::fabs(high)); }

    interval_t widened(long double error) const { return {low - error, value, high + error}; }

    /// The values of a function on the interval, taken at its three points: enough where the
    /// function is monotone or the interval narrow.
    template <typename function_t> interval_t map(function_t function) const;
};

/// Whether an element is right. NaN is expected where the true value is NaN (0 in integer types)
/// or beyond the numbers of f8_e4m3, and nowhere else.
bool is_right(dnnl_data_type_t type, double got, const interval_t &truth);

/// Whether all elements are.
testing::AssertionResult is_inside(
        const tensor_t &tensor, const std::vector<interval_t> &truth, const std::string &name);

/// The elements of both have the same bits.
testing::AssertionResult has_bits(
        const tensor_t &tensor, const std::vector<std::byte> &bits, const std::string &name);

template <typename function_t> interval_t interval_t::map(function_t function) const {
    const long double at_low = function(low);
    const long double at_value = function(value);
    const long double at_high = function(high);
    return {std::fmin(at_value, std::fmin(at_low, at_high)), at_value,
            std::fmax(at_value, std::fmax(at_low, at_high))};
}

} // namespace kiln::test
