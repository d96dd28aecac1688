// SPDX-License-Identifier: Apache-2.0
// What kernels stand on: registers by name, constants, loops and the calling convention, on every
// ISA level of the machine.
#include "cpu/x64/jit/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "common/settings.hpp"

/// What a called function must keep, and a vector register that it need not keep.
struct kept_registers_t {
    uint64_t general[6]; // rbx, rbp, r12, r13, r14, r15
    float vector[8];     // ymm0
};

/// Calls a generated function with its arguments. `registers` go into the processor before, and are
/// read from it after.
extern "C" void kiln_test_call_with_registers(
        const void *function, void *arguments, kept_registers_t *registers);

asm(R"(
    .text
    .globl kiln_test_call_with_registers
    .hidden kiln_test_call_with_registers
    .type kiln_test_call_with_registers, @function
kiln_test_call_with_registers:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rdx
    mov %rdi, %rax
    mov %rsi, %rdi
    mov (%rdx), %rbx
    mov 8(%rdx), %rbp
    mov 16(%rdx), %r12
    mov 24(%rdx), %r13
    mov 32(%rdx), %r14
    mov 40(%rdx), %r15
    call *%rax
    pop %rdx
    mov %rbx, (%rdx)
    mov %rbp, 8(%rdx)
    mov %r12, 16(%rdx)
    mov %r13, 24(%rdx)
    mov %r14, 32(%rdx)
    mov %r15, 40(%rdx)
    vmovups %ymm0, 48(%rdx)
    vzeroupper
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size kiln_test_call_with_registers, . - kiln_test_call_with_registers
)");

namespace kiln::x64::jit::test {

namespace {

// --- Registers by name --------------------------------------------------------------------------

std::string error_of(const std::function<void()> &action) {
    try {
        action();
    } catch (const std::logic_error &error) {
        return error.what();
    }
    return "no error";
}

TEST(register_pool, gives_each_register_once_lowest_first) {
    register_pool_t pool("thing", 0b1011'0100);
    EXPECT_EQ(pool.free_count(), 4);
    std::vector<int> taken;
    while (pool.free_count() > 0) taken.push_back(pool.take("any"));
    EXPECT_EQ(taken, (std::vector<int>{2, 4, 5, 7}));
}

TEST(register_pool, knows_all_thirty_two) {
    register_pool_t pool("thing", 0xffffffff);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(pool.take("any"), i);
    EXPECT_EQ(pool.free_count(), 0);
    for (int i = 0; i < 32; ++i) pool.give_back(i);
    EXPECT_TRUE(pool.is_whole());
}

TEST(register_pool, that_runs_out_names_who_wanted_more) {
    register_pool_t pool("vector register", 1);
    pool.take("mean");
    const std::string error = error_of([&] { pool.take("variance"); });
    EXPECT_NE(error.find("vector register"), std::string::npos) << error;
    EXPECT_NE(error.find("variance"), std::string::npos) << error;
}

TEST(register_pool, gives_a_certain_register_if_it_is_free) {
    register_pool_t pool("general register", 0b1110);
    EXPECT_EQ(pool.take("count", 2), 2);
    const std::string error = error_of([&] { pool.take("shift", 2); });
    EXPECT_NE(error.find("general register"), std::string::npos) << error;
    EXPECT_NE(error.find("shift"), std::string::npos) << error;
    EXPECT_THROW(pool.take("never in the pool", 0), std::logic_error);
    EXPECT_EQ(pool.free_count(), 2) << "a refusal took something";
    EXPECT_EQ(pool.take("next"), 1);
    EXPECT_EQ(pool.take("next"), 3);
}

TEST(register_pool, takes_back) {
    register_pool_t pool("thing", 0b11);
    EXPECT_TRUE(pool.is_whole());
    pool.take("a");
    pool.take("b");
    EXPECT_FALSE(pool.is_whole());
    pool.give_back(0);
    EXPECT_FALSE(pool.is_whole());
    EXPECT_EQ(pool.take("c"), 0);
    pool.give_back(1);
    pool.give_back(0);
    EXPECT_TRUE(pool.is_whole());
}

TEST(held_register, is_free_again_when_its_object_ends) {
    register_pool_t pool("general register", 0b1000);
    {
        const gpr_t held(pool, pool.take("held"), Xbyak::Reg64(3));
        EXPECT_EQ(held.index(), 3);
        EXPECT_EQ((*held).getIdx(), 3);
        EXPECT_EQ(pool.free_count(), 0);
    }
    EXPECT_TRUE(pool.is_whole());
}

TEST(held_register, is_given_back_once_however_it_moves) {
    register_pool_t pool("general register", 0b1000);
    {
        std::vector<gpr_t> kept;
        {
            gpr_t held(pool, pool.take("held"), Xbyak::Reg64(3));
            kept.push_back(std::move(held));
        }
        EXPECT_EQ(pool.free_count(), 0) << "an object that gave its register away gave it back";
        kept.clear();
        EXPECT_EQ(pool.free_count(), 1);
        pool.take("somebody else");
    }
    EXPECT_EQ(pool.free_count(), 0);
}

// --- The generator ------------------------------------------------------------------------------

/// A function made of what `body` writes.
class function_t : public generator_t {
public:
    using body_t = std::function<void(function_t &f)>;

    function_t(isa_t isa, body_t body, std::string name = "jit_generator_test")
        : generator_t(isa, std::move(name))
        , body_(std::move(body)) {}

    Xbyak::CodeGenerator &code() { return assembler(); }
    const Xbyak::Reg64 &args() const { return arguments(); }

protected:
    void generate() override { body_(*this); }

private:
    const body_t body_;
};

void call(const executable_code_t &code, void *arguments) {
    code.entry<void (*)(void *)>()(arguments);
}

class jit_generator : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(isa())) GTEST_SKIP() << "no " << isa_name(isa()) << " here";
    }
    static isa_t isa() { return GetParam(); }
    static size_t lanes() { return isa() == isa_t::avx2 ? 8 : 16; }

