// SPDX-License-Identifier: Apache-2.0
// Parallel loops of the driver itself.
#include "common/tensor/parallel.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include <sched.h>

namespace benchdnn {

int worker_count() {
    static const int count = [] {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
        return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }();
    return count;
}

void parallel_shares(int64_t count, int64_t elements,
        const std::function<void(int worker, int64_t begin, int64_t end)> &body) {
    constexpr int64_t least_elements = 8192; // of a worker
    const int workers = static_cast<int>(
            std::min<int64_t>({worker_count(), count, 1 + elements / (2 * least_elements)}));
    if (workers <= 1) {
        if (count > 0) body(0, 0, count);
        return;
    }
    std::vector<std::exception_ptr> failures(workers);
    const auto share = [&](int worker) {
        try {
            body(worker, count * worker / workers, count * (worker + 1) / workers);
        } catch (...) {
            failures[worker] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (int worker = 1; worker < workers; ++worker) threads.emplace_back(share, worker);
    share(0);
    for (std::thread &thread : threads) thread.join();
    for (const std::exception_ptr &failure : failures)
        if (failure) std::rethrow_exception(failure);
}

} // namespace benchdnn
