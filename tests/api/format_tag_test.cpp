// SPDX-License-Identifier: Apache-2.0
// Every format tag creates the layout that its name spells. The names come from the enumerators,
// not from the library's own tables.

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "api/description.hpp"

// An exported function that no public header declares; tools call it.
extern "C" dnnl_status_t dnnl_memory_desc_create_with_string_tag(
        dnnl_memory_desc_t *, int, const dnnl_dims_t, dnnl_data_type_t, const char *);

namespace kiln::test {

namespace {

struct named_tag_t {
    const char *name;
    dnnl_format_tag_t tag;
    int value;
};

#define TAG(NAME, VALUE) {#NAME, dnnl_##NAME, VALUE},
constexpr named_tag_t tags[] = {
#include "api/format_tags.inc"
};
#undef TAG

/// Whether the tag names axes a, b, c, ... and not n, c, h, w.
bool is_canonical(const std::string &name) {
    return std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::isdigit(letter)
               || (letter = static_cast<unsigned char>(std::tolower(letter)),
                       'a' <= letter && letter <= 'l');
    });
}

/// Aliases whose layout is not the one that they spell. The values are oneDNN's, and programs
/// depend on them.
const std::map<std::string, std::string> misnomers = {
        {"OhwI24o", "Acdb24a"},
        {"OhwI32o", "Acdb32a"},
        {"gOhwI24o", "aBdec24b"},
        {"gOhwI32o", "aBdec32b"},
        {"gIOhw2i8o16i2o", "aBCde2c8b16c2b"},
        {"gIOdhw2i8o16i2o", "aBCdef2c8b16c2b"},
};

/// The same layout with axes a, b, c, ...: nChw16c becomes aBcd16b. Each family of names has a
/// fixed logical order of its axes.
std::string canonical_name(const std::string &name) {
    if (is_canonical(name)) return name;
    if (const auto found = misnomers.find(name); found != misnomers.end()) return found->second;
    std::set<char> letters;
    for (const char letter : name)
        if (std::isalpha(static_cast<unsigned char>(letter)))
            letters.insert(static_cast<char>(std::tolower(letter)));
    const auto has = [&](char letter) { return letters.count(letter) != 0; };
    const std::string family = has('x')               ? "x"
                               : has('t')             ? "tnc"
                               : has('l') && has('n') ? "ldnc"
                               : has('l')             ? "ldigo"
                               : has('n') || has('c') ? "ncdhw"
                                                      : "goidhw";
    std::map<char, char> axis_of;
    for (const char letter : family)
        if (has(letter)) axis_of[letter] = static_cast<char>('a' + axis_of.size());
    std::string result = name;
    for (char &letter : result) {
        const bool is_capital = std::isupper(static_cast<unsigned char>(letter));
        const auto found = axis_of.find(static_cast<char>(std::tolower(letter)));
        if (found == axis_of.end()) continue;
        letter = is_capital ? static_cast<char>(std::toupper(found->second)) : found->second;
    }
    return result;
}

struct spelling_t {
    std::vector<size_t> axes; // in memory order, the outermost first
    dims_t inner_blocks;
    dims_t inner_axes;

    dims_t block_sizes() const {
        dims_t sizes(axes.size(), 1);
        for (size_t i = 0; i < inner_blocks.size(); ++i)
            sizes.at(static_cast<size_t>(inner_axes[i])) *= inner_blocks[i];
        return sizes;
    }
};

/// The letters before the first digit are the axes, outermost first; pairs of an inner block's size
/// and its axis follow.
spelling_t spelled(const std::string &canonical) {
    spelling_t result;
    size_t at = 0;
    const auto axis_at = [&](size_t place) {
        return static_cast<size_t>(
                std::tolower(static_cast<unsigned char>(canonical[place])) - 'a');
    };
    for (; at < canonical.size() && !std::isdigit(static_cast<unsigned char>(canonical[at])); ++at)
        result.axes.push_back(axis_at(at));
    while (at < canonical.size()) {
        size_t digits = 0;
        result.inner_blocks.push_back(std::stoll(canonical.substr(at), &digits));
        at += digits;
        result.inner_axes.push_back(static_cast<dnnl_dim_t>(axis_at(at++)));
    }
    return result;
}

/// The layout by its definition: inner blocks are dense; outside of them, the axes are dense too,
/// each with its extent in whole blocks.
description_t expected(const spelling_t &spelling, const dims_t &dims, dnnl_data_type_t data_type) {
    description_t result = plain(dims, dims_t(dims.size()), data_type);
    result.inner_blocks = spelling.inner_blocks;
    result.inner_axes = spelling.inner_axes;
    const dims_t blocks = spelling.block_sizes();
    dnnl_dim_t stride = volume(spelling.inner_blocks);
    for (size_t place = dims.size(); place-- > 0;) {
        const size_t axis = spelling.axes[place];
        const dnnl_dim_t count = (dims[axis] + blocks[axis] - 1) / blocks[axis];
        result.strides[axis] = stride;
        result.padded_dims[axis] = count * blocks[axis];
        stride *= count;
    }
    return result;
}

