// SPDX-License-Identifier: Apache-2.0
// Both gradients against differences of the library's own forward pass: what backward computes is
// the derivative of what forward computes, whatever formulas either uses.
//
// With the loss L = sum of diff_dst * dst, diff_src is the derivative of L by src, and so on. Data
// and statistics are f64, so differences with a step of 1e-4 are good to about 1e-8 (the error of a
// central difference) and rounding adds about 1e-12.
#include <cmath>

#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

problem_t in_f64(dnnl_prop_kind_t prop_kind, unsigned flags) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {3, 6};
    problem.flags = flags;
    problem.epsilon = 0.01f;
    problem.src_type = problem.dst_type = problem.diff_src_type = dnnl_f64;
    problem.stat_type = dnnl_f64;
    return problem;
}

class gradient_check_t {
public:
    explicit gradient_check_t(unsigned flags)
        : forward_(in_f64(dnnl_forward_training, flags))
        , backward_(in_f64(dnnl_backward, flags)) {
        if (flags & global_stats) copy_to_forward(DNNL_ARG_VARIANCE);
        if ((flags & global_stats) && !(flags & rms)) copy_to_forward(DNNL_ARG_MEAN);
        EXPECT_EQ(forward_.execute(), dnnl_success);
        if (!(flags & global_stats)) {
            // The statistics that forward leaves for backward.
            copy_to_backward(DNNL_ARG_VARIANCE);
            if (!(flags & rms)) copy_to_backward(DNNL_ARG_MEAN);
        }
        EXPECT_EQ(backward_.execute(), dnnl_success);
        diff_dst_ = backward_.tensor(DNNL_ARG_DIFF_DST).values();
    }

    /// Compares the gradient `diff_arg` with differences of the loss along each element of `arg`.
    void expect_gradient(int arg, int diff_arg, double step, double tolerance) {
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
            EXPECT_NEAR((above - below) / (to - from), gradient[element], tolerance) << to_string(
                    backward_.problem()) << " argument " << arg << " element " << element;
        }
        forward_.bindings().refill(arg, at);
    }

private:
    void copy_to_forward(int arg) {
        forward_.bindings().refill(arg, backward_.tensor(arg).values());
    }
    void copy_to_backward(int arg) {
        backward_.bindings().refill(arg, forward_.tensor(arg).values());
    }

    double loss_at(int arg, const std::vector<double> &values) {
        forward_.bindings().refill(arg, values);
        EXPECT_EQ(forward_.execute(), dnnl_success);
        const auto dst = forward_.tensor(DNNL_ARG_DST).values();
        double loss = 0;
        for (size_t at = 0; at < dst.size(); ++at) loss += diff_dst_[at] * dst[at];
        return loss;
    }

    forward_case_t forward_;
    backward_case_t backward_;
    std::vector<double> diff_dst_;
};

TEST(layer_normalization_finite_differences, gradient_of_src) {
    for (const unsigned flags : all_flags())
        gradient_check_t(flags).expect_gradient(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, 1e-4, 1e-6);
}

// dst is linear in scale and shift, which are f32: differences of any size are exact, and the
// gradients are rounded to f32.
TEST(layer_normalization_finite_differences, gradients_of_scale_and_shift) {
    for (const unsigned flags : all_flags()) {
        gradient_check_t check(flags);
        if (flags & scale) check.expect_gradient(DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE, 0.5, 2e-6);
        if (flags & shift) check.expect_gradient(DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SHIFT, 0.5, 2e-6);
    }
}

} // namespace

} // namespace kiln::test::layer_normalization
