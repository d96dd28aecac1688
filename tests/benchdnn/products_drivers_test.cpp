// SPDX-License-Identifier: Apache-2.0
// The drivers of matrix multiplication and inner products: their command lines, and corrupted
// results that they must notice.
#include <cmath>

#include "command_lines.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

TEST(matmul_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver(
                      "matmul", {"--dt=f32,u8:s8:s32", "--wtag=any,ab", "--bia-dt=undef,f32",
                                        "--bia_mask=2,3", "4x8:8x6_n\"x\""})),
            (words_t{"--matmul 4x8:8x6_n\"x\"", "--matmul --bia-dt=f32 4x8:8x6_n\"x\"",
                    "--matmul --bia-dt=f32 --bia_mask=3 4x8:8x6_n\"x\"",
                    "--matmul --wtag=ab 4x8:8x6_n\"x\"",
                    "--matmul --wtag=ab --bia-dt=f32 4x8:8x6_n\"x\"",
                    "--matmul --wtag=ab --bia-dt=f32 --bia_mask=3 4x8:8x6_n\"x\"",
                    "--matmul --dt=u8:s8:s32 4x8:8x6_n\"x\"",
                    "--matmul --dt=u8:s8:s32 --bia-dt=f32 4x8:8x6_n\"x\"",
                    "--matmul --dt=u8:s8:s32 --bia-dt=f32 --bia_mask=3 4x8:8x6_n\"x\"",
                    "--matmul --dt=u8:s8:s32 --wtag=ab 4x8:8x6_n\"x\"",
                    "--matmul --dt=u8:s8:s32 --wtag=ab --bia-dt=f32 4x8:8x6_n\"x\"",
                    "--matmul --dt=u8:s8:s32 --wtag=ab --bia-dt=f32 --bia_mask=3 4x8:8x6_n\"x\""}));
}

TEST(matmul_command_line, a_reproduction_reproduces) {
    expect_reproduction("matmul",
            {"--dt=bf16:bf16:f32", "--stag=ba", "--wtag=ab", "--dtag=ba", "--strides=8x1::6x1",
                    "--runtime_dims_masks=1:2", "--bia-dt=f32", "--attr-scales=wei:per_oc",
                    "--attr-post-ops=sum:0.5+relu+add:f32:per_oc", "--attr-fpmath=bf16:true",
                    "--impl=jit"},
            "4x8:8x6_n\"x\"");
}

TEST(matmul_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals("matmul", {
                                      {{"4x8"}, "the dims of src and of weights"},
                                      {{"4x8:7x6"}, "are expected as rows"},
                                      {{"4x8:2x8x6"}, "as many dimensions as src's"},
                                      {{"2x4x8:3x8x6"}, "along axes of the batch"},
                                      {{"--dt=f32:f32", "4x8:8x6"}, "--dt|SRC:WEIGHTS:DST"},
                              });
    expect_skipped(
            "matmul", {
                              {{"4x8:8x6"}, ""},
                              {{"--dt=f32:s4:f32", "4x8:8x6"}, ""},
                              {{"--dt=f4_e2m1:f4_e3m0:f32", "4x8:8x6"}, ""},
                              {{"--dt=f32:f32:f4_e2m1", "4x8:8x6"}, "Data type not supported"},
                              {{"--attr-scales=wei:per_ocic:e8m0:4x1", "4x8:8x6"}, ""},
                              {{"--attr-rounding-mode=dst:stochastic", "4x8:8x6"}, ""},
                              {{"--attr-post-ops=sum:1:0:s32", "4x8:8x6"}, ""},
                              {{"--runtime_dims_masks=1:0", "4x8:8x6"}, "format any"},
                              {{"--encoding=csr+0.9::", "4x8:8x6"}, "sparse"},
                              {{"--encoding=::", "4x8:8x6"}, ""},
                              {{"--grouped=0:2:2+2", "4x8:2x8x6"}, "grouped"},
                              {{"--attr-fpmath=", "4x8:8x6"}, ""},
                              {{"--attr-post-ops=relu:0.5:0:20", "4x8:8x6"}, ""},
                      });
}

TEST(ip_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("ip", {"--dir=FWD_B,BWD_D", "--mb=0,3", "mb4ic8ih7oc6n\"x\""})),
            (words_t{"--ip mb4ic8ih7iw7oc6n\"x\"", "--ip mb3ic8ih7iw7oc6n\"x\"",
                    "--ip --dir=BWD_D mb4ic8ih7iw7oc6n\"x\"",
                    "--ip --dir=BWD_D mb3ic8ih7iw7oc6n\"x\""}));
}

TEST(ip_command_line, a_reproduction_reproduces) {
    expect_reproduction("ip",
            {"--dir=BWD_WB", "--dt=bf16:bf16:f32", "--bia-dt=bf16", "--stag=axb", "--wtag=abx",
                    "--dtag=ba", "--attr-post-ops=relu", "--impl=jit"},
            "mb4ic8id2ih3iw4oc6n\"x\"");
}

