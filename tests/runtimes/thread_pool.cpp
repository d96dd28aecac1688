// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

namespace kiln::test {
namespace {

/// The pool that the calling thread belongs to.
thread_local const thread_pool_t *own_pool = nullptr;

} // namespace

thread_pool_t::thread_pool_t(int threads, uint64_t flags)
    : flags_(flags) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

thread_pool_t::~thread_pool_t() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    has_work_.notify_all();
    for (std::thread &thread : threads_) thread.join();
}

bool thread_pool_t::get_in_parallel() const { return own_pool == this; }

void thread_pool_t::parallel_for(int n, const std::function<void(int, int)> &fn) {
    ++loops_;
    if (n > 1) ++parallel_loops_;
    {
        const std::lock_guard lock(mutex_);
        for (int i = 0; i < n; ++i) closures_.push([fn, i, n] { fn(i, n); });
    }
    has_work_.notify_all();
    if (flags_ != ASYNCHRONOUS) wait();
}

void thread_pool_t::wait() {
    std::unique_lock lock(mutex_);
    is_idle_.wait(lock, [this] { return closures_.empty() && running_ == 0; });
}

void thread_pool_t::work() {
    own_pool = this;
    std::unique_lock lock(mutex_);
    while (true) {
        has_work_.wait(lock, [this] { return ends_ || !closures_.empty(); });
        if (closures_.empty()) return;
        const std::function<void()> closure = std::move(closures_.front());
        closures_.pop();
        ++running_;
        lock.unlock();
        closure();
        ++calls_;
        lock.lock();
        --running_;
        if (closures_.empty() && running_ == 0) is_idle_.notify_all();
    }
}

} // namespace kiln::test
