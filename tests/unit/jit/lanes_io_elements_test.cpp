// SPDX-License-Identifier: Apache-2.0
// Loads and stores of generated code of a few elements and of bits as they are, against scalar
// models that know only what the formats mean, on every ISA the machine has.
#include "cpu/x64/jit/lanes_io.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "unit/jit/block.hpp"
#include "unit/jit/element_model.hpp"
#include "unit/jit/lanes_io_case.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::jit::test {

namespace {

// --- f8 and e8m0 --------------------------------------------------------------------------------

class jit_lanes_io_f8 : public jit_lanes_io {};

TEST_P(jit_lanes_io_f8, loads_every_element_up_to_unmapped_pages) {
    const float beyond = model_load(type_, 0);
    const std::vector<uint32_t> codes = all_codes(type_);
    for (int count = 1; count <= lanes(); ++count)
        for (const int in_use : register_pressures()) {
            const auto load = [this, count](lanes_io_t &io, const operands_t &o) {
                io.load(o.vec, type_, o.src, count);
            };
            const auto code = compile(after_a_load_of(count, load), in_use);
            for (const placement_t placement : placements) {
                const marked_buffer_t src(bytes(count), placement);
                for (size_t first = 0; first < codes.size(); first += size_t(count)) {
                    std::vector<float> expected = vector_of(beyond), dst = vector_of(3);
                    for (size_t i = 0; i < size_t(count); ++i) {
                        const uint32_t element = codes[(first + i) % codes.size()];
                        write_code(src.data(), i, size_, element);
                        expected[i] = model_load(type_, element);
                    }
                    run(code, src.data(), dst.data());
                    for (size_t i = 0; i < dst.size(); ++i)
                        ASSERT_TRUE(std::isnan(expected[i])
                                            ? std::isnan(dst[i])
                                            : bits_of(dst[i]) == bits_of(expected[i]))
                                << "lane " << i << " of " << count << " from " << first;
                }
            }
        }
}

// --- A few elements -----------------------------------------------------------------------------

TEST_P(jit_lanes_io_loads, give_four_elements_and_zeros) {
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, dnnl_f32, o.dst, lanes());
                    io.load_four(o.vec, type_, o.src);
                    io.store(o.vec, dnnl_f32, o.dst, lanes());
                },
                in_use);
        for (const placement_t placement : placements) {
            const marked_buffer_t src(bytes(4), placement);
            const std::vector<uint32_t> codes = all_codes(type_);
            for (size_t first = 0; first + 4 <= codes.size(); first += 4) {
                for (size_t i = 0; i < 4; ++i) write_code(src.data(), i, size_, codes[first + i]);
                std::vector<float> dst = vector_of(7);
                run(code, src.data(), dst.data());
                for (size_t i = 0; i < dst.size(); ++i)
                    ASSERT_EQ(bits_of(dst[i]),
                            i < 4 ? bits_of(model_load(type_, codes[first + i])) : 0u)
                            << std::hex << "lane " << i << " from " << codes[first];
            }
        }
    }
}

// --- Single elements ----------------------------------------------------------------------------

TEST_P(jit_lanes_io_loads, broadcast_one_element) {
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load_broadcast(o.vec, type_, o.src);
                    io.store(o.vec, dnnl_f32, o.dst, lanes());
                },
                in_use);
        for (const placement_t placement : placements) {
            const marked_buffer_t src(bytes(1), placement);
            std::vector<float> dst = vector_of(0);
            for (const uint32_t element : all_codes(type_)) {
                write_code(src.data(), 0, size_, element);
                run(code, src.data(), dst.data());
                const uint32_t expected = bits_of(model_load(type_, element));
                for (const float found : dst)
                    ASSERT_EQ(bits_of(found), expected) << std::hex << "element " << element;
            }
        }
    }
}

TEST_P(jit_lanes_io, stores_lane_0_alone) {
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, dnnl_f32, o.src, lanes());
                    io.store_scalar(o.vec, type_, o.dst);
                    io.store(o.vec, dnnl_f32, o.kept, lanes());
                },
                in_use);
        for (const placement_t placement : placements)
            for (uint32_t seed = 0; seed < 100; ++seed) {
                const auto values = varied_floats(lanes(), seed);
                const marked_buffer_t dst(bytes(1), placement);
                std::vector<float> kept = vector_of(0);
                run(code, values.data(), dst.data(), kept.data());
                ASSERT_EQ(read_code(dst.data(), 0, size_), stored(values[0]));
                EXPECT_TRUE(dst.slack_is_untouched());
                EXPECT_EQ(std::memcmp(kept.data(), values.data(), sizeof(float) * kept.size()), 0);
            }
    }
}

