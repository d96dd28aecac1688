// SPDX-License-Identifier: Apache-2.0
// Shows, without the library, that oneTBB 2021.8 keeps the arena of each thread that has run a
// parallel loop and ended, about 8 KiB: what is resident grows with the number of ended threads. It
// does not where the threads work in an arena of the program, as those of soak.cpp do.
//     threads_of_tbb
// prints the KiB that 2,000 threads leave behind: in arenas of their own, in one of the program.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace {

long resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
    return 0;
}

void loop() {
    static std::atomic<int> sum = 0;
    for (int i = 0; i < 20; ++i)
        tbb::parallel_for(
                0, 8, [](int index) { sum += index; }, tbb::simple_partitioner());
}

template <typename body_t> void run_on_threads(int count, const body_t &body) {
    for (int i = 0; i < count; ++i) std::thread(body).join();
}

} // namespace

int main() {
    tbb::task_arena arena(2, 1);
    const auto in_arena = [&] { arena.execute(loop); };
    run_on_threads(100, in_arena);
    const long first = resident_kib();
    run_on_threads(2000, in_arena);
    const long second = resident_kib();
    run_on_threads(2000, loop);
    std::printf("%ld %ld\n", resident_kib() - second, second - first);
}
