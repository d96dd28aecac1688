// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward beyond the C interface: an operand added to src, the sum an output,
// rows with scales of their own, narrow statistics. Every implementation against the model; what is
// refused.
#include <gtest/gtest.h>

#include "normalization/case.hpp"
#include "normalization/internal.hpp"
#include "support/internal_primitive_desc.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::normalization {

namespace {

constexpr dnnl_data_type_t float_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr auto none = dnnl_data_type_undef;

problem_t of_size(dims_t dims, unsigned flags, const std::string &format = "any") {
    problem_t problem;
    problem.create = create_internally;
    problem.dims = std::move(dims);
    problem.flags = flags;
    problem.set_formats(format);
    problem.src_format = format == "any" ? "abc" : format;
    return problem;
}

problem_t with_sum(problem_t problem, dnnl_data_type_t type = dnnl_f32) {
    problem.src_type = problem.dst_type = type;
    problem.src_1.type = problem.sum.type = type;
    return problem;
}

problem_t with_row_scales(problem_t problem, dnnl_data_type_t type = dnnl_f32) {
    problem.dst_type = dnnl_s8;
    problem.row_scale.type = type;
    return problem;
}

dnnl_status_t status_of(const layer_normalization_desc_t &desc) {
    return internal_status<layer_normalization_pd_t>(desc);
}

// ---- Right results by every implementation

TEST(layer_fused, sums_are_right_for_all_flags_layouts_and_types) {
    for (const unsigned flags : all_flags(operation_t::layer))
        for (const std::string format : {"abc", "acb", "abc+3", "bac", "aBc16b"})
            for (const auto type : float_types)
                for (const auto prop_kind : {dnnl_forward_training, dnnl_forward_inference}) {
                    auto problem = with_sum(of_size({3, 5, 37}, flags, format), type);
                    problem.prop_kind = prop_kind;
                    EXPECT_TRUE(is_right(problem));
                    problem.sum.type = none;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_fused, row_scales_are_right_for_all_flags_layouts_and_types) {
    for (const unsigned flags : all_flags(operation_t::layer))
        for (const std::string format : {"abc", "acb", "abc+3", "bac"})
            for (const auto type : float_types)
                for (const auto dst_type : {dnnl_s8, dnnl_u8}) {
                    auto problem = with_row_scales(of_size({3, 5, 37}, flags, format), type);
                    problem.dst_type = dst_type;
                    EXPECT_TRUE(is_right(problem));
                    problem.src_1.type = problem.sum.type = type;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_fused, any_mix_of_types_is_right) {
    for (const auto src : float_types)
        for (const auto src_1 : float_types)
            for (const auto sum : {none, dnnl_f32, dnnl_bf16, dnnl_f16})
                for (const auto dst : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8})
                    for (const auto stat : float_types) {
                        auto problem = of_size({4, 2, 45}, scale | shift);
                        problem.src_type = src;
                        problem.dst_type = dst;
                        problem.stat_type = stat;
                        problem.src_1.type = src_1;
                        problem.sum.type = sum;
                        EXPECT_TRUE(is_right(problem));
                    }
}

TEST(layer_fused, all_sizes_are_right) {
    const dims_t sizes[]{{1, 1}, {7, 1}, {9, 3}, {5, 7}, {4, 15}, {6, 16}, {3, 17}, {40, 31},
            {33, 100}, {64, 768}, {3, 4099}, {1, 20000}, {2, 3, 4, 129}};
    for (const dims_t &dims : sizes)
        for (const unsigned flags : {scale | shift, scale | rms}) {
            auto problem = of_size(dims, flags, "any");
            problem.src_format = std::string("abcd").substr(0, dims.size());
            EXPECT_TRUE(is_right(with_sum(problem)));
            EXPECT_TRUE(is_right(with_sum(problem, dnnl_bf16)));
            EXPECT_TRUE(is_right(with_row_scales(problem)));
            EXPECT_TRUE(is_right(with_row_scales(with_sum(problem, dnnl_bf16))));
        }
}

TEST(layer_fused, operands_of_any_layout_each_are_right) {
    auto problem = with_sum(of_size({3, 6, 40}, scale | shift));
    problem.src_format = "abc+1";
    problem.src_1.format = "bac";
    problem.sum.format = "abc+5";
    problem.dst_format = "bac+2";
    if (generates_kernels()) {
        EXPECT_EQ(implementations(problem).front(), "jit:rows");
    }
    EXPECT_TRUE(is_right(problem));
    problem = with_row_scales(problem);
    problem.row_scale.format = "ba";
    if (generates_kernels()) {
        EXPECT_EQ(implementations(problem).front(), "jit:rows");
    }
    EXPECT_TRUE(is_right(problem));
}

TEST(layer_fused, post_ops_come_before_the_scale) {
    for (const std::string format : {"abc", "acb"})
        for (const bool has_sum : {false, true}) {
            auto problem = of_size({3, 4, 53}, scale | shift, format);
            if (has_sum) problem = with_sum(problem);
            problem = with_row_scales(problem);
            problem.post_ops = {{dnnl_eltwise_gelu_tanh},
                    {.alg = dnnl_binary_mul, .mask = 4, .type = dnnl_bf16, .format = "any"},
                    {.alg = dnnl_binary_add, .mask = 7, .type = dnnl_f32, .format = "any"}};
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(layer_fused, a_quantized_result_has_one_scale_as_well) {
    auto problem = with_sum(of_size({3, 4, 53}, scale | shift));
    problem.dst_type = dnnl_s8;
    problem.dst_scale = {.value = 0.3};
    EXPECT_TRUE(is_right(problem));
}

TEST(layer_fused, sums_and_results_take_an_operands_place) {
    for (const auto type : float_types)
        for (const unsigned flags : {scale | shift, scale | rms})
            for (const int sum_place : {0, DNNL_ARG_SRC, DNNL_ARG_SRC_1})
                for (const int dst_place : {0, DNNL_ARG_SRC, DNNL_ARG_SRC_1}) {
                    if (sum_place != 0 && sum_place == dst_place) continue;
                    auto problem = with_sum(of_size({9, 2, 77}, flags), type);
                    problem.sum_over = sum_place;
                    problem.dst_over = dst_place;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_fused, tensors_beyond_the_caches_are_right) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const int sum_place : {0, DNNL_ARG_SRC}) {
            auto problem = with_sum(of_size({2900, 1024}, scale | rms, "any"), type);
            problem.src_format = "ab";
            problem.sum_over = sum_place;
            case_t tested(problem);
            ASSERT_EQ(tested.execute(), dnnl_success);
            EXPECT_TRUE(tested.is_right());
        }
    auto problem = with_row_scales(of_size({2900, 1024}, scale | shift, "any"));
    problem.src_format = "ab";
    case_t tested(problem);
    ASSERT_EQ(tested.execute(), dnnl_success);
    EXPECT_TRUE(tested.is_right());
}

TEST(layer_fused, any_number_of_threads_gives_the_same_bits) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const bool has_row_scale : {false, true}) {
            auto problem = with_sum(of_size({333, 1, 777}, scale | shift), type);
            if (has_row_scale) problem = with_row_scales(problem);
            for_each_maker(problem, [](const make_case_t &make) {
                expect_same_bits_for_any_number_of_threads(make);
            });
        }
}

// ---- Who takes what

TEST(layer_fused, rows_take_what_columns_refuse) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto rows = of_size({4, 64, 96}, scale | shift);
    EXPECT_EQ(implementations(with_sum(rows)).front(), "jit:rows");
    EXPECT_EQ(implementations(with_row_scales(rows)).front(), "jit:rows");
    const auto columns = of_size({4, 64, 96}, scale | shift, "acb");
    EXPECT_EQ(implementations(columns).front(), "jit:columns");
    for (const auto &problem : {with_sum(columns), with_row_scales(columns)}) {
        EXPECT_EQ(implementations(problem).front(), "jit:relaid");
        EXPECT_TRUE(is_right(problem));
    }
}

