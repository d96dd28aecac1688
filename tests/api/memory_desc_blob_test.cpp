// SPDX-License-Identifier: Apache-2.0
// Memory descriptors as bytes: the layout of the struct, which programs and tools built for oneDNN
// depend on, and the blobs that pass a descriptor between processes.

#include <cstddef>
#include <cstring>

#include "api/description.hpp"
#include "api/descriptors.hpp"

namespace kiln::test {

namespace {

constexpr size_t struct_size = 768;

/// Offsets of the members of the struct, in bytes.
enum place_t : size_t {
    at_ndims = 0,
    at_ndims_in_tools = 4, // where oneDNN 3.13.1 as it is compiled has it: after a flag
    at_dims = 8,
    at_data_type = 104,
    at_padded_dims = 112,
    at_padded_offsets = 208,
    at_offset0 = 304,
    at_format_kind = 312,
    at_strides = 320,
    at_inner_nblks = 320 + 96,
    at_inner_blks = 320 + 104,
    at_inner_idxs = 320 + 200,
    at_extra_flags = 640,
    at_compensation_mask = 648,
    at_scale_adjust = 652,
    at_asymm_compensation_mask = 656,
};

using bytes_t = std::vector<uint8_t>;

bytes_t bytes_of(const_dnnl_memory_desc_t md) {
    bytes_t bytes(struct_size);
    std::memcpy(bytes.data(), md, struct_size);
    return bytes;
}

template <typename value_t> value_t peek(const bytes_t &bytes, size_t offset) {
    value_t value;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
}

template <typename value_t> void poke(bytes_t &bytes, size_t offset, value_t value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

dims_t peek_dims(const bytes_t &bytes, size_t offset, int count) {
    dims_t result;
    for (int i = 0; i < count; ++i)
        result.push_back(peek<int64_t>(bytes, offset + 8 * static_cast<size_t>(i)));
    return result;
}

description_t peek_description(const bytes_t &bytes, int ndims) {
    description_t result;
    result.dims = peek_dims(bytes, at_dims, ndims);
    result.data_type = static_cast<dnnl_data_type_t>(peek<int>(bytes, at_data_type));
    result.format_kind = static_cast<dnnl_format_kind_t>(peek<int>(bytes, at_format_kind));
    result.padded_dims = peek_dims(bytes, at_padded_dims, ndims);
    result.padded_offsets = peek_dims(bytes, at_padded_offsets, ndims);
    result.offset0 = peek<int64_t>(bytes, at_offset0);
    if (result.format_kind != dnnl_blocked) return result;
    const int blocks = peek<int>(bytes, at_inner_nblks);
    result.strides = peek_dims(bytes, at_strides, ndims);
    result.inner_blocks = peek_dims(bytes, at_inner_blks, blocks);
    result.inner_axes = peek_dims(bytes, at_inner_idxs, blocks);
    return result;
}

memory_desc_handle_t submemory() {
    const auto whole = make_desc({6, 24, 5}, dnnl_s8, "aBc8b");
    const dims_t dims = {3, 8, 4}, offsets = {1, 16, 1};
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_submemory(md.out(), whole, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    return md;
}

memory_desc_handle_t host_scalar() {
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_host_scalar(md.out(), dnnl_s32),
            "dnnl_memory_desc_create_host_scalar");
    return md;
}

std::vector<memory_desc_handle_t> dense_kinds() {
    std::vector<memory_desc_handle_t> result;
    result.push_back(zero_desc());
    result.push_back(tagged({4}, dnnl_a));
    result.push_back(tagged({2, 17, 3, 5}, dnnl_aBcd16b, dnnl_bf16));
    result.push_back(tagged({30, 35, 3}, dnnl_ABc8b16a2b, dnnl_s8));
    result.push_back(tagged(dims_t(12, 2), dnnl_abcdefghijlk, dnnl_f64));
    result.push_back(tagged({4, 16}, dnnl_format_tag_any, dnnl_u8));
    result.push_back(tagged({0, 16}, dnnl_ba));
    result.push_back(tagged({DNNL_RUNTIME_DIM_VAL, 16}, dnnl_ab));
    result.push_back(make_desc({2, 3}, dnnl_f32, dims_t{100, 7}));
    result.push_back(submemory());
    return result;
}

std::vector<memory_desc_handle_t> all_kinds() {
    std::vector<memory_desc_handle_t> result = dense_kinds();
    result.push_back(host_scalar());
    result.push_back(csr_desc(5));
    result.push_back(coo_desc(5));
    return result;
}

dnnl_status_t write_blob(const_dnnl_memory_desc_t md, bytes_t &blob) {
    size_t size = 0;
    require(dnnl_memory_desc_get_blob(nullptr, &size, md), "dnnl_memory_desc_get_blob");
    blob.assign(size, 0xee);
    return dnnl_memory_desc_get_blob(blob.data(), &size, md);
}

TEST(memory_desc_layout, every_member_lies_where_programs_expect_it) {
    for (const auto &md : dense_kinds())
        EXPECT_EQ(
                peek_description(bytes_of(md), asked<int>(md, dnnl_query_ndims_s32)), describe(md));
}

TEST(memory_desc_layout, the_number_of_axes_comes_first) {
    for (const auto &md : dense_kinds())
        EXPECT_EQ(peek<int>(bytes_of(md), at_ndims), asked<int>(md, dnnl_query_ndims_s32));
}

TEST(memory_desc_layout, the_number_of_axes_is_also_where_compiled_tools_find_it) {
    for (const auto &md : dense_kinds())
        EXPECT_EQ(peek<int>(bytes_of(md), at_ndims_in_tools), asked<int>(md, dnnl_query_ndims_s32));
}

TEST(memory_desc_layout, a_plain_descriptor_is_these_bytes) {
    const bytes_t bytes = bytes_of(tagged({2, 17, 3, 5}, dnnl_aBcd16b, dnnl_bf16));
    EXPECT_EQ(peek_dims(bytes, at_dims, 4), (dims_t{2, 17, 3, 5}));
    EXPECT_EQ(peek<int>(bytes, at_data_type), 2);
    EXPECT_EQ(peek_dims(bytes, at_padded_dims, 4), (dims_t{2, 32, 3, 5}));
    EXPECT_EQ(peek_dims(bytes, at_padded_offsets, 4), (dims_t{0, 0, 0, 0}));
    EXPECT_EQ(peek<int64_t>(bytes, at_offset0), 0);
    EXPECT_EQ(peek<int>(bytes, at_format_kind), 2);
    EXPECT_EQ(peek_dims(bytes, at_strides, 4), (dims_t{480, 240, 80, 16}));
    EXPECT_EQ(peek<int>(bytes, at_inner_nblks), 1);
    EXPECT_EQ(peek_dims(bytes, at_inner_blks, 1), dims_t{16});
    EXPECT_EQ(peek_dims(bytes, at_inner_idxs, 1), dims_t{1});
    EXPECT_EQ(peek<uint64_t>(bytes, at_extra_flags), 0u);
    EXPECT_EQ(peek<int>(bytes, at_compensation_mask), 0);
    EXPECT_EQ(peek<float>(bytes, at_scale_adjust), 0.f);
    EXPECT_EQ(peek<int>(bytes, at_asymm_compensation_mask), 0);
}

TEST(memory_desc_layout, a_part_of_a_tensor_begins_at_its_offset) {
    const bytes_t bytes = bytes_of(submemory());
    EXPECT_EQ(peek<int64_t>(bytes, at_offset0), 1 * 24 * 5 + 16 / 8 * 5 * 8 + 1 * 8);
}

TEST(memory_desc_layout, the_zero_descriptor_is_zero_bytes) {
    bytes_t bytes = bytes_of(zero_desc());
    bytes.erase(bytes.begin(), bytes.begin() + at_dims);
    EXPECT_EQ(bytes, bytes_t(struct_size - at_dims, 0));
}

TEST(memory_desc_layout, what_a_tool_writes_is_what_queries_answer) {
    const auto md = tagged({4, 6}, dnnl_ab);
    bytes_t bytes = bytes_of(md);
    poke<int64_t>(bytes, at_offset0, 11);
    poke<int64_t>(bytes, at_strides, 8);
    std::memcpy(static_cast<dnnl_memory_desc_t>(md), bytes.data(), struct_size);
    EXPECT_EQ(describe(md).offset0, 11);
    EXPECT_EQ(describe(md).strides, (dims_t{8, 1}));
    EXPECT_EQ(dnnl_memory_desc_get_size(md), 4u * 8 * sizeof(float));
}

TEST(memory_desc_blob, its_size_is_the_struct_s) {
    for (const auto &md : all_kinds()) {
        size_t size = 0;
        EXPECT_EQ(dnnl_memory_desc_get_blob(nullptr, &size, md), dnnl_success);
        EXPECT_EQ(size, struct_size);
    }
}

TEST(memory_desc_blob, carries_a_descriptor_there_and_back) {
    for (const auto &md : all_kinds()) {
        bytes_t blob;
        ASSERT_EQ(write_blob(md, blob), dnnl_success);
        EXPECT_EQ(blob, bytes_of(md));
        memory_desc_handle_t back;
        ASSERT_EQ(dnnl_memory_desc_create_with_blob(back.out(), blob.data()), dnnl_success);
        EXPECT_TRUE(dnnl_memory_desc_equal(md, back));
        EXPECT_EQ(describe(back), describe(md));
        EXPECT_EQ(dnnl_memory_desc_get_size(back), dnnl_memory_desc_get_size(md));
        bytes_t again;
        ASSERT_EQ(write_blob(back, again), dnnl_success);
        EXPECT_EQ(again, blob);
    }
}

TEST(memory_desc_blob, of_onednn_is_understood) {
    for (const auto &md : dense_kinds()) {
        bytes_t blob = bytes_of(md);
        poke<int>(blob, at_ndims, 1); // a flag there, always set
        poke<int>(blob, at_ndims_in_tools, asked<int>(md, dnnl_query_ndims_s32));
        memory_desc_handle_t back;
        ASSERT_EQ(dnnl_memory_desc_create_with_blob(back.out(), blob.data()), dnnl_success);
        EXPECT_EQ(describe(back), describe(md));
        EXPECT_TRUE(dnnl_memory_desc_equal(back, md));
    }
}

TEST(memory_desc_blob, of_nonsense_is_refused) {
    const auto plausible = tagged({2, 17, 3, 5}, dnnl_aBcd16b);
    const struct {
        const char *what;
        size_t at;
        int64_t value;
    } cases[] = {
            {"a negative extent", at_dims, -5},
            {"padding less than the extent", at_padded_dims + 8, 1},
            {"a negative offset", at_offset0, -1},
            {"an axis of a block beyond the last", at_inner_idxs, 100},
            {"a negative axis of a block", at_inner_idxs, -1},
            {"a block of nothing", at_inner_blks, 0},
    };
    for (const auto &[what, at, value] : cases) {
        bytes_t blob = bytes_of(plausible);
        poke(blob, at, value);
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_invalid_arguments)
                << what;
    }
    for (const int count : {-1, 13, 1 << 30}) {
        bytes_t blob = bytes_of(plausible);
        poke(blob, at_inner_nblks, count);
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_invalid_arguments)
                << count << " inner blocks";
        blob = bytes_of(plausible);
        poke(blob, at_ndims, count);
        poke(blob, at_ndims_in_tools, count);
        EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_invalid_arguments)
                << count << " axes";
    }
}

