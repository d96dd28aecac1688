// SPDX-License-Identifier: Apache-2.0
// Statistics of layer normalization in layouts of their own.
#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

namespace {

constexpr dnnl_prop_kind_t prop_kinds[]{dnnl_forward_training, dnnl_backward};

problem_t with_stat_format(dnnl_prop_kind_t prop_kind, const dims_t &dims, unsigned flags,
        const std::string &stat_format) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = flags;
    problem.stat_format = stat_format;
    return problem;
}

TEST(layer_normalization_statistics, may_lie_in_any_layout) {
    for (const auto prop_kind : prop_kinds)
        for (const auto *src : {"abc", "bac", "acb", "aBc16b", "aBC16b16c"})
            for (const auto *stat :
                    {"null", "any", "ab", "ba", "ab+3", "ba+2", "ab*2", "AB16b16a", "BA16a16b"})
                for (const unsigned flags : {0u, global_stats, rms}) {
                    const unsigned weights = prop_kind == dnnl_backward ? scale : 0;
                    auto problem = with_stat_format(prop_kind, {3, 5, 19}, flags | weights, stat);
                    problem.set_formats(src);
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_normalization_statistics, of_a_matrix_may_be_spaced) {
    for (const auto prop_kind : prop_kinds)
        for (const auto *stat : {"a", "a*3"})
            EXPECT_TRUE(is_right(with_stat_format(prop_kind, {9, 12}, scale | shift, stat)));
}

} // namespace

} // namespace kiln::test::normalization
