// SPDX-License-Identifier: Apache-2.0
// Parallel loops on oneTBB. Who adds up what several chunks made cuts the work by the problem
// alone, so that results do not depend on the number of threads; chunks that do not meet may be cut
// by it.
#pragma once

#include <algorithm>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "common/types.hpp"

namespace kiln::cpu {

/// Calls `body(begin, end)` for the chunks of [0, count) of `grain` indices each, the last one
/// shorter. A single chunk stays on the calling thread. The region is isolated: a thread that waits
/// in it does not take up tasks from outside.
template <typename body_t> void parallel_chunks(dim_t count, dim_t grain, const body_t &body) {
    if (count <= 0) return;
    if (count <= grain) return body(dim_t(0), count);
    const dim_t chunks = (count + grain - 1) / grain;
    const auto run = [&](dim_t chunk) {
        body(chunk * grain, std::min(count, (chunk + 1) * grain));
    };
    tbb::this_task_arena::isolate(
            [&] { tbb::parallel_for(dim_t(0), chunks, run, tbb::simple_partitioner()); });
}

} // namespace kiln::cpu
