// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors, with layer normalization as the example: every query for every propagation
// kind and combination of flags.
#include <string>

#include "api/description.hpp"
#include "api/descriptors.hpp"
#include "api/normalization_desc.hpp"
#include "api/primitive/normalization_problems.hpp"

namespace kiln::test {

namespace {

/// The tensors that can be queried.
enum class tensor_kind_t { none, data, statistics, scale_shift };

memory_desc_handle_t md_of(tensor_kind_t kind) {
    switch (kind) {
    case tensor_kind_t::data: return make_desc(dims, dnnl_f32, "bac");
    case tensor_kind_t::statistics: return make_desc({2, 3}, dnnl_f32, "ba");
    case tensor_kind_t::scale_shift: return make_desc({16}, dnnl_f32, "a");
    default: return zero_desc();
    }
}

tensor_kind_t scale_shift_of(const normalization_t &problem) {
    return problem.has(dnnl_use_scale) || problem.has(dnnl_use_shift) ? tensor_kind_t::scale_shift
                                                                      : tensor_kind_t::none;
}

/// The expected result of a query of a tensor. Indices 1 and 2 of src or dst are mean and variance,
/// indices 0 and 1 of weights and diff_weights are scale and shift.
tensor_kind_t expected_tensor(const normalization_t &problem, dnnl_query_t what, int index) {
    using enum tensor_kind_t;
    const bool forward = problem.is_forward(), stats = index == 1 || index == 2;
    const bool reads_stats = !forward || problem.has(dnnl_use_global_stats);
    const bool writes_stats = !reads_stats && problem.prop_kind == dnnl_forward_training;
    switch (what) {
    case dnnl_query_src_md: return index == 0 ? data : stats && reads_stats ? statistics : none;
    case dnnl_query_dst_md:
        return !forward ? none : index == 0 ? data : stats && writes_stats ? statistics : none;
    case dnnl_query_diff_src_md:
    case dnnl_query_diff_dst_md: return !forward && index == 0 ? data : none;
    case dnnl_query_weights_md:
        return index == 0 || (forward && index == 1) ? scale_shift_of(problem) : none;
    case dnnl_query_diff_weights_md:
        return problem.prop_kind == dnnl_backward && (index == 0 || index == 1)
                       ? scale_shift_of(problem)
                       : none;
    default: return none;
    }
}

// ---- queries of tensors

TEST(primitive_desc, each_query_of_a_tensor_names_the_right_one) {
    constexpr dnnl_query_t queries[] = {dnnl_query_src_md, dnnl_query_diff_src_md,
            dnnl_query_weights_md, dnnl_query_diff_weights_md, dnnl_query_dst_md,
            dnnl_query_diff_dst_md, dnnl_query_workspace_md, dnnl_query_scratchpad_md};
    for (const auto &problem : all_problems()) {
        const auto pd = made_pd(problem);
        for (const dnnl_query_t what : queries) {
            const bool single = what == dnnl_query_workspace_md || what == dnnl_query_scratchpad_md;
            for (int index = 0; index < (single ? 1 : 4); ++index) {
                const_dnnl_memory_desc_t found = nullptr;
                EXPECT_EQ(dnnl_primitive_desc_query(pd, what, index, &found), dnnl_success);
                ASSERT_NE(found, nullptr) << name_of(problem) << " query " << what;
                const auto expected = md_of(expected_tensor(problem, what, index));
                EXPECT_TRUE(dnnl_memory_desc_equal(found, expected))
                        << name_of(problem) << " query " << what << " at " << index << ": "
                        << describe(found) << ", not " << describe(expected);
                EXPECT_EQ(dnnl_primitive_desc_query_md(pd, what, index), found);
            }
        }
    }
}

TEST(primitive_desc, there_is_one_workspace_and_one_scratchpad) {
    const auto pd = made_pd({});
    for (const auto what : {dnnl_query_workspace_md, dnnl_query_scratchpad_md}) {
        const_dnnl_memory_desc_t found = nullptr;
        EXPECT_EQ(dnnl_primitive_desc_query(pd, what, 1, &found), dnnl_invalid_arguments);
        EXPECT_EQ(dnnl_primitive_desc_query_md(pd, what, 1), nullptr);
    }
}

TEST(primitive_desc, each_argument_of_execution_has_the_descriptor_that_its_query_names) {
    struct argument_t {
        int arg;
        dnnl_query_t what;
        int index;
    };
    for (const auto &problem : all_problems()) {
        const bool forward = problem.is_forward();
        const bool writes_stats = forward && problem.prop_kind == dnnl_forward_training
                                  && !problem.has(dnnl_use_global_stats);
        const dnnl_query_t stats = writes_stats ? dnnl_query_dst_md : dnnl_query_src_md;
        const std::vector<argument_t> forward_arguments = {
                {DNNL_ARG_SRC, dnnl_query_src_md, 0},
                {DNNL_ARG_DST, dnnl_query_dst_md, 0},
                {DNNL_ARG_MEAN, stats, 1},
                {DNNL_ARG_VARIANCE, stats, 2},
                {DNNL_ARG_SCALE, dnnl_query_weights_md, 0},
                {DNNL_ARG_SHIFT, dnnl_query_weights_md, 1},
        };
        const std::vector<argument_t> backward_arguments = {
                {DNNL_ARG_SRC, dnnl_query_src_md, 0},
                {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0},
                {DNNL_ARG_MEAN, dnnl_query_src_md, 1},
                {DNNL_ARG_VARIANCE, dnnl_query_src_md, 2},
                {DNNL_ARG_SCALE, dnnl_query_weights_md, 0},
                {DNNL_ARG_DIFF_SCALE, dnnl_query_diff_weights_md, 0},
                {DNNL_ARG_DIFF_SHIFT, dnnl_query_diff_weights_md, 1},
        };
        const auto pd = made_pd(problem);
        for (const auto &[arg, what, index] : forward ? forward_arguments : backward_arguments) {
            // Statistics that are neither computed nor given have no descriptor.
            const auto expected = md_of(expected_tensor(problem, what, index));
            const_dnnl_memory_desc_t found = nullptr;
            EXPECT_EQ(dnnl_primitive_desc_query(pd, dnnl_query_exec_arg_md, arg, &found),
                    dnnl_success);
            EXPECT_TRUE(dnnl_memory_desc_equal(found, expected))
                    << name_of(problem) << " argument " << arg << ": " << describe(found);
            EXPECT_EQ(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg), found);
        }
    }
}

TEST(primitive_desc, arguments_that_an_operation_does_not_have_are_zero_descriptors) {
    for (const auto prop_kind : prop_kinds) {
        const auto pd = made_pd({prop_kind, dnnl_use_scale | dnnl_use_shift});
        for (const int arg : {DNNL_ARG_UNDEF, DNNL_ARG_BIAS, DNNL_ARG_WEIGHTS, DNNL_ARG_WORKSPACE,
                     DNNL_ARG_SCRATCHPAD, DNNL_ARG_SRC_1, DNNL_ARG_ATTR_DROPOUT_MASK, -1,
                     DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1}) {
            const auto found = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
            ASSERT_NE(found, nullptr) << arg;
            EXPECT_EQ(asked<int>(found, dnnl_query_ndims_s32), 0) << arg;
        }
    }
}

TEST(primitive_desc, operands_of_post_ops_are_arguments_of_execution) {
    post_ops_handle_t post_ops;
    ASSERT_EQ(dnnl_post_ops_create(post_ops.out()), dnnl_success);
    const auto row = make_desc({1, 16}, dnnl_bf16), open = make_desc({4, 16}, dnnl_f32, "any");
    ASSERT_EQ(dnnl_post_ops_append_binary(post_ops, dnnl_binary_add, row), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_binary(post_ops, dnnl_binary_mul, open), dnnl_success);
    const auto attr = make_attr();
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, post_ops), dnnl_success);

    const auto pd = made_pd({.src_format = "ba"}, attr);
    const auto md_of_operand = [&](int entry) {
        return dnnl_primitive_desc_query_md(
                pd, dnnl_query_exec_arg_md, DNNL_ARG_ATTR_MULTIPLE_POST_OP(entry) | DNNL_ARG_SRC_1);
    };
    EXPECT_TRUE(dnnl_memory_desc_equal(md_of_operand(0), row));
    EXPECT_EQ(asked<int>(md_of_operand(1), dnnl_query_ndims_s32), 0);
    EXPECT_TRUE(dnnl_memory_desc_equal(md_of_operand(2), make_desc({4, 16}, dnnl_f32, "ba")))
            << "an open operand follows dst";
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 3);
}

