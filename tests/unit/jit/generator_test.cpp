// SPDX-License-Identifier: Apache-2.0
// What kernels stand on: vectors, masks and constants, on every ISA level of the machine.
#include "unit/jit/function.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "common/settings.hpp"

namespace kiln::x64::jit::test {

namespace {

INSTANTIATE_TEST_SUITE_P(levels, jit_generator, testing::ValuesIn(kernel_isas),
        [](const auto &info) { return isa_name(info.param); });

TEST_P(jit_generator, knows_its_level) {
    const function_t f(isa(), {}, "variant");
    EXPECT_EQ(f.isa(), isa());
    EXPECT_EQ(f.name(), "variant");
    EXPECT_EQ(f.lanes(), static_cast<int>(lanes()));
    EXPECT_EQ(f.has_avx512(), isa() != isa_t::avx2 && isa() != isa_t::avx2_vnni);
    EXPECT_EQ(f.has(feature_t::avx512_bf16), isa() >= isa_t::avx512_core_bf16);
    EXPECT_EQ(f.free_vecs(), f.has_avx512() ? 32 : 16);
}

TEST_P(jit_generator, leaves_fences_to_the_caller) {
    const executable_code_t code = finish([](function_t &f) {
        const vec_t zero = f.vec("zero");
        f.set_zero(zero);
        f.store_non_temporal(f.code().ptr[f.args()], *zero);
    });
    alignas(64) float stored[16];
    std::fill(std::begin(stored), std::end(stored), 1.0f);
    call(code, stored);
    EXPECT_EQ(stored[0], 0.0f);
    constexpr uint8_t sfence[] = {0x0f, 0xae, 0xf8};
    const uint8_t *const end = code.data() + code.size();
    EXPECT_EQ(std::search(code.data(), end, sfence, sfence + 3), end);
}

TEST_P(jit_generator, hands_over_the_arguments) {
    const executable_code_t code = finish([](function_t &f) {
        const gpr_t value = f.gpr("value");
        f.code().mov(*value, f.code().ptr[f.args()]);
        f.code().add(*value, 1);
        f.code().mov(f.code().ptr[f.args() + 8], *value);
    });
    uint64_t arguments[2] = {41, 0};
    call(code, arguments);
    EXPECT_EQ(arguments[0], 41u);
    EXPECT_EQ(arguments[1], 42u);
}

TEST_P(jit_generator, lists_code_under_its_name) {
    const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    const std::string name = std::string("variant_") + isa_name(isa());
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERFMAP);
    const executable_code_t code = function_t(
            isa(), [](function_t &) {}, name)
                                           .finish();
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE);
    std::ifstream file(path);
    uintptr_t address = 0;
    size_t size = 0;
    std::string symbol;
    while (symbol != name && file >> std::hex >> address >> size >> symbol) {
    }
    std::remove(path.c_str());
    EXPECT_EQ(symbol, name);
    EXPECT_EQ(address, reinterpret_cast<uintptr_t>(code.data()));
    EXPECT_EQ(size, code.size());
}

TEST_P(jit_generator, gives_vectors_as_wide_as_the_level) {
    finish([](function_t &f) {
        const vec_t vec = f.vec("wide");
        const int bits = f.lanes() * 32;
        EXPECT_EQ((*vec).getBit(), bits);
        EXPECT_EQ(f.full(Xbyak::Xmm(5)).getBit(), bits);
        EXPECT_EQ(f.full(Xbyak::Xmm(5)).getIdx(), 5);
        EXPECT_EQ(f.xmm(*vec).getBit(), 128);
        EXPECT_EQ(f.ymm(*vec).getBit(), 256);
        EXPECT_EQ(f.ymm(*vec).getIdx(), vec.index());
    });
}

TEST_P(jit_generator, never_gives_the_stack_the_arguments_or_two_of_one) {
    finish([](function_t &f) {
        std::vector<gpr_t> gprs;
        uint32_t seen = 0;
        for (int i = 0; i < 14; ++i) {
            gprs.push_back(f.gpr("any"));
            seen |= 1u << gprs.back().index();
        }
        EXPECT_EQ(seen, 0xffffu & ~(1u << Xbyak::Operand::RSP) & ~(1u << Xbyak::Operand::RDI));
        EXPECT_NE(error_of([&] { f.gpr("one too many"); }).find("one too many"), std::string::npos);
    });
}

TEST_P(jit_generator, has_masks_where_the_level_has) {
    finish([](function_t &f) {
        std::vector<mask_t> masks;
        if (f.has_avx512()) {
            for (int i = 1; i <= 7; ++i) {
                masks.push_back(f.mask("any"));
                EXPECT_EQ(masks.back().index(), i) << "k0 does not mask";
            }
        }
        EXPECT_NE(
                error_of([&] { f.mask("one too many"); }).find("one too many"), std::string::npos);
    });
}

TEST_P(jit_generator, that_runs_out_of_vectors_throws_and_hinders_nobody) {
    const auto greedy = [](function_t &f) {
        std::vector<vec_t> vecs;
        while (true) vecs.push_back(f.vec("accumulator"));
    };
    EXPECT_NE(error_of([&] { finish(greedy); }).find("accumulator"), std::string::npos);
    EXPECT_EQ(lanes_of([](function_t &f, const vec_t &vec) { f.broadcast(*vec, 2.f); }),
            all_lanes(2.f));
}

