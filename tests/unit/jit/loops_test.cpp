// SPDX-License-Identifier: Apache-2.0
// Loops of generated code and the calling convention, on every ISA level of the machine.
#include "unit/jit/function.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

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
