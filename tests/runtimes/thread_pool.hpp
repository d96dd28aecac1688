// SPDX-License-Identifier: Apache-2.0
// A small pool of threads, as a program may have one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

namespace kiln::test {

class thread_pool_t : public dnnl::threadpool_interop::threadpool_iface {
public:
    /// `flags`: 0 or ASYNCHRONOUS.
    explicit thread_pool_t(int threads, uint64_t flags = 0);
    ~thread_pool_t() override;

    int get_num_threads() const override { return static_cast<int>(threads_.size()); }
    bool get_in_parallel() const override;
    void parallel_for(int n, const std::function<void(int, int)> &fn) override;
    uint64_t get_flags() const override { return flags_; }
    void wait() override;

    /// How many loops and how many calls of their closures there have been.
    int loops() const { return loops_; }
    int calls() const { return calls_; }
    /// How many loops have had more than one closure.
    int parallel_loops() const { return parallel_loops_; }

private:
    void work();

    const uint64_t flags_;
    std::mutex mutex_;
    std::condition_variable has_work_, is_idle_;
    std::queue<std::function<void()>> closures_;
    int running_ = 0;
    bool ends_ = false;
    std::atomic<int> loops_ = 0, parallel_loops_ = 0, calls_ = 0;
    std::vector<std::thread> threads_;
};

} // namespace kiln::test
