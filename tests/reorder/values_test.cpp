// SPDX-License-Identifier: Apache-2.0
// Reorder without attributes: every pair of data types, and layouts of all kinds.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "reorder/converted.hpp"
#include "reorder/reorder_call.hpp"
#include "support/implementations.hpp"

namespace kiln::test {

namespace {

constexpr dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3,
        dnnl_f64, dnnl_s32, dnnl_s8, dnnl_u8};

TEST(reorder, converts_every_pair_of_types) {
    const struct {
        const char *src;
        const char *dst;
    } formats[] = {{"abcd", "abcd"}, {"abcd", "acdb"}, {"abcd", "aBcd8b"}, {"aBcd16b", "abcd+3"},
            {"ABcd4b16a4b", "ABcd8b8a"}, {"cdba*2", "Acdb16a"}};
    for (const auto src_type : types)
        for (const auto dst_type : types)
            for (const auto &format : formats)
                expect_converted({2, 17, 3, 5}, src_type, format.src, dst_type, format.dst);
}

TEST(reorder, goes_from_every_layout_to_every_other) {
    const char *formats[] = {"abcd", "dcba", "acdb", "bacd+5", "abdc*3", "aBcd4b", "aBcd8b",
            "aBcd16b", "Abcd16a", "ABcd16b16a", "ABcd4b16a4b", "ABcd8b8a", "ABcd16a16b2a",
            "Acdb16a", "AcdB16a2b"};
    for (const auto *src : formats)
        for (const auto *dst : formats) {
            expect_converted({3, 19, 2, 3}, dnnl_f32, src, dnnl_f32, dst);
            expect_converted({1, 19, 3, 2}, dnnl_f32, src, dnnl_u8, dst);
            expect_converted(
                    {17, 5, 1, 4}, dnnl_s8, src, dnnl_bf16, dst, placement_t::begins_at_guard);
        }
}

TEST(reorder, takes_blocks_of_grouped_weights_and_volumes) {
    const char *formats[] = {"abcde", "aBCde16b16c", "aBCde8b8c", "aBCde4c16b4c", "aBcde16b",
            "aCBde16c16b", "ABcde8b8a"};
    for (const auto *src : formats)
        for (const auto *dst : formats)
            expect_converted({2, 9, 17, 2, 1}, dnnl_f16, src, dnnl_f16, dst);
}

TEST(reorder, permutes_tensors_of_1_to_12_dims) {
    const dims_t extents = {2, 1, 3, 2, 1, 2, 2, 3, 1, 2, 2, 2};
    std::mt19937 random(7);
    const auto any_format = [&](size_t ndims) {
        std::string order = std::string("abcdefghijkl").substr(0, ndims);
        std::shuffle(order.begin(), order.end(), random);
        const char *gaps[] = {"", "", "+3", "*2"};
        return order + gaps[random() % 4];
    };
    for (size_t ndims = 1; ndims <= 12; ++ndims)
        for (int trial = 0; trial < 12; ++trial) {
            dims_t dims(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(ndims));
            std::shuffle(dims.begin(), dims.end(), random);
            const auto dst_type = trial % 2 ? dnnl_f32 : dnnl_s32;
            expect_converted(dims, dnnl_f32, any_format(ndims), dst_type, any_format(ndims));
        }
}

/// Integers just beside the middle between two floats of 16 bits, where a rounding to f32 before
/// would lead to the middle.
TEST(reorder, rounds_s32_to_16_bits_once) {
    std::vector<double> values;
    for (int bits : {8, 9, 11, 12})
        for (int exponent = bits; exponent < 31; ++exponent)
            for (int64_t head : {1ll << (bits - 1) | 1, (1ll << bits) - 1, 1ll << (bits - 1) | 2})
                for (int64_t beside : {-65, -1, 0, 1, 63}) {
                    const int64_t value = (head << (exponent - bits + 1)) + beside;
                    if (value > 2147483647 || value < 0) continue;
                    values.push_back(static_cast<double>(value));
                    values.push_back(static_cast<double>(-value));
                }
    const auto count = static_cast<dnnl_dim_t>(values.size());
    for (const auto type : {dnnl_bf16, dnnl_f16})
        for (const char *format : {"ab", "ba"}) {
            tensor_t src(make_desc({2, count / 2}, dnnl_s32));
            const tensor_t dst(make_desc({2, count / 2}, type, format));
            src.fill(values);
            ASSERT_EQ(reorder(src, dst), dnnl_success);
            EXPECT_TRUE(holds(dst, values));
        }
}

TEST(reorder, converts_from_and_to_s32_in_generated_code) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (const auto other : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8})
        for (const char *format : {"ab", "ba"}) {
            const auto wide = make_desc({40, 70}, dnnl_s32);
            const auto narrow = make_desc({40, 70}, other, format);
            for (const auto &[src, dst] : {std::pair(&wide, &narrow), {&narrow, &wide}}) {
                primitive_desc_handle_t pd;
                ASSERT_EQ(create_reorder(pd, *src, *dst), dnnl_success);
                EXPECT_NE(implementation_names(std::move(pd)).front(), "ref:any")
                        << dnnl_dt2str(other) << " " << format;
            }
        }
}

