// SPDX-License-Identifier: Apache-2.0
// Every rank, in plain, permuted, pitched and blocked layouts, the operands laid out alike and
// unlike.
#include "normalization/operation_test.hpp"

namespace kiln::test::normalization {

namespace {

/// The axes in memory order: as they are, the normalized one outermost, and all reversed.
std::vector<std::string> orders(size_t ndims) {
    std::string plain;
    for (size_t axis = 0; axis < ndims; ++axis) plain += static_cast<char>('a' + axis);
    return {plain, plain.back() + plain.substr(0, ndims - 1),
            std::string(plain.rbegin(), plain.rend()), plain + "+3", plain + "*2"};
}

const std::vector<dims_t> layer_shapes{
        {1, 1},
        {1, 17},
        {5, 1},
        {3, 10},
        {7, 16},
        {4, 33},
        {2, 1000},
        {3, 4099},
        {130, 64},
        {1, 1, 5},
        {3, 4, 15},
        {2, 3, 2, 9},
        {2, 1, 3, 2, 31},
        {2, 2, 1, 2, 3, 8},
        {2, 1, 2, 2, 1, 2, 7},
        {1, 2, 1, 2, 1, 2, 2, 18},
        {2, 1, 2, 1, 2, 1, 2, 1, 6},
        {1, 2, 1, 2, 1, 2, 1, 2, 1, 5},
        {2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 4},
        {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3},
};

struct blocked_t {
    dims_t dims;
    std::string format;
};

// One dimension a block fills exactly, one it does not; outer axes and the normalized one.
const std::vector<blocked_t> layer_blocks{
        {{19, 21}, "AB16b16a"},
        {{32, 16}, "AB16b16a"},
        {{5, 9}, "AB8b8a"},
        {{18, 33}, "BA16a16b"},
        {{2, 17, 3}, "aBc16b"},
        {{2, 16, 3}, "aBc16b"},
        {{2, 5, 7}, "aBc8b"},
        {{2, 3, 5, 7}, "aBcd4b"},
        {{2, 16, 2, 9}, "aBcd16b"},
        {{2, 3, 5, 7}, "abCd4c"},
        {{2, 3, 4, 18}, "abDc16d"},
        {{17, 3, 2, 5}, "Abcd16a"},
        {{2, 9, 2, 3, 5}, "aBcde8b"},
        {{2, 3, 2, 4, 17}, "abdEc16e"},
        {{2, 5, 2, 1, 2, 6}, "aBcdef4b"},
};

/// N x C x spatial axes with this many channels; 7x7 planes are of a size that no mask byte and no
/// vector divides, single pixels are planes of one element; of the small planes some are as many
/// as are walked together.
std::vector<dims_t> channel_shapes(dnnl_dim_t channels) {
    return {{5, channels}, {2, channels, 9}, {3, channels, 7, 7}, {2, channels, 1, 1},
            {1, channels, 4, 33}, {2, channels, 2, 3, 5}, {5, channels, 2}, {17, channels, 7},
            {6, channels, 2, 2}};
}

/// Channels outside and inside, pitched, spaced, permuted, blocked.
std::vector<std::string> channel_formats(size_t ndims) {
    switch (ndims) {
    case 2: return {"ab", "ba", "ab+3", "ab*2", "AB16b16a"};
    case 3: return {"abc", "acb", "abc+3", "acb+3", "cba", "aBc8b", "aBc16b"};
    case 4:
        return {"abcd", "acdb", "abcd+3", "acdb+5", "abcd*2", "bacd", "cdba", "aBcd4b", "aBcd8b",
                "aBcd16b", "BAcd16a16b"};
    default: return {"abcde", "acdeb", "acdeb+1", "aBcde8b", "aBcde16b"};
    }
}

struct channels_t {
    dnnl_dim_t count;
    std::vector<int64_t> groups;
};

// Groups that a vector holds several of, and such that straddle blocks.
const std::vector<channels_t> grouped_channels{
        {1, {1}}, {13, {1, 13}}, {16, {4, 16}}, {24, {1, 3, 24}}, {37, {1, 37}}, {40, {5, 8}}};
const std::vector<channels_t> plain_channels{{1, {0}}, {13, {0}}, {16, {0}}, {24, {0}}, {37, {0}}};

class normalization_layouts : public operation_test_t {
protected:
    static std::vector<problem_t> layer_problems() {
        std::vector<problem_t> problems;
        for (const auto &dims : layer_shapes)
            for (const auto &format : orders(dims.size()))
                problems.push_back(problem_of(dims, scale | shift, format));
        for (const auto &[dims, format] : layer_blocks)
            problems.push_back(problem_of(dims, scale | shift, format));
        return problems;
    }

