// SPDX-License-Identifier: Apache-2.0
// Tasks of a parallel loop that several threads take up one by one.
#pragma once

#include <atomic>
#include <exception>

#include "common/function_ref.hpp"
#include "common/types.hpp"

namespace kiln::cpu {

class shared_tasks_t {
public:
    shared_tasks_t(dim_t count, function_ref_t<void(dim_t)> task)
        : count_(count)
        , task_(task) {}

    /// Runs tasks until none is left. Each thread calls it once. After an exception no further task
    /// begins.
    void run() noexcept {
        try {
            for (dim_t index; (index = next_.fetch_add(1, std::memory_order_relaxed)) < count_;)
                task_(index);
        } catch (...) {
            next_.store(count_, std::memory_order_relaxed);
            if (!has_failed_.test_and_set()) failure_ = std::current_exception();
        }
    }

    /// Throws the first exception of a task again. No thread is inside of run() any more.
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    const dim_t count_;
    const function_ref_t<void(dim_t)> task_;
    std::atomic<dim_t> next_ = 0;
    std::atomic_flag has_failed_;
    std::exception_ptr failure_;
};

} // namespace kiln::cpu