TEST(reorder, of_any_strides_and_remainders_of_blocks_comes_from_generated_code) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const char *formats[] = {"abcd", "acdb", "acdb*3", "aBcd8b", "aBcd16b"};
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
        for (const char *src : formats)
            for (const char *dst : formats) {
                primitive_desc_handle_t pd;
                ASSERT_EQ(create_reorder(pd, make_desc({3, 17, 2, 5}, type, src),
                                  make_desc({3, 17, 2, 5}, type, dst)),
                        dnnl_success);
                EXPECT_NE(implementation_names(std::move(pd)).front(), "ref:any")
                        << dnnl_dt2str(type) << " " << src << " " << dst;
            }
}

TEST(reorder, keeps_large_tensors_right_across_tasks) {
    expect_converted({100003}, dnnl_f32, "a", dnnl_bf16, "a");
    expect_converted({100003}, dnnl_f32, "a*2", dnnl_f32, "a");
    expect_converted({331, 257}, dnnl_f32, "ab", dnnl_f32, "ba");
    expect_converted({2, 67, 41, 23}, dnnl_u8, "abcd", dnnl_f32, "aBcd16b");
    expect_converted({40000, 3}, dnnl_bf16, "ab", dnnl_s8, "ba+1");
}

/// Channels of any number of blocks: items of short runs have lines of any length.
TEST(reorder, goes_from_blocks_to_channels_last_for_any_number_of_blocks) {
    for (dnnl_dim_t blocks = 2; blocks <= 21; ++blocks)
        for (const char *format : {"aBcd4b", "aBcd8b", "aBcd16b"})
            for (const auto &[src_type, dst_type] :
                    {std::pair(dnnl_f32, dnnl_f32), {dnnl_bf16, dnnl_bf16}, {dnnl_s8, dnnl_f32}})
                expect_converted({1, blocks * 8, 7, 67}, src_type, format, dst_type, "acdb");
}

/// A call of a kernel walks the small planes of many samples and blocks; the last call fewer.
TEST(reorder, takes_small_planes_of_many_samples) {
    const char *formats[] = {"abcd", "acdb", "aBcd8b", "aBcd16b"};
    const std::pair<dnnl_data_type_t, dnnl_data_type_t> pairs[] = {{dnnl_f32, dnnl_f32},
            {dnnl_bf16, dnnl_bf16}, {dnnl_u8, dnnl_s8}, {dnnl_s8, dnnl_u8}, {dnnl_s8, dnnl_f32}};
    for (const auto *src : formats)
        for (const auto *dst : formats)
            for (const auto &[src_type, dst_type] : pairs)
                for (const dims_t &dims :
                        {dims_t{37, 48, 1, 3}, {23, 100, 2, 2}, {19, 32, 3, 7}, {11, 17, 1, 1}})
                    expect_converted(dims, src_type, src, dst_type, dst);
}