/// A different extent for each axis, so that swapped axes are noticed; with `blocks`, several
/// blocks of which the last is not full.
dims_t different_extents(const dims_t &blocks) {
    constexpr dnnl_dim_t extents[] = {5, 3, 7, 2, 6, 4, 9, 3, 2, 5, 3, 4};
    dims_t result(blocks.size());
    for (size_t axis = 0; axis < result.size(); ++axis)
        result[axis] = blocks[axis] == 1 ? extents[axis] : blocks[axis] * (axis + 2) - 1;
    return result;
}

memory_desc_handle_t created(
        dnnl_format_tag_t tag, const dims_t &dims, dnnl_data_type_t data_type) {
    memory_desc_handle_t md;
    EXPECT_EQ(dnnl_memory_desc_create_with_tag(
                      md.out(), static_cast<int>(dims.size()), dims.data(), data_type, tag),
            dnnl_success);
    return md;
}

TEST(format_tags, all_are_in_the_table_with_their_values) {
    constexpr int undef_any_and_last = 3;
    EXPECT_EQ(std::size(tags) + undef_any_and_last, 1674u);
    for (const named_tag_t &tag : tags) EXPECT_EQ(tag.tag, tag.value) << tag.name;
    EXPECT_EQ(dnnl_format_tag_undef, 0);
    EXPECT_EQ(dnnl_format_tag_any, 1);
    EXPECT_EQ(dnnl_format_tag_last, 875);
}

TEST(format_tags, an_alias_has_the_value_of_its_canonical_name) {
    std::map<std::string, int> values;
    for (const named_tag_t &tag : tags)
        if (is_canonical(tag.name)) values[tag.name] = tag.tag;
    EXPECT_EQ(values.size(), 873u);
    for (const named_tag_t &tag : tags) {
        const auto found = values.find(canonical_name(tag.name));
        ASSERT_NE(found, values.end()) << tag.name << " as " << canonical_name(tag.name);
        EXPECT_EQ(tag.tag, found->second) << tag.name << " as " << found->first;
    }
}

TEST(format_tags, each_is_printed_by_its_canonical_name) {
    for (const named_tag_t &tag : tags)
        EXPECT_EQ(dnnl_fmt_tag2str(tag.tag), canonical_name(tag.name)) << tag.name;
    EXPECT_STREQ(dnnl_fmt_tag2str(dnnl_format_tag_undef), "undef");
    EXPECT_STREQ(dnnl_fmt_tag2str(dnnl_format_tag_any), "any");
}

TEST(format_tags, each_creates_the_layout_that_its_name_spells) {
    for (const named_tag_t &tag : tags) {
        const spelling_t spelling = spelled(canonical_name(tag.name));
        const dims_t dims = different_extents(spelling.block_sizes());
        const auto md = created(tag.tag, dims, dnnl_f32);
        if (!md) FAIL() << tag.name;
        const description_t layout = expected(spelling, dims, dnnl_f32);
        EXPECT_EQ(describe(md), layout) << tag.name;
        const size_t count = static_cast<size_t>(volume(layout.padded_dims));
        EXPECT_EQ(dnnl_memory_desc_get_size(md), count * sizeof(float)) << tag.name;
    }
}

TEST(format_tags, sizes_follow_the_data_type) {
    const std::pair<dnnl_data_type_t, size_t> bits_of[] = {{dnnl_f64, 64}, {dnnl_s64, 64},
            {dnnl_f32, 32}, {dnnl_s32, 32}, {dnnl_bf16, 16}, {dnnl_f16, 16}, {dnnl_s8, 8},
            {dnnl_u8, 8}, {dnnl_f8_e5m2, 8}, {dnnl_f8_e4m3, 8}, {dnnl_e8m0, 8}, {dnnl_s4, 4},
            {dnnl_u4, 4}, {dnnl_f4_e2m1, 4}};
    for (const auto &[data_type, bits] : bits_of)
        for (const dnnl_format_tag_t tag : {dnnl_abcd, dnnl_acdb, dnnl_aBcd16b, dnnl_ABcd4b4a}) {
            const dims_t dims = {4, 22, 6, 4};
            const auto md = created(tag, dims, data_type);
            if (!md) FAIL() << dnnl_dt2str(data_type);
            const size_t count = static_cast<size_t>(volume(describe(md).padded_dims));
            EXPECT_EQ(dnnl_memory_desc_get_size(md), count * bits / 8)
                    << dnnl_dt2str(data_type) << " " << dnnl_fmt_tag2str(tag);
        }
}

