// SPDX-License-Identifier: Apache-2.0
// Reorders of tensors that no machine can hold are created as fast as those of small ones: what
// creation does depends on the number of axes and blocks, not on that of elements.
#include <ctime>

#include "reorder/reorder_call.hpp"

namespace kiln::test {

namespace {

constexpr dnnl_dim_t huge = 150'000'000'001;

/// Processor time of this thread.
double seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct tensor_spec_t {
    dims_t dims;
    std::string format;
    /// Of the last axis, behind the tensor's elements, beyond what the format needs.
    dnnl_dim_t padding = 0;
};

/// A blob is a descriptor's bytes; those of the padded dims begin at 112.
memory_desc_handle_t desc_of(const tensor_spec_t &spec, dnnl_data_type_t type) {
    constexpr size_t first_padded_dim = 112;
    auto desc = make_desc(spec.dims, type, spec.format);
    if (spec.padding == 0) return desc;
    size_t size = 0;
    require(dnnl_memory_desc_get_blob(nullptr, &size, desc), "dnnl_memory_desc_get_blob");
    std::vector<uint8_t> blob(size);
    require(dnnl_memory_desc_get_blob(blob.data(), &size, desc), "dnnl_memory_desc_get_blob");
    const dnnl_dim_t padded = spec.dims.back() + spec.padding;
    std::memcpy(&blob[first_padded_dim + sizeof(padded) * (spec.dims.size() - 1)], &padded,
            sizeof(padded));
    memory_desc_handle_t padded_desc;
    require(dnnl_memory_desc_create_with_blob(padded_desc.out(), blob.data()),
            "dnnl_memory_desc_create_with_blob");
    return padded_desc;
}

struct pair_t {
    tensor_spec_t src, dst;
};

const dims_t of_twelve_axes{16, 8, 16, 8, 16, 8, 16, 8, 16, 8, 16, 13};

const pair_t pairs[]{
        // A few elements, the rest is padding.
        {{{5}, "a"}, {{5}, "a", huge}},
        {{{5}, "a", huge}, {{5}, "a"}},
        {{{5}, "a", huge}, {{5}, "a", huge}},
        {{{1}, "a", huge}, {{1}, "a", huge}},
        {{{3, 5}, "ab"}, {{3, 5}, "ba", huge}},
        // Padding as long as a kernel writes it, and one element longer.
        {{{5}, "a"}, {{5}, "a", 256}},
        {{{5}, "a"}, {{5}, "a", 257}},
        // Many elements.
        {{{huge}, "a"}, {{huge}, "a"}},
        {{{huge, 7}, "ab"}, {{huge, 7}, "ba"}},
        {{{7, huge}, "ab"}, {{7, huge}, "ab+3"}},
        {{{2, huge, 3, 5}, "abcd"}, {{2, huge, 3, 5}, "aBcd16b"}},
        {{{2, huge, 3, 5}, "aBcd16b"}, {{2, huge, 3, 5}, "aBcd8b"}},
        {{{huge, 33}, "AB16b16a"}, {{huge, 33}, "ab"}},
        {{of_twelve_axes, "abcdefghijkl"}, {of_twelve_axes, "abcdefghijkl"}},
        {{of_twelve_axes, "abcdefghijkl"}, {of_twelve_axes, "lkjihgfedcba"}},
};

/// No attributes, a scale for each index of dst's first axis, and a scale of src besides.
std::vector<attr_handle_t> attributes() {
    std::vector<attr_handle_t> all(3);
    for (auto &attr : all) attr = make_attr();
    for (const size_t i : {1, 2})
        require(dnnl_primitive_attr_set_scales_mask(all[i], DNNL_ARG_DST, 1), "scales");
    require(dnnl_primitive_attr_set_scales_mask(all[2], DNNL_ARG_SRC, 0), "scales");
    return all;
}

TEST(huge_reorders, are_created_in_milliseconds) {
    constexpr double deadline = 0.2;
    for (const auto &[src, dst] : pairs)
        for (const auto &[src_type, dst_type] :
                {std::pair(dnnl_f32, dnnl_f32), std::pair(dnnl_f32, dnnl_bf16),
                        std::pair(dnnl_s8, dnnl_s8), std::pair(dnnl_f64, dnnl_f32)})
            for (const auto &attr : attributes()) {
                const auto from = desc_of(src, src_type), to = desc_of(dst, dst_type);
                const double begin = seconds();
                const auto made = make_reorder(from, to, attr);
                EXPECT_LT(seconds() - begin, deadline)
                        << to_string(src.dims) << ' ' << src.format << '+' << src.padding << " to "
                        << dst.format << '+' << dst.padding << ' ' << dnnl_dt2str(src_type) << ' '
                        << dnnl_dt2str(dst_type);
            }
}

} // namespace

} // namespace kiln::test