    static std::vector<problem_t> channel_problems() {
        std::vector<problem_t> problems;
        for (const auto &[count, groupings] : is_batch() ? plain_channels : grouped_channels)
            for (const auto groups : groupings)
                for (const auto &dims : channel_shapes(count))
                    for (const auto &format : channel_formats(dims.size())) {
                        problems.push_back(problem_of(dims, scale | shift, format));
                        problems.back().groups = groups;
                    }
        return problems;
    }

    /// Forward problems of every shape in every layout.
    static std::vector<problem_t> problems() {
        return is_layer() ? layer_problems() : channel_problems();
    }

    static std::vector<problem_t> blocked_problems() {
        std::vector<problem_t> blocked;
        for (const auto &problem : problems())
            if (problem.src_format.find_first_of("ABCDE") != std::string::npos)
                blocked.push_back(problem);
        return blocked;
    }

    static void expect_right_in_every_layout(dnnl_prop_kind_t prop_kind) {
        for (auto problem : problems()) {
            problem.prop_kind = prop_kind;
            for (const auto placement :
                    {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
                problem.placement = placement;
                EXPECT_TRUE(is_right(problem));
                if (!is_batch()) continue;
                problem.flags ^= relu;
                EXPECT_TRUE(is_right(problem));
            }
            problem.flags |= global_stats;
            if (is_batch()) problem.flags = (problem.flags & ~relu) | add_relu;
            EXPECT_TRUE(is_right(problem));
        }
    }
};

TEST_P(normalization_layouts, forward_is_right_in_every_layout) {
    expect_right_in_every_layout(dnnl_forward_training);
}

TEST_P(normalization_layouts, backward_is_right_in_every_layout) {
    expect_right_in_every_layout(dnnl_backward);
}

TEST_P(normalization_layouts, elements_that_repeat_are_read) {
    for (const std::string src_format : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "abcd/abcd"})
        for (const std::string format : {"abcd", "acdb", "aBcd16b"})
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                auto problem = problem_of({4, 16, 3, 5}, scale | shift, format);
                problem.prop_kind = prop_kind;
                problem.src_format = src_format;
                EXPECT_TRUE(is_right(problem));
            }
}

TEST_P(normalization_layouts, narrow_types_are_right_in_every_layout) {
    auto type = dnnl_bf16, other = dnnl_f16;
    for (auto &problem : problems()) {
        std::swap(type, other); // in turn: each has layouts of every kind
        problem.set_types(type);
        if (is_batch()) problem.flags |= relu;
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            problem.prop_kind = prop_kind;
            EXPECT_TRUE(is_right(problem));
        }
    }
}

TEST_P(normalization_layouts, integers_are_right_in_every_layout) {
    for (auto &problem : problems())
        for (const unsigned function : functions()) {
            problem.flags = scale | shift | function | (is_batch() ? global_stats : 0);
            problem.prop_kind = dnnl_forward_inference;
            problem.src_type = dnnl_s8;
            problem.dst_type = is_batch() ? dnnl_s8 : dnnl_u8;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST_P(normalization_layouts, operands_may_lie_in_different_layouts) {
    // Of axes a, b, c the last is normalized. Those with a capital C block it.
    const std::vector<std::string> formats =
            is_layer() ? std::vector<std::string>{"abc", "acb", "bac", "bca", "cab", "cba", "abc+5",
                    "bac+1", "acb+3", "abc*3", "aBc16b", "aBc4b", "Abc4a", "ABc4a4b", "aBC16b16c",
                    "aCB16b16c"}
                       : std::vector<std::string>{"abcd", "acdb", "acdb+5", "bacd", "abcd*2",
                               "aBcd8b", "aBcd16b", "ABcd16b16a"};
    for (size_t i = 0; i < formats.size(); ++i)
        for (size_t j = 0; j < formats.size(); ++j)
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
                for (const unsigned function :
                        is_batch() ? std::vector{0u, add_relu} : std::vector{0u}) {
                    auto problem = problem_of(is_layer() ? dims_t{3, 5, 19} : dims_t{3, 21, 3, 4},
                            scale | shift | function, formats[i], prop_kind);
                    if (problem.groups) problem.groups = 3;
                    problem.dst_format = formats[j];
                    problem.diff_src_format = formats[(i + 2 * j) % formats.size()];
                    EXPECT_TRUE(is_right(problem));
                }
}

// Parts smaller than a block, of one block, of several, and with a part of a block.
TEST_P(normalization_layouts, tensors_may_be_parts_of_blocked_ones) {
    if (!is_layer()) GTEST_SKIP() << "channels have tests of their own";
    const std::vector<const char *> tags =
            is_layer() ? std::vector{"abc", "aBc4b", "aBc8b", "aBc16b", "ABc16a16b", "aBC16b16c"}
                       : std::vector{"abcd", "aBcd4b", "aBcd8b", "aBcd16b", "ABcd16b16a", "acdb"};
    for (const dnnl_dim_t extent : {2, 4, 8, 11, 16, 32})
        for (const char *src_tag : tags)
            for (const char *dst_tag : tags)
                for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                    const dims_t dims = is_layer() ? dims_t{2, 3, extent} : dims_t{2, extent, 3, 2};
                    auto problem = problem_of(dims, scale | shift, "", prop_kind);
                    if (problem.groups) problem.groups = 1;
                    const auto src_formats = part_formats(dims, src_tag);
                    const auto dst_formats = part_formats(dims, dst_tag);
                    for (size_t i = 0; i < src_formats.size(); ++i) {
                        problem.src_format = problem.diff_src_format = src_formats[i];
                        problem.dst_format = dst_formats[(i + 2) % dst_formats.size()];
                        EXPECT_TRUE(is_right(problem));
                    }
                }
}

// A shift makes the padding's normalized value different from zero, which must not be stored.
TEST_P(normalization_layouts, padding_is_zero_after_post_ops_too) {
    for (auto &problem : blocked_problems())
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8}) {
            problem.prop_kind = dnnl_forward_inference;
            problem.dst_type = type;
            if (is_batch()) {
                problem.src_type = type;
                problem.flags |= global_stats;
            }
            problem.post_ops = {{.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 3}};
            EXPECT_TRUE(is_right(problem));
        }
}

