// SPDX-License-Identifier: Apache-2.0
// Padding of blocked layouts: zero where it must be, and nothing else touched or even visited.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/guarded_buffer.hpp"
#include "support/handle.hpp"
#include "support/layout.hpp"

// Exported for the ecosystem's tools, though it stands in no public header.
extern "C" dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream);

namespace kiln::test {
namespace {

using bytes_t = std::vector<std::byte>;

dnnl_status_t pad(const_dnnl_memory_desc_t desc, void *data) {
    memory_handle_t memory;
    require(dnnl_memory_create(memory.out(), desc, cpu_engine(), data), "dnnl_memory_create");
    return dnnl_impl_zero_pad(memory, cpu_stream());
}

bool is_element(const layout_t &layout, const dims_t &index) {
    for (size_t d = 0; d < index.size(); ++d)
        if (index[d] >= layout.dims()[d]) return false;
    return true;
}

/// What `bytes` become when padding is zero, half-byte types two elements to a byte.
bytes_t padded(const layout_t &layout, bytes_t bytes) {
    const bool halves = layout.type() == dnnl_s4 || layout.type() == dnnl_u4
                        || layout.type() == dnnl_f4_e2m1 || layout.type() == dnnl_f4_e3m0;
    const size_t size = dnnl_data_type_size(layout.type());
    for (int64_t i = 0; i < volume(layout.padded_dims()); ++i) {
        const dims_t index = index_at(layout.padded_dims(), i);
        if (is_element(layout, index)) continue;
        const auto offset = static_cast<size_t>(layout.offset(index));
        if (halves)
            bytes[offset / 2] &= offset % 2 ? std::byte(0x0f) : std::byte(0xf0);
        else
            std::fill_n(
                    bytes.begin() + static_cast<std::ptrdiff_t>(offset * size), size, std::byte(0));
    }
    return bytes;
}

/// Pads a buffer that is full of marks, compares it with the model, and returns how many bytes
/// became zero.
int64_t expect_padded(const_dnnl_memory_desc_t desc) {
    const layout_t layout(desc);
    const size_t size = dnnl_memory_desc_get_size(desc)
                        + static_cast<size_t>(layout.offset(dims_t(layout.dims().size(), 0)))
                                  * dnnl_data_type_size(layout.type());
    guarded_buffer_t buffer(size, placement_t::ends_at_guard);
    const bytes_t marks(size, std::byte(0xa5));
    std::copy(marks.begin(), marks.end(), buffer.data());
    EXPECT_EQ(pad(desc, buffer.data()), dnnl_success);
    const bytes_t expected = padded(layout, marks);
    EXPECT_EQ(std::memcmp(buffer.data(), expected.data(), size), 0);
    return std::count(expected.begin(), expected.end(), std::byte(0));
}

TEST(zero_pad, clears_the_padding_of_every_format_tag) {
    int blocked = 0;
    int64_t zeros = 0;
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag) {
        SCOPED_TRACE(dnnl_fmt_tag2str(static_cast<dnnl_format_tag_t>(tag)));
        for (int ndims = 1; ndims <= 12; ++ndims) {
            const dims_t all = {3, 5, 3, 3, 1, 3, 1, 1, 1, 1, 1, 1}; // odd: no block fits
            const dims_t dims(all.begin(), all.begin() + ndims);
            memory_desc_handle_t desc;
            if (dnnl_memory_desc_create_with_tag(desc.out(), ndims, dims.data(), dnnl_s8,
                        static_cast<dnnl_format_tag_t>(tag))
                    != dnnl_success)
                continue;
            const int64_t cleared = expect_padded(desc);
            blocked += layout_t(desc).is_blocked();
            zeros += cleared;
            EXPECT_EQ(cleared > 0, layout_t(desc).is_blocked());
        }
    }
    EXPECT_GT(blocked, 500);
    EXPECT_GT(zeros, 0);
}

TEST(zero_pad, knows_the_size_of_every_type) {
    for (const auto type : {dnnl_f64, dnnl_f32, dnnl_s32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8,
                 dnnl_f8_e4m3, dnnl_e8m0, dnnl_s4, dnnl_u4, dnnl_f4_e2m1})
        for (const auto *format : {"aBcd8b", "aBcd16b", "ABcd4b16a4b", "ABcd8b8a", "Acdb16a"}) {
            SCOPED_TRACE(std::string(dnnl_dt2str(type)) + ":" + format);
            EXPECT_GT(expect_padded(make_desc({3, 19, 2, 3}, type, format)), 0);
            EXPECT_GT(expect_padded(make_desc({17, 6, 1, 5}, type, format)), 0);
        }
}

TEST(zero_pad, leaves_layouts_without_padding_alone) {
    for (const auto *format : {"abcd", "dcba", "abcd+3"})
        EXPECT_EQ(expect_padded(make_desc({2, 3, 4, 5}, dnnl_f32, format)), 0);
    EXPECT_EQ(expect_padded(make_desc({2, 32, 4, 5}, dnnl_f32, "aBcd16b")), 0);
    EXPECT_EQ(pad(make_desc({2, 3, 0, 5}, dnnl_f32, "aBcd16b"), nullptr), dnnl_success);
}

TEST(zero_pad, keeps_to_the_part_of_a_tensor) {
    const auto parent = make_desc({3, 27, 4, 5}, dnnl_f32, "aBcd16b");
    const struct {
        dims_t dims;
        dims_t offsets;
        bool reaches_padding;
    } rows[] = {{{2, 11, 2, 3}, {1, 16, 1, 2}, true}, {{2, 16, 2, 3}, {1, 0, 1, 2}, false},
            {{1, 27, 1, 1}, {2, 0, 3, 4}, true}};
    for (const auto &row : rows) {
        memory_desc_handle_t part;
        require(dnnl_memory_desc_create_submemory(
                        part.out(), parent, row.dims.data(), row.offsets.data()),
                "dnnl_memory_desc_create_submemory");
        EXPECT_EQ(expect_padded(part) > 0, row.reaches_padding);
    }
}

TEST(zero_pad, visits_only_the_padding) {
    // One block of channels without padding, which is unmapped, and one with.
    const auto desc = make_desc({1, 17, 64, 64}, dnnl_f32, "aBcd16b");
    const size_t size = dnnl_memory_desc_get_size(desc);
    guarded_buffer_t buffer(size, placement_t::ends_at_guard, pages_t::closed);
    buffer.open(size / 2, size / 2);
    ASSERT_EQ(pad(desc, buffer.data()), dnnl_success);
}

TEST(zero_pad, reaches_beyond_4_gib) {
    constexpr dnnl_dim_t wide = dnnl_dim_t(1) << 27;
    const auto parent = make_desc({2, 17, wide}, dnnl_f32, "aBc16b");
    const dims_t dims = {2, 17, 1};
    const dims_t offsets = {0, 0, wide - 1};
    memory_desc_handle_t part;
    require(dnnl_memory_desc_create_submemory(part.out(), parent, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    guarded_buffer_t buffer(
            dnnl_memory_desc_get_size(parent), placement_t::ends_at_guard, pages_t::closed);
    const layout_t layout(part);
    const auto place = [&](dnnl_dim_t a, dnnl_dim_t b) {
        return static_cast<size_t>(layout.offset({a, b, 0})) * sizeof(float);
    };
    for (const dnnl_dim_t a : {0, 1}) {
        buffer.open(place(a, 16), 16 * sizeof(float));
        std::memset(buffer.data() + place(a, 16), 0xa5, 16 * sizeof(float));
    }
    ASSERT_EQ(pad(part, buffer.data()), dnnl_success);
    for (const dnnl_dim_t a : {0, 1}) {
        const std::byte *block = buffer.data() + place(a, 16);
        EXPECT_EQ(std::count(block, block + 4, std::byte(0xa5)), 4);
        EXPECT_EQ(std::count(block + 4, block + 64, std::byte(0)), 60);
    }
}

TEST(zero_pad, refuses_null_pointers) {
    const auto desc = make_desc({2, 3}, dnnl_f32);
    memory_handle_t memory;
    require(dnnl_memory_create(memory.out(), desc, cpu_engine(), DNNL_MEMORY_NONE), "memory");
    EXPECT_EQ(dnnl_impl_zero_pad(nullptr, cpu_stream()), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_impl_zero_pad(memory, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_impl_zero_pad(memory, cpu_stream()), dnnl_success);
}

} // namespace
} // namespace kiln::test