TEST(memory_desc_blob, keeps_sums_behind_weights) {
    constexpr uint64_t s8s8 = 1, adjusted = 2, zero_point = 8;
    const auto of_type = [](dnnl_data_type_t type) {
        return make_desc({32, 17, 3, 3}, type, "ABcd16b16a");
    };
    const auto blob_of = [](const_dnnl_memory_desc_t weights, uint64_t flags, int mask) {
        bytes_t blob = bytes_of(weights);
        poke(blob, at_extra_flags, flags);
        poke(blob, at_compensation_mask, mask);
        poke(blob, at_asymm_compensation_mask, mask);
        poke(blob, at_scale_adjust, 0.5f);
        return blob;
    };
    for (const uint64_t flags : {s8s8, zero_point, s8s8 | adjusted, s8s8 | zero_point}) {
        const bytes_t blob = blob_of(of_type(dnnl_s8), flags, 1);
        memory_desc_handle_t md;
        ASSERT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_success) << flags;
        bytes_t back(struct_size);
        size_t size = struct_size;
        ASSERT_EQ(dnnl_memory_desc_get_blob(back.data(), &size, md), dnnl_success);
        EXPECT_EQ(back, blob) << flags;
        const size_t kinds = (flags & s8s8 ? 1 : 0) + (flags & zero_point ? 1 : 0);
        EXPECT_EQ(dnnl_memory_desc_get_size(md), 32 * 32 * 9 + kinds * 32 * 4) << flags;
    }
    memory_desc_handle_t md;
    for (const auto &[blob, what] :
            {std::pair{blob_of(of_type(dnnl_f32), s8s8, 1), "weights of f32"},
                    std::pair{blob_of(of_type(dnnl_s8), 4, 1), "an unknown flag"},
                    std::pair{blob_of(of_type(dnnl_s8), s8s8, 16), "a mask beyond the axes"},
                    std::pair{blob_of(of_type(dnnl_s8), s8s8, -1), "a negative mask"}})
        EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_invalid_arguments)
                << what;
}

