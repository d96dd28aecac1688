// SPDX-License-Identifier: Apache-2.0
// Conditions of lanes as bits in memory, on every ISA the machine has: for any number of lanes, and
// never touching a byte that holds no bit of theirs.
#include "cpu/x64/jit/lane_condition.hpp"

#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/lanes_io.hpp"
#include "support/guarded_buffer.hpp"
#include "unit/jit/block.hpp"

namespace kiln::x64::jit::test {

namespace {

using namespace kiln::test;

class jit_lane_condition : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_lane_condition()
        : jit_block(GetParam()) {}

    /// 1 and -1 in turns that differ from lane to lane; a NaN, which is not below 0.
    std::vector<float> signs() const {
        std::vector<float> values;
        for (int i = 0; i < lanes(); ++i) values.push_back(i * i % 7 < 3 ? 1.f : -1.f);
        values[1] = std::numeric_limits<float>::quiet_NaN();
        return values;
    }

    static guarded_buffer_t bits_at_guard(size_t bytes) {
        return {bytes, placement_t::ends_at_guard};
    }

    static bool passes(float value) { return !(value <= 0); }
};

TEST_P(jit_lane_condition, is_stored_as_a_bit_a_lane) {
    const std::vector<float> values = signs();
    for (int count = 1; count <= lanes(); ++count) {
        const auto code = compile([&](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            io.load(o.vec, dnnl_f32, o.src, lanes());
            const vec_t zero = g.vec("0");
            g.set_zero(zero);
            lane_condition_t(g, o.vec, comparison_t::not_le, *zero).store_bits(o.dst, count);
        });
        const size_t bytes = (size_t(count) + 7) / 8;
        guarded_buffer_t bits = bits_at_guard(bytes);
        std::memset(bits.data(), 0xff, bytes);
        run(code, values.data(), bits.data());
        for (size_t bit = 0; bit < bytes * 8; ++bit) {
            const bool is_set = (std::to_integer<int>(bits.data()[bit / 8]) >> bit % 8 & 1) != 0;
            const bool expected = bit < size_t(count) && passes(values[bit]);
            EXPECT_EQ(is_set, expected) << "bit " << bit << " of " << count;
        }
    }
}

TEST_P(jit_lane_condition, is_loaded_from_a_bit_a_lane) {
    for (int count = 1; count <= lanes(); ++count) {
        const size_t bytes = (size_t(count) + 7) / 8;
        const auto code = compile([&](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            g.broadcast(o.vec, 3.f);
            lane_condition_t(g, o.src, count).keep(o.vec);
            io.store(o.vec, dnnl_f32, o.dst, lanes());
        });
        for (const unsigned pattern : {0x0000u, 0xffffu, 0xa5c3u, 0x5a3cu, 0x8001u}) {
            guarded_buffer_t bits = bits_at_guard(bytes);
            std::memcpy(bits.data(), &pattern, bytes);
            std::vector<float> dst = vector_of(-1);
            run(code, bits.data(), dst.data());
            for (int i = 0; i < count; ++i)
                EXPECT_EQ(dst[size_t(i)], (pattern >> i & 1) != 0 ? 3.f : 0.f)
                        << "lane " << i << " of " << count << ", pattern " << pattern;
        }
    }
}

TEST_P(jit_lane_condition, selects_products) {
    // Where the condition fails, a factor is infinite.
    std::vector<float> src;
    for (int i = 0; i < lanes(); ++i) src.push_back(i % 3 == 0 ? -1.5f : float(i));
    for (int i = 0; i < lanes(); ++i)
        src.push_back(i % 3 == 0 ? 3.f : std::numeric_limits<float>::infinity());
    const auto results = [&](const auto &write) {
        const auto code = compile([&](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            const vec_t factor = g.vec("factor"), sum = g.vec("sum");
            io.load(o.vec, dnnl_f32, o.src, lanes());
            io.load(factor, dnnl_f32, o.src + lanes() * int(sizeof(float)), lanes());
            g.broadcast(sum, 100);
            const lane_condition_t is_low(g, o.vec, comparison_t::lt, g.constant(0));
            io.store(write(is_low, o.vec, factor, sum), dnnl_f32, o.dst, lanes());
        });
        std::vector<float> dst = vector_of(-1);
        run(code, src.data(), dst.data());
        return dst;
    };
    using Xbyak::Xmm;
    using condition_t = const lane_condition_t &;
    const auto kept = results([](condition_t is_low, const Xmm &x, const Xmm &factor, const Xmm &) {
        is_low.multiply(x, factor, factor);
        return x;
    });
    const auto zero = results([](condition_t is_low, const Xmm &x, const Xmm &factor, const Xmm &) {
        is_low.multiply_or_zero(x, factor);
        return x;
    });
    const auto sums =
            results([](condition_t is_low, const Xmm &x, const Xmm &factor, const Xmm &sum) {
                is_low.add_product(sum, x, factor);
                return sum;
            });
    for (size_t i = 0; i < size_t(lanes()); ++i) {
        const bool is_low = i % 3 == 0;
        EXPECT_EQ(kept[i], is_low ? -4.5f : src[i]) << "lane " << i;
        EXPECT_EQ(zero[i], is_low ? -4.5f : 0.f) << "lane " << i;
        EXPECT_EQ(sums[i], is_low ? 95.5f : 100.f) << "lane " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(on, jit_lane_condition, ::testing::ValuesIn(levels),
        [](const auto &info) { return isa_name(info.param); });

} // namespace
} // namespace kiln::x64::jit::test
