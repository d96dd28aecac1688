// SPDX-License-Identifier: Apache-2.0
// Which outputs are asked for and where they go: gradients left out, results in place, the caller's
// scratchpad, tensors without elements.
#include "normalization/operation_test.hpp"
#include "support/execution_checks.hpp"

namespace kiln::test::normalization {

namespace {

const std::vector<dnnl_data_type_t> float_types{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64};

class normalization_outputs : public operation_test_t {};

TEST_P(normalization_outputs, gradients_may_be_left_out) {
    const auto dims = is_layer() ? std::vector<dims_t>{{5, 33}, {3, 40, 16}}
                                 : std::vector<dims_t>{{2, 18, 3, 4}};
    for (const unsigned flags : all_flags())
        for (const bool passes_null : {false, true})
            for (const auto &extents : dims)
                for_each_case(problem_of(extents, flags, "", dnnl_backward),
                        [&](case_t &tested) { expect_any_subset_of_outputs(tested, passes_null); });
}

TEST_P(normalization_outputs, gradients_may_be_left_out_in_any_layout_and_type) {
    // What is not written has no padding that is made zero.
    const auto dims = is_layer() ? std::vector<dims_t>{{3, 4, 18}, {9, 130, 40}}
                                 : std::vector<dims_t>{{2, 16, 3, 4}, {2, 48, 3, 4}};
    const auto formats = is_layer() ? std::vector{"acb", "cab", "abc+3"}
                                    : std::vector{"abcd", "acdb", "aBcd16b"};
    const auto flags = is_layer() ? std::vector{scale | shift} : all_flags();
    for (const auto &extents : dims)
        for (const auto *format : formats)
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f64})
                for (const unsigned bits : flags) {
                    auto problem = problem_of(extents, bits, format, dnnl_backward);
                    problem.set_types(type);
                    for_each_case(
                            problem, [](case_t &tested) { expect_any_subset_of_outputs(tested); });
                }
}

TEST_P(normalization_outputs, backward_data_writes_no_gradients_of_weights) {
    for (const unsigned function : functions())
        for (const unsigned flags : {scale, scale | shift, global_stats | scale}) {
            const case_t backward(problem_of({5, 32}, flags | function, "", dnnl_backward_data));
            const tensor_t diff_weights(make_desc({32}, dnnl_f32));
            auto arguments = backward.arguments();
            arguments.add(DNNL_ARG_DIFF_SCALE, diff_weights.memory());
            arguments.add(DNNL_ARG_DIFF_SHIFT, diff_weights.memory());
            const auto before = diff_weights.bits();
            ASSERT_EQ(arguments.execute(backward.primitive()), dnnl_success);
            EXPECT_TRUE(backward.is_right());
            EXPECT_TRUE(has_bits(diff_weights, before, "diff_weights"));
        }
}

// Gradients replace what was there; they are not added to it.
TEST_P(normalization_outputs, a_second_execution_gives_the_same) {
    for (auto &problem : problems_of({{50, 33}}, {{3, 34, 5, 5}}, {2})) {
        problem.prop_kind = dnnl_backward;
        problem.flags = scale | shift;
        const case_t backward(problem);
        ASSERT_EQ(backward.execute(), dnnl_success);
        ASSERT_EQ(backward.execute(), dnnl_success);
        EXPECT_TRUE(backward.is_right());
    }
}

TEST_P(normalization_outputs, may_overwrite_inputs) {
    const auto formats =
            is_layer() ? std::vector{"abc", "acb", "bac", "cba", "abc+3", "aBc16b", "aBC16b16c"}
                       : std::vector{"abcd", "acdb", "bacd", "acdb+3", "aBcd8b", "aBcd16b"};
    for (const auto *format : formats)
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8})
            for (const auto prop_kind :
                    {dnnl_forward_training, dnnl_forward_inference, dnnl_backward})
                for (const unsigned function : functions())
                    for (const unsigned flags : {scale | shift, global_stats | scale}) {
                        auto problem =
                                problem_of(is_layer() ? dims_t{3, 5, 70} : dims_t{2, 18, 5, 7},
                                        flags | function, format, prop_kind);
                        const bool is_integer = type == dnnl_s8 || type == dnnl_u8;
                        if (is_integer && (is_batch() || !problem.is_forward())) continue;
                        problem.set_types(type);
                        problem.set_in_place();
                        EXPECT_TRUE(is_right(problem));
                    }
}

TEST_P(normalization_outputs, the_scratchpad_may_be_the_callers) {
    for (auto &problem : problems_of({{5, 33}, {600, 64}}, {{2, 40, 13, 12}}, {2}))
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const auto prop_kind :
                    {dnnl_forward_training, dnnl_forward_inference, dnnl_backward}) {
                problem.flags = scale | shift | functions().back();
                problem.prop_kind = prop_kind;
                problem.scratchpad_mode = dnnl_scratchpad_mode_user;
                problem.set_types(type);
                EXPECT_TRUE(is_right(problem));
            }
}

TEST_P(normalization_outputs, a_scratchpad_of_the_callers_is_u8_and_the_librarys_is_not_told) {
    auto problem = problem_of(
            is_layer() ? dims_t{600, 64} : dims_t{2, 40, 13, 12}, scale | shift, "", dnnl_backward);
    for (const auto mode : {dnnl_scratchpad_mode_library, dnnl_scratchpad_mode_user}) {
        problem.scratchpad_mode = mode;
        const auto primitive_desc = accepted_primitive_desc(problem);
        const auto *const desc =
                dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_scratchpad_md, 0);
        ASSERT_NE(desc, nullptr);
        int64_t consumption = -1;
        ASSERT_EQ(dnnl_primitive_desc_query(
                          primitive_desc, dnnl_query_memory_consumption_s64, 0, &consumption),
                dnnl_success);
        if (mode == dnnl_scratchpad_mode_library) {
            EXPECT_EQ(dnnl_memory_desc_get_size(desc), 0u);
            EXPECT_GE(consumption, 0);
            continue;
        }
        EXPECT_EQ(consumption, 0);
        if (dnnl_memory_desc_get_size(desc) == 0) continue;
        const layout_t layout(desc);
        EXPECT_EQ(layout.type(), dnnl_u8);
        EXPECT_EQ(layout.dims().size(), 1u);
    }
}

TEST_P(normalization_outputs, tensors_without_elements_have_zero_statistics_and_gradients) {
    const auto shapes = is_layer() ? std::vector<dims_t>{{0, 5}, {4, 0}, {0, 0}, {3, 0, 5},
                                {0, 3, 5}, {3, 4, 0}, {2, 0, 0}}
                                   : std::vector<dims_t>{{0, 6}, {0, 6, 4}, {3, 6, 0}, {3, 6, 4, 0},
                                           {0, 6, 0, 2}};
    for (const auto &dims : shapes)
        for (const auto prop_kind :
                {dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data})
            for (const unsigned flags : all_flags())
                for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f64, dnnl_s8}) {
                    auto problem = problem_of(dims, flags, "", prop_kind);
                    if (type == dnnl_s8 && (is_batch() || !problem.is_forward())) continue;
                    problem.set_types(type);
                    if (is_layer() && type == dnnl_bf16)
                        problem.scale_shift_type = problem.diff_scale_shift_type = type;
                    const case_t tested(problem);
                    ASSERT_EQ(tested.execute(), dnnl_success) << tested.name();
                    expect_zero_outputs(tested);
                }
}

INSTANTIATE_FOR_OPERATIONS(normalization_outputs);

} // namespace

} // namespace kiln::test::normalization
