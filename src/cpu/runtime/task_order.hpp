// SPDX-License-Identifier: Apache-2.0
// The order between a thread that starts tasks of oneTBB, the tasks, and what follows them. oneTBB
// gives it; ThreadSanitizer has to be told, as it does not see inside of oneTBB.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define KILN_HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KILN_HAS_THREAD_SANITIZER 1
#endif
#endif

#ifdef KILN_HAS_THREAD_SANITIZER

#include <sanitizer/tsan_interface.h>

/// Of the function that oneTBB calls: it reads what the starting thread has written before it can
/// say that this is in order.
#define KILN_BEGINS_TASK __attribute__((no_sanitize_thread))

namespace kiln::cpu {

/// Lives on the starting thread from before the tasks start until they have ended.
class task_order_t {
public:
    task_order_t() { __tsan_release(this); }
    ~task_order_t() { __tsan_acquire(this); }
    task_order_t(const task_order_t &) = delete;
    task_order_t &operator=(const task_order_t &) = delete;

    /// Calls `body` as a task.
    template <typename body_t> KILN_BEGINS_TASK void run(const body_t &body) const {
        const task_t task(this);
        body();
    }

private:
    struct task_t {
        explicit task_t(const void *order)
            : order(const_cast<void *>(order)) {
            __tsan_acquire(this->order);
        }
        ~task_t() { __tsan_release(order); }
        void *const order;
    };
};

} // namespace kiln::cpu

#else

#define KILN_BEGINS_TASK

namespace kiln::cpu {

struct task_order_t {
    template <typename body_t> void run(const body_t &body) const { body(); }
};

} // namespace kiln::cpu

#endif
