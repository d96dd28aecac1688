// SPDX-License-Identifier: Apache-2.0
// The drivers of elementwise functions, binary operations, PReLU, shuffles, softmax, sums and
// concatenations: their command lines, the reference's derivatives, and corrupted results that they
// must notice.
#include <cmath>

#include "command_lines.hpp"
#include "eltwise/reference.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

TEST(eltwise_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("eltwise",
                      {"--dir=FWD_D,BWD_D", "--alg=relu,exp_dst", "--alpha=0,2", "4x8_n\"x\""})),
            (words_t{"--eltwise 4x8_n\"x\"", "--eltwise --alpha=2 4x8_n\"x\"",
                    "--eltwise --alg=exp_dst 4x8_n\"x\"",
                    "--eltwise --alg=exp_dst --alpha=2 4x8_n\"x\"",
                    "--eltwise --dir=BWD_D 4x8_n\"x\"",
                    "--eltwise --dir=BWD_D --alpha=2 4x8_n\"x\"",
                    "--eltwise --dir=BWD_D --alg=exp_dst 4x8_n\"x\"",
                    "--eltwise --dir=BWD_D --alg=exp_dst --alpha=2 4x8_n\"x\""}));
    EXPECT_EQ(lines_of(with_driver("eltwise", {"--mb=3", "4x8"})), words_t{"--eltwise 3x8"});
}

TEST(eltwise_command_line, a_reproduction_reproduces) {
    expect_reproduction("eltwise",
            {"--dir=BWD_D", "--dt=bf16", "--tag=axb", "--alg=gelu_erf", "--alg=srelu", "--alg=tanh",
                    "--alpha=2", "--beta=-1", "--inplace=true", "--attr-post-ops=add:f32:per_oc",
                    "--attr-scratchpad=user", "--impl=jit"},
            "2x4x8_n\"x\"");
}

TEST(eltwise_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals(
            "eltwise", {
                               {{"--alg=add", "4x8"}, "--alg|'add'|one of"},
                               {{"--alg=rely", "4x8"}, "did you mean relu"},
                               {{"--tag=abc", "4x8"}, "an axis that the tensor does not have"},
                       });
    expect_skipped(
            "eltwise", {
                               {{"4x8"}, ""},
                               {{"--dt=s4", "4x8"}, "Data type not supported"},
                               {{"--alg=clip", "--alpha=1", "4x8"}, "beta below alpha"},
                               {{"--alg=relu_dst", "--alpha=-1", "4x8"}, "a negative alpha"},
                               {{"--alg=round", "--dt=bf16", "4x8"}, "round is for f32"},
                               {{"--alg=exp", "--dt=s8", "4x8"}, "of integers there are"},
                               {{"--dir=BWD_D", "--dt=s8", "4x8"}, "of integers there are"},
                               {{"--attr-post-ops=relu", "4x8"}, "only binary and prelu post-ops"},
                       });
}

TEST(binary_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("binary", {"--sdt=f32:s8,u8", "--stag=abx:any,axb",
                                                     "--alg=add,select", "4x8:1x8_n\"x\""})),
            (words_t{"--binary --sdt=f32:s8 4x8:1x8_n\"x\"",
                    "--binary --sdt=f32:s8 --alg=select 4x8:1x8_n\"x\"",
                    "--binary --sdt=f32:s8 --stag=axb:axb 4x8:1x8_n\"x\"",
                    "--binary --sdt=f32:s8 --stag=axb:axb --alg=select 4x8:1x8_n\"x\"",
                    "--binary --sdt=u8:u8 4x8:1x8_n\"x\"",
                    "--binary --sdt=u8:u8 --alg=select 4x8:1x8_n\"x\"",
                    "--binary --sdt=u8:u8 --stag=axb:axb 4x8:1x8_n\"x\"",
                    "--binary --sdt=u8:u8 --stag=axb:axb --alg=select 4x8:1x8_n\"x\""}));
}

TEST(binary_command_line, absent_extents_at_the_end_are_1) {
    EXPECT_EQ(lines_of(with_driver("binary", {"5x3x2:5"})), words_t{"--binary 5x3x2:5x1x1"});
}

