// SPDX-License-Identifier: Apache-2.0
// Loops of the driver's own work (filling, reference, comparison) over threads. The library's
// threads are its own affair.
#pragma once

#include <cstdint>
#include <functional>

namespace benchdnn {

// Processors this process may run on.
int worker_count();

// Calls body(worker, begin, end) for contiguous shares of [0, count); as many calls as there are
// workers at most. The first exception of a share is thrown again here.
void parallel_shares(
        int64_t count, const std::function<void(int worker, int64_t begin, int64_t end)> &body);

} // namespace benchdnn
