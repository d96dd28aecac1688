// SPDX-License-Identifier: Apache-2.0
// What this machine multiplies in registers.
#include "common/run/peak.hpp"

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "common/run/timing.hpp"
#include "common/tensor/parallel.hpp"
#include "oneapi/dnnl/dnnl.h"

namespace benchdnn {

namespace {

constexpr int chains = 12; // enough for the latency of any processor
constexpr double least_ms = 2;
constexpr int samples = 5;

struct loop_t {
    void (*run)(int64_t rounds); // each executes the instruction once for each chain
    double operations;           // of a round
};

// Registers 0 to 11 are sums, 14 and 15 factors. Zeros take as long as other numbers.
#define ROUND(instruction, r)                                                                      \
    instruction(r, 0) instruction(r, 1) instruction(r, 2) instruction(r, 3) instruction(r, 4)      \
            instruction(r, 5) instruction(r, 6) instruction(r, 7) instruction(r, 8)                \
                    instruction(r, 9) instruction(r, 10) instruction(r, 11)
#define FMA(r, i) "vfmadd231ps %%" #r "14, %%" #r "15, %%" #r #i "\n"
#define DOT_BF16(r, i) "vdpbf16ps %%" #r "14, %%" #r "15, %%" #r #i "\n"
#define DOT_INT8(r, i) "vpdpbusd %%" #r "14, %%" #r "15, %%" #r #i "\n"
#define DOT_INT8_VEX(r, i) "%{vex%} vpdpbusd %%" #r "14, %%" #r "15, %%" #r #i "\n"
// Without VNNI, pairs of 16 bits.
#define DOT_INT16(r, i)                                                                            \
    "vpmaddwd %%" #r "14, %%" #r "15, %%" #r "13\n vpaddd %%" #r "13, %%" #r #i ", %%" #r #i "\n"
#define CLEAR(r, i) "vxorps %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n"
#define LOOP(name, instruction, r)                                                                 \
    void name(int64_t rounds) {                                                                    \
        asm volatile(ROUND(CLEAR, r) CLEAR(r, 13) CLEAR(r, 14) CLEAR(r, 15) "1:\n" ROUND(          \
                instruction, r) "dec %0\n jnz 1b\n vzeroupper\n"                                   \
                     : "+r"(rounds)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
                     "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm13", "xmm14", "xmm15");         \
    }
LOOP(fma_256, FMA, ymm)
LOOP(fma_512, FMA, zmm)
LOOP(dot_bf16_512, DOT_BF16, zmm)
LOOP(dot_int8_256, DOT_INT8_VEX, ymm)
LOOP(dot_int8_512, DOT_INT8, zmm)
LOOP(dot_int16_256, DOT_INT16, ymm)
LOOP(dot_int16_512, DOT_INT16, zmm)
#undef LOOP
#undef CLEAR
#undef DOT_INT16
#undef DOT_INT8_VEX
#undef DOT_INT8
#undef DOT_BF16
#undef FMA
#undef ROUND

// AMX: tile registers 0 to 5 are sums, 6 and 7 factors, of 16 rows of 64 bytes each. Bytes of the
// configuration: 0 the palette, 16 to 31 bytes of rows, 48 to 55 rows.
constexpr int tile_chains = 6, tile_rows = 16, tile_columns = 16;
constexpr auto tile_configuration = [] {
    std::array<uint8_t, 64> configuration{1};
    for (size_t tile = 0; tile < 8; ++tile) {
        configuration[16 + 2 * tile] = 64;
        configuration[48 + tile] = tile_rows;
    }
    return configuration;
}();
#define TILE_LOOP(name, instruction)                                                               \
    void name(int64_t rounds) {                                                                    \
        asm volatile(                                                                              \
                "ldtilecfg %1\n 1:\n" instruction " %%tmm7, %%tmm6, %%tmm0\n" instruction          \
                " %%tmm7, %%tmm6, %%tmm1\n" instruction " %%tmm7, %%tmm6, %%tmm2\n" instruction    \
                " %%tmm7, %%tmm6, %%tmm3\n" instruction " %%tmm7, %%tmm6, %%tmm4\n" instruction    \
                " %%tmm7, %%tmm6, %%tmm5\n dec %0\n jnz 1b\n tilerelease\n"                        \
                : "+r"(rounds)                                                                     \
                : "m"(tile_configuration)                                                          \
                : "cc");                                                                           \
    }
TILE_LOOP(tile_bf16, "tdpbf16ps")
TILE_LOOP(tile_int8, "tdpbusd")
#undef TILE_LOOP

// Levels of ISA are sets of bits; each has those of the levels below.
bool has_isa(dnnl_cpu_isa_t isa) { return (dnnl_get_effective_cpu_isa() & isa) == isa; }

loop_t loop_of(multiplication_t multiplication) {
    const bool is_wide = has_isa(dnnl_cpu_isa_avx512_core);
    const double lanes = is_wide ? 16 : 8;
    const auto loop = [&](void (*run)(int64_t), double products) {
        return loop_t{run, 2 * chains * lanes * products};
    };
    const auto tile_loop = [&](void (*run)(int64_t), double depth) {
        return loop_t{run, 2 * tile_chains * tile_rows * tile_columns * depth};
    };
    const bool has_tiles = has_isa(dnnl_cpu_isa_avx10_1_512_amx);
    if (!has_isa(dnnl_cpu_isa_avx2)) return {nullptr, 0};
    switch (multiplication) {
    case multiplication_t::none: return {nullptr, 0};
    case multiplication_t::bf16:
        if (has_tiles) return tile_loop(tile_bf16, 32);
        if (has_isa(dnnl_cpu_isa_avx512_core_bf16)) return loop(dot_bf16_512, 2);
        break;
    case multiplication_t::int8:
        if (has_tiles) return tile_loop(tile_int8, 64);
        if (has_isa(dnnl_cpu_isa_avx512_core_vnni)) return loop(dot_int8_512, 4);
        if (!is_wide && has_isa(dnnl_cpu_isa_avx2_vnni)) return loop(dot_int8_256, 4);
        return loop(is_wide ? dot_int16_512 : dot_int16_256, 2);
    case multiplication_t::f32: break;
    }
    return loop(is_wide ? fma_512 : fma_256, 1);
}

// Milliseconds from a common start until the last thread has executed so many rounds.
double time_rounds(const loop_t &loop, int threads, int64_t rounds) {
    std::barrier<> start(threads);
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread)
        others.emplace_back([&] {
            start.arrive_and_wait();
            loop.run(rounds);
        });
    start.arrive_and_wait();
    const stopwatch_t watch;
    loop.run(rounds);
    for (std::thread &other : others) other.join();
    return watch.ms();
}

double best_rate(const loop_t &loop, int threads) {
    int64_t rounds = 1000;
    double ms = time_rounds(loop, threads, rounds);
    while (ms < least_ms) ms = time_rounds(loop, threads, rounds *= 2);
    for (int sample = 1; sample < samples; ++sample)
        ms = std::min(ms, time_rounds(loop, threads, rounds));
    return loop.operations * static_cast<double>(rounds) * threads / (ms * 1e-3);
}

} // namespace

multiplication_t multiplication_of(dnnl_data_type_t one, dnnl_data_type_t other) {
    const auto is_int8 = [](dnnl_data_type_t type) { return type == dnnl_s8 || type == dnnl_u8; };
    if (is_int8(one) && is_int8(other)) return multiplication_t::int8;
    return one == dnnl_bf16 && other == dnnl_bf16 ? multiplication_t::bf16 : multiplication_t::f32;
}

double peak_t::operations_per_second(multiplication_t multiplication, int threads) {
    threads = std::clamp(threads, 1, worker_count());
    const loop_t loop = loop_of(multiplication);
    if (loop.run == nullptr) return 0;
    double &peak = peaks_[{multiplication, threads}];
    if (peak == 0) peak = best_rate(loop, threads);
    return peak;
}

} // namespace benchdnn