TEST_P(jit_generator, refuses_code_without_end) {
    EXPECT_THROW(finish([](function_t &f) {
        while (true) f.code().nop();
    }),
            Xbyak::Error);
    EXPECT_EQ(lanes_of([](function_t &f, const vec_t &vec) { f.broadcast(*vec, 2.f); }),
            all_lanes(2.f));
}

// A leak is an error of the kernel's author, so it is asserted.
TEST_P(jit_generator, asserts_that_registers_came_back) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEBUG_DEATH(
            {
                std::vector<vec_t> forgotten;
                function_t f(isa(), [&](function_t &g) { forgotten.push_back(g.vec("sum")); });
                f.finish();
                forgotten.clear();
            },
            "is_whole");
}

TEST_P(jit_generator, spreads_a_constant_over_all_lanes) {
    for (const float value : {0.f, -0.f, 1.f, -2.5f, 1e-40f, std::numeric_limits<float>::max(),
                 std::numeric_limits<float>::infinity()}) {
        SCOPED_TRACE(value);
        const auto expected = all_lanes(value);
        EXPECT_EQ(lanes_of([&](function_t &f, const vec_t &vec) { f.broadcast(*vec, value); }),
                expected);
        EXPECT_EQ(lanes_of([&](function_t &f, const vec_t &vec) {
            f.set_zero(*vec);
            f.code().vorps(*vec, *vec, f.constant(value));
        }),
                expected);
    }
}

TEST_P(jit_generator, keeps_every_bit_of_a_constant) {
    for (const uint32_t bits : {0x7fffffffu, 0xffc12345u, 0x7f800001u, 0x00000001u, 0x80000000u})
        EXPECT_EQ(lanes_of([&](function_t &f, const vec_t &vec) {
            f.set_zero(*vec);
            f.code().vorps(*vec, *vec, f.constant_bits(bits));
        }),
                all_lanes(bits));
}

TEST_P(jit_generator, sets_zero_whatever_there_was) {
    EXPECT_EQ(lanes_of([](function_t &f, const vec_t &vec) {
        f.broadcast(*vec, std::numeric_limits<float>::quiet_NaN());
        f.set_zero(*vec);
    }),
            all_lanes(0.f));
}

TEST_P(jit_generator, takes_constants_lane_by_lane) {
    std::vector<uint32_t> up(lanes()), down(lanes());
    for (size_t i = 0; i < lanes(); ++i) {
        up[i] = static_cast<uint32_t>(0x1000 + i);
        down[i] = static_cast<uint32_t>(0x2000 - i);
    }
    EXPECT_EQ(lanes_of([&](function_t &f, const vec_t &vec) {
        f.code().vmovups(*vec, f.constant_lanes(up));
    }),
            up);
    // Several constants of several widths, in the order of use and against it.
    std::vector<uint32_t> expected(lanes());
    for (size_t i = 0; i < lanes(); ++i) expected[i] = up[i] ^ down[i] ^ 0x40000000 ^ 0x00990000;
    EXPECT_EQ(lanes_of([&](function_t &f, const vec_t &vec) {
        f.code().vmovups(*vec, f.constant_lanes(down));
        f.code().vxorps(*vec, *vec, f.constant_bits(0x40000000));
        f.code().vxorps(*vec, *vec, f.constant_lanes(up));
        f.code().vxorps(*vec, *vec, f.constant_bits(0x00990000));
    }),
            expected);
}

/// Where constants lie in memory.
std::vector<uintptr_t> addresses_of(
        isa_t isa, const std::function<std::vector<Xbyak::Address>(function_t &)> &constants) {
    size_t count = 0;
    const executable_code_t code = function_t(isa, [&](function_t &f) {
        const gpr_t address = f.gpr("address");
        for (const Xbyak::Address &constant : constants(f)) {
            f.code().lea(*address, constant);
            f.code().mov(f.code().ptr[f.args() + count++ * sizeof(uintptr_t)], *address);
        }
    }).finish();
    std::vector<uintptr_t> found(count);
    call(code, found.data());
    const auto begin = reinterpret_cast<uintptr_t>(code.data());
    for (const uintptr_t address : found) {
        EXPECT_GE(address, begin);
        EXPECT_LT(address, begin + code.size()) << "a constant stayed behind in the draft";
    }
    return found;
}

TEST_P(jit_generator, writes_each_constant_once) {
    const std::vector<uint32_t> lanes_given(lanes(), 7);
    const auto found = addresses_of(isa(), [&](function_t &f) {
        return std::vector{f.constant_lanes(lanes_given), f.constant_lanes(lanes_given),
                f.constant_lanes(std::vector<uint32_t>(lanes(), 8))};
    });
    EXPECT_EQ(found[0], found[1]);
    EXPECT_NE(found[0], found[2]);
}

TEST_P(jit_generator, aligns_constants_so_that_none_straddles_a_cache_line) {
    const auto found = addresses_of(isa(), [&](function_t &f) {
        // Single values beside them, of which an uneven number would shift the others.
        const vec_t vec = f.vec("any");
        f.broadcast(*vec, 1.f);
        f.broadcast(*vec, 2.f);
        f.broadcast(*vec, 3.f);
        return std::vector{f.constant_lanes(std::vector<uint32_t>(lanes(), 0)),
                f.constant_lanes(std::vector<uint32_t>(lanes(), 0x3f900000)),
                f.constant_lanes(std::vector<uint32_t>(lanes(), 0xffffffff))};
    });
    const size_t vector_bytes = lanes() * sizeof(float);
    for (const uintptr_t address : found) EXPECT_EQ(address % vector_bytes, 0u);
}

} // namespace

} // namespace kiln::x64::jit::test
