// SPDX-License-Identifier: Apache-2.0
// Compares tensors with true values, and words what differs.
#include "support/interval.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "support/data_type.hpp"

namespace kiln::test {

namespace {

/// The element nearest to a number; infinity stands for NaN, which is what is beyond the numbers of
/// a type that has no infinity.
double nearest(dnnl_data_type_t type, long double value) {
    const double element = rounded(type, static_cast<double>(value));
    return std::isnan(element) ? std::copysign(INFINITY, static_cast<double>(value)) : element;
}

} // namespace

bool is_right(dnnl_data_type_t type, double got, const interval_t &truth) {
    if (std::isnan(truth.value)) return is_integer(type) ? got == 0 : std::isnan(got);
    if (truth.low <= got && got <= truth.high) return true; // rounding keeps the order
    const double low = nearest(type, truth.low), high = nearest(type, truth.high);
    if (std::isnan(got)) return type == dnnl_f8_e4m3 && (std::isinf(low) || std::isinf(high));
    return low <= got && got <= high;
}

testing::AssertionResult is_inside(
        const tensor_t &tensor, const std::vector<interval_t> &truth, const std::string &name) {
    const auto got = tensor.values();
    if (got.size() != truth.size())
        return testing::AssertionFailure()
               << name << " has " << got.size() << " elements, not " << truth.size();
    size_t wrong = 0;
    size_t first = 0;
    for (size_t at = got.size(); at-- > 0;)
        if (!is_right(tensor.type(), got[at], truth[at])) {
            ++wrong;
            first = at;
        }
    if (wrong == 0) return testing::AssertionSuccess();
    const auto &want = truth[first];
    return testing::AssertionFailure()
           << std::setprecision(17) << name << ": " << wrong << " of " << got.size()
           << " elements are wrong, the first at "
           << index_text(index_at(tensor.dims(), static_cast<int64_t>(first))) << " is "
           << got[first] << ", should be " << want.value << ", between " << want.low << " and "
           << want.high << " before it is rounded to " << dnnl_dt2str(tensor.type());
}

testing::AssertionResult has_bits(
        const tensor_t &tensor, const std::vector<std::byte> &bits, const std::string &name) {
    const auto got = tensor.bits();
    if (got == bits) return testing::AssertionSuccess();
    size_t at = 0;
    while (at < std::min(got.size(), bits.size()) && got[at] == bits[at]) ++at;
    const auto position = static_cast<int64_t>(at / size_of(tensor.type()));
    return testing::AssertionFailure()
           << name << " has other bits, first at " << index_text(index_at(tensor.dims(), position));
}

} // namespace kiln::test
