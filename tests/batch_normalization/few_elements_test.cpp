// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels that are innermost, alone or in blocks, and have few elements:
// columns that one kernel finishes, against the model.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "normalization/case.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test::normalization {

namespace {

constexpr const char *channels_last[]{"", "", "ab", "acb", "acdb", "acdeb"};

problem_t of_size(const dims_t &dims, dnnl_prop_kind_t prop_kind, unsigned flags) {
    problem_t problem;
    problem.operation = operation_t::batch;
    problem.prop_kind = prop_kind;
    problem.dims = dims;
    problem.flags = flags;
    problem.set_formats(channels_last[dims.size()]);
    return problem;
}

const dims_t shapes[]{{1, 2}, {1, 832}, {64, 17}, {32, 1024}, {7, 65, 5}, {1, 130, 1, 1},
        {2, 48, 3, 4}, {1, 100, 8, 8}, {3, 33, 2, 2, 2}};

constexpr dnnl_prop_kind_t directions[]{
        dnnl_forward_training, dnnl_forward_inference, dnnl_backward, dnnl_backward_data};

std::vector<unsigned> flag_sets() {
    std::vector<unsigned> sets = all_flags();
    sets.push_back(relu);
    sets.push_back(scale | shift | relu);
    return sets;
}

TEST(channels_of_few_elements, are_right_for_all_shapes_flags_and_types) {
    for (const dims_t &dims : shapes)
        for (const auto prop_kind : directions)
            for (const unsigned flags : flag_sets())
                for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16})
                    for (const auto placement :
                            {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                        auto problem = of_size(dims, prop_kind, flags);
                        problem.set_types(type);
                        problem.placement = placement;
                        EXPECT_TRUE(is_right(problem));
                    }
}

// The kernel takes a channel's pivot from steps 0, 31 and 63.
TEST(channels_of_few_elements, may_have_samples_that_are_far_from_their_mean) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const int64_t distance : {2, 100, 8192}) {
            auto problem = of_size({4, 100, 4, 4}, dnnl_forward_training, scale | shift);
            problem.set_types(type);
            for_each_case(problem, [&](case_t &forward) {
                std::vector<double> src;
                for (int64_t n = 0; n < 4; ++n)
                    for (int64_t channel = 0; channel < 100; ++channel)
                        for (int64_t pixel = 0; pixel < 16; ++pixel) {
                            const int64_t step = n * 16 + pixel;
                            // Of each fourth channel no sample is far, of the others one to three
                            // are.
                            const int64_t far_samples = channel % 4;
                            const bool is_far = (step == 0 && far_samples > 0)
                                                || (step == 31 && far_samples > 1)
                                                || (step == 63 && far_samples > 2);
                            src.push_back(double(step * channel % 7 - 3 + (is_far ? distance : 0)));
                        }
                forward.set_src(src);
                ASSERT_EQ(forward.execute(), dnnl_success);
                EXPECT_TRUE(forward.is_right());
            });
        }
}

// Differences from the pivot, which is a sample, have one sign, so that their sum grows with every
// step.
TEST(channels_of_few_elements, keep_the_precision_of_means_whose_samples_are_distant) {
    for (const std::string format : {"abcd", "acdb", "aBcd16b"}) {
        auto problem = of_size({64, 64, 7, 7}, dnnl_forward_training, 0);
        problem.set_formats(format);
        for_each_case(problem, [&](case_t &forward) {
            constexpr int64_t channels = 64, plane = 49, steps = 64 * plane;
            random_values_t random(3);
            std::vector<double> src, means(channels);
            for (int64_t at = 0; at < channels * steps; ++at) {
                const int64_t channel = at / plane % channels;
                const int64_t step = at / plane / channels * plane + at % plane;
                const bool is_sample = step == 0 || step == (steps - 1) / 2 || step == steps - 1;
                src.push_back(is_sample ? 1 : rounded(dnnl_f32, random.between(-1, 1)));
                means[static_cast<size_t>(channel)] += src.back() / steps;
            }
            forward.set_src(src);
            ASSERT_EQ(forward.execute(), dnnl_success);
            const auto computed = forward.tensor(DNNL_ARG_MEAN).values();
            double worst = 0;
            for (size_t i = 0; i < means.size(); ++i)
                worst = std::max(worst, std::abs(computed[i] - means[i]));
            EXPECT_LE(worst, 0x1p-23) << forward.name();
        });
    }
}

TEST(channels_of_few_elements, may_lie_in_wider_rows) {
    for (const std::string format : {"acdb+3", "acdb+16"})
        for (const auto prop_kind : directions) {
            auto problem = of_size({2, 35, 3, 4}, prop_kind, scale | shift);
            problem.set_formats(format);
            EXPECT_TRUE(is_right(problem));
        }
}

struct blocked_t {
    dims_t dims;
    std::string format;
};

