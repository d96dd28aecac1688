// SPDX-License-Identifier: Apache-2.0
// Softmax of blocked layouts, mostly forward: blocks of the axis and of others, padding,
// attributes, parts of tensors.
#include "softmax/softmax_case.hpp"

namespace kiln::test::softmax {

namespace {

TEST(softmax, keeps_the_padding_of_blocked_layouts_zero) {
    for (const char *format : {"aBcd8b", "aBcd16b", "ABcd16b16a"})
        for (const int axis : {0, 1, 2}) {
            problem_t problem{{3, 11, 2, 5}, axis};
            problem.src_format = format;
            problem.post_ops = {{dnnl_eltwise_linear, 1, 1}};
            expect_right(problem);
        }
}

// A tile of columns holds whole blocks; a line ends within a vector or a tile.
TEST(softmax, reduces_blocks_of_the_axis) {
    for (const bool is_forward : {true, false})
        for (const bool is_log : softmax_and_log)
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
                for (const char *format : {"aBc4b", "aBc8b", "aBc16b", "aBc32b"})
                    for (const dnnl_dim_t channels : {32, 64, 96, 1024})
                        for (const dnnl_dim_t width : {1, 3, 9}) {
                            problem_t problem{{2, channels, width}, 1, is_log, is_forward};
                            problem.src_type = problem.dst_type = type;
                            problem.src_format = problem.dst_format = format;
                            problem.in_place = width == 9;
                            expect_right(problem);
                        }
}

// The last block of the axis is padded, or the only one is.
TEST(softmax, reduces_padded_blocks_of_the_axis) {
    for (const bool is_forward : {true, false})
        for (const bool is_log : softmax_and_log)
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
                for (const char *format : {"aBc4b", "aBc8b", "aBc16b", "aBc32b"})
                    for (const dnnl_dim_t channels : {1, 3, 5, 21, 31, 33, 100, 255, 257})
                        for (const dnnl_dim_t width : {1, 3, 9}) {
                            problem_t problem{{2, channels, width}, 1, is_log, is_forward};
                            problem.src_type = problem.dst_type = type;
                            problem.src_format = problem.dst_format = format;
                            problem.in_place = width == 9;
                            if (is_forward && width == 3)
                                problem.post_ops = {{dnnl_eltwise_linear, 2, 0.5f}};
                            expect_right(problem);
                        }
}

// Blocks of the axis that other blocks lie in.
TEST(softmax, takes_blocks_within_blocks) {
    for (const bool is_forward : {true, false})
        for (const bool is_log : softmax_and_log)
            for (const char *format :
                    {"ABc16a16b", "ABc16b16a", "BAc16a16b", "ABc4b16a4b", "ABc8b16a2b"})
                for (const int axis : {0, 1, 2}) {
                    problem_t problem{{32, 48, 3}, axis, is_log, is_forward};
                    problem.src_format = problem.dst_format = format;
                    expect_right(problem);
                }
}

// A tensor of a post-op that is blocked along the axis.
TEST(softmax, applies_post_ops_of_blocked_tensors) {
    for (const char *format : {"aBc16b", "ABc16a16b", "BAc16a16b"})
        for (const char *data : {"abc", "acb", "aBc16b"})
            for (const int axis : {0, 1}) {
                problem_t problem{{32, 48, 3}, axis};
                problem.src_format = problem.dst_format = data;
                problem.post_ops = {{.alg = dnnl_binary_mul, .mask = 7, .format = format}};
                expect_right(problem);
            }
}

TEST(softmax, applies_attributes_to_blocks_of_the_axis) {
    for (const bool is_log : softmax_and_log)
        for (const char *format : {"aBc8b", "aBc16b"})
            for (const auto type : {dnnl_f32, dnnl_u8})
                for (const int mask : {0, 2, 4, 7}) {
                    problem_t problem{{2, 48, 5}, 1, is_log};
                    problem.src_format = problem.dst_format = format;
                    problem.src_type = dnnl_s8;
                    problem.dst_type = type;
                    problem.src_scale = scale_attr_t{2.5};
                    if (type == dnnl_u8) problem.dst_scale = scale_attr_t{0.0078125};
                    problem.post_ops = {{dnnl_eltwise_linear, 2, 0.5f},
                            {.alg = dnnl_binary_mul, .mask = mask, .type = dnnl_f32}};
                    expect_right(problem);
                }
}

// Parts of a blocked tensor.
TEST(softmax, takes_parts_of_blocked_tensors) {
    for (const char *format : {"aBcd8b", "aBcd16b"})
        for (const dnnl_dim_t channels : {1, 8, 11, 32})
            for (const int axis : {1, 2})
                for (const std::string &part : part_formats({2, channels, 5, 3}, format)) {
                    problem_t problem{{2, channels, 5, 3}, axis};
                    problem.src_format = part;
                    problem.dst_format = "abcd";
                    expect_right(problem);
                }
}

} // namespace

} // namespace kiln::test::softmax
