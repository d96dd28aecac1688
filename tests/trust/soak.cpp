// SPDX-License-Identifier: Apache-2.0
// Creates, executes and destroys problems of all operations for a long time, on threads that begin
// and end, while the caches' capacities change, and records what the process holds at rest: threads
// have ended, caches are empty.
//     soak SECONDS FILE.csv
// A line of the file for about each second: seconds since the start, runs, KiB allocated, KiB
// resident, mappings, open descriptors. scripts/trust/soak.sh judges and plots it.
//
// What is allocated tells of leaks: blocks that malloc has given out, with what its thread caches
// keep. It grows until buffers that are used again (scratchpads) are as large as any problem needs,
// for as many threads as have ever run at once. What is resident tells of all memory, that of
// oneTBB and of generated code too. It is free of the allocator's own growth as far as that can be
// had: one arena, whose free end goes back to the system (the ends of other arenas do not), and
// mappings for large blocks, at whatever sizes were freed before. The threads work in an arena of
// the program: oneTBB keeps those that it makes for threads (threads_of_tbb.cpp).

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

#include <tbb/task_arena.h>

#include "oneapi/dnnl/dnnl_graph.hpp"
#include "trust/workload.hpp"

namespace {

constexpr int threads = 4;
// Far more than the caches hold.
constexpr uint64_t problems = 400 * kiln::test::workload_kinds;

unsigned long allocated_kib() {
    const struct mallinfo2 info = mallinfo2();
    return (info.uordblks + info.hblkhd) / 1024;
}

long resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
    return 0;
}

long mappings() {
    std::ifstream maps("/proc/self/maps");
    long count = 0;
    for (std::string line; std::getline(maps, line);) ++count;
    return count;
}

long descriptors() {
    using iterator_t = std::filesystem::directory_iterator;
    return std::distance(iterator_t("/proc/self/fd"), iterator_t());
}

/// Runs problems on several threads for a second. Each problem runs twice: both results are equal.
void run_for_a_second(const dnnl::engine &engine, tbb::task_arena &arena,
        std::atomic<uint64_t> &next, std::atomic<uint64_t> &runs,
        std::atomic<uint64_t> &differences) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&] {
            while (std::chrono::steady_clock::now() < end) {
                const uint64_t number = next++ * 7919 % problems;
                arena.execute([&] {
                    const uint64_t first = kiln::test::run_problem(engine, number);
                    differences += first != kiln::test::run_problem(engine, number);
                });
                runs += 2;
            }
        });
    for (std::thread &thread : all) thread.join();
}

void set_capacities(int capacity) {
    dnnl::set_primitive_cache_capacity(capacity);
    dnnl::graph::set_compiled_partition_cache_capacity(capacity);
}

/// Empties the caches and gives free memory back to the system, so that what is resident is what
/// the process holds for good.
void come_to_rest() {
    set_capacities(0);
    malloc_trim(0);
}

} // namespace

int main(int argc, char **argv) {
    const int seconds = argc == 3 ? std::atoi(argv[1]) : 0;
    if (seconds <= 0) {
        std::fprintf(stderr, "usage: soak SECONDS FILE.csv\n");
        return 2;
    }
    std::FILE *const file = std::fopen(argv[2], "w");
    if (!file) {
        std::perror(argv[2]);
        return 2;
    }
    constexpr int large_block = 128 * 1024;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, large_block);
    mallopt(M_TRIM_THRESHOLD, large_block);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    tbb::task_arena arena(threads + 2, threads);
    std::atomic<uint64_t> next = 0, runs = 0, differences = 0;
    std::fprintf(file, "second,runs,allocated_kib,resident_kib,mappings,descriptors\n");
    const auto begin = std::chrono::steady_clock::now();
    // On a busy machine a round takes longer than its second.
    int round = 0;
    for (int second = 0; second < seconds;) {
        // Rounds with the capacities that are preset, and with small ones.
        set_capacities(round++ % 3 == 0 ? second % 50 : 1024);
        run_for_a_second(engine, arena, next, runs, differences);
        come_to_rest();
        second = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(
                std::chrono::steady_clock::now() - begin)
                                          .count());
        std::fprintf(file, "%d,%lu,%lu,%ld,%ld,%ld\n", second, static_cast<unsigned long>(runs),
                allocated_kib(), resident_kib(), mappings(), descriptors());
        std::fflush(file);
    }
    std::fclose(file);
    if (differences != 0)
        std::fprintf(stderr, "%lu results differ from the first\n",
                static_cast<unsigned long>(differences));
    return differences != 0;
}