const blocked_t in_blocks[]{{{3, 64, 1}, "aBc16b"}, {{2, 48, 3, 4}, "aBcd16b"},
        {{1, 37, 5, 5}, "aBcd16b"}, {{2, 363, 2, 2, 2}, "aBcde16b"}, {{3, 100, 7}, "aBc8b"},
        {{20, 83, 3, 1}, "aBcd16b"}, {{2, 35, 9, 9}, "aBcd8b"}, {{2, 70, 3, 3}, "aBcd32b"}};

TEST(channels_of_few_elements, are_right_in_blocks) {
    for (const auto &[dims, format] : in_blocks)
        for (const auto prop_kind : directions)
            for (const unsigned flags : {0u, unsigned(scale | shift), unsigned(scale | relu),
                         unsigned(global_stats | shift), unsigned(global_stats | scale | relu)})
                for (const auto type : {dnnl_f32, dnnl_bf16}) {
                    auto problem = of_size(dims, prop_kind, flags);
                    problem.set_formats(format);
                    problem.set_types(type);
                    problem.placement = type == dnnl_f32 ? placement_t::ends_at_guard
                                                         : placement_t::begins_at_guard;
                    EXPECT_TRUE(is_right(problem));
                }
}

// Threads share the steps of a block: samples of the first shape, elements of the second.
TEST(channels_of_few_elements, are_right_in_few_large_blocks) {
    for (const dims_t &dims : {dims_t{6, 20, 37, 37}, dims_t{15, 4, 31, 31}})
        for (const unsigned flags :
                {unsigned(global_stats | scale | shift), unsigned(global_stats | scale | relu)}) {
            auto problem = of_size(dims, dnnl_forward_inference, flags);
            problem.set_formats("aBcd16b");
            problem.placement = placement_t::ends_at_guard;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(channels_of_few_elements, may_have_post_ops_in_blocks) {
    for (const auto &[dims, format] : in_blocks) {
        auto problem = of_size(dims, dnnl_forward_training, scale | shift);
        problem.set_formats(format);
        problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3}};
        EXPECT_TRUE(is_right(problem));
    }
}

// Their tiles have several parts, of which the last may be narrow.
TEST(channels_of_few_elements, may_be_whole_pages_apart) {
    for (const dims_t &dims : {dims_t{9, 1024}, dims_t{1, 1024, 5, 5}})
        for (const auto prop_kind : directions)
            for (const unsigned flags :
                    {0u, unsigned(scale | shift | relu), unsigned(global_stats | scale)})
                for (const auto type : {dnnl_f32, dnnl_bf16}) {
                    auto problem = of_size(dims, prop_kind, flags);
                    problem.set_types(type);
                    problem.placement = placement_t::ends_at_guard;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(channels_of_few_elements, may_be_whole_pages_apart_in_wider_rows) {
    for (const int64_t channels : {40, 77, 300, 500}) {
        const std::string format = "acdb+" + std::to_string(1024 - channels);
        for (const auto prop_kind : directions) {
            auto problem = of_size({2, channels, 3, 4}, prop_kind, scale | shift);
            problem.set_formats(format);
            EXPECT_TRUE(is_right(problem));
        }
    }
}

// Tiles of them fit into a second-level cache, of plain tensors into a small part of it.
TEST(channels_of_few_elements, are_as_few_as_fit_into_caches) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (const auto prop_kind : directions) {
        const auto first = [&](const dims_t &dims, const std::string &format, unsigned flags = 0) {
            auto problem = of_size(dims, prop_kind, flags);
            problem.set_formats(format);
            return implementations(problem).front();
        };
        EXPECT_EQ(first({32, 96}, "ab"), "jit:columns");
        EXPECT_EQ(first({2, 96, 4, 4}, "acdb"), "jit:columns");
        EXPECT_EQ(first({4096, 96}, "ab"), "jit:channel_columns");
        EXPECT_EQ(first({32, 1024}, "ab"), "jit:columns");
        EXPECT_EQ(first({6, 90, 4, 4}, "aBcd16b"), "jit:columns");
        EXPECT_EQ(first({64, 96, 32, 32}, "aBcd16b"), "jit:channel_columns");
        if (prop_kind == dnnl_backward || prop_kind == dnnl_backward_data) continue;
        EXPECT_EQ(first({2, 96, 4, 4}, "acdb", relu), "jit:columns");
        EXPECT_EQ(first({2, 96, 4, 4}, "acdb", add_relu), "jit:channel_columns");
        EXPECT_EQ(first({8, 1024, 7, 7}, "acdb", global_stats), "jit:columns");
        EXPECT_EQ(first({32, 1024, 7, 7}, "acdb", global_stats), "jit:channel_columns");
    }
}

} // namespace

} // namespace kiln::test::normalization