TEST(reorder, reads_a_broadcast_axis_of_src) {
    tensor_t src(make_desc({3, 4, 5}, dnnl_f32, dims_t{5, 0, 1}));
    const tensor_t dst(make_desc({3, 4, 5}, dnnl_f32, "cab"));
    std::vector<double> values;
    for (int64_t i = 0; i < src.elements(); ++i) values.push_back(double(i / 20 * 5 + i % 5));
    src.fill(values);
    ASSERT_EQ(reorder(src, dst), dnnl_success);
    EXPECT_TRUE(holds(dst, values));
}

TEST(reorder, moves_elements_of_one_type_bit_by_bit) {
    // All 16-bit patterns: signalling NaN and their payloads too.
    const dims_t dims = {65536};
    for (const auto type : {dnnl_bf16, dnnl_f16}) {
        const tensor_t src(make_desc(dims, type));
        const tensor_t dst(make_desc(dims, type, "a*2"));
        void *data = nullptr;
        require(dnnl_memory_get_data_handle(src.memory(), &data), "dnnl_memory_get_data_handle");
        for (uint32_t bits = 0; bits < 65536; ++bits) static_cast<uint16_t *>(data)[bits] = bits;
        ASSERT_EQ(reorder(src, dst), dnnl_success);
        EXPECT_EQ(src.bits(), dst.bits());
        EXPECT_TRUE(dst.is_tidy());
    }
    const tensor_t src(make_desc({3}, dnnl_f32));
    const tensor_t dst(make_desc({3}, dnnl_f32, "a*3"));
    const uint32_t signalling[] = {0x7f800001, 0xffa55aa5, 0x80000001};
    void *data = nullptr;
    require(dnnl_memory_get_data_handle(src.memory(), &data), "dnnl_memory_get_data_handle");
    std::memcpy(data, signalling, sizeof(signalling));
    ASSERT_EQ(reorder(src, dst), dnnl_success);
    EXPECT_EQ(src.bits(), dst.bits());
}

std::vector<double> converted(
        dnnl_data_type_t from, const std::vector<double> &values, dnnl_data_type_t to) {
    const dims_t dims = {static_cast<dnnl_dim_t>(values.size())};
    tensor_t src(make_desc(dims, from));
    const tensor_t dst(make_desc(dims, to));
    src.fill(values);
    EXPECT_EQ(reorder(src, dst), dnnl_success);
    return dst.values();
}

TEST(reorder, rounds_to_nearest_even_and_saturates) {
    using list_t = std::vector<double>;
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(converted(dnnl_f32, {.5, 1.5, 2.5, -.5, -1.5, -2.5, 2.4999998, 2.5000002}, dnnl_s8),
            (list_t{0, 2, 2, 0, -2, -2, 2, 3}));
    EXPECT_EQ(converted(dnnl_f32, {127.5, 1024, -128.5, -1e30, infinity, -infinity, nan}, dnnl_s8),
            (list_t{127, 127, -128, -128, 127, -128, 0}));
    EXPECT_EQ(converted(dnnl_f32, {-124, -.4, 254.5, 255.5, 256, nan}, dnnl_u8),
            (list_t{0, 0, 254, 255, 255, 0}));
    EXPECT_EQ(converted(dnnl_f32, {2147483648., -2147483648., -3e9}, dnnl_s32),
            (list_t{2147483647., -2147483648., -2147483648.}));
    EXPECT_EQ(converted(dnnl_f64, {2147483646.5, 2147483645.5, -2147483648.5}, dnnl_s32),
            (list_t{2147483646., 2147483646., -2147483648.}));
    EXPECT_EQ(converted(dnnl_s32, {300, -300, 128}, dnnl_s8), (list_t{127, -128, 127}));
    EXPECT_EQ(converted(dnnl_s8, {-1, 127}, dnnl_u8), (list_t{0, 127}));
    // One rounding: going through float would make a tie of the first and lose it.
    EXPECT_EQ(converted(dnnl_f64, {1 + std::ldexp(1, -8) + std::ldexp(1, -40)}, dnnl_bf16),
            (list_t{1 + std::ldexp(1, -7)}));
}