// --- Bits as they are ---------------------------------------------------------------------------

class jit_lanes_io_bits : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_lanes_io_bits()
        : jit_block(GetParam()) {}

    size_t vector_bytes() const { return size_t(lanes()) * sizeof(float); }
};

/// Bytes of which no two neighbours are equal, nor two vectors.
std::vector<std::byte> counted_bytes(size_t count) {
    std::vector<std::byte> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(1 + i % 251);
    return bytes;
}

TEST_P(jit_lanes_io_bits, loads_widen_any_number_of_elements_up_to_unmapped_pages) {
    for (const int size : {1, 2, 4})
        for (int count = 1; count <= lanes(); ++count)
            for (const int in_use : register_pressures()) {
                const auto load = [=](lanes_io_t &io, const operands_t &o) {
                    io.load_bits(o.vec, size, o.src, count);
                };
                const auto code = compile(after_a_load_of(count, load), in_use);
                for (const placement_t placement : placements) {
                    const marked_buffer_t src(size_t(count * size), placement);
                    const auto bytes = counted_bytes(src.size());
                    std::copy(bytes.begin(), bytes.end(), src.data());
                    std::vector<float> dst = vector_of(3);
                    run(code, src.data(), dst.data());
                    for (size_t i = 0; i < dst.size(); ++i)
                        ASSERT_EQ(bits_of(dst[i]),
                                i < size_t(count) ? read_code(src.data(), i, size) : 0u)
                                << "lane " << i << " of " << count << " of " << size << " bytes";
                }
            }
}

TEST_P(jit_lanes_io_bits, loads_extend_bytes_to_lanes_and_words) {
    for (const data_type_t type : {dnnl_s8, dnnl_u8})
        for (const bool are_words : {false, true})
            for (int count = 1; count <= lanes(); ++count) {
                const auto load = [=](lanes_io_t &io, const operands_t &o) {
                    if (are_words)
                        io.load_words(o.vec, type, o.src, count);
                    else
                        io.load_integers(o.vec, type, o.src, count);
                };
                const auto code = compile(after_a_load_of(count, load), 0);
                for (const placement_t placement : placements) {
                    const marked_buffer_t src(size_t(count), placement);
                    const auto bytes = counted_bytes(src.size());
                    for (size_t i = 0; i < bytes.size(); ++i)
                        src.data()[i] = i % 2 == 0 ? bytes[i] : ~bytes[i];
                    std::vector<float> dst = vector_of(3);
                    run(code, src.data(), dst.data());
                    for (int i = 0; i < lanes(); ++i) {
                        const int byte = i < count ? static_cast<int>(src.data()[i]) : 0;
                        const int wanted = type == dnnl_s8 ? static_cast<int8_t>(byte) : byte;
                        int16_t word;
                        std::memcpy(&word, reinterpret_cast<const char *>(dst.data()) + i * 2, 2);
                        const int got =
                                are_words ? word : static_cast<int>(bits_of(dst[size_t(i)]));
                        ASSERT_EQ(got, wanted) << "element " << i << " of " << count;
                    }
                }
            }
}

TEST_P(jit_lanes_io_bits, stores_any_bytes_of_a_vector_and_none_beside_them) {
    const auto values = counted_bytes(vector_bytes());
    std::vector<float> kept = vector_of(0);
    for (size_t first = 0; first < vector_bytes(); ++first)
        for (size_t count = 1; first + count <= vector_bytes(); ++count) {
            const std::vector<int> pressures = register_pressures();
            const auto code = compile(
                    [&](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        io.store_bytes(o.vec, int(first), int(count), o.dst);
                        io.store(o.vec, dnnl_f32, o.kept, lanes());
                    },
                    pressures[(first + count) % pressures.size()]);
            for (const placement_t placement : placements) {
                const marked_buffer_t dst(count, placement);
                run(code, values.data(), dst.data(), kept.data());
                ASSERT_EQ(std::memcmp(dst.data(), &values[first], count), 0)
                        << count << " bytes from " << first;
                ASSERT_TRUE(dst.slack_is_untouched()) << count << " bytes from " << first;
                ASSERT_EQ(std::memcmp(kept.data(), values.data(), values.size()), 0)
                        << count << " bytes from " << first;
            }
        }
}

INSTANTIATE_TEST_SUITE_P(each, jit_lanes_io_bits, ::testing::ValuesIn(levels), name_of_level);

INSTANTIATE_TEST_SUITE_P(each, jit_lanes_io_f8,
        ::testing::Combine(::testing::ValuesIn(levels),
                ::testing::Values(dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_e8m0)),
        name_of);

} // namespace

} // namespace kiln::x64::jit::test
