// SPDX-License-Identifier: Apache-2.0
// Two layouts as nests of loops: which loops they make, what becomes of padding, and that each
// element is met once, where both layouts say it lies.
#include "cpu/x64/layout/nest.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "unit/nest_places.hpp"

namespace kiln::x64::test {

namespace {

// --- Loops --------------------------------------------------------------------------------------

/// The loops of a reorder that is a single nest from 0 on, without padding.
loops_t loops_of(const shape_t &dims, const std::string &src, const std::string &dst) {
    const std::optional<nests_t> nests = nests_of(dims, src, dst);
    if (!nests || nests->nests.size() != 1) return {};
    const nest_t &nest = nests->nests.front();
    EXPECT_TRUE(nests->have_all_padding);
    EXPECT_EQ(nest.src_offset, 0);
    EXPECT_EQ(nest.dst_offset, 0);
    EXPECT_EQ(nest.padding, 0);
    EXPECT_EQ(nest.block, 0);
    return nest.loops;
}

TEST(nest, layouts_that_are_the_same_are_one_run) {
    EXPECT_EQ(loops_of({3, 4, 5}, "abc", "abc"), (loops_t{{60, 1, 1}}));
    EXPECT_EQ(loops_of({3, 4, 5}, "cab", "cab"), (loops_t{{60, 1, 1}}));
    EXPECT_EQ(loops_of({2, 32, 3}, "aBc16b", "aBc16b"), (loops_t{{192, 1, 1}}));
    EXPECT_EQ(loops_of({32, 32}, "AB4b16a4b", "AB4b16a4b"), (loops_t{{1024, 1, 1}}));
}

TEST(nest, transposed_axes_are_loops_by_their_stride_in_dst) {
    EXPECT_EQ(loops_of({3, 5}, "ab", "ba"), (loops_t{{5, 1, 3}, {3, 5, 1}}));
    EXPECT_EQ(loops_of({2, 3, 5}, "abc", "cab"), (loops_t{{5, 1, 6}, {6, 5, 1}}));
    EXPECT_EQ(loops_of({2, 3, 5, 7}, "abcd", "acdb"),
            (loops_t{{2, 105, 105}, {35, 1, 3}, {3, 35, 1}}));
}

TEST(nest, blocks_are_loops_of_their_own) {
    EXPECT_EQ(loops_of({2, 32, 5, 7}, "abcd", "aBcd16b"),
            (loops_t{{4, 560, 560}, {35, 1, 16}, {16, 35, 1}}));
    EXPECT_EQ(loops_of({2, 32, 5, 7}, "aBcd8b", "acdb"),
            (loops_t{{2, 1120, 1120}, {35, 8, 32}, {4, 280, 8}, {8, 1, 1}}));
    EXPECT_EQ(loops_of({2, 32, 7}, "aBc8b", "aBc16b"),
            (loops_t{{4, 112, 112}, {7, 8, 16}, {2, 56, 8}, {8, 1, 1}}));
}

TEST(nest, blocks_of_blocks_are_loops_for_each_part) {
    EXPECT_EQ(loops_of({32, 32}, "ab", "AB4b16a4b"),
            (loops_t{{2, 512, 512}, {8, 4, 64}, {16, 32, 4}, {4, 1, 1}}));
    EXPECT_EQ(loops_of({16, 16}, "AB16b16a", "AB4b16a4b"),
            (loops_t{{4, 64, 64}, {16, 1, 4}, {4, 16, 1}}));
}

TEST(nest, axes_of_one_element_make_no_loops) {
    EXPECT_EQ(loops_of({1, 3, 1, 5}, "abcd", "dcba"), (loops_t{{5, 1, 3}, {3, 5, 1}}));
    EXPECT_EQ(loops_of({2, 1, 3}, "abc", "bca"), (loops_t{{3, 1, 2}, {2, 3, 1}}));
    const std::optional<nests_t> one = nests_of({1, 1, 1}, "abc", "cba");
    ASSERT_TRUE(one);
    ASSERT_EQ(one->nests.size(), 1u);
    EXPECT_TRUE(one->nests.front().loops.empty());
}

TEST(nest, strides_may_leave_gaps_or_repeat_src) {
    const auto nests = make_nests(strided({4, 6}, {100, 2}), strided({4, 6}, {6, 1}), lanes);
    ASSERT_TRUE(nests);
    EXPECT_EQ(nests->nests.front().loops, (loops_t{{4, 100, 6}, {6, 2, 1}}));
    const auto repeated = make_nests(strided({4, 6}, {0, 1}), strided({4, 6}, {6, 1}), lanes);
    ASSERT_TRUE(repeated);
    EXPECT_EQ(repeated->nests.front().loops, (loops_t{{4, 0, 6}, {6, 1, 1}}));
}

TEST(nest, tensors_may_begin_anywhere) {
    memory_desc_t src = tagged({3, 5}, "ab"), dst = tagged({3, 5}, "ba");
    src.offset0 = 7;
    dst.offset0 = dim_t(1) << 40;
    const auto nests = make_nests(src, dst, lanes);
    ASSERT_TRUE(nests);
    EXPECT_EQ(nests->nests.front().src_offset, 7);
    EXPECT_EQ(nests->nests.front().dst_offset, dim_t(1) << 40);
}

TEST(nest, strides_beyond_32_bits_stay_whole) {
    const dim_t large = dim_t(1) << 33;
    const auto nests =
            make_nests(strided({4, 6}, {large, 1}), strided({4, 6}, {1, 3 * large}), lanes);
    ASSERT_TRUE(nests);
    EXPECT_EQ(nests->nests.front().loops, (loops_t{{6, 1, 3 * large}, {4, large, 1}}));
}

// --- Tails and padding --------------------------------------------------------------------------

TEST(nest, an_axis_is_cut_where_the_blocks_of_src_end) {
    const auto nests = nests_of({19, 5}, "Ab16a", "ab");
    ASSERT_TRUE(nests);
    ASSERT_EQ(nests->nests.size(), 2u);
    EXPECT_TRUE(nests->have_all_padding); // src's is nobody's concern
    EXPECT_EQ(nests->nests[0].loops, (loops_t{{16, 1, 5}, {5, 16, 1}}));
    EXPECT_EQ(nests->nests[1].src_offset, 80);
    EXPECT_EQ(nests->nests[1].dst_offset, 80);
    EXPECT_EQ(nests->nests[1].loops, (loops_t{{3, 1, 5}, {5, 16, 1}}));
    EXPECT_EQ(nests->nests[1].padding, 0);
}

TEST(nest, an_axis_is_cut_where_the_blocks_of_dst_end_and_padding_follows) {
    const auto nests = nests_of({2, 35, 7}, "abc", "aBc16b");
    ASSERT_TRUE(nests);
    ASSERT_EQ(nests->nests.size(), 2u);
    EXPECT_TRUE(nests->have_all_padding);
    EXPECT_EQ(nests->nests[0].padding, 0);
    EXPECT_EQ(
            nests->nests[0].loops, (loops_t{{2, 245, 336}, {2, 112, 112}, {7, 1, 16}, {16, 7, 1}}));
    EXPECT_EQ(nests->nests[1].src_offset, 224);
    EXPECT_EQ(nests->nests[1].dst_offset, 224);
    EXPECT_EQ(nests->nests[1].padding, 13);
    EXPECT_EQ(nests->nests[1].loops, (loops_t{{2, 245, 336}, {7, 1, 16}, {3, 7, 1}}));
}

TEST(nest, padding_follows_a_single_element_too) {
    const auto nests = nests_of({17, 5}, "ab", "Ab16a");
    ASSERT_TRUE(nests);
    EXPECT_TRUE(nests->have_all_padding);
    ASSERT_EQ(nests->nests.size(), 2u);
    EXPECT_EQ(nests->nests[1].padding, 15);
    EXPECT_EQ(nests->nests[1].loops, (loops_t{{5, 1, 16}, {1, 0, 1}}));
}

TEST(nest, a_single_element_with_padding_is_a_run_where_nothing_else_is) {
    const auto nests = nests_of({5, 17}, "ab", "aB16b");
    ASSERT_TRUE(nests);
    ASSERT_EQ(nests->nests.size(), 2u);
    EXPECT_EQ(nests->nests[1].padding, 15);
    EXPECT_EQ(nests->nests[1].loops, (loops_t{{5, 17, 32}, {1, 1, 1}}));
}

TEST(nest, padding_alike_in_src_and_dst_is_part_of_runs) {
    const auto nests = nests_of({2, 19, 7}, "aBc16b", "aBc16b");
    ASSERT_TRUE(nests);
    EXPECT_TRUE(nests->have_all_padding);
    ASSERT_EQ(nests->nests.size(), 2u);
    const nest_t &last = nests->nests[1];
    EXPECT_EQ(last.loops, (loops_t{{2, 224, 224}, {112, 1, 1}}));
    EXPECT_EQ(last.block, 16);
    EXPECT_EQ(last.kept, 3);
    EXPECT_EQ(last.padding, 0);
}

TEST(nest, padding_of_a_single_element_may_be_part_of_runs) {
    const auto nests = nests_of({1, 3}, "Ab8a", "Ab8a");
    ASSERT_TRUE(nests);
    ASSERT_EQ(nests->nests.size(), 1u);
    EXPECT_EQ(nests->nests[0].loops, (loops_t{{24, 1, 1}}));
    EXPECT_EQ(nests->nests[0].block, 8);
    EXPECT_EQ(nests->nests[0].kept, 1);
}

TEST(nest, padding_alike_follows_runs_where_vectors_are_no_multiples_of_blocks) {
    const auto nests = nests_of({3, 7}, "Ab16a", "Ab16a", 8);
    ASSERT_TRUE(nests);
    EXPECT_TRUE(nests->have_all_padding);
    EXPECT_EQ(nests->nests[0].block, 0);
    EXPECT_EQ(nests->nests[0].padding, 13);
    EXPECT_EQ(nests->nests[0].loops, (loops_t{{7, 16, 16}, {3, 1, 1}}));
}

TEST(nest, padding_of_two_axes_is_left_out) {
    const auto nests = nests_of({17, 19}, "ab", "AB16b16a");
    ASSERT_TRUE(nests);
    EXPECT_FALSE(nests->have_all_padding);
    EXPECT_EQ(nests->nests.size(), 4u);
    for (const nest_t &nest : nests->nests) EXPECT_EQ(nest.padding, 0);
}

// A loop for one element would stand for another's neighbours.
TEST(nest, padding_that_is_left_out_makes_no_loops) {
    const auto nests = nests_of({17, 17}, "ab", "AB16b16a");
    ASSERT_TRUE(nests);
    ASSERT_EQ(nests->nests.size(), 4u);
    EXPECT_EQ(nests->nests[1].loops, (loops_t{{16, 17, 1}}));
    EXPECT_EQ(nests->nests[2].loops, (loops_t{{16, 1, 16}}));
    EXPECT_EQ(nests->nests[3].loops, loops_t{});
}

TEST(nest, padding_that_does_not_follow_its_run_is_left_out) {
    const auto apart = nests_of({16, 18}, "ab", "AB4b16a4b");
    ASSERT_TRUE(apart);
    EXPECT_FALSE(apart->have_all_padding);
    for (const nest_t &nest : apart->nests) EXPECT_EQ(nest.padding, 0);
    const auto together = nests_of({17, 16}, "ab", "AB4b16a");
    ASSERT_TRUE(together);
    EXPECT_TRUE(together->have_all_padding);
    EXPECT_EQ(together->nests.back().padding, 15);
}

// --- Parts of tensors that begin inside a block -------------------------------------------------

/// The part of a tensor that begins at `begin` on axis 0 and has `extent` elements there; padding
/// behind it is the tensor's.
memory_desc_t part_of(const memory_desc_t &md, dim_t begin, dim_t extent) {
    dims_t blocks;
    block_sizes(md, blocks);
    memory_desc_t part = md;
    part.dims[0] = extent;
    part.padded_dims[0] = begin + extent == md.dims[0] ? md.padded_dims[0] - begin : extent;
    part.padded_offsets[0] = begin % blocks[0];
    part.offset0 += begin / blocks[0] * md.format_desc.blocking.strides[0];
    return part;
}

TEST(nest, parts_begin_inside_blocks_of_either_tensor) {
    for (const char *src_tag : {"abc", "bca", "Abc16a", "Abc8a", "ABc16a4b", "ABc4a8b4a"})
        for (const char *dst_tag : {"abc", "bca", "Abc16a", "Abc8a", "ABc16b16a", "ABc4a8b4a"})
            for (const dim_t begin : {0, 1, 8, 15, 16, 21, 40})
                for (const dim_t extent : {1, 2, 7, 8, 16, 19, 33, 70})
                    for (const dim_t behind : {0, 3}) {
                        const memory_desc_t whole =
                                tagged({begin + extent + behind, 3, 2}, dst_tag);
                        const memory_desc_t src = tagged({extent, 3, 2}, src_tag);
                        const memory_desc_t part = part_of(whole, begin, extent);
                        const auto nests = make_nests(src, part, lanes);
                        ASSERT_TRUE(nests) << src_tag << " " << dst_tag;
                        EXPECT_TRUE(are_right(src, part, *nests))
                                << src_tag << " to " << dst_tag << ": " << extent << " of "
                                << begin + extent + behind << " at " << begin;
                        const auto back = make_nests(part, src, lanes);
                        ASSERT_TRUE(back) << src_tag << " " << dst_tag;
                    }
}

TEST(nest, a_part_that_a_block_boundary_cuts_is_runs_on_both_sides_of_it) {
    // 15 channels behind 15: one that completes a block, and 14 with the padding behind them.
    const memory_desc_t src = tagged({15, 7}, "Ab16a");
    const auto nests = make_nests(src, part_of(tagged({30, 7}, "Ab16a"), 15, 15), lanes);
    ASSERT_TRUE(nests);
    ASSERT_EQ(nests->nests.size(), 2u);
    EXPECT_TRUE(nests->have_all_padding);
    EXPECT_EQ(nests->nests[0].loops, (loops_t{{7, 16, 16}}));
    EXPECT_EQ(nests->nests[1].loops, (loops_t{{7, 16, 16}, {14, 1, 1}}));
    EXPECT_EQ(nests->nests[1].padding, 2);
}

// --- Refusals -----------------------------------------------------------------------------------

TEST(nest, blocks_that_do_not_go_into_each_other_are_refused) {
    EXPECT_FALSE(nests_of({48, 5}, "Ab24a", "Ab16a"));
    EXPECT_TRUE(nests_of({48, 5}, "Ab24a", "Ab8a"));
}

TEST(nest, more_than_a_few_nests_are_refused) {
    // Three pieces of each axis: whole blocks, whole parts of one, single elements.
    EXPECT_TRUE(nests_of({22, 22}, "ab", "AB4a4b4a4b"));
    EXPECT_FALSE(nests_of({22, 22, 22}, "abc", "ABC4a4b4c4a4b4c"));
}

// --- Any layouts --------------------------------------------------------------------------------

/// Shapes and layouts by chance.
class draw_t {
public:
    shape_t dims() {
        shape_t result(1 + below(4));
        for (dim_t &dim : result) dim = static_cast<dim_t>(1 + below(below(3) ? 9 : 37));
        return result;
    }

