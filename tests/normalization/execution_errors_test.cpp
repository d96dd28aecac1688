// SPDX-License-Identifier: Apache-2.0
// Arguments of an execution that are missing, doubled, empty or of the wrong kind, and those that
// do no harm.
#include "normalization/operation_test.hpp"
#include "support/execution_checks.hpp"

namespace kiln::test::normalization {

namespace {

class normalization_execution_errors : public operation_test_t {
protected:
    static problem_t with_all_operands(dnnl_prop_kind_t prop_kind, unsigned flags) {
        auto problem = problem_of(is_layer() ? dims_t{4, 9} : dims_t{2, 10, 3, 3},
                flags | scale | shift, "", prop_kind);
        if (problem.groups) problem.groups = 5;
        return problem;
    }

    static void expect_refusals(const problem_t &problem) {
        expect_refusals_of_spoiled_arguments(case_t(problem),
                {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    }
};

TEST_P(normalization_execution_errors, spoiled_arguments_are_refused) {
    for (const auto prop_kind :
            {dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data})
        for (const unsigned function : functions())
            for (const unsigned stats : {0u, global_stats})
                expect_refusals(with_all_operands(prop_kind, stats | function));
}

TEST_P(normalization_execution_errors, attributes_arguments_are_required_too) {
    if (is_batch()) GTEST_SKIP() << "it takes no attribute with an argument";
    auto problem = with_all_operands(dnnl_forward_inference, 0);
    problem.dst_type = dnnl_s8;
    problem.src_scale = scale_attr_t{0.5};
    problem.dst_scale = scale_attr_t{2};
    problem.post_ops = {
            {.alg = dnnl_binary_add, .mask = 3}, {.alg = dnnl_binary_select, .mask = 3}};
    expect_refusals(problem);
}

TEST_P(normalization_execution_errors, a_host_scale_is_required_too) {
    if (is_batch()) GTEST_SKIP() << "it takes no scale";
    auto problem = with_all_operands(dnnl_forward_inference, 0);
    problem.dst_type = dnnl_s8;
    problem.dst_scale = scale_attr_t{2, dnnl_f32, true};
    const case_t forward(problem);
    const int arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST;
    EXPECT_EQ(
            forward.arguments().without(arg).execute(forward.primitive()), dnnl_invalid_arguments);
    EXPECT_EQ(forward.execute(), dnnl_success);
}

TEST_P(normalization_execution_errors, the_callers_scratchpad_is_required) {
    auto problem = with_all_operands(dnnl_backward, 0);
    problem.dims = is_layer() ? dims_t{3000, 64} : dims_t{20, 10, 30, 30};
    problem.scratchpad_mode = dnnl_scratchpad_mode_user;
    const case_t backward(problem);
    if (!backward.has(DNNL_ARG_SCRATCHPAD)) GTEST_SKIP() << "nothing is asked for";
    EXPECT_EQ(backward.arguments().without(DNNL_ARG_SCRATCHPAD).execute(backward.primitive()),
            dnnl_invalid_arguments);
    EXPECT_EQ(backward.execute(), dnnl_success);
    EXPECT_TRUE(backward.is_right());
}

TEST_P(normalization_execution_errors, null_objects) {
    const case_t forward(with_all_operands(dnnl_forward_training, 0));
    const auto list = forward.arguments().list();
    const int count = static_cast<int>(list.size());
    const auto status = [](const_dnnl_primitive_t primitive, dnnl_stream_t stream, int size,
                                const dnnl_exec_arg_t *args) {
        return dnnl_primitive_execute(primitive, stream, size, args);
    };
    const auto primitive = forward.primitive();
    EXPECT_EQ(status(nullptr, cpu_stream(), count, list.data()), dnnl_invalid_arguments);
    EXPECT_EQ(status(primitive, nullptr, count, list.data()), dnnl_invalid_arguments);
    EXPECT_EQ(status(primitive, cpu_stream(), count, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(status(primitive, cpu_stream(), 0, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(status(primitive, cpu_stream(), -1, list.data()), dnnl_invalid_arguments);
}

TEST_P(normalization_execution_errors, unused_arguments_and_null_memory_do_no_harm) {
    for (const unsigned function : functions())
        expect_unused_arguments_do_no_harm(
                case_t(with_all_operands(dnnl_forward_inference, global_stats | function)),
                {DNNL_ARG_BIAS, DNNL_ARG_DIFF_SRC, DNNL_ARG_WORKSPACE, DNNL_ARG_SCRATCHPAD,
                        DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                        DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                        DNNL_ARG_MULTIPLE_SRC + 7},
                {DNNL_ARG_REDUCE, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SCALE});
}

// Forward ignores what its flags do not ask for, whatever shape it has.
TEST_P(normalization_execution_errors, operands_without_their_flag_are_ignored) {
    auto problem = with_all_operands(dnnl_forward_inference, is_batch() ? relu : 0);
    problem.flags &= ~(scale | shift);
    expect_unused_arguments_do_no_harm(
            case_t(problem), {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
                                     DNNL_ARG_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_WORKSPACE});
}

// The shift plays no part in any gradient: oneDNN programs that pass it run as they did.
TEST_P(normalization_execution_errors, backward_ignores_a_shift) {
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data}) {
        const case_t backward(with_all_operands(prop_kind, 0));
        tensor_t values(make_desc({backward.problem().weights()}, dnnl_f32));
        values.fill(std::vector<double>(static_cast<size_t>(values.elements()), 1e30));
        const auto before = values.bits();
        ASSERT_EQ(backward.arguments()
                          .add(DNNL_ARG_SHIFT, values.memory())
                          .execute(backward.primitive()),
                dnnl_success);
        EXPECT_TRUE(backward.is_right());
        EXPECT_TRUE(has_bits(values, before, "shift"));
    }
}

INSTANTIATE_FOR_OPERATIONS(normalization_execution_errors);

} // namespace

} // namespace kiln::test::normalization