TEST(ip_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals("ip", {
                                  {{"4x8"}, "is no piece of a shape"},
                                  {{"icoc4"}, "is no piece of a shape"},
                                  {{"--dir=FWD", "ic4oc4"}, "--dir|'FWD'"},
                          });
    expect_skipped("ip", {
                                 {{"ic4oc4"}, ""},
                                 {{"--dt=s4", "ic4oc4"}, "Data type not supported"},
                                 {{"--dt=f32:f4_e2m1:f32", "ic4oc4"}, "Data type not supported"},
                                 {{"--dir=BWD_D", "--attr-post-ops=relu", "ic4oc4"}, "backward"},
                         });
}

TEST(products_drivers, notice_a_wrong_element) {
    const std::pair<words_t, int> problems[] = {
            {{"--matmul", "33x20:20x70"}, DNNL_ARG_DST},
            {{"--matmul", "--dt=u8:s8:s32", "--bia-dt=f32", "33x20:20x70"}, DNNL_ARG_DST},
            {{"--matmul", "--dt=bf16:bf16:f32", "--attr-post-ops=relu:0.5", "33x20:20x70"},
                    DNNL_ARG_DST},
            {{"--matmul", "--dt=s8:s8:f32", "--attr-scales=wei:per_ocic:f32:4x1",
                     "--attr-zero-points=wei:common:3", "33x20:20x70"},
                    DNNL_ARG_DST},
            {{"--matmul", "--dt=f4_e2m1:f4_e3m0:f32", "33x20:20x70"}, DNNL_ARG_DST},
            {{"--matmul", "--dt=bf16:f4_e2m1:bf16", "--attr-scales=wei:per_ocic:e8m0:4x1",
                     "33x20:20x70"},
                    DNNL_ARG_DST},
            {{"--matmul", "--dt=u8:s8:s32", "--attr-zero-points=wei:per_ocic:s8:4x1",
                     "--attr-precomputed-reductions=src:per_tensor:s32:1x4", "33x20:20x70"},
                    DNNL_ARG_DST},
            {{"--ip", "mb33ic20oc70"}, DNNL_ARG_DST},
            {{"--ip", "--dir=BWD_D", "mb33ic70oc20"}, DNNL_ARG_DIFF_SRC},
            {{"--ip", "--dir=BWD_WB", "mb20ic70oc33"}, DNNL_ARG_DIFF_WEIGHTS},
            {{"--ip", "--dir=BWD_WB", "mb3ic2oc1000"}, DNNL_ARG_DIFF_BIAS},
    };
    for (const auto &[words, argument] : problems) {
        executed_problem_t executed(words);
        EXPECT_EQ(executed.verdict(), verdict_t::passed);
        tensor_t &output = executed.arguments.at(argument);
        output.store(777, output.load(777) + 1 + 0.02 * std::fabs(output.load(777)));
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << testing::PrintToString(words);
    }
}

// Each element may be either neighbour of its true value, and nothing else.
TEST(products_drivers, notice_a_wrong_element_that_was_rounded_at_random) {
    for (const char *dst : {"bf16", "f16", "f8_e5m2", "f8_e4m3"}) {
        executed_problem_t executed({"--matmul", std::string("--dt=f32:f32:") + dst,
                "--attr-rounding-mode=dst:stochastic:7", "33x20:20x70"});
        EXPECT_EQ(executed.verdict(), verdict_t::passed) << dst;
        tensor_t &output = executed.arguments.at(DNNL_ARG_DST);
        output.store(777, output.load(777) + 8);
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << dst;
    }
}

// Where the library may round factors, too.
TEST(products_drivers, notice_a_wrong_factor_of_long_sums) {
    const words_t problems[] = {
            {"--matmul", "--dt=bf16:s8:bf16", "--attr-fpmath=bf16:true", "1x4096:4096x64"},
            {"--matmul", "--dt=bf16:u4:f32", "--attr-fpmath=bf16:true", "--wtag=ab",
                    "--attr-scales=wei:per_ocic:f16:32x1",
                    "--attr-zero-points=wei:per_ocic:u4:32x1", "1x4096:4096x64"},
            {"--matmul", "--dt=f32:s4:f32", "--attr-fpmath=any:true",
                    "--attr-scales=wei:per_ocic:f32:64x1", "3x4096:4096x64"},
            {"--matmul", "--attr-fpmath=bf16", "4x1024:1024x64"},
            {"--matmul", "--dt=bf16:bf16:f32", "4x4096:4096x64"},
            {"--ip", "mb3ic4096oc64"},
    };
    for (const words_t &words : problems) {
        executed_problem_t executed(words);
        EXPECT_EQ(executed.verdict(), verdict_t::passed) << testing::PrintToString(words);
        tensor_t &src = executed.arguments.at(DNNL_ARG_SRC);
        src.store(100, src.load(100) + 0.5);
        EXPECT_EQ(executed.verdict(), verdict_t::failed) << testing::PrintToString(words);
    }
}

} // namespace

} // namespace benchdnn
