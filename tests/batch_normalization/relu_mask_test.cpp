// SPDX-License-Identifier: Apache-2.0
// A fused ReLU's mask between the two directions: which hints fit, what a NaN does, what post-ops
// see.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

problem_t with_relu(dnnl_prop_kind_t prop_kind, unsigned function, const std::string &format) {
    problem_t problem;
    problem.operation = operation_t::batch;
    problem.prop_kind = prop_kind;
    problem.dims = {2, 19, 7, 7};
    problem.flags = scale | shift | function;
    problem.set_formats(format);
    return problem;
}

dnnl_status_t status_with_hint(const problem_t &backward, const problem_t &forward) {
    return creation_status(backward, accepted_primitive_desc(forward));
}

size_t workspace_bytes(const_dnnl_primitive_desc_t primitive_desc) {
    return dnnl_memory_desc_get_size(
            dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_workspace_md, 0));
}

// Each 7x7 plane begins on a byte of its own; of channels that lie together each pixel does.
TEST(batch_normalization_relu_mask, takes_a_bit_an_element_in_whole_bytes_a_run) {
    const std::pair<std::string, size_t> sizes[]{{"abcd", 2 * 19 * 7}, {"acdb", 2 * 49 * 3},
            {"aBcd8b", 2 * 3 * 49}, {"aBcd16b", 2 * 2 * 49 * 2}};
    for (const auto &[format, bytes] : sizes)
        for (const unsigned function : {relu, add_relu}) {
            const auto forward = with_relu(dnnl_forward_training, function, format);
            const auto hint = accepted_primitive_desc(forward);
            EXPECT_EQ(workspace_bytes(hint), bytes) << format;
            const auto backward =
                    accepted_primitive_desc(with_relu(dnnl_backward, function, format), hint);
            EXPECT_EQ(workspace_bytes(backward), bytes) << format;
        }
}

TEST(batch_normalization_relu_mask, is_the_same_for_every_implementation) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"}) {
        const auto problem = with_relu(dnnl_forward_training, relu, format);
        for (size_t at = 0; at < implementations(problem).size(); ++at)
            EXPECT_EQ(workspace_bytes(accepted_primitive_desc(problem, nullptr, at)),
                    workspace_bytes(accepted_primitive_desc(problem)))
                    << format;
    }
}

TEST(batch_normalization_relu_mask, does_not_exist_in_inference_and_without_a_relu) {
    EXPECT_EQ(workspace_bytes(
                      accepted_primitive_desc(with_relu(dnnl_forward_inference, relu, "abcd"))),
            0u);
    EXPECT_EQ(workspace_bytes(accepted_primitive_desc(with_relu(dnnl_forward_training, 0, "abcd"))),
            0u);
}

TEST(batch_normalization_relu_mask, backward_needs_the_hint_of_its_forward) {
    for (const unsigned function : {relu, add_relu}) {
        const auto backward = with_relu(dnnl_backward, function, "abcd");
        EXPECT_EQ(creation_status(backward), dnnl_unimplemented);
        EXPECT_EQ(status_with_hint(backward, with_relu(dnnl_forward_training, function, "abcd")),
                dnnl_success);
        EXPECT_EQ(status_with_hint(backward, with_relu(dnnl_forward_inference, function, "abcd")),
                dnnl_unimplemented);
        EXPECT_EQ(status_with_hint(backward, with_relu(dnnl_forward_training, 0, "abcd")),
                dnnl_unimplemented);
        EXPECT_EQ(status_with_hint(backward,
                          with_relu(dnnl_forward_training, relu ^ add_relu ^ function, "abcd")),
                dnnl_unimplemented);
        for (const std::string format : {"acdb", "aBcd16b", "abdc"})
            EXPECT_EQ(
                    status_with_hint(backward, with_relu(dnnl_forward_training, function, format)),
                    dnnl_unimplemented)
                    << format;
    }
}

TEST(batch_normalization_relu_mask, a_hint_without_a_mask_does_where_none_is_read) {
    EXPECT_EQ(status_with_hint(with_relu(dnnl_backward, 0, "abcd"),
                      with_relu(dnnl_forward_training, 0, "acdb")),
            dnnl_success);
}

// The layout of dst plays no part: the mask lies as src does.
TEST(batch_normalization_relu_mask, lies_as_src_does) {
    auto forward = with_relu(dnnl_forward_training, relu, "acdb");
    forward.dst_format = "abcd";
    EXPECT_EQ(status_with_hint(with_relu(dnnl_backward, relu, "acdb"), forward), dnnl_success);
}

TEST(batch_normalization_relu_mask, nan_passes) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const unsigned function : {relu, add_relu})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16}) {
                auto problem = with_relu(dnnl_backward, function | global_stats, format);
                problem.set_types(type);
                const auto forwards = implementations(problem.forward_of_it());
                for (size_t at = 0; at < forwards.size(); ++at) {
                    case_t forward(problem.forward_of_it(), at);
                    auto src = forward.tensor(DNNL_ARG_SRC).values();
                    src[100] = nan;
                    forward.set_src(src);
                    ASSERT_EQ(forward.execute(), dnnl_success);
                    EXPECT_TRUE(std::isnan(forward.tensor(DNNL_ARG_DST).values()[100]));
                    const auto hint = forward.primitive_desc();
                    for (size_t by = 0; by < implementations(problem, hint).size(); ++by) {
                        const case_t backward(problem, forward, by);
                        ASSERT_EQ(backward.execute(), dnnl_success);
                        EXPECT_TRUE(backward.is_right()) << forwards[at];
                        EXPECT_NE(backward.tensor(DNNL_ARG_DIFF_SRC).values()[100], 0);
                    }
                }
            }
}

// Where the value is 0 or -0 the gradient stops.
TEST(batch_normalization_relu_mask, zero_does_not_pass) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const double zero : {0.0, -0.0}) {
            auto problem = with_relu(dnnl_backward, relu | global_stats, format);
            problem.flags &= ~(scale | shift);
            const auto forwards = implementations(problem.forward_of_it());
            for (size_t at = 0; at < forwards.size(); ++at) {
                case_t forward(problem.forward_of_it(), at);
                forward.refill(DNNL_ARG_MEAN, std::vector<double>(19, 0));
                forward.refill(DNNL_ARG_VARIANCE, std::vector<double>(19, 1));
                auto src = forward.tensor(DNNL_ARG_SRC).values();
                for (size_t i = 0; i < src.size(); i += 3) src[i] = zero;
                forward.set_src(src);
                ASSERT_EQ(forward.execute(), dnnl_success);
                EXPECT_TRUE(forward.is_right()) << forwards[at];
                const case_t backward(problem, forward);
                ASSERT_EQ(backward.execute(), dnnl_success);
                EXPECT_TRUE(backward.is_right()) << forwards[at];
                EXPECT_EQ(backward.tensor(DNNL_ARG_DIFF_SRC).values()[3], 0);
            }
        }
}

// They see what the ReLU left, and the mask is that of the value in front of it.
TEST(batch_normalization_relu_mask, post_ops_come_after_the_relu) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const unsigned function : {relu, add_relu})
            for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference}) {
                auto problem = with_relu(prop_kind, function, format);
                problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = -2, .beta = 0.5f}};
                EXPECT_TRUE(is_right(problem));
            }
}

} // namespace

} // namespace kiln::test::normalization
