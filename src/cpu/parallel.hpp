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

/// What kernels that compute `elements` floats count as, if they read and write `bytes` bytes:
/// narrower elements are converted, which takes as long as to read and write floats.
inline dim_t bytes_as_floats(dim_t bytes, dim_t elements) {
    return std::max(bytes, elements * static_cast<dim_t>(2 * sizeof(float)));
}

/// Independent items that tasks share as equally as possible; the first tasks get what is left
/// over, for their thread runs already. Shares begin at multiples of `unit`.
struct shares_t {
    dim_t items, tasks;
    dim_t unit = 1;

    dim_t units() const { return divide_up(items, unit); }
    dim_t begin(dim_t task) const {
        return std::min(items, divide_up(units() * task, tasks) * unit);
    }
    /// The task whose share begins at `item`.
    dim_t task(dim_t item) const { return item / unit * tasks / units(); }
};

/// Shares of `items` independent items, each of which reads and writes `item_bytes` bytes, or
/// computes as long as that takes: as many for each thread, two of up to 256 KiB or up to four; one
/// alone for a single thread and for what is worth no second one. A unit has at most as many items
/// as are worth the start of a thread.
inline shares_t shares_of(dim_t items, dim_t item_bytes, dim_t unit = 1) {
    constexpr dim_t small_bytes = 262144, few_tasks = 2, many_tasks = 4;
    constexpr dim_t most_bytes_of_one = 196608;
    const dim_t least = least_items_per_task(item_bytes);
    const dim_t most_tasks = divide_up(items, least);
    unit = std::min(unit, least);
    if (items * item_bytes <= most_bytes_of_one) return {items, 1, unit};
    const dim_t threads = thread_count();
    if (threads == 1) return {items, 1, unit};
    const dim_t small_tasks = items * item_bytes / small_bytes;
    dim_t tasks = std::min(
            most_tasks, std::clamp(small_tasks, few_tasks * threads, many_tasks * threads));
    if (tasks > threads) tasks -= tasks % threads;
    return {items, tasks, unit};
}

// Loops below copy the body and their numbers, so that other threads read few cache lines of the
// calling thread's stack. Bodies capture numbers and pointers by value, larger objects by
// reference.

/// Calls `body(begin, end)` for each share. A single one stays on the calling thread.
template <typename body_t> void parallel_shares(const shares_t &shares, const body_t &body) {
    if (shares.items <= 0) return;
    if (shares.tasks == 1) return body(dim_t(0), shares.items);
    run_tasks(shares.tasks,
            [body, shares](dim_t task) { body(shares.begin(task), shares.begin(task + 1)); });
}

/// Calls `body(begin, end)` for the chunks of [0, count) of `grain` indices each, the last one
/// shorter. A single chunk stays on the calling thread.
template <typename body_t> void parallel_chunks(dim_t count, dim_t grain, const body_t &body) {
    if (count <= 0) return;
    if (count <= grain) return body(dim_t(0), count);
    run_tasks(divide_up(count, grain), [body, count, grain](dim_t chunk) {
        body(chunk * grain, std::min(count, (chunk + 1) * grain));
    });
}

/// The task of `count` that takes the place of `task` where each thread's share of a loop, mostly
/// as long as that of another thread, is in reverse order.
inline dim_t reversed_in_share(dim_t task, dim_t count) {
    const dim_t threads = std::min(thread_count(), count), share = task * threads / count;
    const dim_t begin = divide_up(share * count, threads);
    const dim_t end = divide_up((share + 1) * count, threads);
    return begin + end - 1 - task;
}

/// parallel_shares() after a loop over the same shares: each thread begins with those that it took
/// last there, and that its caches hold.
template <typename body_t>
void parallel_shares_in_reverse(const shares_t &shares, const body_t &body) {
    if (shares.items <= 0) return;
    parallel_chunks(shares.tasks, 1, [body, shares](dim_t task, dim_t) {
        const dim_t reversed = reversed_in_share(task, shares.tasks);
        body(shares.begin(reversed), shares.begin(reversed + 1));
    });
}

} // namespace kiln::cpu
