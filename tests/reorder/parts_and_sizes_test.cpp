// SPDX-License-Identifier: Apache-2.0
// Reorder without attributes: parts of tensors, tensors of all sizes, many threads at once.
#include <thread>

#include "reorder/converted.hpp"
#include "reorder/reorder_call.hpp"
#include "support/implementations.hpp"

namespace kiln::test {

namespace {

memory_desc_handle_t cut_out(
        const_dnnl_memory_desc_t parent, const dims_t &dims, const dims_t &offsets) {
    memory_desc_handle_t part;
    require(dnnl_memory_desc_create_submemory(part.out(), parent, dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    return part;
}

TEST(reorder, reads_and_writes_parts_of_tensors) {
    for (const auto *format : {"abcd", "acdb", "aBcd8b"}) {
        tensor_t src(
                cut_out(make_desc({3, 24, 5, 6}, dnnl_f32, format), {2, 8, 3, 4}, {1, 16, 2, 1}));
        const tensor_t dst(
                cut_out(make_desc({4, 27, 4, 9}, dnnl_f16, "aBcd16b"), {2, 8, 3, 4}, {1, 0, 0, 5}));
        src.fill(telling_values(src.elements()));
        expect_converted(src, dst);
    }
    // The last block of a part is padded where the part reaches the end.
    tensor_t src(cut_out(make_desc({3, 27, 2, 2}, dnnl_s32, "abcd"), {3, 11, 2, 2}, {0, 16, 0, 0}));
    const tensor_t dst(
            cut_out(make_desc({3, 27, 2, 2}, dnnl_s8, "aBcd16b"), {3, 11, 2, 2}, {0, 16, 0, 0}));
    src.fill(telling_values(src.elements()));
    expect_converted(src, dst);
}

/// By each implementation. `src` is filled.
void expect_converted_by_each(const tensor_t &src, const tensor_t &given_dst) {
    primitive_desc_handle_t pd;
    require(create_reorder(pd, src.desc(), given_dst.desc()), "dnnl_reorder_primitive_desc_create");
    do {
        const tensor_t dst(given_dst.desc(), placement_t::ends_at_guard);
        ASSERT_EQ(from_to(src, dst).execute(make_primitive(pd)), dnnl_success);
        EXPECT_TRUE(holds(dst, src.values())) << implementation_name(pd);
        EXPECT_TRUE(dst.is_tidy()) << implementation_name(pd);
        EXPECT_TRUE(src.is_tidy()) << implementation_name(pd);
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
}

// Parts smaller than a block, of one block, of several, and with a part of a block.
TEST(reorder, goes_between_parts_of_blocked_tensors) {
    const char *tags[] = {"abcd", "aBcd4b", "aBcd8b", "aBcd16b", "Abcd16a", "ABcd16b16a",
            "ABcd8a8b", "ABcd4b16a4b", "aBCd2b4c2b"};
    for (const dnnl_dim_t channels : {1, 3, 4, 8, 11, 16, 20, 32})
        for (const auto *src_tag : tags)
            for (const auto *dst_tag : tags) {
                const dims_t dims = {2, channels, 3, 2};
                const auto src_formats = part_formats(dims, src_tag);
                const auto dst_formats = part_formats(dims, dst_tag);
                for (size_t i = 0; i < src_formats.size(); ++i) {
                    const auto &dst_format = dst_formats[(i + 2) % dst_formats.size()];
                    SCOPED_TRACE(to_string(dims) + " " + src_formats[i] + " to " + dst_format);
                    const auto dst_type = i % 2 ? dnnl_f32 : dnnl_s8;
                    tensor_t src(make_desc(dims, dnnl_f32, src_formats[i]));
                    src.fill(telling_values(src.elements()));
                    expect_converted_by_each(src, tensor_t(make_desc(dims, dst_type, dst_format)));
                }
            }
}

TEST(reorder, reaches_beyond_4_gib) {
    constexpr dnnl_dim_t far = (dnnl_dim_t(3) << 30) + 5;
    tensor_t src(make_desc({3, 2, 2}, dnnl_f32, dims_t{far, far / 4, 1}));
    const tensor_t dst(make_desc({3, 2, 2}, dnnl_f32, dims_t{1, far, 2 * far}));
    src.fill(telling_values(src.elements()));
    ASSERT_EQ(reorder(src, dst), dnnl_success);
    EXPECT_TRUE(holds(dst, src.values()));

    // A part of a blocked tensor that is as large.
    constexpr dnnl_dim_t wide = dnnl_dim_t(1) << 27;
    const tensor_t blocked(
            cut_out(make_desc({2, 17, wide}, dnnl_bf16, "aBc16b"), {2, 17, 1}, {0, 0, wide - 1}));
    tensor_t plain(make_desc({2, 17, 1}, dnnl_f32));
    plain.fill(telling_values(plain.elements()));
    ASSERT_EQ(reorder(plain, blocked), dnnl_success);
    EXPECT_TRUE(holds(blocked, plain.values()));
    for (dnnl_dim_t a = 0; a < 2; ++a)
        for (dnnl_dim_t b = 17; b < 32; ++b) EXPECT_EQ(blocked.value({a, b, 0}), 0);
}

// Past the caches there are only stores to aligned addresses, and rows of 24 floats are not.
TEST(reorder, of_more_than_the_caches_hold_goes_to_rows_of_any_alignment) {
    constexpr dnnl_dim_t rows = (dnnl_dim_t(1) << 19) + 64, cols = 16, pitch = 24;
    const auto src = make_desc({rows, cols}, dnnl_f32, dims_t{cols, 1});
    const auto dst = make_desc({rows, cols}, dnnl_f32, dims_t{pitch, 1});
    const auto allocate = [](memory_handle_t &memory, const memory_desc_handle_t &desc) {
        require(dnnl_memory_create(memory.out(), desc, cpu_engine(), DNNL_MEMORY_ALLOCATE),
                "memory");
        void *data = nullptr;
        require(dnnl_memory_get_data_handle(memory, &data), "data");
        return static_cast<float *>(data);
    };
    memory_handle_t from, to;
    float *const given = allocate(from, src);
    float *const got = allocate(to, dst);
    for (dnnl_dim_t i = 0; i < rows * cols; ++i) given[i] = static_cast<float>(i % 10007);
    ASSERT_EQ(arguments_t()
                      .add(DNNL_ARG_FROM, from)
                      .add(DNNL_ARG_TO, to)
                      .execute(make_reorder(src, dst)),
            dnnl_success);
    for (dnnl_dim_t i = 0; i < rows * cols; ++i)
        ASSERT_EQ(got[i / cols * pitch + i % cols], given[i]) << i;
}

TEST(reorder, of_nothing_succeeds) {
    for (const auto *format : {"abcd", "aBcd16b"}) {
        const auto src = make_desc({2, 3, 0, 5}, dnnl_f32, format);
        const auto dst = make_desc({2, 3, 0, 5}, dnnl_s8, "acdb");
        memory_handle_t from, to;
        require(dnnl_memory_create(from.out(), src, cpu_engine(), DNNL_MEMORY_NONE), "memory");
        require(dnnl_memory_create(to.out(), dst, cpu_engine(), DNNL_MEMORY_NONE), "memory");
        EXPECT_EQ(arguments_t()
                          .add(DNNL_ARG_FROM, from)
                          .add(DNNL_ARG_TO, to)
                          .execute(make_reorder(src, dst)),
                dnnl_success);
    }
}

TEST(reorder, runs_in_many_threads_at_once) {
    tensor_t src(make_desc({4, 37, 11, 13}, dnnl_f32, "abcd"));
    src.fill(telling_values(src.elements()));
    const auto dst_desc = make_desc({4, 37, 11, 13}, dnnl_f16, "aBcd16b");
    const auto primitive = make_reorder(src.desc(), dst_desc);
    std::vector<std::thread> threads;
    std::vector<int> right(8, 0);
    for (size_t i = 0; i < right.size(); ++i)
        threads.emplace_back([&, i] {
            const auto stream = make_stream();
            const tensor_t dst(dst_desc);
            for (int trial = 0; trial < 5; ++trial)
                right[i] += from_to(src, dst).execute(primitive, stream) == dnnl_success;
            right[i] += holds(dst, src.values()) && dst.is_tidy();
        });
    for (auto &thread : threads) thread.join();
    EXPECT_EQ(right, std::vector<int>(right.size(), 6));
}

TEST(reorder, asks_for_its_arguments) {
    tensor_t src(make_desc({2, 3}, dnnl_f32));
    const tensor_t dst(make_desc({2, 3}, dnnl_f32, "ba"));
    src.fill({1, 2, 3, 4, 5, 6});
    const auto primitive = make_reorder(src.desc(), dst.desc());
    const arguments_t all = from_to(src, dst);
    EXPECT_EQ(all.without(DNNL_ARG_FROM).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(all.without(DNNL_ARG_TO).execute(primitive), dnnl_invalid_arguments);
    EXPECT_EQ(arguments_t(all).add(DNNL_ARG_FROM, dst.memory()).execute(primitive),
            dnnl_invalid_arguments);
    EXPECT_EQ(arguments_t(all).add(DNNL_ARG_BIAS, src.memory()).execute(primitive), dnnl_success);
    EXPECT_TRUE(holds(dst, {1, 2, 3, 4, 5, 6}));
}

} // namespace

} // namespace kiln::test
