// SPDX-License-Identifier: Apache-2.0
// Post-ops: every elementwise function, and chains; others are refused.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"
#include "support/post_op_lists.hpp"

namespace kiln::test::channel_normalization {

namespace {

problem_t with_post_ops(const post_op_chain_t &chain, const std::string &format) {
    problem_t problem;
    problem.prop_kind = dnnl_forward_inference;
    problem.dims = {2, 21, 3, 4};
    problem.flags = scale | shift;
    problem.post_ops = chain;
    problem.set_formats(format);
    return problem;
}

TEST(batch_normalization_post_ops, every_elementwise_function) {
    for (const auto &op : eltwise_ops())
        for (const std::string format : {"abcd", "acdb", "aBcd16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8}) {
                auto problem = with_post_ops(defined_chain(op, type), format);
                problem.set_types(type);
                if (type == dnnl_s8) problem.flags |= global_stats;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(batch_normalization_post_ops, chains_are_applied_in_order) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference})
            for (const unsigned flags : {0u, relu, add_relu, global_stats}) {
                auto problem = with_post_ops(
                        {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = -1},
                                {.alg = dnnl_eltwise_relu, .alpha = 0.125f},
                                {.alg = dnnl_eltwise_square},
                                {.alg = dnnl_eltwise_clip, .alpha = 0.25f, .beta = 3}},
                        format);
                problem.prop_kind = prop_kind;
                problem.flags |= flags;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

TEST(batch_normalization_post_ops, binary_and_sum_are_refused) {
    auto problem = with_post_ops({{.alg = dnnl_binary_add, .mask = 2}}, "abcd");
    primitive_desc_handle_t primitive_desc;
    EXPECT_EQ(make_primitive_desc(primitive_desc, problem), dnnl_unimplemented);
    post_ops_handle_t post_ops;
    require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
    require(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef), "append_sum");
    const auto attr = test::make_attr();
    require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
    problem.post_ops.clear();
    EXPECT_EQ(make_primitive_desc(primitive_desc, problem, attr, nullptr), dnnl_unimplemented);
}

} // namespace

} // namespace kiln::test::channel_normalization
