// SPDX-License-Identifier: Apache-2.0
// Generated binary algorithms on every ISA the machine has: against their definitions, for values
// of every sort in either place.
#include "cpu/x64/jit/math/binary.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "common/attributes/alg_kind.hpp"
#include "unit/jit/binary_model.hpp"
#include "unit/jit/block.hpp"
#include "unit/jit/element_model.hpp"

namespace kiln::x64::jit::test {

namespace {

using namespace kiln::test;

using parameters_t = std::tuple<isa_t, dnnl_alg_kind_t>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct triple_t {
    float x;
    float y;
    float condition;
};

/// Every pair of special values, then pairs of any bits, then neighbours.
const std::vector<triple_t> &triples() {
    static const std::vector<triple_t> list = [] {
        const float specials[] = {-infinity, -3.5f, -1, -1e-40f, -0.f, 0, 1e-40f, 0.75f, 2, 1e30f,
                0x1p-126f, std::numeric_limits<float>::max(), infinity, nan, -nan};
        const float conditions[] = {0, 1, -0.f, -1, 255, 0x1p31f, 0, -0x1p31f};
        std::vector<triple_t> list;
        const auto add = [&](float x, float y) {
            list.push_back({x, y, conditions[list.size() % std::size(conditions)]});
        };
        for (const float x : specials)
            for (const float y : specials) {
                add(x, y);
                list.push_back({x, y, list.back().condition == 0 ? 1.f : 0.f});
            }
        std::mt19937 generator(1);
        for (int i = 0; i < 20000; ++i)
            add(float_of(uint32_t(generator())), float_of(uint32_t(generator())));
        for (int i = 0; i < 2000; ++i) {
            const float x = float_of(uint32_t(generator()));
            add(x, std::nextafter(x, infinity));
            add(x, x);
        }
        while (list.size() % 16 != 0) add(1, 2);
        return list;
    }();
    return list;
}

/// Where x, y and the condition come from, and the registers they are in.
struct sources_t {
    Xbyak::Reg64 src;
    std::array<Xbyak::Xmm, 3> vecs;
};

class jit_binary : public jit_block, public ::testing::WithParamInterface<parameters_t> {
protected:
    jit_binary()
        : jit_block(std::get<0>(GetParam()))
        , alg_(std::get<1>(GetParam())) {}

    bool is_select() const { return alg_ == dnnl_binary_select; }

    using writer_t = std::function<void(generator_t &, const sources_t &)>;

    /// Reads vectors of x, y and conditions that follow each other, lets `write` do something, and
    /// stores all three.
    executable_code_t compile_around(const writer_t &write) const {
        return compile([&](generator_t &g, const operands_t &o) {
            const vec_t y = g.vec("y");
            const vec_t condition = g.vec("condition");
            const sources_t sources{o.src, {o.vec, *y, *condition}};
            load(g, sources);
            write(g, sources);
            for (int i = 0; i < 3; ++i)
                g.vmovups(g.ptr[o.dst + i * 4 * lanes()], sources.vecs[size_t(i)]);
        });
    }

    void load(generator_t &g, const sources_t &from) const {
        for (int i = 0; i < 3; ++i)
            g.vmovups(from.vecs[size_t(i)], g.ptr[from.src + i * 4 * lanes()]);
    }

    void write_word(generator_t &g, const sources_t &on) const {
        binary(g, alg_, on.vecs[0], on.vecs[1], is_select() ? &on.vecs[2] : nullptr);
    }

    void check(const executable_code_t &code) const {
        const auto n = static_cast<size_t>(lanes());
        std::vector<float> src(3 * n);
        std::vector<float> dst(3 * n);
        for (size_t first = 0; first < triples().size(); first += n) {
            for (size_t i = 0; i < n; ++i) {
                const triple_t &triple = triples()[first + i];
                src[i] = triple.x, src[n + i] = triple.y, src[2 * n + i] = triple.condition;
            }
            run(code, src.data(), dst.data());
            for (size_t i = 0; i < n; ++i) {
                const float expected = model_binary(alg_, src[i], src[n + i], src[2 * n + i]);
                ASSERT_TRUE(is_model_result(alg_, dst[i], expected))
                        << std::hexfloat << src[i] << ", " << src[n + i] << ", condition "
                        << src[2 * n + i] << " gave " << dst[i] << ", not " << expected
                        << ", in lane " << i;
            }
            for (size_t i = n; i < 3 * n; ++i) ASSERT_EQ(bits_of(dst[i]), bits_of(src[i]));
        }
    }

    const dnnl_alg_kind_t alg_;
};

TEST_P(jit_binary, gives_what_its_definition_says_and_keeps_its_sources) {
    check(compile_around([this](generator_t &g, const sources_t &on) { write_word(g, on); }));
}

TEST_P(jit_binary, needs_no_more_registers_than_it_says_and_gives_them_back) {
    check(compile_around([this](generator_t &g, const sources_t &on) {
        std::vector<vec_t> vecs;
        std::vector<mask_t> masks;
        while (g.free_vecs() > max_binary_temporaries) vecs.push_back(g.vec("taken"));
        if (g.has_avx512())
            for (int i = max_binary_masks; i < 7; ++i) masks.push_back(g.mask("taken"));
        for (int time = 0; time < 2; ++time) {
            load(g, on);
            write_word(g, on);
            EXPECT_EQ(g.free_vecs(), max_binary_temporaries);
        }
    }));
}

TEST(jit_binary_algorithms, are_all_listed_here) {
    size_t known = 0;
    for (int alg = 0; alg < 0x100000; ++alg) known += is_binary_alg(static_cast<alg_kind_t>(alg));
    EXPECT_EQ(known, binary_algorithms().size());
    for (const auto alg : binary_algorithms()) EXPECT_TRUE(is_binary_alg(alg)) << binary_name(alg);
}

INSTANTIATE_TEST_SUITE_P(each, jit_binary,
        ::testing::Combine(::testing::ValuesIn(levels),
                ::testing::ValuesIn(binary_algorithms().begin(), binary_algorithms().end())),
        [](const auto &info) {
            return std::string(isa_name(std::get<0>(info.param))) + "_"
                   + binary_name(std::get<1>(info.param));
        });

} // namespace

} // namespace kiln::x64::jit::test
