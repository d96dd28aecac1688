// SPDX-License-Identifier: Apache-2.0
// One data type for all tensors; s8 forward with given statistics only.
#include <gtest/gtest.h>

#include "channel_normalization/backward_case.hpp"
#include "channel_normalization/forward_case.hpp"

namespace kiln::test::channel_normalization {

namespace {

problem_t small(dnnl_prop_kind_t prop_kind, unsigned flags) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = {2, 19, 3, 4};
    problem.flags = flags;
    return problem;
}

dnnl_status_t create(const problem_t &problem) {
    primitive_desc_handle_t primitive_desc;
    return make_primitive_desc(primitive_desc, problem);
}

constexpr dnnl_data_type_t types[]{dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64, dnnl_s8, dnnl_u8,
        dnnl_s32, dnnl_f8_e5m2, dnnl_f8_e4m3};

TEST(batch_normalization_data_types, forward_takes_one_type) {
    for (const auto src : types)
        for (const auto dst : types)
            for (const unsigned flags : {0u, global_stats}) {
                auto problem = small(dnnl_forward_inference, flags);
                problem.src_type = src;
                problem.dst_type = dst;
                const bool is_float =
                        src == dnnl_f32 || src == dnnl_bf16 || src == dnnl_f16 || src == dnnl_f64;
                const bool is_legal =
                        src == dst && (is_float || (src == dnnl_s8 && flags == global_stats));
                EXPECT_EQ(create(problem), is_legal ? dnnl_success : dnnl_unimplemented)
                        << to_string(problem);
            }
}

TEST(batch_normalization_data_types, backward_takes_one_type) {
    for (const auto src : types)
        for (const auto diff_dst : types)
            for (const auto diff_src : types) {
                auto problem = small(dnnl_backward, global_stats);
                problem.src_type = src;
                problem.dst_type = diff_dst;
                problem.diff_src_type = diff_src;
                const bool is_float =
                        src == dnnl_f32 || src == dnnl_bf16 || src == dnnl_f16 || src == dnnl_f64;
                const bool is_legal = src == diff_dst && src == diff_src && is_float;
                EXPECT_EQ(create(problem), is_legal ? dnnl_success : dnnl_unimplemented)
                        << to_string(problem);
            }
}

// Rounded to nearest even, saturated, in place too.
TEST(batch_normalization_data_types, s8_is_rounded_and_saturated) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"})
        for (const unsigned flags : {0u, scale, shift, scale | shift | relu, add_relu})
            for (const bool in_place : {false, true}) {
                auto problem = small(dnnl_forward_inference, global_stats | flags);
                problem.set_types(dnnl_s8);
                problem.set_formats(format);
                problem.in_place = in_place;
                EXPECT_TRUE(is_forward_right(problem));
            }
}

// variance + epsilon = 1, so that dst = src + shift: halves show how they are rounded.
TEST(batch_normalization_data_types, halves_go_to_the_even_number) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"}) {
        auto problem = small(dnnl_forward_inference, global_stats | shift);
        problem.set_types(dnnl_s8);
        problem.set_formats(format);
        problem.epsilon = 0;
        for (size_t at = 0; at < implementations(problem).size(); ++at) {
            forward_case_t forward(problem, at);
            forward.set_stats(std::vector<double>(19, 0), std::vector<double>(19, 1));
            forward.bindings().refill(DNNL_ARG_SHIFT, std::vector<double>(19, 0.5));
            std::vector<double> src, want;
            for (int64_t i = 0; i < volume(problem.dims); ++i) {
                const double value = static_cast<double>(i % 256 - 128);
                src.push_back(value);
                const double up = i % 2 ? value + 1 : value;
                want.push_back(up > 127 ? 127 : up);
            }
            forward.set_src(src);
            ASSERT_EQ(forward.execute(), dnnl_success);
            EXPECT_EQ(forward.tensor(DNNL_ARG_DST).values(), want) << format;
        }
    }
}

} // namespace

} // namespace kiln::test::channel_normalization
