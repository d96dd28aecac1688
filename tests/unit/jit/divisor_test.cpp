// SPDX-License-Identifier: Apache-2.0
// Divisions by the same numbers, on every ISA the machine has, against the parts of a reciprocal
// that the library computes itself.
#include "cpu/x64/jit/divisor.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/reciprocal.hpp"
#include "unit/jit/block.hpp"

namespace kiln::x64::jit::test {

namespace {

class jit_divisor : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_divisor()
        : jit_block(GetParam()) {}
};

TEST_P(jit_divisor, divides_each_lane_by_its_own_number) {
    const auto code = compile([&](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        const vec_t by = g.vec("divisor");
        io.load(o.vec, dnnl_f32, o.src, lanes());
        io.load(by, dnnl_f32, o.src + lanes() * int(sizeof(float)), lanes());
        const divisor_t divisor(g, by);
        g.set_zero(by);
        divisor.divide(o.vec);
        io.store(o.vec, dnnl_f32, o.dst, lanes());
    });
    std::vector<float> src;
    for (int i = 0; i < lanes(); ++i) src.push_back(float(i * i) - 20.3f);
    for (int i = 0; i < lanes(); ++i) src.push_back((i % 2 == 0 ? 0.3f : -0.7f) * float(i + 1));
    std::vector<float> dst = vector_of(0);
    run(code, src.data(), dst.data());
    for (int i = 0; i < lanes(); ++i) {
        const float x = src[size_t(i)];
        const reciprocal_t reciprocal(src[size_t(i + lanes())]);
        EXPECT_EQ(dst[size_t(i)], std::fma(x, reciprocal.high, x * reciprocal.low)) << "lane " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(on, jit_divisor, ::testing::ValuesIn(levels),
        [](const auto &info) { return isa_name(info.param); });

} // namespace
} // namespace kiln::x64::jit::test
