// SPDX-License-Identifier: Apache-2.0
// Loads and stores of generated code of whole and partial vectors and of elements that lie apart,
// against scalar models that know only what the formats mean, on every ISA the machine has.
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

// --- Elements that lie apart --------------------------------------------------------------------

constexpr dim_t element_strides[] = {1, 2, 3, 7, 64, 1025};

TEST_P(jit_lanes_io_loads, take_elements_that_lie_apart) {
    const auto values = varied_floats(lanes(), 5);
    for (const int in_use : register_pressures())
        for (const dim_t stride : element_strides)
            for (int count = 1; count <= lanes(); ++count) {
                const auto code = compile(
                        [&](generator_t &g, const operands_t &o) {
                            lanes_io_t io(g);
                            io.load_strided(o.vec, type_, o.src + 3 * size_, stride * size_, count);
                            io.store(o.vec, dnnl_f32, o.dst, lanes());
                        },
                        in_use);
                // Nothing behind the last element.
                std::vector<std::byte> src(bytes(int(3 + stride * (count - 1) + 1)));
                std::vector<float> dst = vector_of(7);
                std::vector<uint32_t> codes;
                for (int i = 0; i < count; ++i) {
                    codes.push_back(model_store(type_, values[size_t(i)]));
                    write_code(src.data(), size_t(3 + stride * i), size_, codes.back());
                }
                run(code, src.data(), dst.data());
                for (size_t i = 0; i < size_t(lanes()); ++i)
                    ASSERT_EQ(bits_of(dst[i]),
                            i < codes.size() ? bits_of(model_load(type_, codes[i])) : 0u)
                            << "lane " << i << " of " << count << ", " << stride << " apart";
            }
}

TEST_P(jit_lanes_io, stores_elements_apart_and_nothing_between_them) {
    const auto values = varied_floats(lanes(), 6);
    for (const int in_use : register_pressures())
        for (const dim_t stride : element_strides)
            for (int count = 1; count <= lanes(); ++count) {
                const auto code = compile(
                        [&](generator_t &g, const operands_t &o) {
                            lanes_io_t io(g);
                            io.load(o.vec, dnnl_f32, o.src, lanes());
                            io.store_strided(
                                    o.vec, type_, o.dst + 3 * size_, stride * size_, count);
                        },
                        in_use);
                std::vector<std::byte> dst(
                        bytes(int(3 + stride * (count - 1) + 1)), std::byte(0x5a));
                std::vector<std::byte> expected = dst;
                for (int i = 0; i < count; ++i)
                    write_code(expected.data(), size_t(3 + stride * i), size_,
                            stored(values[size_t(i)]));
                run(code, values.data(), dst.data());
                for (int i = 0; i < count; ++i) { // NaN may be any NaN
                    const auto at = size_t(3 + stride * i);
                    const uint32_t found = read_code(dst.data(), at, size_);
                    if (std::isnan(values[size_t(i)]) && std::isnan(model_load(type_, found)))
                        write_code(expected.data(), at, size_, found);
                }
                ASSERT_EQ(dst, expected) << count << " elements " << stride << " apart";
            }
}

// --- Full vectors -------------------------------------------------------------------------------

TEST_P(jit_lanes_io_loads, give_every_element_as_it_is_defined) {
    std::vector<uint32_t> codes = all_codes(type_);
    codes.resize((codes.size() + 15) / 16 * 16, 0);
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, type_, o.src + size_ * lanes(), lanes());
                    io.store(o.vec, dnnl_f32, o.dst, lanes());
                },
                in_use);
        std::vector<std::byte> src(bytes(2 * lanes()));
        std::vector<float> dst = vector_of(0);
        for (size_t first = 0; first < codes.size(); first += size_t(lanes())) {
            for (size_t i = 0; i < size_t(lanes()); ++i)
                write_code(src.data(), size_t(lanes()) + i, size_, codes[first + i]);
            run(code, src.data(), dst.data());
            for (size_t i = 0; i < size_t(lanes()); ++i)
                ASSERT_EQ(bits_of(dst[i]), bits_of(model_load(type_, codes[first + i])))
                        << std::hex << "element " << codes[first + i] << " in lane " << i;
        }
    }
}