// ---- queries of values

template <typename answer_t> answer_t answered(const_dnnl_primitive_desc_t pd, dnnl_query_t what) {
    answer_t answer{};
    EXPECT_EQ(dnnl_primitive_desc_query(pd, what, 0, &answer), dnnl_success) << what;
    return answer;
}

TEST(primitive_desc, says_what_was_asked_for) {
    for (auto problem : all_problems()) {
        problem.epsilon = 0.0625f * static_cast<float>(1 + problem.flags);
        const auto pd = made_pd(problem);
        EXPECT_EQ(answered<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind),
                dnnl_layer_normalization);
        EXPECT_EQ(answered<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind), problem.prop_kind);
        EXPECT_EQ(answered<unsigned>(pd, dnnl_query_flags), problem.flags);
        EXPECT_EQ(answered<float>(pd, dnnl_query_epsilon_f32), problem.epsilon);
        EXPECT_EQ(answered<dnnl_engine_t>(pd, dnnl_query_engine), cpu_engine());
    }
}

TEST(primitive_desc, counts_inputs_and_outputs) {
    for (const auto &problem : all_problems()) {
        const bool forward = problem.is_forward(), rms = problem.has(dnnl_rms_norm);
        const int scale = problem.has(dnnl_use_scale), shift = problem.has(dnnl_use_shift);
        const int statistics = rms ? 1 : 2;
        int inputs = 1, outputs = 1;
        if (forward) {
            const bool given = problem.has(dnnl_use_global_stats);
            inputs += scale + shift + (given ? statistics : 0);
            if (!given && problem.prop_kind == dnnl_forward_training) outputs += statistics;
        } else {
            inputs += 1 + statistics + scale;
            if (problem.prop_kind == dnnl_backward) outputs += scale + shift;
        }
        const auto pd = made_pd(problem);
        for (const auto &[what, expected] : {std::pair(dnnl_query_num_of_inputs_s32, inputs),
                     std::pair(dnnl_query_num_of_outputs_s32, outputs)}) {
            EXPECT_EQ(answered<int>(pd, what), expected) << name_of(problem) << " " << what;
            EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, what, 0), expected);
        }
    }
}