TEST(binary_command_line, a_reproduction_reproduces) {
    expect_reproduction("binary",
            {"--sdt=bf16:s8", "--ddt=u8", "--stag=axb:abx", "--dtag=abx", "--strides=::32x8x1",
                    "--alg=mul", "--alg=ge", "--attr-scales=src:common:0.5+src1:common:2",
                    "--attr-post-ops=sum:0.5+relu+add:f32:per_oc", "--inplace=true", "--impl=jit"},
            "2x3x8:1x3x1_n\"x\"");
}

TEST(binary_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals(
            "binary", {
                              {{"4x8"}, "the dims of src_0 and of src_1"},
                              {{"4x8:4x2"}, "each extent must be that of src_0, or one be 1"},
                              {{"--alg=relu", "4x8:4x8"}, "--alg|'relu'|one of"},
                              {{"--strides=8x1", "4x8:4x8"}, "--strides|SRC_0:SRC_1:DST"},
                              {{"--sdt=f32:f32:f32", "4x8:4x8"}, "--sdt|SRC_0:SRC_1"},
                      });
    expect_skipped("binary",
            {
                    {{"4x8:4x8"}, ""},
                    {{"--ddt=s4", "4x8:4x8"}, "Data type not supported"},
                    {{"--attr-scales=dst:common:2", "4x8:4x8"}, "not src_0 or src_1"},
                    {{"--attr-scales=src:per_oc", "4x8:4x8"}, "more than one scale"},
                    {{"--inplace=true", "1x8:4x8"}, "in place with different"},
                    {{"--inplace=true", "--attr-post-ops=sum", "4x8:4x8"}, "a sum in place"},
                    {{"--attr-post-ops=prelu:per_oc", "4x8:4x8"}, ""},
                    {{"--attr-post-ops=dw:k3s1p1", "4x8:4x8"}, "dw"},
            });
}

TEST(prelu_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("prelu", {"--dir=FWD_D,BWD_DW", "--sdt=f32:f32,s8",
                                                    "--stag=abx:any,axb:abx", "4x8:1x8_n\"x\""})),
            (words_t{"--prelu 4x8:1x8_n\"x\"", "--prelu --stag=axb:abx 4x8:1x8_n\"x\"",
                    "--prelu --sdt=s8:s8 4x8:1x8_n\"x\"",
                    "--prelu --sdt=s8:s8 --stag=axb:abx 4x8:1x8_n\"x\"",
                    "--prelu --dir=BWD_DW 4x8:1x8_n\"x\"",
                    "--prelu --dir=BWD_DW --stag=axb:abx 4x8:1x8_n\"x\"",
                    "--prelu --dir=BWD_DW --sdt=s8:s8 4x8:1x8_n\"x\"",
                    "--prelu --dir=BWD_DW --sdt=s8:s8 --stag=axb:abx 4x8:1x8_n\"x\""}));
}

TEST(prelu_command_line, a_reproduction_reproduces) {
    expect_reproduction("prelu",
            {"--dir=BWD_DW", "--sdt=bf16:f32", "--stag=axb:abx", "--attr-scratchpad=user",
                    "--impl=jit"},
            "2x3x8:1x3x1_n\"x\"");
}

TEST(prelu_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals("prelu", {
                                     {{"4x8"}, "the dims of src and of weights"},
                                     {{"4x8:4x2"}, "each extent of weights must be 1 or"},
                                     {{"1x8:4x8"}, "each extent of weights must be 1 or"},
                                     {{"--sdt=f32:f32:f32", "4x8:4x8"}, "--sdt|SRC:WEIGHTS"},
                                     {{"--stag=abx", "4x8:4x8"}, "--stag|SRC:WEIGHTS"},
                             });
    expect_skipped("prelu", {
                                    {{"4x8:1x8"}, ""},
                                    {{"--sdt=s4", "4x8:1x8"}, "Data type not supported"},
                                    {{"--attr-post-ops=relu", "4x8:1x8"}, "post-ops"},
                            });
}