TEST(memory_desc_blob, with_padding_that_is_no_whole_block_is_refused) {
    const auto blocked = tagged({1, 20, 2}, dnnl_aBc16b);
    for (const int64_t padded : {21, 31, 33, 47}) {
        bytes_t blob = bytes_of(blocked);
        poke<int64_t>(blob, at_padded_dims + 8, padded);
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_invalid_arguments)
                << padded;
    }
    bytes_t blob = bytes_of(blocked);
    poke<int64_t>(blob, at_padded_dims + 8, 48); // one block more
    memory_desc_handle_t md;
    ASSERT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_get_size(md), 48u * 2 * sizeof(float));
}

// A part of a tensor may end within a block, and has no padding then.
TEST(memory_desc_blob, of_a_part_of_a_block_is_understood_without_padding_only) {
    const auto whole = tagged({2, 20, 3}, dnnl_aBc16b);
    const dims_t dims = {1, 3, 3}, offsets = {1, 16, 0};
    memory_desc_handle_t part, back;
    require(dnnl_memory_desc_create_submemory(part.out(), whole, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    bytes_t blob = bytes_of(part);
    ASSERT_EQ(dnnl_memory_desc_create_with_blob(back.out(), blob.data()), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(back, part));
    poke<int64_t>(blob, at_padded_dims + 8, 5);
    EXPECT_EQ(dnnl_memory_desc_create_with_blob(back.out(), blob.data()), dnnl_invalid_arguments);
}

TEST(memory_desc_blob, with_padding_in_front_is_not_implemented) {
    bytes_t blob = bytes_of(tagged({2, 17, 3, 5}, dnnl_aBcd16b));
    poke<int64_t>(blob, at_padded_offsets + 8, 4);
    memory_desc_handle_t md;
    EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_unimplemented);
}

TEST(memory_desc_blob, with_enormous_blocks_is_refused) {
    for (const int64_t block : {int64_t(1) << 21, int64_t(1) << 40, int64_t(1) << 62}) {
        bytes_t blob = bytes_of(tagged({2, 0, 3, 5}, dnnl_aBcd16b));
        poke<int64_t>(blob, at_inner_blks, block);
        memory_desc_handle_t md;
        EXPECT_EQ(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), dnnl_invalid_arguments)
                << block;
    }
}

