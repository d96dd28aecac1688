// SPDX-License-Identifier: Apache-2.0
// Which links of an epilogue become one multiply-add.
#include <gtest/gtest.h>

#include "cpu/x64/matrix/amx_scaling.hpp"

namespace kiln::x64::matrix {
namespace {

using links_t = std::vector<size_t>;

/// A link with one operand, and the pitch of that.
struct scale_or_bias_t {
    alg_kind_t alg;
    dim_t pitch;
};

amx_scaling_t scaling_of(const std::vector<scale_or_bias_t> &list) {
    std::vector<jit::post_op_link_t> links;
    std::vector<dim_t> pitches;
    for (const auto &[alg, pitch] : list) {
        links.push_back({.alg = alg});
        if (alg == dnnl_eltwise_relu) continue;
        links.back().operands = {{dnnl_f32, true}};
        links.back().is_by_scale = alg == dnnl_binary_div;
        pitches.push_back(pitch);
    }
    return {links, pitches};
}

TEST(amx_scaling, takes_scales_before_and_behind_a_bias) {
    const amx_scaling_t scaling = scaling_of({{dnnl_binary_mul, 0}, {dnnl_binary_mul, 0},
            {dnnl_binary_add, 0}, {dnnl_binary_div, 0}});
    EXPECT_EQ(scaling.factors, (links_t{0, 1, 3}));
    EXPECT_TRUE(scaling.has_addends());
    EXPECT_EQ(scaling.addition, 2u);
    EXPECT_EQ(scaling.end, 4u);
    for (size_t operand = 0; operand < 4; ++operand) EXPECT_TRUE(scaling.has_operand(operand));
}

TEST(amx_scaling, leaves_what_differs_from_row_to_row) {
    const amx_scaling_t scaling =
            scaling_of({{dnnl_binary_mul, 4}, {dnnl_binary_mul, 0}, {dnnl_binary_add, 64}});
    EXPECT_EQ(scaling.factors, links_t{1});
    EXPECT_TRUE(scaling.is_of_row(0));
    EXPECT_FALSE(scaling.is_of_row(1));
    EXPECT_FALSE(scaling.has_addends());
    EXPECT_EQ(scaling.end, 2u);
    EXPECT_FALSE(scaling.has_operand(0));
    EXPECT_TRUE(scaling.has_operand(1));
    EXPECT_FALSE(scaling.has_operand(2));
}

TEST(amx_scaling, ends_at_an_activation_and_at_values_of_rows_behind_a_bias) {
    EXPECT_EQ(scaling_of({{dnnl_binary_mul, 0}, {dnnl_eltwise_relu, 0}, {dnnl_binary_div, 0}}).end,
            1u);
    EXPECT_EQ(
            scaling_of({{dnnl_binary_mul, 0}, {dnnl_binary_add, 0}, {dnnl_binary_mul, 4}}).end, 2u);
}

TEST(amx_scaling, needs_a_scale) {
    const amx_scaling_t scaling = scaling_of({{dnnl_binary_add, 0}, {dnnl_binary_mul, 0}});
    EXPECT_FALSE(scaling.has_factors());
    EXPECT_EQ(scaling.end, 0u);
}

} // namespace
} // namespace kiln::x64::matrix