TEST_P(jit_lanes_io, stores_the_nearest_element_and_keeps_the_register) {
    std::vector<float> values = dense_floats();
    values.resize((values.size() + 15) / 16 * 16, 1.f);
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, dnnl_f32, o.src, lanes());
                    io.store(o.vec, type_, o.dst + size_ * lanes(), lanes());
                    io.store(o.vec, dnnl_f32, o.kept, lanes());
                },
                in_use);
        std::vector<std::byte> dst(bytes(2 * lanes()));
        std::vector<float> kept = vector_of(0);
        for (size_t first = 0; first < values.size(); first += size_t(lanes())) {
            run(code, &values[first], dst.data(), kept.data());
            ASSERT_EQ(std::memcmp(kept.data(), &values[first], sizeof(float) * kept.size()), 0);
            for (size_t i = 0; i < size_t(lanes()); ++i)
                ASSERT_EQ(read_code(dst.data(), size_t(lanes()) + i, size_),
                        stored(values[first + i]))
                        << std::hexfloat << "value " << values[first + i] << " with bits "
                        << std::hex << bits_of(values[first + i]) << " in lane " << i;
        }
    }
}

TEST_P(jit_lanes_io, touches_nothing_around_a_full_vector) {
    const auto code = compile([this](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        io.load(o.vec, type_, o.src, lanes());
        io.store(o.vec, type_, o.dst, lanes());
    });
    for (const placement_t placement : placements) {
        const marked_buffer_t src(bytes(lanes()), placement);
        const marked_buffer_t dst(bytes(lanes()), placement);
        for (int i = 0; i < lanes(); ++i)
            write_code(src.data(), size_t(i), size_, model_store(type_, float(7 * i)));
        run(code, src.data(), dst.data());
        EXPECT_EQ(std::memcmp(src.data(), dst.data(), bytes(lanes())), 0);
        EXPECT_TRUE(dst.slack_is_untouched());
    }
}

/// The code up to its return, without the constants behind it.
std::vector<uint8_t> instructions_of(const executable_code_t &code) {
    constexpr uint8_t vzeroupper_ret[] = {0xc5, 0xf8, 0x77, 0xc3};
    const uint8_t *const end = code.data() + code.size();
    return {code.data(), std::search(code.data(), end, vzeroupper_ret, vzeroupper_ret + 4)};
}

TEST_P(jit_lanes_io, stores_in_halves_store_the_same) {
    const auto program = [this](store_t how) {
        return compile([this, how](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            io.load(o.vec, dnnl_f32, o.src, lanes());
            io.store(o.vec, type_, o.dst, lanes(), how);
        });
    };
    const auto ordinary = program(store_t::ordinary), halves = program(store_t::halves);
    std::byte expected[64] = {}, found[64] = {};
    const auto values = varied_floats(lanes(), 1);
    run(ordinary, values.data(), expected);
    run(halves, values.data(), found);
    EXPECT_EQ(std::memcmp(expected, found, sizeof found), 0);
    // Vectors of 64 bytes alone are stored by two instructions.
    const bool are_split = lanes() * static_cast<int>(size_) == 64;
    EXPECT_EQ(instructions_of(halves).size() > instructions_of(ordinary).size(), are_split);
}

TEST_P(jit_lanes_io, non_temporal_stores_store_the_same) {
    if (size_ == 1) return; // not offered
    const auto program = [this](store_t how) {
        return compile([this, how](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            io.load(o.vec, dnnl_f32, o.src, lanes());
            io.store(o.vec, type_, o.dst, lanes(), how);
        });
    };
    const auto ordinary = program(store_t::ordinary);
    const auto non_temporal = program(store_t::non_temporal);
    alignas(64) std::byte expected[64] = {};
    alignas(64) std::byte found[64] = {};
    for (uint32_t seed = 0; seed < 100; ++seed) {
        const auto values = varied_floats(lanes(), seed);
        run(ordinary, values.data(), expected);
        run(non_temporal, values.data(), found);
        ASSERT_EQ(std::memcmp(expected, found, sizeof found), 0) << "seed " << seed;
    }
    // The two differ in the opcode of one instruction, MOVUPS and MOVNTPS.
    const auto one = instructions_of(ordinary), other = instructions_of(non_temporal);
    ASSERT_EQ(one.size(), other.size());
    const auto [movups, movntps] = std::mismatch(one.begin(), one.end(), other.begin());
    ASSERT_NE(movups, one.end());
    EXPECT_EQ(*movups, 0x11);
    EXPECT_EQ(*movntps, 0x2b);
    EXPECT_TRUE(std::equal(movups + 1, one.end(), movntps + 1));
}