TEST(format_tags, extents_that_fill_their_blocks_are_not_padded) {
    for (const named_tag_t &tag : tags) {
        const spelling_t spelling = spelled(canonical_name(tag.name));
        dims_t dims = spelling.block_sizes();
        dims[0] *= 2;
        const auto md = created(tag.tag, dims, dnnl_s8);
        if (!md) FAIL() << tag.name;
        EXPECT_EQ(describe(md), expected(spelling, dims, dnnl_s8)) << tag.name;
        EXPECT_EQ(describe(md).padded_dims, dims) << tag.name;
    }
}

TEST(format_tags, extents_of_one_are_padded_to_whole_blocks) {
    for (const named_tag_t &tag : tags) {
        const spelling_t spelling = spelled(canonical_name(tag.name));
        const dims_t blocks = spelling.block_sizes();
        const dims_t ones(blocks.size(), 1);
        const auto md = created(tag.tag, ones, dnnl_bf16);
        if (!md) FAIL() << tag.name;
        EXPECT_EQ(describe(md).padded_dims, blocks) << tag.name;
        EXPECT_EQ(dnnl_memory_desc_get_size(md), 2 * static_cast<size_t>(volume(blocks)))
                << tag.name;
    }
}

TEST(format_tags, a_zero_extent_takes_no_bytes_under_any_tag) {
    for (const named_tag_t &tag : tags) {
        dims_t dims = different_extents(spelled(canonical_name(tag.name)).block_sizes());
        for (const size_t axis : {size_t(0), dims.size() - 1}) {
            dims_t empty = dims;
            empty[axis] = 0;
            const auto md = created(tag.tag, empty, dnnl_f32);
            if (!md) FAIL() << tag.name;
            EXPECT_EQ(dnnl_memory_desc_get_size(md), 0u) << tag.name << " axis " << axis;
            EXPECT_EQ(describe(md).padded_dims[axis], 0) << tag.name << " axis " << axis;
        }
    }
}

TEST(format_tags, a_name_given_as_text_creates_the_same_descriptor) {
    for (const named_tag_t &tag : tags) {
        const std::string name = canonical_name(tag.name);
        const dims_t dims = different_extents(spelled(name).block_sizes());
        const auto by_tag = created(tag.tag, dims, dnnl_f32);
        memory_desc_handle_t by_text;
        ASSERT_EQ(dnnl_memory_desc_create_with_string_tag(by_text.out(),
                          static_cast<int>(dims.size()), dims.data(), dnnl_f32, name.c_str()),
                dnnl_success)
                << name;
        EXPECT_TRUE(dnnl_memory_desc_equal(by_tag, by_text)) << name;
    }
}

TEST(format_tags, text_may_spell_layouts_that_have_no_tag) {
    for (const char *name : {"cab", "bAc3a", "cBa5b2b", "bac"}) {
        const spelling_t spelling = spelled(name);
        const dims_t dims = {7, 11, 2};
        memory_desc_handle_t md;
        ASSERT_EQ(dnnl_memory_desc_create_with_string_tag(md.out(), 3, dims.data(), dnnl_f32, name),
                dnnl_success)
                << name;
        EXPECT_EQ(describe(md), expected(spelling, dims, dnnl_f32)) << name;
    }
}

TEST(format_tags, text_of_another_number_of_axes_is_refused) {
    const dims_t dims = {2, 3};
    for (const char *name : {"abc", "a", "", "nonsense"}) {
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_string_tag(md.out(), 2, dims.data(), dnnl_f32, name),
                dnnl_invalid_arguments)
                << "\"" << name << "\"";
    }
}

TEST(format_tags, a_tag_of_another_number_of_axes_is_refused) {
    const dims_t dims(12, 2);
    for (const named_tag_t &tag : tags) {
        const int ndims = static_cast<int>(spelled(canonical_name(tag.name)).axes.size());
        for (const int other : {ndims - 1, ndims + 1}) {
            if (other < 1 || other > 12) continue;
            memory_desc_handle_t md;
            EXPECT_EQ(dnnl_memory_desc_create_with_tag(
                              md.out(), other, dims.data(), dnnl_f32, tag.tag),
                    dnnl_invalid_arguments)
                    << tag.name << " for " << other << " axes";
        }
    }
}

TEST(format_tags, values_that_are_no_tag_are_refused) {
    const dims_t dims = {2, 3};
    for (const int value : {int(dnnl_format_tag_last), 1023}) {
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_tag(md.out(), 2, dims.data(), dnnl_f32,
                          static_cast<dnnl_format_tag_t>(value)),
                dnnl_invalid_arguments)
                << value;
    }
}

} // namespace

} // namespace kiln::test