TEST(shuffle_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("shuffle",
                      {"--dt=f32,s8", "--tag=abx,axb", "--group=2", "--axis=1,2", "4x8x6_n\"x\""})),
            (words_t{"--shuffle --group=2 4x8x6_n\"x\"",
                    "--shuffle --group=2 --axis=2 4x8x6_n\"x\"",
                    "--shuffle --tag=axb --group=2 4x8x6_n\"x\"",
                    "--shuffle --tag=axb --group=2 --axis=2 4x8x6_n\"x\"",
                    "--shuffle --dt=s8 --group=2 4x8x6_n\"x\"",
                    "--shuffle --dt=s8 --group=2 --axis=2 4x8x6_n\"x\"",
                    "--shuffle --dt=s8 --tag=axb --group=2 4x8x6_n\"x\"",
                    "--shuffle --dt=s8 --tag=axb --group=2 --axis=2 4x8x6_n\"x\""}));
}

TEST(shuffle_command_line, a_reproduction_reproduces) {
    expect_reproduction("shuffle",
            {"--dir=BWD_D", "--dt=bf16", "--tag=axb", "--group=4", "--axis=2",
                    "--attr-scratchpad=user", "--impl=jit"},
            "2x4x8_n\"x\"");
}

TEST(shuffle_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals("shuffle", {
                                       {{"--axis=2", "4x8"}, "the axis must be one of the 2"},
                                       {{"--group=3", "4x8"}, "the group must divide"},
                                       {{"--tag=abc", "4x8"}, "an axis that the tensor does not"},
                               });
    expect_skipped("shuffle", {
                                      {{"--group=2", "4x8"}, ""},
                                      {{"--dt=s4", "4x8"}, "Data type not supported"},
                                      {{"--attr-post-ops=relu", "4x8"}, "post-ops"},
                              });
}

TEST(softmax_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("softmax", {"--dir=FWD_D,BWD_D", "--alg=softmax,logsoftmax",
                                                      "--axis=0,1", "4x8_n\"x\""})),
            (words_t{"--softmax --axis=0 4x8_n\"x\"", "--softmax 4x8_n\"x\"",
                    "--softmax --alg=logsoftmax --axis=0 4x8_n\"x\"",
                    "--softmax --alg=logsoftmax 4x8_n\"x\"",
                    "--softmax --dir=BWD_D --axis=0 4x8_n\"x\"", "--softmax --dir=BWD_D 4x8_n\"x\"",
                    "--softmax --dir=BWD_D --alg=logsoftmax --axis=0 4x8_n\"x\"",
                    "--softmax --dir=BWD_D --alg=logsoftmax 4x8_n\"x\""}));
    EXPECT_EQ(lines_of(with_driver("softmax", {"--mb=0,3", "--inplace=false,true", "4x8"})),
            (words_t{"--softmax 4x8", "--softmax --inplace=true 4x8", "--softmax 3x8",
                    "--softmax --inplace=true 3x8"}));
    EXPECT_EQ(lines_of(with_driver("softmax", {"--alg=SOFTMAX,softmax_log", "4x8"})),
            (words_t{"--softmax 4x8", "--softmax --alg=logsoftmax 4x8"}));
}

TEST(softmax_command_line, a_reproduction_reproduces) {
    expect_reproduction("softmax",
            {"--dir=BWD_D", "--sdt=bf16", "--ddt=u8", "--stag=axb", "--dtag=abx",
                    "--alg=logsoftmax", "--axis=2", "--inplace=true",
                    "--attr-scales=dst:common:0.5", "--attr-post-ops=relu+add:f32:per_oc",
                    "--attr-scratchpad=user", "--impl=jit"},
            "2x4x8_n\"x\"");
}

TEST(softmax_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals(
            "softmax", {
                               {{"--axis=2", "4x8"}, "the axis must be one of the 2"},
                               {{"--alg=relu", "4x8"}, "--alg|'relu'|one of"},
                               {{"--alg=logsoftmux", "4x8"}, "did you mean logsoftmax"},
                               {{"--stag=abc", "4x8"}, "an axis that the tensor does not have"},
                               {{"--dtag=abc", "4x8"}, "an axis that the tensor does not have"},
                               {{"--mb=-1", "4x8"}, "--mb"},
                       });
    expect_skipped("softmax", {
                                      {{"4x8"}, ""},
                                      {{"--sdt=s4", "4x8"}, "Data type not supported"},
                                      {{"--attr-post-ops=sum", "4x8"}, "sum or dw"},
                                      {{"--attr-post-ops=dw:k3s1p1", "4x8"}, "sum or dw"},
                                      {{"--inplace=true", "--ddt=bf16", "4x8"}, "unlike sizes"},
                              });
}