// --- Partial vectors ----------------------------------------------------------------------------

TEST_P(jit_lanes_io_loads, of_partial_vectors_reach_up_to_unmapped_pages) {
    for (int count = 1; count < lanes(); ++count)
        for (const int in_use : register_pressures()) {
            const auto load = [this, count](lanes_io_t &io, const operands_t &o) {
                io.load(o.vec, type_, o.src, count);
            };
            const auto code = compile(after_a_load_of(count, load), in_use);
            for (const placement_t placement : placements) {
                const marked_buffer_t src(bytes(count), placement);
                const auto values = varied_floats(count, uint32_t(count));
                for (int i = 0; i < count; ++i)
                    write_code(src.data(), size_t(i), size_, model_store(type_, values[size_t(i)]));
                std::vector<float> dst = vector_of(3);
                run(code, src.data(), dst.data());
                for (int i = 0; i < lanes(); ++i) {
                    const uint32_t expected = i < count ? bits_of(model_load(type_,
                                                      read_code(src.data(), size_t(i), size_)))
                                                        : 0;
                    ASSERT_EQ(bits_of(dst[size_t(i)]), expected) << "lane " << i << " of " << count;
                }
            }
        }
}

TEST_P(jit_lanes_io, stores_partial_vectors_and_no_byte_more) {
    for (int count = 1; count < lanes(); ++count)
        for (const int in_use : register_pressures()) {
            const auto code = compile(
                    [this, count](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.prepare_tail(count);
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        io.store(o.vec, type_, o.dst, count);
                        io.store(o.vec, dnnl_f32, o.kept, lanes());
                    },
                    in_use);
            for (const placement_t placement : placements) {
                const auto values = varied_floats(lanes(), uint32_t(count));
                const marked_buffer_t dst(bytes(count), placement);
                std::vector<float> kept = vector_of(0);
                run(code, values.data(), dst.data(), kept.data());
                EXPECT_TRUE(dst.slack_is_untouched()) << count;
                EXPECT_EQ(std::memcmp(kept.data(), values.data(), sizeof(float) * kept.size()), 0);
                for (int i = 0; i < count; ++i)
                    ASSERT_EQ(read_code(dst.data(), size_t(i), size_), stored(values[size_t(i)]))
                            << "lane " << i << " of " << count;
            }
        }
}

TEST_P(jit_lanes_io_loads, take_another_tail_after_release) {
    const int second = lanes() - 1;
    const auto code = compile([&](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        io.prepare_tail(1);
        io.load(o.vec, type_, o.src, 1);
        io.release();
        io.prepare_tail(second);
        io.load(o.vec, type_, o.src, second);
        io.store(o.vec, dnnl_f32, o.dst, lanes());
    });
    std::vector<std::byte> src(bytes(lanes()), std::byte{1});
    std::vector<float> dst = vector_of(3);
    run(code, src.data(), dst.data());
    const float element = model_load(type_, read_code(src.data(), 0, size_));
    for (int i = 0; i < lanes(); ++i) EXPECT_EQ(dst[size_t(i)], i < second ? element : 0.f) << i;
}

INSTANTIATE_TEST_SUITE_P(each, jit_lanes_io,
        ::testing::Combine(
                ::testing::ValuesIn(levels), ::testing::Values(dnnl_f32, dnnl_bf16, dnnl_f16,
                                                     dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s8, dnnl_u8)),
        name_of);

INSTANTIATE_TEST_SUITE_P(each, jit_lanes_io_loads,
        ::testing::Combine(::testing::ValuesIn(levels),
                ::testing::Values(dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3,
                        dnnl_s32, dnnl_s8, dnnl_u8)),
        name_of);

} // namespace

} // namespace kiln::x64::jit::test
