// SPDX-License-Identifier: Apache-2.0
// Parallel loops of the driver itself (filling, reference, comparison), independent of the
// library's threads.
#pragma once

#include <cstdint>
#include <functional>

namespace benchdnn {

// The number of processors that this process may run on.
int worker_count();

// Calls body(worker, begin, end) for contiguous shares of [0, count), at most one for each worker.
// `elements`: those of all shares together, which are too few for two workers if starting a thread
// takes longer than they do. The first exception of a share is rethrown here.
void parallel_shares(int64_t count, int64_t elements,
        const std::function<void(int worker, int64_t begin, int64_t end)> &body);

} // namespace benchdnn