TEST(sum_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("sum", {"--sdt=f32:s8,u8:u8:u8", "--dtag=undef,any",
                                                  "--scales=1,0.5", "4x8_n\"x\""})),
            (words_t{"--sum --sdt=f32:s8 4x8_n\"x\"", "--sum --sdt=f32:s8 --scales=0.5 4x8_n\"x\"",
                    "--sum --sdt=f32:s8 --dtag=any 4x8_n\"x\"",
                    "--sum --sdt=f32:s8 --dtag=any --scales=0.5 4x8_n\"x\"",
                    "--sum --sdt=u8:u8:u8 4x8_n\"x\"",
                    "--sum --sdt=u8:u8:u8 --scales=0.5 4x8_n\"x\"",
                    "--sum --sdt=u8:u8:u8 --dtag=any 4x8_n\"x\"",
                    "--sum --sdt=u8:u8:u8 --dtag=any --scales=0.5 4x8_n\"x\""}));
}

TEST(sum_command_line, a_reproduction_reproduces) {
    expect_reproduction("sum",
            {"--sdt=bf16:s8", "--ddt=bf16", "--stag=axb:abx", "--dtag=axb", "--scales=0.25:-2",
                    "--inplace=true", "--attr-scratchpad=user", "--impl=jit"},
            "2x3x8_n\"x\"");
}

TEST(sum_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals("sum", {
                                   {{"--scales=1:2:3", "4x8"}, "one for each of the 2 sources"},
                                   {{"--stag=abx:axb:abx", "4x8"}, "one for each of the 2 sources"},
                                   {{"--stag=abc", "4x8"}, "an axis that the tensor does not"},
                           });
    expect_skipped(
            "sum", {
                           {{"4x8"}, ""},
                           {{"--sdt=f32:s4", "4x8"}, "Data type not supported"},
                           {{"--inplace=true", "--ddt=s8", "4x8"}, "in place with different"},
                   });
}

TEST(concat_command_line, lists_make_the_cross_product_in_order) {
    EXPECT_EQ(lines_of(with_driver("concat",
                      {"--sdt=f32,s8", "--stag=abx:axb,axb", "--axis=0,1", "4x8:4x8_n\"x\""})),
            (words_t{"--concat --stag=abx:axb --axis=0 4x8:4x8_n\"x\"",
                    "--concat --stag=abx:axb 4x8:4x8_n\"x\"",
                    "--concat --stag=axb --axis=0 4x8:4x8_n\"x\"",
                    "--concat --stag=axb 4x8:4x8_n\"x\"",
                    "--concat --sdt=s8 --stag=abx:axb --axis=0 4x8:4x8_n\"x\"",
                    "--concat --sdt=s8 --stag=abx:axb 4x8:4x8_n\"x\"",
                    "--concat --sdt=s8 --stag=axb --axis=0 4x8:4x8_n\"x\"",
                    "--concat --sdt=s8 --stag=axb 4x8:4x8_n\"x\""}));
}

TEST(concat_command_line, a_reproduction_reproduces) {
    expect_reproduction("concat",
            {"--sdt=bf16", "--ddt=s8", "--stag=axb:abx", "--dtag=axb", "--axis=2",
                    "--attr-scales=msrc0:common:0.5+msrc1:common:2", "--attr-scratchpad=user",
                    "--impl=jit"},
            "2x3x8:2x3x8_n\"x\"");
}

TEST(concat_command_line, what_makes_no_sense_is_refused_or_skipped) {
    expect_refusals("concat", {
                                      {{"--axis=2", "4x8:4x8"}, "the axis must be one of the 2"},
                                      {{"4x8:5x8"}, "the same but for that of axis 1"},
                                      {{"4x8:4"}, "the same but for that of axis 1"},
                                      {{"--stag=abx:axb", "4x8"}, "one for each of the 1 sources"},
                              });
    expect_skipped("concat", {
                                     {{"4x8:4x3"}, ""},
                                     {{"--sdt=s4", "4x8"}, "Data type not supported"},
                                     {{"--attr-scales=msrc2:common:2", "4x8:4x8"}, "not a source"},
                                     {{"--attr-scales=msrc0:per_oc", "4x8"}, "more than one scale"},
                             });
}