TEST(memory_desc_blob, is_not_tied_to_its_descriptor) {
    bytes_t blob;
    {
        const auto md = tagged({2, 3}, dnnl_ba);
        ASSERT_EQ(write_blob(md, blob), dnnl_success);
    }
    memory_desc_handle_t back;
    ASSERT_EQ(dnnl_memory_desc_create_with_blob(back.out(), blob.data()), dnnl_success);
    blob.assign(blob.size(), 0);
    EXPECT_EQ(describe(back), plain({2, 3}, {1, 2}));
}

// Without a layout there is neither padding nor an offset.
TEST(memory_desc_blob, without_a_layout_has_a_shape_only) {
    std::vector<memory_desc_handle_t> kinds;
    kinds.push_back(tagged({4, 16}, dnnl_format_tag_any));
    kinds.push_back(host_scalar());
    kinds.push_back(csr_desc(5));
    kinds.push_back(coo_desc(5));
    for (const auto &md : kinds)
        for (const size_t place : {at_padded_dims, at_padded_offsets, at_offset0})
            for (const int64_t value : {-5, 100}) {
                bytes_t blob = bytes_of(md);
                poke(blob, place, value);
                memory_desc_handle_t back;
                EXPECT_EQ(dnnl_memory_desc_create_with_blob(back.out(), blob.data()),
                        dnnl_invalid_arguments)
                        << describe(md).format_kind << " at " << place << ": " << value;
            }
}

} // namespace

} // namespace kiln::test
