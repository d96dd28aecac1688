// SPDX-License-Identifier: Apache-2.0
// Memory descriptors derived from others: submemories, reshapes, permutations of axes. The offsets
// of all elements are compared with those of the original descriptor.

#include <string>

#include "api/description.hpp"
#include "api/descriptors.hpp"

namespace kiln::test {

namespace {

constexpr dnnl_dim_t runtime = DNNL_RUNTIME_DIM_VAL;

memory_desc_handle_t strided(const dims_t &dims, const dims_t &strides) {
    return make_desc(dims, dnnl_f32, strides);
}

// ---- parts of a tensor

dnnl_status_t part(memory_desc_handle_t &md, const_dnnl_memory_desc_t whole, const dims_t &dims,
        const dims_t &offsets) {
    return dnnl_memory_desc_create_submemory(md.out(), whole, dims.data(), offsets.data());
}

TEST(submemory, names_the_elements_of_the_whole_from_its_offsets_on) {
    const struct {
        std::string format;
        dims_t whole, dims, offsets;
    } cases[] = {
            {"ab", {6, 8}, {2, 3}, {1, 4}},
            {"ba", {6, 8}, {2, 3}, {4, 5}},
            {"acb+3", {3, 4, 5}, {3, 2, 1}, {0, 2, 4}},
            {"abc", {3, 4, 5}, {3, 4, 5}, {0, 0, 0}},
            {"abc", {3, 4, 5}, {1, 1, 1}, {2, 3, 4}},
            {"aBc8b", {2, 20, 3}, {1, 8, 2}, {1, 8, 1}},
            {"aBc8b", {2, 20, 3}, {2, 12, 3}, {0, 8, 0}}, // up to the border, padding included
            {"aBc8b", {2, 20, 3}, {2, 3, 3}, {0, 8, 0}},  // smaller than a block
            {"ABc4b4a", {8, 8, 2}, {4, 4, 2}, {4, 4, 0}},
    };
    for (const auto &[format, whole_dims, dims, offsets] : cases) {
        const auto whole = make_desc(whole_dims, dnnl_f32, format);
        memory_desc_handle_t md;
        ASSERT_EQ(part(md, whole, dims, offsets), dnnl_success)
                << format << " " << to_string(dims) << " at " << to_string(offsets);
        const layout_t inner(md), outer(whole);
        EXPECT_EQ(inner.dims(), dims);
        EXPECT_EQ(asked<dnnl_dim_t>(md, dnnl_query_submemory_offset_s64), outer.offset(offsets));
        for (int64_t position = 0; position < volume(dims); ++position) {
            const dims_t index = index_at(dims, position);
            dims_t in_whole = index;
            for (size_t axis = 0; axis < index.size(); ++axis) in_whole[axis] += offsets[axis];
            ASSERT_EQ(inner.offset(index), outer.offset(in_whole))
                    << format << " " << to_string(index);
        }
    }
}

TEST(submemory, keeps_the_padding_at_the_border_only) {
    const auto whole = make_desc({2, 20, 3}, dnnl_f32, "aBc8b");
    memory_desc_handle_t md;
    ASSERT_EQ(part(md, whole, {2, 12, 3}, {0, 8, 0}), dnnl_success);
    EXPECT_EQ(describe(md).padded_dims, (dims_t{2, 16, 3}));
    ASSERT_EQ(part(md, whole, {2, 8, 3}, {0, 8, 0}), dnnl_success);
    EXPECT_EQ(describe(md).padded_dims, (dims_t{2, 8, 3}));
}

TEST(submemory, of_submemory_adds_the_offsets) {
    const auto whole = make_desc({6, 8}, dnnl_f32);
    memory_desc_handle_t outer, inner;
    ASSERT_EQ(part(outer, whole, {4, 6}, {1, 2}), dnnl_success);
    ASSERT_EQ(part(inner, outer, {2, 2}, {1, 3}), dnnl_success);
    EXPECT_EQ(asked<dnnl_dim_t>(inner, dnnl_query_submemory_offset_s64), (1 + 1) * 8 + 2 + 3);
    EXPECT_EQ(describe(inner).strides, (dims_t{8, 1}));
}

TEST(submemory, with_an_extent_of_zero_is_allowed) {
    const auto whole = make_desc({6, 8}, dnnl_f32);
    memory_desc_handle_t md;
    ASSERT_EQ(part(md, whole, {0, 8}, {6, 0}), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_get_size(md), 0u);
}

TEST(submemory, beyond_the_whole_is_refused) {
    const auto whole = make_desc({6, 8}, dnnl_f32);
    const std::pair<dims_t, dims_t> cases[] = {
            {{7, 8}, {0, 0}},
            {{6, 8}, {1, 0}},
            {{2, 2}, {-1, 0}},
            {{-1, 2}, {0, 0}},
            {{1, 1}, {0, 8}},
    };
    for (const auto &[dims, offsets] : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(part(md, whole, dims, offsets), dnnl_invalid_arguments)
                << to_string(dims) << " at " << to_string(offsets);
    }
}

TEST(submemory, that_cuts_a_block_is_unimplemented) {
    const auto whole = make_desc({2, 20, 3}, dnnl_f32, "aBc8b");
    const std::pair<dims_t, dims_t> cases[] = {
            {{2, 8, 3}, {0, 4, 0}},
            {{2, 10, 3}, {0, 0, 0}},
    };
    for (const auto &[dims, offsets] : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(part(md, whole, dims, offsets), dnnl_unimplemented)
                << to_string(dims) << " at " << to_string(offsets);
    }
}

TEST(submemory, of_a_tensor_without_a_layout_is_unimplemented) {
    memory_desc_handle_t md;
    EXPECT_EQ(part(md, tagged({4, 6}, dnnl_format_tag_any), {2, 2}, {0, 0}), dnnl_unimplemented);
    EXPECT_EQ(part(md, tagged({runtime, 4}, dnnl_ab), {2, 2}, {0, 0}), dnnl_unimplemented);
    const auto whole = make_desc({6, 8}, dnnl_f32);
    EXPECT_EQ(part(md, whole, {runtime, 2}, {0, 0}), dnnl_unimplemented);
    EXPECT_EQ(part(md, whole, {2, 2}, {runtime, 0}), dnnl_unimplemented);
}

// ---- other shapes

dnnl_status_t reshaped(
        memory_desc_handle_t &md, const_dnnl_memory_desc_t from, const dims_t &dims) {
    return dnnl_memory_desc_reshape(md.out(), from, static_cast<int>(dims.size()), dims.data());
}

TEST(reshape, joins_and_splits_axes_that_lie_densely) {
    const struct {
        dims_t from, from_strides, to, to_strides;
    } cases[] = {
            {{2, 3, 4}, {12, 4, 1}, {6, 4}, {4, 1}},
            {{2, 3, 4}, {12, 4, 1}, {24}, {1}},
            {{24}, {1}, {2, 3, 4}, {12, 4, 1}},
            {{6, 4}, {4, 1}, {2, 3, 2, 2}, {12, 4, 2, 1}},
            {{6, 4}, {10, 1}, {2, 3, 4}, {30, 10, 1}},
            {{4, 6}, {1, 4}, {4, 2, 3}, {1, 12, 4}}, // column-major: each axis alone can be split
            {{6}, {5}, {2, 3}, {15, 5}},
            {{1, 6, 1}, {6, 1, 1}, {6}, {1}},
            {{6}, {1}, {6, 1}, {1, 1}},
            {{2, 3}, {3, 1}, {2, 3}, {3, 1}},
    };
    for (const auto &[from, from_strides, to, to_strides] : cases) {
        memory_desc_handle_t md;
        ASSERT_EQ(reshaped(md, strided(from, from_strides), to), dnnl_success)
                << to_string(from) << " to " << to_string(to);
        EXPECT_EQ(describe(md), plain(to, to_strides))
                << to_string(from) << " to " << to_string(to);
    }
}

TEST(reshape, keeps_every_element_in_its_place) {
    const struct {
        std::string format;
        dims_t from, to;
    } cases[] = {
            {"aBcd16b", {2, 20, 3, 4}, {2, 20, 12}},
            {"aBc8b", {2, 20, 6}, {2, 20, 2, 3}},
            {"aBc8b", {6, 20, 5}, {2, 3, 20, 5}},
            {"aBc8b", {1, 20, 5}, {20, 5}},
            {"aBc8b", {2, 20, 5}, {2, 20, 5, 1}},
            {"acb", {4, 6, 5}, {4, 2, 3, 5}},
            {"abc+2", {3, 4, 5}, {12, 5}},
    };
    for (const auto &[format, from, to] : cases) {
        const auto original = make_desc(from, dnnl_f32, format);
        memory_desc_handle_t md;
        ASSERT_EQ(reshaped(md, original, to), dnnl_success)
                << format << " " << to_string(from) << " to " << to_string(to);
        const layout_t before(original), after(md);
        for (int64_t position = 0; position < volume(to); ++position)
            ASSERT_EQ(after.offset(index_at(to, position)), before.offset(index_at(from, position)))
                    << format << " " << to_string(from) << " to " << to_string(to);
        EXPECT_EQ(dnnl_memory_desc_get_size(md), dnnl_memory_desc_get_size(original));
    }
}

TEST(reshape, of_what_does_not_lie_densely_is_refused) {
    const struct {
        dims_t from, from_strides, to;
    } cases[] = {
            {{2, 3}, {4, 1}, {6}},
            {{2, 3}, {1, 2}, {6}},
            {{4, 6}, {1, 4}, {6, 4}},
            {{2, 3, 4}, {100, 4, 1}, {24}},
    };
    for (const auto &[from, from_strides, to] : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(reshaped(md, strided(from, from_strides), to), dnnl_invalid_arguments)
                << to_string(from) << " " << to_string(from_strides) << " to " << to_string(to);
    }
}

TEST(reshape, that_divides_a_blocked_axis_is_refused) {
    memory_desc_handle_t md;
    const auto full = make_desc({2, 16, 3}, dnnl_f32, "aBc8b");
    EXPECT_EQ(reshaped(md, full, {2, 2, 8, 3}), dnnl_invalid_arguments);
    EXPECT_EQ(reshaped(md, full, {32, 3}), dnnl_invalid_arguments);
    const auto padded_one = make_desc({2, 1, 3}, dnnl_f32, "aBc8b");
    EXPECT_EQ(reshaped(md, padded_one, {2, 3}), dnnl_invalid_arguments);
}

TEST(reshape, to_another_number_of_elements_is_refused) {
    const auto original = make_desc({2, 3}, dnnl_f32);
    for (const dims_t &to : {dims_t{7}, dims_t{2, 2}, dims_t{-6}, dims_t{runtime, 3}, dims_t{}}) {
        memory_desc_handle_t md;
        EXPECT_EQ(reshaped(md, original, to), dnnl_invalid_arguments) << to_string(to);
    }
}

TEST(reshape, of_an_open_layout_stays_open) {
    memory_desc_handle_t md;
    ASSERT_EQ(reshaped(md, tagged({4, 6}, dnnl_format_tag_any), {2, 12}), dnnl_success);
    EXPECT_EQ(describe(md).format_kind, dnnl_format_kind_any);
    EXPECT_EQ(describe(md).dims, (dims_t{2, 12}));
}

TEST(reshape, of_the_zero_descriptor_or_runtime_extents_is_refused) {
    memory_desc_handle_t md;
    EXPECT_EQ(reshaped(md, zero_desc(), {1}), dnnl_invalid_arguments);
    EXPECT_EQ(reshaped(md, tagged({runtime, 4}, dnnl_ab), {4, runtime}), dnnl_invalid_arguments);
}

// ---- other orders

dnnl_status_t permuted(memory_desc_handle_t &md, const_dnnl_memory_desc_t from,
        const std::vector<int> &permutation) {
    return dnnl_memory_desc_permute_axes(md.out(), from, permutation.data());
}

TEST(permute_axes, sends_each_axis_to_its_new_number) {
    const struct {
        std::string format;
        dims_t dims;
        std::vector<int> permutation;
    } cases[] = {
            {"ab", {3, 5}, {1, 0}},
            {"abc", {3, 5, 2}, {2, 0, 1}},
            {"abc", {3, 5, 2}, {0, 1, 2}},
            {"cab+4", {3, 5, 2}, {1, 2, 0}},
            {"aBcd8b", {2, 20, 3, 4}, {3, 0, 2, 1}},
            {"ABc4b4a", {6, 9, 2}, {1, 2, 0}},
    };
    for (const auto &[format, dims, permutation] : cases) {
        const auto original = make_desc(dims, dnnl_f32, format);
        memory_desc_handle_t md;
        ASSERT_EQ(permuted(md, original, permutation), dnnl_success) << format;
        const description_t before = describe(original), after = describe(md);
        const layout_t old_layout(original), new_layout(md);
        for (size_t axis = 0; axis < dims.size(); ++axis) {
            const auto to = static_cast<size_t>(permutation[axis]);
            EXPECT_EQ(after.dims[to], before.dims[axis]) << format;
            EXPECT_EQ(after.padded_dims[to], before.padded_dims[axis]) << format;
            EXPECT_EQ(after.strides[to], before.strides[axis]) << format;
        }
        for (int64_t position = 0; position < volume(dims); ++position) {
            const dims_t old_index = index_at(dims, position);
            dims_t new_index(dims.size());
            for (size_t axis = 0; axis < dims.size(); ++axis)
                new_index[static_cast<size_t>(permutation[axis])] = old_index[axis];
            ASSERT_EQ(new_layout.offset(new_index), old_layout.offset(old_index)) << format;
        }
    }
}

TEST(permute_axes, there_and_back_is_the_original) {
    const auto original = make_desc({2, 20, 3}, dnnl_f32, "aBc8b");
    memory_desc_handle_t there, back;
    ASSERT_EQ(permuted(there, original, {2, 0, 1}), dnnl_success);
    ASSERT_EQ(permuted(back, there, {1, 2, 0}), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(original, back));
    EXPECT_FALSE(dnnl_memory_desc_equal(original, there));
}

TEST(permute_axes, of_an_open_layout_permutes_the_shape) {
    memory_desc_handle_t md;
    ASSERT_EQ(permuted(md, tagged({4, 6}, dnnl_format_tag_any), {1, 0}), dnnl_success);
    EXPECT_EQ(describe(md).format_kind, dnnl_format_kind_any);
    EXPECT_EQ(describe(md).dims, (dims_t{6, 4}));
}

TEST(permute_axes, by_what_is_no_permutation_is_refused) {
    const auto original = make_desc({3, 5, 2}, dnnl_f32);
    const std::vector<int> cases[] = {{0, 0, 1}, {0, 1, 3}, {-1, 0, 1}, {0, 1, 100}, {1, 1, 1}};
    for (const auto &permutation : cases) {
        memory_desc_handle_t md;
        EXPECT_EQ(permuted(md, original, permutation), dnnl_invalid_arguments)
                << permutation[0] << permutation[1] << permutation[2];
    }
}

TEST(permute_axes, of_the_zero_descriptor_or_runtime_extents_is_refused) {
    memory_desc_handle_t md;
    EXPECT_EQ(permuted(md, zero_desc(), {0}), dnnl_invalid_arguments);
    EXPECT_EQ(permuted(md, tagged({runtime, 4}, dnnl_ab), {1, 0}), dnnl_invalid_arguments);
}

} // namespace

} // namespace kiln::test
