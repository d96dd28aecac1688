// SPDX-License-Identifier: Apache-2.0
// Calls with the threads that --ctx-init, --ctx-exe and --threads give.
#include "common/run/threads.hpp"

#include <algorithm>
#include <optional>
#include <vector>

// Core types are a preview feature in older versions of oneTBB, with the same interface as in newer
// ones.
#define TBB_PREVIEW_TASK_ARENA_CONSTRAINTS_EXTENSION 1
#include <dlfcn.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

namespace benchdnn {

namespace {

// Sets the number of OpenMP threads of the calling thread, for libraries that use OpenMP; does
// nothing if the process has no OpenMP runtime.
class openmp_threads_t {
public:
    explicit openmp_threads_t(int count) {
        const auto get = symbol<int()>("omp_get_max_threads");
        set_ = symbol<void(int)>("omp_set_num_threads");
        if (!get || !set_) return;
        before_ = get();
        set_(count);
    }
    ~openmp_threads_t() {
        if (before_ > 0) set_(before_);
    }

private:
    template <typename function_t> static function_t *symbol(const char *name) {
        return reinterpret_cast<function_t *>(dlsym(RTLD_DEFAULT, name));
    }
    void (*set_)(int) = nullptr;
    int before_ = 0;
};

tbb::task_arena::constraints constraints_of(const thread_context_t &context) {
    tbb::task_arena::constraints constraints;
    if (context.concurrency > 0) constraints.set_max_concurrency(context.concurrency);
    // oneTBB orders core types from the smallest.
    const std::vector<tbb::core_type_id> types = tbb::info::core_types();
    if (context.core_type >= 0) {
        const auto last = static_cast<int>(types.size()) - 1;
        constraints.set_core_type(types[std::max(0, last - context.core_type)]);
    }
    if (context.threads_per_core > 0)
        constraints.set_max_threads_per_core(context.threads_per_core);
    return constraints;
}

} // namespace

void in_thread_context(const thread_context_t &context, const std::function<void()> &body) {
    if (context.is_automatic()) return body();
    // More threads than processors must be allowed explicitly.
    std::optional<tbb::global_control> leave;
    std::optional<openmp_threads_t> openmp;
    if (context.concurrency > 0) {
        const auto wanted = static_cast<size_t>(context.concurrency);
        const auto parameter = tbb::global_control::max_allowed_parallelism;
        if (wanted > tbb::global_control::active_value(parameter)) leave.emplace(parameter, wanted);
        openmp.emplace(context.concurrency);
    }
    tbb::task_arena arena(constraints_of(context));
    arena.execute(body);
}

int thread_count() { return tbb::this_task_arena::max_concurrency(); }

} // namespace benchdnn
