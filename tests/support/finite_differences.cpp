// SPDX-License-Identifier: Apache-2.0
// Central differences.
#include "support/finite_differences.hpp"

#include <gtest/gtest.h>

namespace kiln::test {

finite_differences_t::finite_differences_t(
        primitive_case_t &forward, const primitive_case_t &backward)
    : forward_(forward)
    , backward_(backward)
    , diff_dst_(backward.tensor(DNNL_ARG_DIFF_DST).values()) {}

void finite_differences_t::expect_gradient(int arg, int diff_arg, double step, double tolerance) {
    const auto at = forward_.tensor(arg).values();
    const auto gradient = backward_.tensor(diff_arg).values();
    ASSERT_EQ(at.size(), gradient.size());
    for (size_t element = 0; element < at.size(); ++element) {
        auto moved = at;
        moved[element] = at[element] + step;
        const double above = loss_at(arg, moved);
        const double to = forward_.tensor(arg).values()[element];
        moved[element] = at[element] - step;
        const double below = loss_at(arg, moved);
        const double from = forward_.tensor(arg).values()[element];
        EXPECT_NEAR((above - below) / (to - from), gradient[element], tolerance)
                << backward_.name() << " argument " << arg << " element " << element;
    }
    forward_.refill(arg, at);
}

double finite_differences_t::loss_at(int arg, const std::vector<double> &values) {
    forward_.refill(arg, values);
    EXPECT_EQ(forward_.execute(), dnnl_success);
    const auto dst = forward_.tensor(DNNL_ARG_DST).values();
    double loss = 0;
    for (size_t at = 0; at < dst.size(); ++at) loss += diff_dst_[at] * dst[at];
    return loss;
}

} // namespace kiln::test
