// SPDX-License-Identifier: Apache-2.0
// Tasks of a parallel loop that several threads take up one by one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>

#include "common/function_ref.hpp"
#include "common/types.hpp"

namespace kiln::cpu {

/// Each thread begins with a run of tasks of its own, so that loops one after another find the data
/// of the same tasks in the same core's caches. A thread that has ended its run goes on with the
/// others.
class shared_tasks_t {
public:
    shared_tasks_t(dim_t count, dim_t threads, function_ref_t<void(dim_t)> task)
        : used_(std::min(threads, most_runs))
        , task_(task) {
        for (dim_t i = 0; i < used_; ++i) {
            run_t &run = runs_[static_cast<size_t>(i)];
            run.next.store(count * i / used_, std::memory_order_relaxed);
            run.end = count * (i + 1) / used_;
        }
    }

    /// Runs tasks until none is left. Each thread calls it once with its number. After an exception
    /// no further task begins.
    void run(dim_t thread) noexcept {
        try {
            for (dim_t i = 0; i < used_; ++i) {
                run_t &run = runs_[static_cast<size_t>((thread + i) % used_)];
                for (dim_t index;
                        (index = run.next.fetch_add(1, std::memory_order_relaxed)) < run.end;)
                    task_(index);
            }
        } catch (...) {
            for (auto &run : runs_) run.next.store(run.end, std::memory_order_relaxed);
            if (!has_failed_.test_and_set()) failure_ = std::current_exception();
        }
    }

    /// Throws the first exception of a task again. No thread is inside of run() any more.
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    static constexpr dim_t most_runs = 16;
    struct alignas(64) run_t { // a cache line
        std::atomic<dim_t> next = 0;
        dim_t end = 0;
    };

    const dim_t used_;
    const function_ref_t<void(dim_t)> task_;
    std::array<run_t, most_runs> runs_;
    std::atomic_flag has_failed_;
    std::exception_ptr failure_;
};

} // namespace kiln::cpu
