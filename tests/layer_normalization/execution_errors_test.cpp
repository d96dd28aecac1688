// SPDX-License-Identifier: Apache-2.0
// Arguments of an execution that are missing, doubled, empty or of the wrong kind, and those that
// do no harm.
#include <gtest/gtest.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"
#include "support/data_type.hpp"

namespace kiln::test::layer_normalization {

namespace {

problem_t with_all_operands(dnnl_prop_kind_t prop_kind, unsigned flags) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {4, 9};
    problem.flags = flags | scale | shift;
    return problem;
}

/// What forward must be given: it computes all or nothing.
template <typename case_t> std::vector<int> required(const case_t &tested) {
    std::vector<int> args;
    const auto all = tested.arguments();
    for (const auto &entry : all.list()) {
        const bool is_optional = entry.arg == DNNL_ARG_DIFF_SRC || entry.arg == DNNL_ARG_DIFF_SCALE
                                 || entry.arg == DNNL_ARG_DIFF_SHIFT;
        if (!is_optional) args.push_back(entry.arg);
    }
    return args;
}

/// Every way to spoil one argument.
template <typename case_t> void expect_refusals(const case_t &tested) {
    const auto all = tested.arguments();
    const auto run = [&](const arguments_t &arguments) {
        return arguments.execute(tested.primitive());
    };
    for (const int arg : required(tested)) {
        SCOPED_TRACE(to_string(tested.problem()) + " argument " + std::to_string(arg));
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

        if (size_of(tested.tensor(arg).type()) == 1) continue;
        const tensor_t narrow(make_desc(tested.tensor(arg).dims(), dnnl_u8));
        EXPECT_EQ(run(all.with(arg, narrow.memory())), dnnl_invalid_arguments)
                << "of a narrower type";
    }
    for (const auto &entry : all.list()) {
        auto twice = all;
        twice.add(entry.arg, entry.memory);
        EXPECT_EQ(run(twice), dnnl_invalid_arguments) << "argument " << entry.arg << " twice";
    }
}

TEST(layer_normalization_execution_errors, forward) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
        for (const unsigned flags : {0u, global_stats, rms, rms | global_stats}) {
            const forward_case_t forward(with_all_operands(prop_kind, flags));
            expect_refusals(forward);
            ASSERT_EQ(forward.execute(), dnnl_success);
            EXPECT_TRUE(forward.is_right());
        }
}

TEST(layer_normalization_execution_errors, backward) {
    for (const auto prop_kind : {dnnl_backward, dnnl_backward_data})
        for (const unsigned flags : {0u, global_stats, rms}) {
            const backward_case_t backward(with_all_operands(prop_kind, flags));
            expect_refusals(backward);
            ASSERT_EQ(backward.execute(), dnnl_success);
            EXPECT_TRUE(backward.is_right());
        }
}

TEST(layer_normalization_execution_errors, attributes_arguments_are_required_too) {
    auto problem = with_all_operands(dnnl_forward_inference, 0);
    problem.dst_type = dnnl_s8;
    problem.src_scale = scale_attr_t{0.5};
    problem.dst_scale = scale_attr_t{2};
    problem.post_ops = {
            {.alg = dnnl_binary_add, .mask = 3}, {.alg = dnnl_binary_select, .mask = 3}};
    const forward_case_t forward(problem);
    expect_refusals(forward);
    ASSERT_EQ(forward.execute(), dnnl_success);
    EXPECT_TRUE(forward.is_right());
}

TEST(layer_normalization_execution_errors, a_host_scale_is_required_too) {
    auto problem = with_all_operands(dnnl_forward_inference, 0);
    problem.dst_type = dnnl_s8;
    problem.dst_scale = scale_attr_t{2, dnnl_f32, true};
    const forward_case_t forward(problem);
    const int arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST;
    EXPECT_EQ(
            forward.arguments().without(arg).execute(forward.primitive()), dnnl_invalid_arguments);
    EXPECT_EQ(forward.execute(), dnnl_success);
}

TEST(layer_normalization_execution_errors, the_callers_scratchpad_is_required) {
    auto problem = with_all_operands(dnnl_backward, 0);
    problem.dims = {3000, 64};
    problem.scratchpad_mode = dnnl_scratchpad_mode_user;
    backward_case_t backward(problem);
    if (!backward.bindings().has(DNNL_ARG_SCRATCHPAD)) GTEST_SKIP() << "nothing is asked for";
    EXPECT_EQ(backward.arguments().without(DNNL_ARG_SCRATCHPAD).execute(backward.primitive()),
            dnnl_invalid_arguments);
    EXPECT_EQ(backward.execute(), dnnl_success);
    EXPECT_TRUE(backward.is_right());
}

TEST(layer_normalization_execution_errors, null_objects) {
    const forward_case_t forward(with_all_operands(dnnl_forward_training, 0));
    const auto list = forward.arguments().list();
    const int count = static_cast<int>(list.size());
    EXPECT_EQ(dnnl_primitive_execute(nullptr, cpu_stream(), count, list.data()),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(forward.primitive(), nullptr, count, list.data()),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(forward.primitive(), cpu_stream(), count, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(forward.primitive(), cpu_stream(), 0, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(forward.primitive(), cpu_stream(), -1, list.data()),
            dnnl_invalid_arguments);
}

TEST(layer_normalization_execution_errors, unused_arguments_and_null_memory_do_no_harm) {
    const forward_case_t forward(with_all_operands(dnnl_forward_training, 0));
    const tensor_t unused(make_desc({1}, dnnl_s8));
    auto arguments = forward.arguments();
    for (const int arg : {DNNL_ARG_BIAS, DNNL_ARG_DIFF_SRC, DNNL_ARG_WORKSPACE, DNNL_ARG_SCRATCHPAD,
                 DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                 DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, DNNL_ARG_MULTIPLE_SRC + 7})
        arguments.add(arg, unused.memory());
    for (const int arg : {DNNL_ARG_REDUCE, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SCALE})
        arguments.add(arg, nullptr);
    ASSERT_EQ(arguments.execute(forward.primitive()), dnnl_success);
    EXPECT_TRUE(forward.is_right());
    EXPECT_TRUE(unused.is_tidy());
    EXPECT_EQ(unused.value({0}), -1);
}

} // namespace

} // namespace kiln::test::layer_normalization