TEST(eltwise_reference, has_the_derivatives_of_its_functions) {
    const auto value = [](dnnl_alg_kind_t algorithm, double x, double alpha = 0, double beta = 0) {
        return eltwise::slope_estimate(algorithm, x, alpha, beta).value;
    };
    EXPECT_EQ(value(dnnl_eltwise_relu, -1, 0.5), 0.5);
    EXPECT_EQ(value(dnnl_eltwise_square, 3), 6);
    EXPECT_EQ(value(dnnl_eltwise_pow, 4, 3, 0.5), 0.75);
    EXPECT_EQ(value(dnnl_eltwise_tanh_use_dst_for_bwd, 0.5), 0.75);
    EXPECT_EQ(value(dnnl_eltwise_logistic, 0), 0.25);
    EXPECT_EQ(value(dnnl_eltwise_clip_v2, 1, -1, 1), 0);
    EXPECT_EQ(value(dnnl_eltwise_clip, 1, -1, 1), 1);
    EXPECT_NEAR(value(dnnl_eltwise_gelu_erf, 0), 0.5, 1e-15);
    EXPECT_NEAR(value(dnnl_eltwise_mish, 0), 0.6, 1e-15);
    EXPECT_NEAR(value(dnnl_eltwise_soft_relu, 1, 2), 1 / (1 + std::exp(-2.)), 1e-15);
}

TEST(elementwise_drivers, notice_a_wrong_element) {
    const std::pair<words_t, int> problems[] = {
            {{"--eltwise", "--alg=gelu_erf", "33x70"}, DNNL_ARG_DST},
            {{"--eltwise", "--dir=BWD_D", "--alg=tanh_dst", "33x70"}, DNNL_ARG_DIFF_SRC},
            {{"--eltwise", "--dt=s8", "--alg=linear", "--alpha=0.5", "33x70"}, DNNL_ARG_DST},
            {{"--binary", "--alg=div", "33x70:1x70"}, DNNL_ARG_DST},
            {{"--binary", "--alg=select", "--sdt=bf16:u8", "--attr-scales=src1:common:0.5",
                     "33x70:33x1"},
                    DNNL_ARG_DST},
            {{"--shuffle", "--group=5", "33x70"}, DNNL_ARG_DST},
            {{"--prelu", "33x70:1x70"}, DNNL_ARG_DST},
            {{"--prelu", "--dir=BWD_DW", "33x70:33x1"}, DNNL_ARG_DIFF_SRC},
            {{"--prelu", "--dir=BWD_DW", "33x1000:33x1000"}, DNNL_ARG_DIFF_WEIGHTS},
            {{"--eltwise", "--alg=linear", "--alpha=1", "--attr-post-ops=prelu:per_oc", "33x70"},
                    DNNL_ARG_DST},
            {{"--shuffle", "--dir=BWD_D", "--dt=s8", "--group=5", "33x70"}, DNNL_ARG_DIFF_SRC},
            {{"--softmax", "33x70"}, DNNL_ARG_DST},
            {{"--softmax", "--alg=logsoftmax", "--axis=0", "33x70"}, DNNL_ARG_DST},
            {{"--softmax", "--ddt=u8", "--attr-scales=dst:common:0.0078125", "33x70"},
                    DNNL_ARG_DST},
            {{"--softmax", "--dir=BWD_D", "--sdt=bf16", "--ddt=bf16", "33x70"}, DNNL_ARG_DIFF_SRC},
            {{"--softmax", "--dir=BWD_D", "--alg=logsoftmax", "33x70"}, DNNL_ARG_DIFF_SRC},
            {{"--sum", "--sdt=f32:bf16:s8", "--scales=1:2:0.5", "33x70"}, DNNL_ARG_DST},
            {{"--concat", "--sdt=bf16", "33x60:33x10"}, DNNL_ARG_DST},
            {{"--concat", "--axis=0", "--attr-scales=msrc1:common:0.5", "3x70:30x70"},
                    DNNL_ARG_DST},
    };
    for (const auto &[words, argument] : problems) {
        executed_problem_t executed(words);
        EXPECT_EQ(executed.verdict(), verdict_t::passed);
        tensor_t &output = executed.arguments.at(argument);
        output.store(777, output.load(777) * 1.02 + 1);
        EXPECT_EQ(executed.verdict(), verdict_t::failed);
    }
}

} // namespace

} // namespace benchdnn
