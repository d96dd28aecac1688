// SPDX-License-Identifier: Apache-2.0
// All gradients against differences of the library's own forward pass.
//
// Data is f64, so differences with a step of 1e-4 are good to about 1e-8, the error of a central
// difference. Statistics of layer normalization are f64 as well; others are f32, which leaves about
// 1e-6.
#include "normalization/operation_test.hpp"
#include "support/finite_differences.hpp"

namespace kiln::test::normalization {

namespace {

class normalization_finite_differences : public operation_test_t {
protected:
    static problem_t in_f64(unsigned flags, int64_t groups) {
        auto problem = problem_of(is_layer() ? dims_t{3, 6} : dims_t{3, 4, 2, 3}, flags);
        problem.groups = groups;
        problem.epsilon = 0.01f;
        problem.set_types(dnnl_f64);
        if (is_layer()) problem.stat_type = dnnl_f64;
        return problem;
    }

    /// Calls `check` with the differences of every combination of flags.
    template <typename check_t> static void for_each_gradient(check_t check) {
        const std::vector<int64_t> groupings = operation() == operation_t::group
                                                       ? std::vector<int64_t>{1, 2, 4}
                                                       : std::vector<int64_t>{0};
        for (const auto groups : groupings)
            for (const unsigned flags : all_flags()) {
                auto problem = in_f64(flags, groups);
                case_t forward(problem);
                ASSERT_EQ(forward.execute(), dnnl_success);
                problem.prop_kind = dnnl_backward;
                case_t backward(problem, forward);
                for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
                    if (forward.has(arg)) backward.refill(arg, forward.tensor(arg).values());
                ASSERT_EQ(backward.execute(), dnnl_success);
                check(finite_differences_t(forward, backward), flags);
            }
    }
};

TEST_P(normalization_finite_differences, gradients_of_src_and_src_1) {
    const double tolerance = is_layer() ? 1e-6 : 3e-6;
    for_each_gradient([&](finite_differences_t differences, unsigned flags) {
        differences.expect_gradient(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, 1e-4, tolerance);
        if (flags & add_relu)
            differences.expect_gradient(DNNL_ARG_SRC_1, DNNL_ARG_DIFF_SRC_1, 1e-4, tolerance);
    });
}

// dst is linear in scale and shift, which are f32: differences of any size are exact. With a ReLU
// steps are small, so that no value passes 0 on the way, and are what f32 makes of them.
TEST_P(normalization_finite_differences, gradients_of_scale_and_shift) {
    const double step = is_batch() ? 1e-5 : 0.5;
    const double tolerance = is_layer() ? 2e-6 : 5e-6;
    for_each_gradient([&](finite_differences_t differences, unsigned flags) {
        if (flags & scale)
            differences.expect_gradient(DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE, step, tolerance);
        if (flags & shift)
            differences.expect_gradient(DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SHIFT, step, tolerance);
    });
}

INSTANTIATE_FOR_OPERATIONS(normalization_finite_differences);

} // namespace

} // namespace kiln::test::normalization
