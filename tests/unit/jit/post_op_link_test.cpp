// SPDX-License-Identifier: Apache-2.0
// What is known of chains of post-ops before code is written: registers, reasons to refuse,
// equality.
#include "cpu/x64/jit/post_op_chain.hpp"

#include <gtest/gtest.h>

#include "common/attributes/alg_kind.hpp"
#include "unit/jit/binary_model.hpp"
#include "unit/jit/block.hpp"
#include "unit/jit/post_op_links.hpp"

namespace kiln::x64::jit::test {

namespace {

TEST(post_op_temporaries, are_those_of_the_greediest_link) {
    const post_op_operand_t operand{dnnl_f32, true};
    EXPECT_EQ(post_op_temporaries({}), 0);
    EXPECT_EQ(post_op_temporaries({binary_link(dnnl_binary_add, operand)}), 2);
    EXPECT_EQ(post_op_temporaries({binary_link(dnnl_binary_select, operand),
                      binary_link(dnnl_binary_add, operand)}),
            3);
    EXPECT_EQ(post_op_temporaries(long_chain()), max_math_temporaries);
    post_op_link_t derivative = eltwise_link(dnnl_eltwise_mish);
    derivative.is_derivative = true;
    EXPECT_EQ(post_op_temporaries({derivative}), max_post_op_temporaries);
}

TEST(check_post_op, takes_what_normalizations_accept) {
    for (const auto alg : binary_algorithms())
        for (const auto type : types)
            EXPECT_FALSE(check_post_op(binary_link(alg, {type, true}))) << binary_name(alg);
    EXPECT_FALSE(check_post_op(eltwise_link(dnnl_eltwise_gelu_erf)));
}

TEST(check_post_op, refuses_with_a_reason_what_it_cannot_load_or_apply) {
    for (const auto type : {dnnl_f64, dnnl_e8m0, dnnl_s4, dnnl_data_type_undef})
        for (const auto alg : {dnnl_binary_add, dnnl_binary_select}) {
            post_op_link_t link = binary_link(alg, {dnnl_f32, true});
            link.operands.back().type = type;
            EXPECT_STREQ(check_post_op(link).reason,
                    "the operand of a post-op is not f32, bf16, f16, f8, s32, s8 or u8");
        }
    post_op_link_t derivative = eltwise_link(dnnl_eltwise_round);
    derivative.is_derivative = true;
    EXPECT_STREQ(check_post_op(derivative).reason, "a post-op has no derivative");
    for (const auto alg : {dnnl_reduction_sum, dnnl_alg_kind_undef})
        EXPECT_STREQ(check_post_op({.alg = alg}).reason,
                "a post-op is neither eltwise nor binary nor a sum");
}

TEST(post_op_link, equals_one_of_the_same_fields_only) {
    const auto link = binary_link(dnnl_binary_add, {dnnl_f32, true});
    EXPECT_EQ(link, link);
    EXPECT_EQ(hash_of(link), hash_of(binary_link(dnnl_binary_add, {dnnl_f32, true})));
    for (const auto &other : {binary_link(dnnl_binary_sub, {dnnl_f32, true}),
                 binary_link(dnnl_binary_add, {dnnl_bf16, true}),
                 binary_link(dnnl_binary_add, {dnnl_f32, false}),
                 binary_link(dnnl_binary_select, {dnnl_f32, true})})
        EXPECT_FALSE(link == other);
    for (const auto field : {&post_op_link_t::is_sum, &post_op_link_t::is_derivative,
                 &post_op_link_t::is_by_scale}) {
        post_op_link_t other = link;
        other.*field = true;
        EXPECT_FALSE(link == other);
    }
    EXPECT_FALSE(
            eltwise_link(dnnl_eltwise_linear, 1, 2) == eltwise_link(dnnl_eltwise_linear, 1, 3));
}

} // namespace

} // namespace kiln::x64::jit::test
