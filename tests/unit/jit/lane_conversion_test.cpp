// SPDX-License-Identifier: Apache-2.0
// Conversions between registers that loads and stores do not show, on every ISA the machine has:
// bits that are widened and packed, bf16 that keeps subnormal values, and f8.
#include "cpu/x64/jit/lane_conversion.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/lanes_io.hpp"
#include "unit/jit/block.hpp"
#include "unit/jit/element_model.hpp"
#include "unit/jit/lanes_io_case.hpp"

namespace kiln::x64::jit::test {

namespace {

using namespace kiln::test;

class jit_lane_conversion : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_lane_conversion()
        : jit_block(GetParam()) {}

    size_t count() const { return size_t(lanes()); }

    /// Each pattern of `size` bytes once, side by side.
    static std::vector<std::byte> all_patterns(int size) {
        const size_t patterns = size == 1 ? 0x100 : 0x10000;
        std::vector<std::byte> src(patterns * size_t(size));
        for (size_t i = 0; i < patterns; ++i) write_code(src.data(), i, size, uint32_t(i));
        return src;
    }
};

TEST_P(jit_lane_conversion, puts_zeros_above_every_pattern_of_bits) {
    for (const int size : {1, 2})
        for (const bool from_register : {false, true})
            for (const int in_use : register_pressures()) {
                const auto code = compile(
                        [&](generator_t &g, const operands_t &o) {
                            lanes_io_t io(g);
                            // A whole register: what lies above the elements must not matter.
                            io.load(o.vec, dnnl_f32, o.src, lanes());
                            const bool is_half = size == 2 && g.has_avx512();
                            if (from_register)
                                widen_bits(g, o.vec, size,
                                        is_half ? Xbyak::Xmm(g.ymm(o.vec)) : g.xmm(o.vec));
                            else
                                widen_bits(g, o.vec, size, g.ptr[o.src]);
                            io.store(o.vec, dnnl_f32, o.dst, lanes());
                        },
                        in_use);
                std::vector<std::byte> src = all_patterns(size);
                const size_t patterns = src.size() / size_t(size);
                src.resize(src.size() + count() * 4, std::byte{0xff});
                std::vector<float> dst = vector_of(0);
                for (size_t first = 0; first < patterns; first += count()) {
                    run(code, &src[first * size_t(size)], dst.data());
                    for (size_t i = 0; i < count(); ++i)
                        ASSERT_EQ(bits_of(dst[i]), first + i) << size << " bytes, lane " << i;
                }
            }
}

TEST_P(jit_lane_conversion, packs_every_pattern_of_bits) {
    for (const int size : {1, 2})
        for (const int in_use : {0, vectors_of(isa_) - 2}) {
            const auto code = compile(
                    [&](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        const vec_t packed = g.vec("packed");
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        pack_bits(g, packed, size, o.vec);
                        io.store_packed(packed, size, o.dst, lanes(), store_t::ordinary);
                        io.store(o.vec, dnnl_f32, o.kept, lanes());
                    },
                    in_use);
            const std::vector<std::byte> expected = all_patterns(size);
            std::vector<std::byte> dst(expected.size());
            std::vector<float> src = vector_of(0), kept = src;
            for (size_t first = 0; first * size_t(size) < expected.size(); first += count()) {
                for (size_t i = 0; i < count(); ++i) src[i] = float_of(uint32_t(first + i));
                run(code, src.data(), &dst[first * size_t(size)], kept.data());
                ASSERT_EQ(std::memcmp(kept.data(), src.data(), count() * sizeof(float)), 0);
            }
            EXPECT_TRUE(dst == expected) << size << " bytes, " << in_use << " registers in use";
        }
}

/// Every bf16 with what rounding to it may drop, in an order that puts subnormal values beside
/// numbers, infinities and NaN.
std::vector<float> mixed_floats() {
    constexpr uint32_t lower_halves[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x4000, 0xc000};
    constexpr uint32_t all = 0x10000 * uint32_t(std::size(lower_halves));
    constexpr uint32_t odd = 0x5bd1e995; // its multiples meet every number below a power of two
    std::vector<float> values;
    for (uint32_t i = 0; i < all; ++i) {
        const uint32_t place = i * odd % all;
        values.push_back(float_of(place % 0x10000 << 16 | lower_halves[place / 0x10000]));
    }
    return values;
}

/// Each vector of values in `code`, whose results are of a type, is the nearest of them.
void expect_nearest(
        data_type_t type, const executable_code_t &code, std::vector<float> values, size_t lanes) {
    const int size = model_size(type);
    std::vector<std::byte> dst(lanes * size_t(size));
    std::vector<float> kept(lanes);
    values.resize((values.size() + lanes - 1) / lanes * lanes);
    for (size_t first = 0; first < values.size(); first += lanes) {
        run(code, &values[first], dst.data(), kept.data());
        ASSERT_EQ(std::memcmp(kept.data(), &values[first], lanes * sizeof(float)), 0);
        for (size_t i = 0; i < lanes; ++i)
            ASSERT_EQ(read_code(dst.data(), i, size), model_store(type, values[first + i]))
                    << std::hexfloat << values[first + i] << " with bits " << std::hex
                    << bits_of(values[first + i]) << " in lane " << i;
    }
}

/// The numbers of a type, those halfway between them, and the floats next to each.
std::vector<float> around_codes(data_type_t type) {
    std::vector<float> values;
    for (const uint32_t code : all_codes(type)) {
        const float value = model_load(type, code), next = model_load(type, code + 1);
        for (const float at : {value, (value + next) / 2})
            for (const float away : {-INFINITY, at, INFINITY})
                values.push_back(std::nextafter(at, away));
    }
    return values;
}

TEST_P(jit_lane_conversion, to_bf16_keeps_subnormal_values_where_asked_to) {
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [&](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    const vec_t packed = g.vec("packed");
                    io.load(o.vec, dnnl_f32, o.src, lanes());
                    pack(g, packed, dnnl_bf16, o.vec, subnormals_t::kept);
                    io.store_packed(packed, 2, o.dst, lanes(), store_t::ordinary);
                    io.store(o.vec, dnnl_f32, o.kept, lanes());
                },
                in_use);
        expect_nearest(dnnl_bf16, code, mixed_floats(), count());
        std::vector<float> subnormals;
        for (uint32_t bits = 0; bits < 0x800000; bits += 0x101)
            subnormals.insert(subnormals.end(), {float_of(bits), float_of(bits | 0x80000000)});
        expect_nearest(dnnl_bf16, code, subnormals, count());
    }
}

TEST_P(jit_lane_conversion, to_f8_gives_the_nearest_element) {
    for (const data_type_t type : {dnnl_f8_e5m2, dnnl_f8_e4m3})
        for (const int in_use : {0, vectors_of(isa_) - 3}) {
            const auto code = compile(
                    [&](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        io.store(o.vec, type, o.dst, lanes());
                        io.store(o.vec, dnnl_f32, o.kept, lanes());
                    },
                    in_use);
            expect_nearest(type, code, mixed_floats(), count());
            expect_nearest(type, code, around_codes(type), count());
        }
}

INSTANTIATE_TEST_SUITE_P(each, jit_lane_conversion, ::testing::ValuesIn(levels),
        [](const ::testing::TestParamInfo<isa_t> &info) { return isa_name(info.param); });

} // namespace

} // namespace kiln::x64::jit::test
