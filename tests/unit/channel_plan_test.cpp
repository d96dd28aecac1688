// SPDX-License-Identifier: Apache-2.0
// The plan of work on tensors whose elements belong to channels: what a row is, how rows are cut,
// and that every element is visited once.
#include "cpu/x64/channels/channel_plan.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/operations/normalization/relu_mask.hpp"
#include "cpu/x64/rows/tiled_kernel.hpp"

namespace kiln::x64::test {

namespace {

constexpr unsigned of_batch = 1u << 1, of_groups = 1u << 0 | 1u << 1;
constexpr isa_t levels[]{isa_t::avx2, isa_t::avx512_core};
using shape_t = std::vector<dim_t>;

memory_desc_t make_by_name(const shape_t &dims, const char *name) {
    memory_desc_t md{};
    EXPECT_EQ(init_by_tag_name(md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, name),
            dnnl_success);
    return md;
}

memory_desc_t make_by_strides(const shape_t &dims, const shape_t &strides) {
    memory_desc_t md{};
    EXPECT_EQ(init_by_strides(
                      md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, strides.data()),
            dnnl_success);
    return md;
}

/// The first `channels` channels of a tensor, which keep the tensor's blocks.
memory_desc_t first_channels(const memory_desc_t &parent, dim_t channels) {
    memory_desc_t md = parent;
    md.dims[1] = md.padded_dims[1] = channels;
    return md;
}

operands_t operands_of(size_t count) {
    operands_t operands;
    for (size_t i = 0; i < count; ++i) operands.add({.type = dnnl_f32, .size = 4});
    return operands;
}

channel_plan_t plan_of(unsigned kept, const memory_desc_t &md, isa_t isa,
        const memory_desc_t *mask = nullptr, bool joins_planes = false) {
    std::vector<const memory_desc_t *> mds{&md};
    operands_t operands = operands_of(1);
    if (mask) {
        mds.push_back(mask);
        operands.add({.is_mask = true});
    }
    std::optional<channel_plan_t> plan;
    const channel_rows_t kind =
            joins_planes ? channel_rows_t::columns : channel_plan_t::innermost_of(kept, md);
    const refusal_t refusal = channel_plan_t::make(kind, kept, 1, {mds, operands}, isa, plan);
    EXPECT_FALSE(refusal) << refusal.reason;
    EXPECT_EQ(plan->rows_kind(), kind);
    return *plan;
}

std::string refusal_of(unsigned kept, const memory_desc_t &src, const memory_desc_t &dst,
        bool joins_planes = false) {
    const memory_desc_t *const mds[]{&src, &dst};
    std::optional<channel_plan_t> plan;
    const channel_rows_t kind =
            joins_planes ? channel_rows_t::columns : channel_plan_t::innermost_of(kept, src);
    const refusal_t refusal =
            channel_plan_t::make(kind, kept, 1, {mds, operands_of(2)}, isa_t::avx2, plan);
    return refusal ? refusal.reason : "";
}

/// How often each place of memory is visited, and the channel it is visited for.
std::map<dim_t, std::vector<dim_t>> visits(const channel_plan_t &plan) {
    std::map<dim_t, std::vector<dim_t>> found;
    const bool is_planes = plan.rows_kind() == channel_rows_t::planes;
    for (dim_t unit = 0; unit < plan.units(); ++unit)
        for (dim_t i = 0; i < plan.chunks_per_unit(); ++i) {
            const channel_chunk_t chunk = plan.chunk(unit, i);
            plan.for_each_run(chunk, [&](const auto &offset_of, dim_t rows) {
                for (dim_t row = 0; row < rows; ++row)
                    for (dim_t c = chunk.first_column; c < chunk.end_column; ++c)
                        found[offset_of(0) + row * plan.pitch(0) + c - chunk.first_column]
                                .push_back(plan.first_channel(unit)
                                           + (is_planes ? 0 : c / plan.elements_per_channel()));
            });
        }
    return found;
}

/// Every element once, for its own channel, and nothing else.
void expect_whole(unsigned kept, const memory_desc_t &md, isa_t isa, bool joins_planes = false) {
    const auto found = visits(plan_of(kept, md, isa, nullptr, joins_planes));
    const layout_t layout(md);
    size_t elements = 0;
    dims_t position{};
    for (dim_t i = 0; i < element_count(md); ++i) {
        dim_t rest = i;
        for (int d = md.ndims - 1; d >= 0; --d) {
            position[d] = rest % md.dims[d];
            rest /= md.dims[d];
        }
        const dim_t channel =
                kept == of_batch ? position[1] : position[0] * md.dims[1] + position[1];
        const auto visit = found.find(layout.offset(position));
        ASSERT_NE(visit, found.end()) << "element " << i << " is not visited";
        ASSERT_EQ(visit->second, std::vector<dim_t>{channel}) << "element " << i;
        ++elements;
    }
    if (!has_padding(md)) {
        EXPECT_EQ(found.size(), elements);
    }
}

TEST(channel_plan, rows_are_what_lies_innermost) {
    const shape_t dims{3, 64, 5, 7};
    const channel_plan_t planes = plan_of(of_batch, make_by_name(dims, "abcd"), isa_t::avx2);
    EXPECT_EQ(planes.rows_kind(), channel_rows_t::planes);
    EXPECT_EQ(planes.line(), 35);
    EXPECT_EQ(planes.units(), 64);
    EXPECT_EQ(planes.rows(), 3);
    const channel_plan_t columns = plan_of(of_batch, make_by_name(dims, "acdb"), isa_t::avx2);
    EXPECT_EQ(columns.rows_kind(), channel_rows_t::columns);
    EXPECT_EQ(columns.line(), 64);
    EXPECT_EQ(columns.units(), 1);
    EXPECT_EQ(columns.rows(), 105);
    const channel_plan_t blocks = plan_of(of_batch, make_by_name(dims, "aBcd16b"), isa_t::avx2);
    EXPECT_EQ(blocks.rows_kind(), channel_rows_t::columns);
    EXPECT_EQ(blocks.line(), 16);
    EXPECT_EQ(blocks.units(), 4);
    EXPECT_EQ(blocks.rows(), 105);
}

TEST(channel_plan, samples_are_units_where_they_have_statistics) {
    const shape_t dims{3, 64, 5, 7};
    const channel_plan_t planes = plan_of(of_groups, make_by_name(dims, "abcd"), isa_t::avx2);
    EXPECT_EQ(planes.units(), 3 * 64);
    EXPECT_EQ(planes.rows(), 1);
    const channel_plan_t columns = plan_of(of_groups, make_by_name(dims, "acdb"), isa_t::avx2);
    EXPECT_EQ(columns.units(), 3);
    EXPECT_EQ(columns.rows(), 35);
    EXPECT_EQ(columns.first_channel(2), 128);
}

TEST(channel_plan, visits_every_element_once_for_its_channel) {
    const std::vector<shape_t> shapes{{2, 5, 3, 7}, {1, 1, 4, 4}, {4, 37, 2, 1}, {3, 24, 9, 2},
            {1, 330, 2, 3}, {2, 2, 301, 333}};
    for (const isa_t isa : levels)
        for (const shape_t &dims : shapes)
            for (const char *name : {"abcd", "acdb", "adcb", "bacd"})
                for (const unsigned kept : {of_batch, of_groups}) {
                    SCOPED_TRACE(std::to_string(dims[1]) + " channels, " + name);
                    expect_whole(kept, make_by_name(dims, name), isa);
                }
}

TEST(channel_plan, long_rows_are_cut_into_ranges_that_fit_a_cache) {
    const channel_plan_t plan =
            plan_of(of_groups, make_by_name({2, 1280, 16, 16}, "acdb"), isa_t::avx2);
    EXPECT_EQ(plan.line(), 320);
    EXPECT_EQ(plan.units(), 8);
    EXPECT_EQ(plan.first_channel(5), 1280 + 320);
    expect_whole(of_groups, make_by_name({2, 1280, 16, 16}, "acdb"), isa_t::avx2);
    // Units that fit as they are, or that no range makes fit, are not cut.
    EXPECT_EQ(plan_of(of_groups, make_by_name({2, 1280, 8, 8}, "acdb"), isa_t::avx2).line(), 1280);
    EXPECT_EQ(plan_of(of_groups, make_by_name({2, 640, 64, 64}, "acdb"), isa_t::avx2).line(), 640);
}

TEST(channel_plan, small_planes_make_rows_of_columns_if_each_channel_has_some) {
    for (const isa_t isa : levels)
        for (const shape_t &dims : {shape_t{4, 5, 2}, {9, 37, 7}, {64, 3, 4}, {70, 128, 2},
                     {32, 32, 49}, {5, 7, 2, 2}, {16, 6, 1, 3, 2}}) {
            SCOPED_TRACE(testing::PrintToString(dims));
            memory_desc_t md{};
            init_by_strides(md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, nullptr);
            const channel_plan_t plan = plan_of(of_batch, md, isa, nullptr, true);
            EXPECT_EQ(plan.elements_per_channel(), element_count(md) / dims[0] / dims[1]);
            EXPECT_EQ(plan.channels_of(0), plan.line() / plan.elements_per_channel());
            expect_whole(of_batch, md, isa, true);
        }
}

TEST(channel_plan, rows_of_small_planes_are_cut_between_channels) {
    const channel_plan_t plan = plan_of(
            of_batch, make_by_name({64, 512, 7, 7}, "abcd"), isa_t::avx512_core, nullptr, true);
    EXPECT_EQ(plan.line(), 16 * 49);
    EXPECT_EQ(plan.units(), 32);
    EXPECT_EQ(plan.channels_of(5), 16);
    EXPECT_EQ(plan.first_channel(5), 5 * 16);
}

TEST(channel_plan, planes_that_are_large_few_or_apart_make_no_rows_of_columns) {
    const auto refusal = [](unsigned kept, const memory_desc_t &md) {
        return refusal_of(kept, md, md, true);
    };
    EXPECT_NE(refusal(of_batch, make_by_name({64, 5, 9, 9}, "abcd")), "");
    EXPECT_NE(refusal(of_batch, make_by_name({2, 5, 2, 2}, "abcd")), "");
    EXPECT_NE(refusal(of_batch, make_by_name({16, 5, 6, 6}, "abcd")), "");
    EXPECT_NE(refusal(of_batch, make_by_strides({64, 5, 2, 2}, {40, 8, 2, 1})), "");
    EXPECT_NE(refusal(of_groups, make_by_name({64, 5, 2, 2}, "abcd")), "");
    EXPECT_EQ(refusal(of_batch, make_by_strides({64, 5, 2, 2}, {40, 4, 2, 1})), "");
}

TEST(channel_plan, visits_padded_and_gapped_layouts) {
    for (const isa_t isa : levels) {
        for (const char *name : {"aBcd8b", "aBcd16b"})
            expect_whole(of_batch, make_by_name({2, 37, 3, 5}, name), isa);
        expect_whole(of_batch, make_by_name({4, 37, 1, 1}, "abcd"), isa);
        expect_whole(of_batch, make_by_strides({2, 5, 3, 7}, {200, 33, 10, 1}), isa);
        expect_whole(of_groups, make_by_strides({2, 5, 3, 7}, {300, 1, 70, 9}), isa);
    }
}

// A submemory may have a part of a block or whole blocks; its rows have no more elements than it
// has.
TEST(channel_plan, visits_the_channels_of_submemories_only) {
    for (const isa_t isa : levels)
        for (const auto &[name, channels] : {std::pair("aBcd8b", 1), {"aBcd8b", 2}, {"aBcd8b", 7},
                     {"aBcd16b", 4}, {"aBcd16b", 8}, {"aBcd16b", 15}, {"aBcd8b", 8}, {"aBcd8b", 24},
                     {"aBcd16b", 16}, {"aBcd16b", 32}}) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(channels));
            const memory_desc_t md = first_channels(make_by_name({3, 48, 5, 7}, name), channels);
            expect_whole(of_batch, md, isa);
            const channel_plan_t plan = plan_of(of_batch, md, isa);
            for (dim_t unit = 0; unit < plan.units(); ++unit)
                EXPECT_EQ(plan.channels_of(unit), plan.line());
        }
}