// Few channels and a single sample: the work is cut along space; so many that it is cut elsewhere.
TEST_P(normalization_layouts, shapes_whose_work_is_cut_in_other_ways) {
    if (is_layer()) GTEST_SKIP() << "see the shapes of its columns";
    const std::vector<std::pair<dims_t, int64_t>> batch_cases{{{1, 3, 60, 61}, 0},
            {{1, 1, 1, 5003}, 0}, {{2, 1, 100, 90}, 0}, {{1, 1030, 2, 3}, 0}, {{130, 5, 3, 3}, 0},
            {{700, 40, 1, 1}, 0}};
    const std::vector<std::pair<dims_t, int64_t>> group_cases{{{1, 3, 60, 61}, 1},
            {{1, 1, 1, 5003}, 1}, {{1, 96, 20, 21}, 1}, {{1, 96, 20, 21}, 32}, {{2, 640, 3, 3}, 32},
            {{130, 6, 3, 3}, 2}, {{300, 40, 1, 1}, 4}, {{2, 70, 17, 3}, 70}, {{1, 768, 7, 7}, 32}};
    for (const auto &[dims, groups] : is_batch() ? batch_cases : group_cases)
        for (const auto *format : {"abcd", "acdb", "aBcd16b"})
            for (const auto type :
                    is_batch() ? std::vector{dnnl_f32} : std::vector{dnnl_f32, dnnl_bf16})
                for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
                    for (const unsigned function :
                            is_batch() ? std::vector{0u, relu} : std::vector{0u}) {
                        auto problem =
                                problem_of(dims, scale | shift | function, format, prop_kind);
                        problem.groups = groups;
                        problem.set_types(type);
                        EXPECT_TRUE(is_right(problem));
                    }
}

// Planes that are visited together are visited in parts, in reverse order in the second sweep.
TEST_P(normalization_layouts, planes_of_a_group_that_exceed_the_second_level_cache) {
    if (is_layer() || is_batch())
        GTEST_SKIP() << "groups of several planes are group normalization's";
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
        auto problem = problem_of({1, 700, 31, 33}, scale | shift, "abcd", prop_kind);
        problem.groups = 1;
        EXPECT_TRUE(is_right(problem));
    }
}

// A group may have a part of a block, and operands may lie unlike each other.
TEST_P(normalization_layouts, generated_code_takes_blocked_and_unlike_layouts) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const std::vector<std::string> formats =
            is_layer() ? std::vector<std::string>{"abcd", "acdb", "aBcd16b", "abdc"}
                       : std::vector<std::string>{"abcd", "acdb", "aBcd16b", "aBcd8b"};
    for (const auto &src : formats)
        for (const auto &dst : formats)
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                auto problem = problem_of({2, 24, 3, 5}, scale | shift, src, prop_kind);
                problem.dst_format = dst;
                EXPECT_NE(implementations(problem).front().substr(0, 3), "ref")
                        << to_string(problem);
            }
}

INSTANTIATE_FOR_OPERATIONS(normalization_layouts);

} // namespace

} // namespace kiln::test::normalization
