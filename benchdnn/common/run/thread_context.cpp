// SPDX-License-Identifier: Apache-2.0
// How many threads, and of which kind, the library finds around a call.
#include "common/run/thread_context.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

// Kinds of cores are a preview in older versions of oneTBB, and no different in newer ones.
#define TBB_PREVIEW_TASK_ARENA_CONSTRAINTS_EXTENSION 1
#include <dlfcn.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

int parse_part(const std::string &text, int least) {
    if (text == "auto") return thread_context_t::automatic;
    if (!is_integer_text(text)) throw bad_value_t(text, "a number or auto is expected");
    const int64_t value = parse_integer(text);
    if (value < least || value > 4096)
        throw bad_value_t(text, "from " + std::to_string(least) + " to 4096");
    return static_cast<int>(value);
}

std::string part_text(int value) {
    return value == thread_context_t::automatic ? "auto" : std::to_string(value);
}

// OpenMP's setting of the calling thread, for libraries that run on it; nothing where there is no
// OpenMP in the process.
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
    // Core types are counted from the smallest in oneTBB.
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

bool thread_context_t::is_automatic() const {
    return concurrency == automatic && core_type == automatic && threads_per_core == automatic;
}

std::string thread_context_t::text() const {
    std::string text = part_text(concurrency);
    if (core_type != automatic || threads_per_core != automatic) text += ":" + part_text(core_type);
    if (threads_per_core != automatic) text += ":" + part_text(threads_per_core);
    return text;
}

thread_context_t parse_thread_context(const std::string &text) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() > 3)
        throw bad_value_t(text, "MAX_CONCURRENCY[:CORE_TYPE[:THREADS_PER_CORE]] is expected");
    thread_context_t context;
    context.concurrency = parse_part(parts[0], 1);
    if (parts.size() > 1) context.core_type = parse_part(parts[1], 0);
    if (parts.size() > 2) context.threads_per_core = parse_part(parts[2], 1);
    return context;
}

void in_thread_context(const thread_context_t &context, const std::function<void()> &body) {
    if (context.is_automatic()) return body();
    // More threads than processors need leave for it.
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