TEST(channel_plan, channels_behind_the_last_one_are_none) {
    const channel_plan_t plan =
            plan_of(of_batch, make_by_name({2, 37, 3, 5}, "aBcd16b"), isa_t::avx2);
    EXPECT_EQ(plan.channels_of(0), 16);
    EXPECT_EQ(plan.channels_of(2), 5);
}

TEST(channel_plan, short_rows_without_gaps_are_packed_to_whole_vectors) {
    const auto packed = [](dim_t channels, isa_t isa) {
        return plan_of(of_batch, make_by_name({64, channels, 8, 8}, "acdb"), isa).packed_rows();
    };
    EXPECT_EQ(packed(13, isa_t::avx512_core), 16);
    EXPECT_EQ(packed(24, isa_t::avx512_core), 4);
    EXPECT_EQ(packed(120, isa_t::avx512_core), 2);
    EXPECT_EQ(packed(64, isa_t::avx512_core), 1);
    EXPECT_EQ(packed(1000, isa_t::avx512_core), 1);
    EXPECT_EQ(packed(24, isa_t::avx2), 2);
    const memory_desc_t gapped = make_by_strides({64, 24, 8, 8}, {64 * 30, 1, 8 * 30, 30});
    EXPECT_EQ(plan_of(of_batch, gapped, isa_t::avx512_core).packed_rows(), 1);
}

