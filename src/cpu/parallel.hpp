// SPDX-License-Identifier: Apache-2.0
// Parallel loops, and how much work a task takes. Work whose partial results are combined is cut
// into chunks by the problem alone, so that results are bit-identical for any number of threads.
// Work whose results are independent is cut into tasks by the number of threads, too. The threads
// are those of the runtime that the library is built for (cpu/runtime/).
#pragma once

#include <algorithm>

#include "common/cpu_facts.hpp"
#include "common/function_ref.hpp"
#include "common/integers.hpp"
#include "common/types.hpp"

namespace kiln::cpu {

/// Threads that share a parallel loop of the calling thread.
inline dim_t thread_count() { return cpu_thread_count(); }

/// Calls `task` with each number from 0 to count - 1, in any order, on the threads of the runtime.
/// An exception of a task is thrown again when no task runs any more. The region is isolated: a
/// thread that waits in it does not take up tasks from outside.
void run_tasks(dim_t count, function_ref_t<void(dim_t)> task);

/// How many items of `item_bytes` bytes each are worth the start of a thread.
inline dim_t least_items_per_task(dim_t item_bytes) {
    constexpr dim_t least_bytes = 65536;
    return std::max(dim_t(1), least_bytes / std::max(dim_t(1), item_bytes));
}

/// How many of `items` independent items of `item_bytes` bytes each a task takes: as many tasks of
/// about the same size for each thread, two of up to 256 KiB or up to four; one alone for a single
/// thread and for what is worth no start of a thread.
inline dim_t items_per_task(dim_t items, dim_t item_bytes) {
    constexpr dim_t small_bytes = 262144, few_tasks = 2, many_tasks = 4;
    const dim_t most_tasks = divide_up(items, least_items_per_task(item_bytes));
    if (most_tasks <= 1) return std::max(items, dim_t(1)); // asks for no number of threads
    const dim_t threads = thread_count();
    if (threads == 1) return items;
    const dim_t small_tasks = items * item_bytes / small_bytes;
    const dim_t tasks = std::min(
            most_tasks, std::clamp(small_tasks, few_tasks * threads, many_tasks * threads));
    const dim_t most = divide_up(items, tasks > threads ? tasks - tasks % threads : tasks);
    // Few items may make fewer tasks than that; many do not, so that the first count is taken.
    if (tasks > threads)
        for (dim_t count = most; count > most / 2; --count)
            if (divide_up(items, count) % threads == 0) return count;
    return most;
}

/// Calls `body(begin, end)` for the chunks of [0, count) of `grain` indices each, the last one
/// shorter. A single chunk stays on the calling thread.
template <typename body_t> void parallel_chunks(dim_t count, dim_t grain, const body_t &body) {
    if (count <= 0) return;
    if (count <= grain) return body(dim_t(0), count);
    run_tasks(divide_up(count, grain),
            [&](dim_t chunk) { body(chunk * grain, std::min(count, (chunk + 1) * grain)); });
}

/// The task of `count` that takes the place of `task` where each thread's share of a loop, mostly
/// as long as that of another thread, is in reverse order.
inline dim_t reversed_in_share(dim_t task, dim_t count) {
    const dim_t threads = std::min(thread_count(), count), share = task * threads / count;
    const dim_t begin = divide_up(share * count, threads);
    const dim_t end = divide_up((share + 1) * count, threads);
    return begin + end - 1 - task;
}

/// parallel_chunks() after a loop over the same chunks: each thread begins with those that it took
/// last there, and that its caches hold.
template <typename body_t>
void parallel_chunks_in_reverse(dim_t count, dim_t grain, const body_t &body) {
    const dim_t tasks = divide_up(count, grain);
    parallel_chunks(tasks, 1, [&](dim_t task, dim_t) {
        const dim_t begin = reversed_in_share(task, tasks) * grain;
        body(begin, std::min(count, begin + grain));
    });
}

} // namespace kiln::cpu
