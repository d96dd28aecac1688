// SPDX-License-Identifier: Apache-2.0
// The sizes of random descriptors against the greatest offset of any element, found by visiting
// all: descriptors from tags and strides, parts and other shapes of them, and blobs.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "common/memory/memory_desc.hpp"
#include "common/unlisted_functions.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

class random_descs_t {
public:
    explicit random_descs_t(uint64_t seed)
        : random_(seed) {}

    int64_t below(int64_t count) {
        return static_cast<int64_t>(random_() % static_cast<uint64_t>(count));
    }

    memory_desc_handle_t any() {
        memory_desc_handle_t md = below(3) == 0 ? strided() : tagged();
        for (int64_t steps = below(4); steps > 0; --steps) {
            memory_desc_handle_t next = transformed(md);
            if (next != nullptr) md = std::move(next);
        }
        return md;
    }

    /// The blob of a descriptor with one number changed; null if it is refused.
    memory_desc_handle_t from_changed_blob(const_dnnl_memory_desc_t md) {
        memory_desc_t changed = *md;
        const int64_t axis = below(changed.ndims);
        const auto add = [&](dim_t &number) { number += below(40) - 8; };
        switch (below(5)) {
        case 0: add(changed.dims[axis]); break;
        case 1: add(changed.padded_dims[axis]); break;
        case 2: add(changed.offset0); break;
        case 3: add(changed.format_desc.blocking.strides[axis]); break;
        default: add(changed.format_desc.blocking.inner_blks[0]); break;
        }
        memory_desc_handle_t result;
        dnnl_memory_desc_create_with_blob(result.out(), reinterpret_cast<uint8_t *>(&changed));
        return result;
    }

private:
    memory_desc_handle_t tagged() {
        constexpr const char *names[] = {"a", "ab", "ba", "abc", "cab", "acbd", "A16a", "AB8a4b",
                "aBc8b", "aBc16b", "ABc4b4a", "aBcd16b", "nChw16c", "Abcd8a", "ABcd16b16a",
                "ABcd4b16a4b", "AcdB16a2b", "aBCd2b4c2b", "BAcd8a16b2a", "aBCde4b8c8b4c"};
        const std::string name = names[below(std::size(names))];
        size_t ndims = 0;
        while (ndims < name.size() && !std::isdigit(static_cast<unsigned char>(name[ndims])))
            ++ndims;
        memory_desc_handle_t md;
        require(dnnl_memory_desc_create_with_string_tag(md.out(), static_cast<int>(ndims),
                        dims(ndims).data(), type(), name.c_str()),
                name);
        return md;
    }

    memory_desc_handle_t strided() {
        const auto ndims = static_cast<size_t>(1 + below(4));
        const dims_t extents = dims(ndims);
        std::vector<size_t> order(ndims);
        for (size_t d = 0; d < ndims; ++d) order[d] = d;
        std::shuffle(order.begin(), order.end(), random_);
        dims_t strides(ndims);
        int64_t stride = 1 + below(3);
        for (const size_t d : order) {
            strides[d] = below(8) == 0 ? 0 : stride;
            stride = stride * extents[d] + below(3);
        }
        return make_desc(extents, type(), strides);
    }

    memory_desc_handle_t transformed(const_dnnl_memory_desc_t md) {
        const int ndims = md->ndims;
        memory_desc_handle_t result;
        dims_t extents(static_cast<size_t>(ndims)), offsets(extents);
        std::vector<int> order(static_cast<size_t>(ndims));
        switch (below(4)) {
        case 0:
            for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int>(d);
            std::shuffle(order.begin(), order.end(), random_);
            dnnl_memory_desc_permute_axes(result.out(), md, order.data());
            break;
        case 1:
            extents.assign(md->dims, md->dims + ndims);
            extents.insert(extents.begin() + below(ndims + 1), 1);
            dnnl_memory_desc_reshape(
                    result.out(), md, static_cast<int>(extents.size()), extents.data());
            break;
        default:
            for (size_t d = 0; d < extents.size(); ++d) {
                offsets[d] = below(2) ? 0 : 8 * below(md->dims[d] / 8 + 1);
                extents[d] =
                        below(2) ? md->dims[d] - offsets[d] : below(md->dims[d] - offsets[d] + 1);
            }
            dnnl_memory_desc_create_submemory(result.out(), md, extents.data(), offsets.data());
        }
        return result;
    }