// Non-temporal stores require aligned addresses; packed rows may begin anywhere in a tensor with
// gaps.
TEST(channel_plan, keeps_alignment_only_if_every_packed_row_does) {
    constexpr isa_t isa = isa_t::avx512_core;
    constexpr dim_t lanes = 16;
    for (const dim_t channels : {24, 32})
        for (const dim_t gap : {0, 8, 16}) {
            const dim_t sample = 49 * channels + gap;
            const memory_desc_t md =
                    make_by_strides({300, channels, 7, 7}, {sample, 1, 7 * channels, channels});
            const channel_plan_t plan = plan_of(of_batch, md, isa);
            bool is_aligned = true;
            for (dim_t i = 0; i < plan.chunks_per_unit(); ++i)
                plan.for_each_run(plan.chunk(0, i), [&](const auto &offset_of, dim_t rows) {
                    for (dim_t row = 0; row + plan.packed_rows() <= rows; row += plan.packed_rows())
                        is_aligned &= (offset_of(0) + row * plan.pitch(0)) % lanes == 0;
                });
            if (plan.keeps_alignment(0, lanes)) {
                EXPECT_TRUE(is_aligned) << channels << " channels, gap " << gap;
            }
            if (gap == 0) {
                EXPECT_TRUE(plan.keeps_alignment(0, lanes)) << channels << " channels";
            }
        }
}

