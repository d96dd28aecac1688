// SPDX-License-Identifier: Apache-2.0
// All gradients against differences of the library's own forward pass: what backward computes is
// the derivative of what forward computes, whatever formulas either uses.
//
// With the loss L = sum of diff_dst * dst, diff_src is the derivative of L by src, and so on. Data
// is f64, so differences with a step of 1e-4 are good to about 1e-8 (the error of a central
// difference); statistics that backward reads are f32, which leaves about 1e-6.
#include <cmath>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

const std::vector<unsigned> fused_of(int64_t groups) {
    return groups == 0 ? std::vector<unsigned>{0, relu, add_relu} : std::vector<unsigned>{0};
}

const std::vector<int64_t> groupings{0, 1, 2, 4};

problem_t in_f64(dnnl_prop_kind_t prop_kind, unsigned flags, int64_t groups) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {3, 4, 2, 3};
    problem.groups = groups;
    problem.flags = flags;
    problem.epsilon = 0.01f;
    problem.set_types(dnnl_f64);
    return problem;
}

class gradient_check_t {
public:
    gradient_check_t(unsigned flags, int64_t groups)
        : forward_(in_f64(dnnl_forward_training, flags, groups)) {
        EXPECT_EQ(forward_.execute(), dnnl_success);
        backward_case_t backward(in_f64(dnnl_backward, flags, groups), forward_);
        for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) // what forward leaves for backward
            backward.bindings().refill(arg, forward_.tensor(arg).values());
        EXPECT_EQ(backward.execute(), dnnl_success);
        diff_dst_ = backward.tensor(DNNL_ARG_DIFF_DST).values();
        for (const int arg : backward.outputs())
            gradients_.emplace_back(arg, backward.tensor(arg).values());
    }

    /// Compares the gradient `diff_arg` with differences of the loss along each element of `arg`.
    void expect_gradient(int arg, int diff_arg, double step, double tolerance) {
        const auto at = forward_.tensor(arg).values();
        const auto &gradient = gradient_of(diff_arg);
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
                    forward_.problem()) << " argument " << arg << " element " << element;
        }
        forward_.bindings().refill(arg, at);
    }

private:
    const std::vector<double> &gradient_of(int arg) const {
        for (const auto &[name, values] : gradients_)
            if (name == arg) return values;
        throw std::logic_error("no such gradient");
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
    std::vector<double> diff_dst_;
    std::vector<std::pair<int, std::vector<double>>> gradients_;
};

TEST(channel_normalization_finite_differences, gradients_of_src_and_src_1) {
    for (const auto groups : groupings)
        for (const unsigned flags : all_flags(fused_of(groups))) {
            gradient_check_t check(flags, groups);
            check.expect_gradient(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, 1e-4, 3e-6);
            if (flags & add_relu)
                check.expect_gradient(DNNL_ARG_SRC_1, DNNL_ARG_DIFF_SRC_1, 1e-4, 3e-6);
        }
}

// Steps are small, so that no value passes 0 on the way; since scale and shift are f32, they are
// what f32 makes of them.
TEST(channel_normalization_finite_differences, gradients_of_scale_and_shift) {
    for (const auto groups : groupings)
        for (const unsigned flags : all_flags(fused_of(groups))) {
            gradient_check_t check(flags, groups);
            if (flags & scale)
                check.expect_gradient(DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE, 1e-5, 5e-6);
            if (flags & shift)
                check.expect_gradient(DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SHIFT, 1e-5, 5e-6);
        }
}

} // namespace

} // namespace kiln::test::channel_normalization
