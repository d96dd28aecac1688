// SPDX-License-Identifier: Apache-2.0
// Arguments of an execution that are missing, doubled, empty or of the wrong kind, and those that
// do no harm.
#include <algorithm>

#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

const std::vector<std::pair<int64_t, unsigned>> operations{{0, relu}, {0, add_relu}, {5, 0}};

problem_t with_all_operands(
        dnnl_prop_kind_t prop_kind, unsigned flags, const std::pair<int64_t, unsigned> &operation) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {2, 10, 3, 3};
    problem.groups = operation.first;
    problem.flags = flags | scale | shift | operation.second;
    return problem;
}

constexpr int optional_args[]{
        DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};

/// Every way to spoil one argument.
template <typename case_t> void expect_refusals(const case_t &tested) {
    const auto all = tested.arguments();
    const auto run = [&](const arguments_t &arguments) {
        return arguments.execute(tested.primitive());
    };
    for (const auto &entry : all.list()) {
        const int arg = entry.arg;
        SCOPED_TRACE(to_string(tested.problem()) + " argument " + std::to_string(arg));
        auto twice = all;
        twice.add(arg, entry.memory);
        EXPECT_EQ(run(twice), dnnl_invalid_arguments) << "twice";
        if (std::ranges::find(optional_args, arg) != std::end(optional_args)) continue;
        EXPECT_EQ(run(all.without(arg)), dnnl_invalid_arguments) << "missing";
        EXPECT_EQ(run(all.with(arg, nullptr)), dnnl_invalid_arguments) << "null";

        memory_handle_t hollow;
        require(dnnl_memory_create(
                        hollow.out(), tested.tensor(arg).desc(), cpu_engine(), DNNL_MEMORY_NONE),
                "dnnl_memory_create");
        EXPECT_EQ(run(all.with(arg, hollow)), dnnl_invalid_arguments) << "without a buffer";

        auto smaller_dims = tested.tensor(arg).dims();
        --smaller_dims.back();
        const tensor_t smaller(make_desc(smaller_dims, tested.tensor(arg).type()));
        EXPECT_EQ(run(all.with(arg, smaller.memory())), dnnl_invalid_arguments) << "too small";
    }
}

TEST(channel_normalization_execution_errors, forward) {
    for (const auto &operation : operations)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const unsigned flags : {0u, global_stats}) {
                const forward_case_t forward(with_all_operands(prop_kind, flags, operation));
                expect_refusals(forward);
                ASSERT_EQ(forward.execute(), dnnl_success);
                EXPECT_TRUE(forward.is_right());
            }
}

TEST(channel_normalization_execution_errors, backward) {
    for (const auto &operation : operations)
        for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
            for (const unsigned flags : {0u, global_stats}) {
                const backward_case_t backward(with_all_operands(prop_kind, flags, operation));
                expect_refusals(backward);
                ASSERT_EQ(backward.execute(), dnnl_success);
                EXPECT_TRUE(backward.is_right());
            }
}

TEST(channel_normalization_execution_errors, unused_arguments_and_null_memory_do_no_harm) {
    for (const auto &operation : operations) {
        auto problem = with_all_operands(dnnl_forward_inference, global_stats, operation);
        const forward_case_t forward(problem);
        const tensor_t unused(make_desc({1}, dnnl_s8));
        auto arguments = forward.arguments();
        for (const int arg :
                {DNNL_ARG_BIAS, DNNL_ARG_DIFF_SRC, DNNL_ARG_WORKSPACE, DNNL_ARG_SCRATCHPAD,
                        DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_MULTIPLE_SRC + 7})
            arguments.add(arg, unused.memory());
        for (const int arg : {DNNL_ARG_REDUCE, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SCALE})
            arguments.add(arg, nullptr);
        ASSERT_EQ(arguments.execute(forward.primitive()), dnnl_success);
        EXPECT_TRUE(forward.is_right());
        EXPECT_TRUE(unused.is_tidy());
        EXPECT_EQ(unused.value({0}), -1);
    }
}

} // namespace

} // namespace kiln::test::channel_normalization