TEST(channel_plan, rows_whose_masks_have_gaps_are_not_packed) {
    for (const dim_t channels : {13, 24}) {
        const memory_desc_t src = make_by_name({64, channels, 8, 8}, "acdb");
        memory_desc_t mask;
        init_relu_mask(mask, src);
        const channel_plan_t plan = plan_of(of_batch, src, isa_t::avx512_core, &mask);
        EXPECT_EQ(plan.packed_rows(), channels == 13 ? 1 : 4);
    }
}

// Kernels visit whole tiles but for the end of a line, whatever the width of a tile.
TEST(channel_plan, long_rows_are_cut_at_whole_tiles) {
    for (const isa_t isa : levels)
        for (const bool needs_many : {false, true})
            for (const char *name : {"abc", "acb"}) {
                const bool is_planes = std::string(name) == "abc";
                const shape_t dims = is_planes ? shape_t{1, 2, 100233} : shape_t{70, 1999, 1};
                const channel_plan_t plan = plan_of(of_batch, make_by_name(dims, name), isa);
                const dim_t width = tile_width(isa, needs_many, plan.line());
                ASSERT_GT(plan.chunks_per_unit(), 1);
                for (dim_t i = 0; i < plan.chunks_per_unit(); ++i)
                    EXPECT_EQ(plan.chunk(0, i).first_column % width, 0);
            }
}