    /// Axes in any order, up to three blocks, gaps and a beginning anywhere.
    memory_desc_t layout(const shape_t &dims) {
        memory_desc_t md = tagged(dims, tag(dims.size()));
        blocking_t &blocking = md.format_desc.blocking;
        const auto factor = static_cast<dim_t>(1 + below(3));
        if (blocking.inner_nblks == 0)
            for (size_t d = 0; d < dims.size(); ++d) blocking.strides[d] *= factor;
        md.offset0 = static_cast<dim_t>(below(2) * 1000);
        return md;
    }

    size_t below(size_t bound) { return engine_() % bound; }

private:
    std::string tag(size_t ndims) {
        std::string order = std::string("abcd").substr(0, ndims), blocks;
        std::shuffle(order.begin(), order.end(), engine_);
        constexpr const char *sizes[] = {"2", "4", "8", "16"};
        for (size_t left = below(4); left > 0; --left) {
            char &axis = order[below(ndims)];
            const char lower = static_cast<char>(std::tolower(axis));
            axis = static_cast<char>(std::toupper(axis));
            blocks += (below(12) == 0 ? "3" : sizes[below(4)]) + std::string(1, lower);
        }
        return order + blocks;
    }

    std::mt19937 engine_{7};
};

std::string between(const memory_desc_t &src, const memory_desc_t &dst) {
    return describe(src, "src", src.format_kind) + ' ' + describe(dst, "dst", dst.format_kind) + ' '
           + describe_dims(dst);
}

TEST(nest, any_layouts_move_each_element_once_from_its_place_to_its_place) {
    draw_t draw;
    int refused = 0, unpadded = 0, alike = 0, follow = 0;
    constexpr int pairs = 3000;
    for (int pair = 0; pair < pairs; ++pair) {
        const shape_t dims = draw.dims();
        const memory_desc_t dst = draw.layout(dims);
        memory_desc_t src = draw.below(4) == 0 ? dst : draw.layout(dims);
        if (is_plain(src) && draw.below(8) == 0) // a broadcast
            src.format_desc.blocking.strides[draw.below(dims.size())] = 0;
        if (element_count(dst, true) > 20000 || element_count(src, true) > 20000) continue;
        const int of_vector = draw.below(2) ? 8 : 16;
        const auto nests = make_nests(src, dst, of_vector);
        if (!nests) {
            ++refused;
            continue;
        }
        ASSERT_TRUE(are_right(src, dst, *nests)) << between(src, dst);
        ASSERT_TRUE(are_simple(*nests)) << between(src, dst);
        unpadded += !nests->have_all_padding;
        alike += nests->nests.back().block != 0;
        follow += nests->nests.back().padding != 0;
    }
    // Each way was met often enough.
    EXPECT_LT(refused, pairs / 4);
    EXPECT_GT(unpadded, 100);
    EXPECT_GT(alike, 30);
    EXPECT_GT(follow, 100);
}

} // namespace

} // namespace kiln::x64::test