    static executable_code_t finish(const function_t::body_t &body) {
        return function_t(isa(), body).finish();
    }
    /// What the body leaves in a vector, bit by bit.
    static std::vector<uint32_t> lanes_of(
            const std::function<void(function_t &, const vec_t &)> &body) {
        const executable_code_t code = finish([&](function_t &f) {
            const vec_t result = f.vec("result");
            body(f, result);
            f.code().vmovups(f.code().ptr[f.args()], *result);
        });
        std::vector<uint32_t> found(lanes() + 1, 0xabcdabcd);
        call(code, found.data());
        EXPECT_EQ(found.back(), 0xabcdabcd) << "a vector is wider than it says";
        found.pop_back();
        return found;
    }
    static std::vector<uint32_t> all_lanes(uint32_t bits) {
        return std::vector<uint32_t>(lanes(), bits);
    }
    static std::vector<uint32_t> all_lanes(float value) {
        return all_lanes(std::bit_cast<uint32_t>(value));
    }
};

INSTANTIATE_TEST_SUITE_P(levels, jit_generator, testing::ValuesIn(kernel_isas),
        [](const auto &info) { return isa_name(info.param); });

TEST_P(jit_generator, knows_its_level) {
    const function_t f(isa(), {}, "variant");
    EXPECT_EQ(f.isa(), isa());
    EXPECT_EQ(f.name(), "variant");
    EXPECT_EQ(f.lanes(), static_cast<int>(lanes()));
    EXPECT_EQ(f.has_avx512(), isa() != isa_t::avx2);
    EXPECT_EQ(f.has(feature_t::avx512_bf16), isa() == isa_t::avx512_core_bf16);
    EXPECT_EQ(f.free_vecs(), isa() == isa_t::avx2 ? 16 : 32);
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

// --- Loops --------------------------------------------------------------------------------------

constexpr int64_t loop_counts[] = {0, 1, 2, 5, 100};
constexpr int loop_unrolls[] = {1, 2, 4};

struct loop_arguments_t {
    uint8_t *trace;    // one byte an iteration: which copy of the body it was, from 1
    uint64_t advances; // what advance() was told of, altogether
};

void write_traced_loop(function_t &f, int64_t count, int unroll) {
    const gpr_t cursor = f.gpr("cursor");
    f.code().mov(*cursor, f.code().ptr[f.args() + offsetof(loop_arguments_t, trace)]);
    f.repeat(
            count, unroll,
            [&](int index) { f.code().mov(f.code().byte[*cursor + index], index + 1); },
            [&](int iterations) {
                f.code().add(*cursor, iterations);
                f.code().add(f.code().qword[f.args() + offsetof(loop_arguments_t, advances)],
                        iterations);
            });
}

TEST_P(jit_generator, repeats_as_often_as_it_is_told) {
    for (const int64_t count : loop_counts)
        for (const int unroll : loop_unrolls) {
            SCOPED_TRACE(std::to_string(count) + " times, unrolled by " + std::to_string(unroll));
            const executable_code_t code =
                    finish([&](function_t &f) { write_traced_loop(f, count, unroll); });
            std::vector<uint8_t> trace(200), expected(200);
            for (int64_t i = 0; i < count; ++i)
                expected[static_cast<size_t>(i)] =
                        static_cast<uint8_t>(i < count / unroll * unroll ? i % unroll + 1 : 1);
            loop_arguments_t arguments{trace.data(), 0};
            call(code, &arguments);
            EXPECT_EQ(trace, expected);
            EXPECT_EQ(arguments.advances, static_cast<uint64_t>(count));
        }
}

/// Bytes of code that a loop takes.
size_t loop_size(isa_t isa, int64_t count, int unroll) {
    size_t size = 0;
    function_t(isa, [&](function_t &f) {
        const size_t begin = f.code().getSize();
        write_traced_loop(f, count, unroll);
        size = f.code().getSize() - begin;
    }).finish();
    return size;
}

TEST_P(jit_generator, writes_loops_whose_size_does_not_grow_with_the_count) {
    for (const int unroll : loop_unrolls) {
        SCOPED_TRACE("unrolled by " + std::to_string(unroll));
        // The same remainder makes the same code, however many rounds go before it.
        for (int rest = 0; rest < unroll; ++rest) {
            const size_t size = loop_size(isa(), 2 * unroll + rest, unroll);
            for (const int64_t rounds : {3, 10, 1000, 1 << 20})
                EXPECT_EQ(loop_size(isa(), rounds * unroll + rest, unroll), size)
                        << rounds << " rounds and " << rest;
        }
        size_t largest = 0;
        for (int64_t count = 0; count < 3 * unroll; ++count)
            largest = std::max(largest, loop_size(isa(), count, unroll));
        for (const int64_t count : {100, 101, 102, 103})
            EXPECT_LE(loop_size(isa(), count, unroll), largest) << count << " iterations";
    }
}

TEST_P(jit_generator, writes_a_loop_within_a_loop) {
    for (const int64_t outer : loop_counts)
        for (const int64_t inner : loop_counts) {
            const executable_code_t code = finish([&](function_t &f) {
                const auto count_one = [&](int) { f.code().inc(f.code().qword[f.args()]); };
                const auto nothing = [](int) {};
                f.repeat(
                        outer, 2, [&](int) { f.repeat(inner, 4, count_one, nothing); }, nothing);
            });
            uint64_t count = 0;
            call(code, &count);
            EXPECT_EQ(count, static_cast<uint64_t>(outer * inner)) << outer << " x " << inner;
        }
}

// --- The calling convention ---------------------------------------------------------------------

TEST_P(jit_generator, keeps_the_registers_that_belong_to_the_caller) {
    const executable_code_t code = finish([](function_t &f) {
        std::vector<gpr_t> gprs;
        for (int i = 0; i < 14; ++i) {
            gprs.push_back(f.gpr("spoiled"));
            f.code().mov(*gprs.back(), 0x5a5a5a5a5a5a5a00 + i);
        }
        std::vector<vec_t> vecs;
        while (f.free_vecs() > 0) {
            vecs.push_back(f.vec("spoiled"));
            f.broadcast(*vecs.back(), 1.f);
        }
    });
    constexpr kept_registers_t before = {
            {0x1111111111111111, 0x2222222222222222, 0x3333333333333333, 0x4444444444444444,
                    0x5555555555555555, 0x6666666666666666},
            {}};
    kept_registers_t registers = before;
    kiln_test_call_with_registers(code.data(), nullptr, &registers);
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(registers.general[i], before.general[i]) << "register " << i;
    // Upper halves that are not cleared slow down SSE code of the caller.
    for (int i = 0; i < 8; ++i) EXPECT_EQ(registers.vector[i], i < 4 ? 1.f : 0.f) << "lane " << i;
}

TEST_P(jit_generator, works_in_many_threads_at_once) {
    constexpr int threads = 8, rounds = 50;
    std::vector<int> wrong(threads);
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
        running.emplace_back([&wrong, t] {
            for (int i = 0; i < rounds; ++i) {
                const float value = static_cast<float>(t * rounds + i);
                const auto found = lanes_of([&](function_t &f, const vec_t &vec) {
                    f.broadcast(*vec, value);
                    f.code().vaddps(*vec, *vec, f.constant(0.5f));
                });
                if (found != all_lanes(value + 0.5f)) ++wrong[static_cast<size_t>(t)];
            }
        });
    for (std::thread &thread : running) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(threads));
}

} // namespace

} // namespace kiln::x64::jit::test
