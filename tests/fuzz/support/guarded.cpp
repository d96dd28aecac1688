// SPDX-License-Identifier: Apache-2.0
// Guarded regions are mapped once and reused: mapping is slower than most executions.
#include "support/guarded.hpp"

#include "common/memory/type_set.hpp"
#include "support/data_type.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"

namespace kiln::fuzz {

namespace {

constexpr size_t margin_bytes = 256;
constexpr std::byte mark{0xa5};
/// Others are filled with random bits.
constexpr type_set_t encoded_types = float_types | int8_types | type_set({dnnl_f64, dnnl_s32});
/// Larger tensors are not visited element by element.
constexpr int64_t most_visited = 1 << 14;

/// The region of an execution's buffer number `index`.
const test::guarded_buffer_t &region(size_t index) {
    static std::deque<test::guarded_buffer_t> regions;
    while (regions.size() <= index)
        regions.emplace_back(most_bytes + 4096, test::placement_t::begins_at_guard);
    return regions[index];
}

/// The byte in which an element begins. Two elements of 4 bits share a byte.
size_t byte_of_element(dnnl_data_type_t type, int64_t element) {
    const bool has_4_bits =
            type == dnnl_s4 || type == dnnl_u4 || type == dnnl_f4_e2m1 || type == dnnl_f4_e3m0;
    return has_4_bits ? static_cast<size_t>(element) / 2
                      : static_cast<size_t>(element) * dnnl_data_type_size(type);
}

/// The bytes of elements and padding.
std::vector<char> bytes_of_elements(size_t bytes, const_dnnl_memory_desc_t desc) {
    std::vector<char> belongs(bytes, 1);
    if (desc == nullptr || ask<dnnl_format_kind_t>(desc, dnnl_query_format_kind) != dnnl_blocked)
        return belongs;
    const test::layout_t layout(desc);
    const size_t element = dnnl_data_type_size(layout.type());
    if (test::volume(layout.padded_dims()) > most_visited) return belongs;
    std::fill(belongs.begin(), belongs.end(), 0);
    test::for_each_index(layout.padded_dims(), [&](const dims_t &index) {
        const size_t begin = byte_of_element(layout.type(), layout.offset(index));
        for (size_t i = begin; i < std::min(begin + element, bytes); ++i) belongs[i] = 1;
    });
    return belongs;
}

} // namespace

size_t bytes_of(const_dnnl_memory_desc_t desc) {
    const size_t size = dnnl_memory_desc_get_size(desc);
    if (size == 0) return 0;
    const auto offset0 = ask<int64_t>(desc, dnnl_query_submemory_offset_s64);
    const auto type = ask<dnnl_data_type_t>(desc, dnnl_query_data_type);
    // Rounded up to whole bytes.
    return size + byte_of_element(type, offset0 + 1) - byte_of_element(type, 1);
}

buffers_t::buffer_t &buffers_t::add(size_t bytes) {
    EXPECT_THAT(bytes <= most_bytes, "a buffer of %zu bytes", bytes);
    const auto &space = region(buffers_.size());
    const bool ends_at_guard = !input_.one_in(2);
    std::byte *const end = space.data() + space.size();
    std::byte *const data = ends_at_guard ? end - bytes : space.data();
    std::byte *const margin = ends_at_guard ? data - margin_bytes : data + bytes;
    std::fill_n(margin, margin_bytes, mark);
    buffers_.push_back({data, bytes, margin, {}, {}});
    return buffers_.back();
}

std::byte *buffers_t::add_input(size_t bytes, dnnl_data_type_t type) {
    buffer_t &buffer = add(bytes);
    const size_t element = std::max<size_t>(dnnl_data_type_size(type), 1);
    uint64_t state = input_.byte() + 1u;
    const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
    enum { integers, zeros, random_bits, ones, all_bits };
    const size_t contents = input_.below(all_bits + 1);
    for (size_t at = 0; at + element <= bytes; at += element) {
        const auto random = static_cast<int64_t>(next() >> 33);
        std::byte value[8] = {};
        if (contents == all_bits)
            std::fill_n(value, sizeof(value), std::byte{0xff});
        else if (contents == random_bits || !contains(encoded_types, type))
            std::memcpy(value, &random, sizeof(random));
        else
            test::encode(
                    type, contents == integers ? double(random % 9 - 4) : contents == ones, value);
        std::memcpy(buffer.data + at, value, element);
    }
    buffer.before.assign(buffer.data, buffer.data + bytes);
    return buffer.data;
}

std::byte *buffers_t::add_output(size_t bytes, const_dnnl_memory_desc_t desc) {
    buffer_t &buffer = add(bytes);
    std::fill_n(buffer.data, bytes, mark);
    buffer.before.assign(bytes, mark);
    buffer.may_change = bytes_of_elements(bytes, desc);
    return buffer.data;
}

void buffers_t::overwrite(const std::byte *data, const_dnnl_memory_desc_t desc) {
    for (buffer_t &buffer : buffers_)
        if (buffer.data == data) buffer.may_change = bytes_of_elements(buffer.bytes, desc);
}

void buffers_t::expect_intact() const {
    for (size_t number = 0; number < buffers_.size(); ++number) {
        const buffer_t &buffer = buffers_[number];
        for (size_t i = 0; i < margin_bytes; ++i)
            EXPECT_THAT(buffer.margin[i] == mark, "buffer %zu: byte %td from its begin was written",
                    number, buffer.margin + i - buffer.data);
        for (size_t i = 0; i < buffer.bytes; ++i)
            EXPECT_THAT(buffer.data[i] == buffer.before[i]
                                || (!buffer.may_change.empty() && buffer.may_change[i]),
                    "buffer %zu of %zu bytes: byte %zu, which is no output's, was written", number,
                    buffer.bytes, i);
    }
}

} // namespace kiln::fuzz