TEST(reorder, loses_no_bit_of_an_integer) {
    std::vector<double> values = {2147483647., -2147483648., 16777217., -33554433., 0};
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) values.push_back(static_cast<int32_t>(random()));
    EXPECT_EQ(converted(dnnl_s32, values, dnnl_f64), values);
    EXPECT_EQ(converted(dnnl_f64, values, dnnl_s32), values);
    EXPECT_EQ(converted(dnnl_s32, values, dnnl_s32), values);
    EXPECT_EQ(converted(dnnl_s32, {16777217}, dnnl_f32), std::vector<double>{16777216});
}

TEST(reorder, converts_8_bit_floats) {
    const struct {
        dnnl_data_type_t type;
        uint8_t code;
        float value;
    } rows[] = {{dnnl_f8_e5m2, 0x3c, 1}, {dnnl_f8_e5m2, 0x7b, 57344},
            {dnnl_f8_e5m2, 0x01, 0x1p-16f},
            {dnnl_f8_e5m2, 0xfc, -std::numeric_limits<float>::infinity()}, {dnnl_f8_e4m3, 0x38, 1},
            {dnnl_f8_e4m3, 0x7e, 448}, {dnnl_f8_e4m3, 0x81, -0x1p-9f}};
    for (const auto &row : rows) {
        const auto narrow_desc = make_desc({1}, row.type);
        const auto wide_desc = make_desc({1}, dnnl_f32);
        uint8_t code = row.code;
        float value = 0;
        memory_handle_t narrow, wide;
        require(dnnl_memory_create(narrow.out(), narrow_desc, cpu_engine(), &code), "memory");
        require(dnnl_memory_create(wide.out(), wide_desc, cpu_engine(), &value), "memory");
        EXPECT_EQ(arguments_t()
                          .add(DNNL_ARG_FROM, narrow)
                          .add(DNNL_ARG_TO, wide)
                          .execute(make_reorder(narrow_desc, wide_desc)),
                dnnl_success);
        EXPECT_EQ(value, row.value);
        code = 0x55;
        EXPECT_EQ(arguments_t()
                          .add(DNNL_ARG_FROM, wide)
                          .add(DNNL_ARG_TO, narrow)
                          .execute(make_reorder(wide_desc, narrow_desc)),
                dnnl_success);
        EXPECT_EQ(code, row.code);
    }
}

TEST(reorder, works_in_place_where_the_layout_is_the_same) {
    for (const auto *format : {"abcd", "aBcd16b", "dacb*2"}) {
        tensor_t tensor(make_desc({2, 19, 3, 5}, dnnl_f32, format));
        tensor.fill(telling_values(tensor.elements()));
        const auto before = tensor.bits();
        ASSERT_EQ(reorder(tensor, tensor), dnnl_success);
        EXPECT_EQ(tensor.bits(), before);
        EXPECT_TRUE(tensor.is_tidy());
    }
    // Another type of the same size in the same place.
    tensor_t floats(make_desc({2, 300, 7}, dnnl_f32, "cab"));
    const auto integers_desc = make_desc({2, 300, 7}, dnnl_s32, "cab");
    floats.fill(telling_values(floats.elements()));
    const auto values = floats.values();
    void *data = nullptr;
    require(dnnl_memory_get_data_handle(floats.memory(), &data), "dnnl_memory_get_data_handle");
    memory_handle_t integers;
    require(dnnl_memory_create(integers.out(), integers_desc, cpu_engine(), data), "memory");
    ASSERT_EQ(arguments_t()
                      .add(DNNL_ARG_FROM, floats.memory())
                      .add(DNNL_ARG_TO, integers)
                      .execute(make_reorder(floats.desc(), integers_desc)),
            dnnl_success);
    const layout_t layout(integers_desc);
    for (size_t i = 0; i < values.size(); ++i) {
        const auto offset = layout.offset(index_at(layout.dims(), static_cast<int64_t>(i)));
        ASSERT_EQ(static_cast<const int32_t *>(data)[offset], rounded(dnnl_s32, values[i]));
    }
}

} // namespace

} // namespace kiln::test