TEST(layer_fused, tensors_without_elements_have_scales_of_0) {
    auto problem = with_row_scales(with_sum(of_size({3, 2, 0}, scale)));
    const case_t no_cols(problem);
    ASSERT_EQ(no_cols.execute(), dnnl_success);
    EXPECT_EQ(no_cols.tensor(DNNL_ARG_DST_2).values(), std::vector<double>(6, 0.));
    problem.dims = {0, 2, 5};
    EXPECT_EQ(case_t(problem).execute(), dnnl_success);
}

TEST(layer_fused, senseless_descriptors_are_refused) {
    const auto sum = layer_desc_of(with_sum(of_size({3, 4, 5}, 0)));
    ASSERT_EQ(status_of(sum), dnnl_success);
    auto desc = sum;
    desc.src_1 = {};
    EXPECT_EQ(status_of(desc), dnnl_invalid_arguments);
    desc = sum;
    desc.src_1 = *make_desc({3, 4, 6}, dnnl_f32, "abc");
    EXPECT_EQ(status_of(desc), dnnl_invalid_arguments);
    desc = sum;
    desc.sum = *make_desc({3, 4, 5}, dnnl_s8, "abc");
    EXPECT_EQ(status_of(desc), dnnl_unimplemented);
    desc = sum;
    desc.src = *make_desc({3, 4, 5}, dnnl_s8, "abc");
    EXPECT_EQ(status_of(desc), dnnl_unimplemented);

    const auto scales = layer_desc_of(with_row_scales(of_size({3, 4, 5}, 0)));
    ASSERT_EQ(status_of(scales), dnnl_success);
    desc = scales;
    desc.dst = *make_desc({3, 4, 5}, dnnl_f32, "abc");
    EXPECT_EQ(status_of(desc), dnnl_unimplemented);
    desc = scales;
    desc.row_scale = *make_desc({3, 5}, dnnl_f32, "ab");
    EXPECT_EQ(status_of(desc), dnnl_invalid_arguments);
    desc = scales;
    desc.row_scale.edit().format_desc.blocking.strides[1] = 0;
    desc.row_scale.edit().format_kind = dnnl_blocked;
    EXPECT_NE(status_of(desc), dnnl_success);
}

TEST(layer_fused, verbose_lines_name_the_operands) {
    const auto problem = with_row_scales(with_sum(of_size({3, 4, 5}, 0)), dnnl_bf16);
    const std::string info = info_of(accepted_primitive_desc(problem));
    for (const char *const text :
            {" src_1:f32:a:blocked:abc::f0", " sum:f32:a:", " row_scale:bf16:a:blocked:ab::f0"})
        EXPECT_NE(info.find(text), std::string::npos) << info;
}

} // namespace

} // namespace kiln::test::normalization