TEST(channel_plan, samples_lie_in_the_unit) {
    for (const char *name : {"abcd", "acdb", "aBcd16b"}) {
        const memory_desc_t md = make_by_name({3, 20, 5, 7}, name);
        const channel_plan_t plan = plan_of(of_batch, md, isa_t::avx2);
        const auto found = visits(plan);
        dim_t offsets[16];
        plan.sample_offsets(offsets);
        for (dim_t unit = 0; unit < plan.units(); ++unit)
            for (const dim_t offset : offsets)
                EXPECT_EQ(found.at(plan.unit_offset(unit) + offset),
                        std::vector<dim_t>{plan.first_channel(unit)});
    }
}

TEST(channel_plan, says_what_it_does_not_take) {
    const memory_desc_t plain = make_by_name({2, 16, 4, 4}, "abcd");
    EXPECT_EQ(refusal_of(of_batch, plain, make_by_name({2, 16, 4, 4}, "acdb")),
            "no axis has stride 1 in every tensor");
    EXPECT_EQ(refusal_of(of_batch, plain, make_by_name({2, 16, 4, 4}, "aBcd8b")),
            "tensors have different channel blocks");
    const memory_desc_t of_samples = make_by_name({16, 16, 4, 4}, "Abcd8a");
    EXPECT_EQ(refusal_of(of_batch, of_samples, of_samples),
            "an axis other than the channel axis is blocked");
    const memory_desc_t spaced = make_by_strides({2, 16, 4, 4}, {1024, 64, 16, 2});
    EXPECT_EQ(refusal_of(of_batch, spaced, spaced), "no axis has stride 1 in every tensor");
    const memory_desc_t samples_innermost = make_by_name({16, 16, 4, 4}, "bcda");
    EXPECT_EQ(refusal_of(of_groups, samples_innermost, samples_innermost),
            "the axis with stride 1 is kept, but is not the channel axis");
}

TEST(channel_plan, says_which_padding_it_does_not_take) {
    const memory_desc_t whole = make_by_name({2, 20, 4, 4}, "aBcd16b");
    memory_desc_t blocks_and_a_part = whole;
    blocks_and_a_part.padded_dims[1] = 20;
    EXPECT_EQ(refusal_of(of_batch, blocks_and_a_part, blocks_and_a_part),
            "the channels with their padding are not whole blocks");
    const char *const differs = "tensors are padded differently, or along an axis without blocks";
    const memory_desc_t block = make_by_name({2, 4, 4, 4}, "aBcd16b");
    EXPECT_EQ(refusal_of(of_batch, block, first_channels(whole, 4)), differs);
    EXPECT_EQ(refusal_of(of_batch, first_channels(whole, 4), block), differs);
    EXPECT_EQ(refusal_of(of_batch, whole, blocks_and_a_part), differs);
    for (const char *name : {"abcd", "acdb", "aBcd16b"})
        for (const int axis : {0, 2, 3}) {
            memory_desc_t padded = make_by_name({2, 32, 4, 4}, name);
            const memory_desc_t plain = padded;
            ++padded.padded_dims[axis];
            EXPECT_EQ(refusal_of(of_batch, padded, padded), differs);
            EXPECT_EQ(refusal_of(of_batch, plain, padded), differs);
        }
}

} // namespace
} // namespace kiln::x64::test