TEST(primitive_desc, an_implementation_s_name_begins_with_its_kind) {
    for (const auto &problem : all_problems()) {
        const std::string name = answered<const char *>(made_pd(problem), dnnl_query_impl_info_str);
        EXPECT_TRUE(
                name.starts_with("jit:") || name.starts_with("ref:") || name.starts_with("simple:"))
                << name;
    }
}

TEST(primitive_desc, has_no_cache_blob) {
    const auto pd = made_pd({});
    EXPECT_EQ(answered<dnnl_dim_t>(pd, dnnl_query_cache_blob_id_size_s64), 0);
    EXPECT_EQ(answered<const uint8_t *>(pd, dnnl_query_cache_blob_id), nullptr);
}

TEST(primitive_desc, queries_of_other_operations_are_unimplemented) {
    constexpr dnnl_query_t others[] = {dnnl_query_undef, dnnl_query_time_estimate_f64,
            dnnl_query_strides, dnnl_query_dilations, dnnl_query_padding_l, dnnl_query_padding_r,
            dnnl_query_alg_kind, dnnl_query_alpha_f32, dnnl_query_beta_f32, dnnl_query_axis_s32,
            dnnl_query_local_size_s64, dnnl_query_k_f32, dnnl_query_p_f32, dnnl_query_factors,
            dnnl_query_cell_kind, dnnl_query_direction, dnnl_query_activation_kind,
            dnnl_query_kernel, dnnl_query_group_size_s64, dnnl_query_reorder_src_engine,
            dnnl_query_reorder_dst_engine, dnnl_query_some_md, dnnl_query_ndims_s32,
            dnnl_query_dims, dnnl_query_num_handles_s32, dnnl_query_max};
    for (const auto prop_kind : prop_kinds) {
        const auto pd = made_pd({.prop_kind = prop_kind});
        for (const dnnl_query_t what : others) {
            int64_t room[16] = {};
            EXPECT_EQ(dnnl_primitive_desc_query(pd, what, 0, room), dnnl_unimplemented) << what;
        }
    }
}

TEST(primitive_desc, the_short_queries_refuse_what_is_not_theirs) {
    const auto pd = made_pd({});
    for (const auto what : {dnnl_query_engine, dnnl_query_some_md, dnnl_query_impl_info_str,
                 dnnl_query_dims, dnnl_query_undef})
        EXPECT_EQ(dnnl_primitive_desc_query_md(pd, what, 0), nullptr) << what;
    for (const auto what : {dnnl_query_src_md, dnnl_query_flags, dnnl_query_prop_kind,
                 dnnl_query_ndims_s32, dnnl_query_undef})
        EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, what, 0), 0) << what;
}

} // namespace

} // namespace kiln::test