    dims_t dims(size_t ndims) {
        dims_t result;
        for (size_t d = 0; d < ndims; ++d)
            result.push_back(below(12) == 0 ? below(2) : 1 + below(d < 2 ? 40 : 4));
        return result;
    }

    dnnl_data_type_t type() {
        constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_f64, dnnl_s4};
        return types[below(std::size(types))];
    }

    std::mt19937_64 random_;
};

/// One past the greatest offset of any element or padding.
int64_t visited_end(const_dnnl_memory_desc_t md) {
    const layout_t layout(md);
    int64_t end = 0;
    for_each_index(layout.padded_dims(),
            [&](const dims_t &index) { end = std::max(end, layout.offset(index) + 1); });
    return end;
}

size_t bytes_of(dnnl_data_type_t type, int64_t elements) {
    const auto count = static_cast<size_t>(elements);
    return type == dnnl_s4 ? (count + 1) / 2 : count * dnnl_data_type_size(type);
}

void expect_sizes_of_visited_elements(const_dnnl_memory_desc_t md) {
    const int64_t count = element_count(*md, true);
    if (count > 200000) return;
    if (element_count(*md) == 0) {
        EXPECT_EQ(byte_size(*md), 0u);
        EXPECT_EQ(reached_bytes(*md), 0u);
        return;
    }
    EXPECT_EQ(reached_bytes(*md), bytes_of(md->data_type, visited_end(md)));
    EXPECT_LE(reached_bytes(*md), offset0_bytes(*md) + byte_size(*md));
}

TEST(memory_desc_span, ends_with_the_last_element_that_any_descriptor_has) {
    random_descs_t descs(1);
    for (int i = 0; i < 4000; ++i) {
        SCOPED_TRACE("descriptor " + std::to_string(i));
        expect_sizes_of_visited_elements(descs.any());
    }
}

TEST(memory_desc_span, ends_with_the_last_element_that_any_accepted_blob_has) {
    random_descs_t descs(2);
    int accepted = 0, refused = 0;
    for (int i = 0; i < 8000; ++i) {
        SCOPED_TRACE("descriptor " + std::to_string(i));
        const auto md = descs.any();
        const auto changed = descs.from_changed_blob(md);
        (changed == nullptr ? refused : accepted)++;
        if (changed != nullptr) expect_sizes_of_visited_elements(changed);
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);
}

// Whatever the library makes, it takes back.
TEST(memory_desc_span, of_every_descriptor_is_kept_by_its_blob) {
    random_descs_t descs(3);
    for (int i = 0; i < 4000; ++i) {
        const auto md = descs.any();
        memory_desc_handle_t back;
        ASSERT_EQ(dnnl_memory_desc_create_with_blob(back.out(),
                          reinterpret_cast<const uint8_t *>(static_cast<dnnl_memory_desc_t>(md))),
                dnnl_success)
                << i;
        EXPECT_EQ(byte_size(*back), byte_size(*md));
        EXPECT_EQ(reached_bytes(*back), reached_bytes(*md));
    }
}

// A buffer that holds the whole tensor holds each part of it.
TEST(memory_desc_span, of_a_part_ends_within_the_whole) {
    random_descs_t descs(4);
    int parts = 0;
    for (int i = 0; i < 8000; ++i) {
        const auto whole = descs.any();
        dims_t extents, offsets;
        for (int d = 0; d < whole.operator dnnl_memory_desc_t()->ndims; ++d) {
            const memory_desc_t &md = *static_cast<dnnl_memory_desc_t>(whole);
            offsets.push_back(4 * descs.below(md.dims[d] / 4 + 1));
            extents.push_back(descs.below(md.dims[d] - offsets.back() + 1));
        }
        memory_desc_handle_t part;
        if (dnnl_memory_desc_create_submemory(part.out(), whole, extents.data(), offsets.data())
                != dnnl_success)
            continue;
        ++parts;
        EXPECT_LE(reached_bytes(*part), offset0_bytes(*whole) + byte_size(*whole));
    }
    EXPECT_GT(parts, 2000);
}

} // namespace
} // namespace kiln::test
