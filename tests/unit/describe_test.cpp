// SPDX-License-Identifier: Apache-2.0
// Tensors and attributes as verbose lines show them: the rarer forms, which no primitive prints
// yet.
#include "common/memory/compensation.hpp"
#include "common/verbose/describe.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/operations/normalization/normalization_pd.hpp"
#include "common/verbose/arg_name.hpp"

namespace kiln::test {

namespace {

memory_desc_t tagged(
        const std::vector<dim_t> &dims, format_tag_t tag, data_type_t data_type = dnnl_f32) {
    memory_desc_t md;
    EXPECT_EQ(init_by_tag(md, static_cast<int>(dims.size()), dims.data(), data_type, tag),
            dnnl_success);
    return md;
}

memory_desc_t strided(const std::vector<dim_t> &dims, const std::vector<dim_t> &strides) {
    memory_desc_t md;
    EXPECT_EQ(init_by_strides(
                      md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, strides.data()),
            dnnl_success);
    return md;
}

std::string described(const memory_desc_t &md) { return describe(md, "src", md.format_kind); }

TEST(describe_tensor, names_type_kind_and_layout) {
    EXPECT_EQ(described(tagged({4, 16}, dnnl_ab)), "src:f32::blocked:ab::f0");
    EXPECT_EQ(described(tagged({4, 16}, dnnl_ba, dnnl_bf16)), "src:bf16::blocked:ba::f0");
    EXPECT_EQ(described(tagged({2, 32, 3, 3}, dnnl_aBcd16b, dnnl_f16)),
            "src:f16::blocked:aBcd16b::f0");
    EXPECT_EQ(
            described(tagged({16, 32, 3, 3}, dnnl_ABcd16b16a)), "src:f32::blocked:ABcd16b16a::f0");
    EXPECT_EQ(described(tagged({4, 16}, dnnl_ab, dnnl_f8_e4m3)), "src:f8_e4m3::blocked:ab::f0");
}

TEST(describe_tensor, says_that_there_is_none) {
    EXPECT_EQ(described(zero_md), "src:undef::undef:::");
}

TEST(describe_tensor, tells_formats_the_user_left_open) {
    EXPECT_EQ(describe(tagged({4, 16}, dnnl_ba), "dst", dnnl_format_kind_any),
            "dst:f32:a:blocked:ba::f0");
    EXPECT_EQ(described(tagged({4, 16}, dnnl_format_tag_any)), "src:f32:a:any:any::f0");
}

TEST(describe_tensor, shows_strides_where_there_are_gaps) {
    EXPECT_EQ(described(strided({4, 16}, {20, 1})), "src:f32::blocked:ab:20x1:f0");
    EXPECT_EQ(described(strided({4, 16}, {1, 5})), "src:f32::blocked:ba:1x5:f0");
    EXPECT_EQ(described(strided({4, 16}, {16, 1})), "src:f32::blocked:ab::f0");
    memory_desc_t weights = tagged({4, 16}, dnnl_ab, dnnl_s8);
    weights.extra.flags = has_s8s8_compensation | has_zero_point_compensation;
    weights.extra.compensation_mask = 1;
    weights.extra.asymm_compensation_mask = 2;
    EXPECT_EQ(described(weights), "src:s8::blocked:ab::f9:s8m1:zpm2");
}

TEST(describe_tensor, tells_padding_and_offsets) {
    EXPECT_EQ(described(tagged({2, 17, 3, 3}, dnnl_aBcd16b)), "src:f32:p:blocked:aBcd16b::f0");
    memory_desc_t md = tagged({4, 16}, dnnl_ab);
    md.offset0 = 3;
    EXPECT_EQ(described(md), "src:f32:0:blocked:ab::f0");
    md = tagged({2, 17, 3}, dnnl_aBc16b);
    md.padded_offsets[1] = 1;
    md.offset0 = 1;
    EXPECT_EQ(describe(md, "src", dnnl_format_kind_any), "src:f32:apo0:blocked:aBc16b::f0");
}

TEST(describe_tensor, shows_a_star_for_what_execution_will_say) {
    const memory_desc_t open_rows = tagged({runtime_dim, 16}, dnnl_ab);
    EXPECT_EQ(described(open_rows), "src:f32::blocked:ab::f0");
    EXPECT_EQ(describe_dims(open_rows), "*x16");
    const memory_desc_t open_cols = tagged({4, runtime_dim}, dnnl_ab);
    EXPECT_EQ(described(open_cols), "src:f32::blocked:*::f0");
    EXPECT_EQ(describe_dims(open_cols), "4x*");
}

TEST(describe_tensor, names_other_kinds) {
    const dims_t dims = {8, 8};
    dnnl_memory_desc_t csr;
    ASSERT_EQ(dnnl_memory_desc_create_with_csr_encoding(
                      &csr, 2, dims, dnnl_f32, 10, dnnl_s32, dnnl_s32),
            dnnl_success);
    EXPECT_EQ(described(*csr), "src:f32::sparse:csr::f0");
    dnnl_memory_desc_destroy(csr);
}

TEST(describe_layout, orders_axes_as_they_lie_in_memory) {
    EXPECT_EQ(describe_layout(tagged({2, 3, 4, 5}, dnnl_acdb)), "acdb");
    // Axes of extent 1 stand where their stride allows, else in alphabetical order.
    EXPECT_EQ(describe_layout(tagged({1, 1, 1}, dnnl_cba)), "abc");
    EXPECT_EQ(describe_layout(strided({4, 1, 8}, {8, 8, 1})), "abc");
    EXPECT_EQ(describe_layout(strided({1, 4, 8}, {8, 8, 1})), "bac");
    // A broadcast axis is the outermost one.
    EXPECT_EQ(describe_layout(strided({4, 8}, {1, 0})), "ba");
}

TEST(describe_dims, writes_images_with_the_names_of_their_axes) {
    EXPECT_EQ(describe_image(tagged({7}, dnnl_a)), "x7");
    EXPECT_EQ(describe_image(tagged({2, 16}, dnnl_ab)), "mb2ic16");
    EXPECT_EQ(describe_image(tagged({2, 16, 5}, dnnl_abc)), "mb2ic16iw5");
    EXPECT_EQ(describe_image(tagged({2, 16, 4, 5}, dnnl_abcd)), "mb2ic16ih4iw5");
    EXPECT_EQ(describe_image(tagged({2, 16, 3, 4, 5}, dnnl_abcde)), "mb2ic16id3ih4iw5");
    EXPECT_EQ(describe_image(tagged({2, 16, 3, 4, 5, 6}, dnnl_abcdef)), "2x16x3x4x5x6");
    EXPECT_EQ(describe_dims(zero_md), "");
}

class describe_attr : public testing::Test {
protected:
    std::string text() const { return describe(attr); }
    dnnl_primitive_attr attr;
    dnnl_post_ops &post_ops = attr.post_ops;
};

TEST_F(describe_attr, is_empty_by_default) { EXPECT_EQ(text(), ""); }

TEST_F(describe_attr, names_modes) {
    dnnl_primitive_attr_set_scratchpad_mode(&attr, dnnl_scratchpad_mode_user);
    EXPECT_EQ(text(), "attr-scratchpad:user");
    dnnl_primitive_attr_set_fpmath_mode_v2(&attr, dnnl_fpmath_mode_bf16, 1);
    dnnl_primitive_attr_set_accumulation_mode(&attr, dnnl_accumulation_mode_any);
    dnnl_primitive_attr_set_deterministic(&attr, 1);
    EXPECT_EQ(text(),
            "attr-scratchpad:user attr-fpmath:bf16:true attr-acc-mode:any attr-deterministic:1");
}

TEST_F(describe_attr, names_rounding_by_argument) {
    for (const int arg : {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS})
        dnnl_primitive_attr_set_rounding(&attr, arg, dnnl_rounding_mode_stochastic);
    EXPECT_EQ(text(), "attr-rounding-mode:dst:stochastic+diff_src:stochastic+diff_wei:stochastic");
}

TEST_F(describe_attr, lists_quantization_by_argument) {
    const dims_t groups = {1, 32};
    dnnl_primitive_attr_set_scales_mask(&attr, DNNL_ARG_DST, 0);
    dnnl_primitive_attr_set_scales_mask(&attr, DNNL_ARG_SRC, 2);
    dnnl_primitive_attr_set_scales(&attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_bf16);
    dnnl_primitive_attr_set_zero_points_mask(&attr, DNNL_ARG_SRC, 0);
    EXPECT_EQ(
            text(), "attr-scales:src0:2:f32+dst:0:f32+wei:3:bf16:1x32 attr-zero-points:src0:0:s32");
}

TEST_F(describe_attr, tells_scales_on_the_host_and_dynamic_ones) {
    const dims_t groups = {1, 32};
    dnnl_primitive_attr_set_scales_v2(&attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 1);
    dnnl_primitive_attr_set_scales_v3(
            &attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0, dnnl_quantization_mode_dynamic_mx);
    EXPECT_EQ(text(), "attr-scales:src0:0:f32:host_scalar+dst:3:e8m0:1x32:dynamic_mx");
}

TEST_F(describe_attr, numbers_the_sources_of_concat_and_sum) {
    dnnl_primitive_attr_set_scales_mask(&attr, DNNL_ARG_MULTIPLE_SRC + 0, 0);
    dnnl_primitive_attr_set_scales_mask(&attr, DNNL_ARG_MULTIPLE_SRC + 3, 0);
    EXPECT_EQ(text(), "attr-scales:msrc0:0:f32+msrc3:0:f32");
}

TEST_F(describe_attr, shortens_parameters_that_are_defaults) {
    dnnl_post_ops_append_eltwise(&post_ops, dnnl_eltwise_tanh, 0.f, 0.f);
    dnnl_post_ops_append_eltwise(&post_ops, dnnl_eltwise_relu, 0.1f, 0.f);
    dnnl_post_ops_append_eltwise(&post_ops, dnnl_eltwise_clip, 0.f, 6.f);
    EXPECT_EQ(text(), "attr-post-ops:eltwise_tanh+eltwise_relu:0.1+eltwise_clip:0:6");
}

TEST_F(describe_attr, shortens_sums) {
    dnnl_post_ops_append_sum(&post_ops, 1.f, 0, dnnl_data_type_undef);
    EXPECT_EQ(text(), "attr-post-ops:sum");
    dnnl_post_ops_append_sum(&post_ops, 0.25f, 0, dnnl_data_type_undef);
    dnnl_post_ops_append_sum(&post_ops, 1.f, 0, dnnl_s8);
    dnnl_post_ops_append_sum(&post_ops, 1.f, 3, dnnl_data_type_undef);
    EXPECT_EQ(text(), "attr-post-ops:sum+sum:0.25+sum:1:0:s8+sum:1:3");
}

TEST_F(describe_attr, tells_binary_operands_by_mask_and_order) {
    const auto append = [&](const memory_desc_t &md) {
        dnnl_post_ops_append_binary(&post_ops, dnnl_binary_add, &md);
    };
    append(tagged({1, 1}, dnnl_ab));
    append(tagged({1, 16}, dnnl_ab, dnnl_bf16));
    append(tagged({4, 16}, dnnl_ba));
    append(strided({4, 16}, {20, 1}));
    append(tagged({4, 16}, dnnl_format_tag_any));
    EXPECT_EQ(text(), "attr-post-ops:binary_add:f32:0+binary_add:bf16:2+binary_add:f32:3:ba+"
                      "binary_add:f32:3:ab:20x1+binary_add:f32:3:any");
}

TEST_F(describe_attr, names_the_other_post_ops) {
    dnnl_post_ops_append_prelu(&post_ops, 2);
    dnnl_post_ops_append_dw(&post_ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
    dnnl_post_ops_append_dw(&post_ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 2, 1);
    EXPECT_EQ(text(), "attr-post-ops:prelu:2+dw:k3s1p1+dw:k3s2p1:u8");
}

TEST_F(describe_attr, names_dropout_by_its_mask) {
    memory_desc_t mask = tagged({4, 16}, dnnl_ab, dnnl_u8);
    dnnl_primitive_attr_set_dropout(&attr, &mask);
    EXPECT_EQ(text(), "attr-dropout:ab:s32:0:0");
    dnnl_primitive_attr_set_dropout_v2(&attr, &zero_md, dnnl_s64, 1, 0);
    EXPECT_EQ(text(), "attr-dropout:undef:s64:1:0");
}

TEST(describe_normalization_flags, gives_each_its_letter) {
    EXPECT_EQ(describe_normalization_flags(0), "");
    EXPECT_EQ(describe_normalization_flags(dnnl_use_scale | dnnl_use_shift), "CH");
    EXPECT_EQ(describe_normalization_flags(dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift
                                           | dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu
                                           | dnnl_rms_norm),
            "GCHRAM");
}

TEST(arg_name, is_that_of_the_constants_it_is_made_of) {
    EXPECT_STREQ(arg_name(DNNL_ARG_DST).c_str(), "DNNL_ARG_DST");
    EXPECT_STREQ(arg_name(DNNL_ARG_DIFF_SHIFT).c_str(), "DNNL_ARG_DIFF_SHIFT");
    EXPECT_STREQ(arg_name(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC).c_str(),
            "DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC");
    EXPECT_STREQ(arg_name(DNNL_ARG_ATTR_MULTIPLE_POST_OP(3) | DNNL_ARG_SRC_1).c_str(),
            "DNNL_ARG_ATTR_MULTIPLE_POST_OP(3) | DNNL_ARG_SRC_1");
    EXPECT_STREQ(arg_name(DNNL_ARG_MULTIPLE_SRC + 7).c_str(), "DNNL_ARG_MULTIPLE_SRC + 7");
    EXPECT_STREQ(arg_name(-5).c_str(), "argument -5");
}

} // namespace

} // namespace kiln::test
