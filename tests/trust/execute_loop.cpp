// SPDX-License-Identifier: Apache-2.0
// What dnnl_primitive_execute costs besides the work: layer normalization of eight elements, with
// six arguments, by several builds of the library in turn.
//     execute_loop ROUNDS LIBRARY...
// prints nanoseconds of a call: the least, the median. Where all else is equal, differences of a
// nanosecond show, even on a busy machine.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include "oneapi/dnnl/dnnl.h"

namespace {

constexpr int calls = 2000; // of a round

void check(bool is_right, const char *what) {
    if (is_right) return;
    std::fprintf(stderr, "execute_loop: %s\n", what);
    std::exit(1);
}

/// A loaded library with a primitive of its own. Nothing is destroyed: the program ends.
class library_t {
public:
    explicit library_t(const char *path)
        : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        check(handle_ != nullptr, path);
        execute_ = function(dnnl_primitive_execute, "dnnl_primitive_execute");
        make_primitive();
        run();
        nanoseconds_.clear();
    }

    void run() {
        using clock_t = std::chrono::steady_clock;
        const auto begin = clock_t::now();
        bool is_right = true;
        for (int i = 0; i < calls; ++i)
            is_right &= execute_(primitive_, stream_, 6, args_) == dnnl_success;
        check(is_right, "an execution failed");
        const std::chrono::duration<double, std::nano> duration = clock_t::now() - begin;
        nanoseconds_.push_back(duration.count() / calls);
    }

    void print(const char *name) {
        std::sort(nanoseconds_.begin(), nanoseconds_.end());
        std::printf("%s: least %.2f ns, median %.2f ns\n", name, nanoseconds_.front(),
                nanoseconds_[nanoseconds_.size() / 2]);
    }

private:
    /// The library's function of this name and type.
    template <typename function_t> function_t *function(function_t &, const char *name) const {
        void *const found = dlsym(handle_, name);
        check(found != nullptr, name);
        return reinterpret_cast<function_t *>(found);
    }
#define KILN_CALL(name, ...)                                                                       \
    check(function(name, #name)(__VA_ARGS__) == dnnl_success, #name " failed")

    void make_primitive() {
        dnnl_engine_t engine = nullptr;
        KILN_CALL(dnnl_engine_create, &engine, dnnl_cpu, 0);
        KILN_CALL(dnnl_stream_create, &stream_, engine, dnnl_stream_default_flags);
        dnnl_memory_desc_t data = nullptr, statistics = nullptr, weights = nullptr;
        const dnnl_dims_t data_dims{1, 8}, statistics_dims{1}, weights_dims{8};
        KILN_CALL(dnnl_memory_desc_create_with_tag, &data, 2, data_dims, dnnl_f32, dnnl_ab);
        KILN_CALL(dnnl_memory_desc_create_with_tag, &statistics, 1, statistics_dims, dnnl_f32,
                dnnl_a);
        KILN_CALL(dnnl_memory_desc_create_with_tag, &weights, 1, weights_dims, dnnl_f32, dnnl_a);
        dnnl_primitive_desc_t desc = nullptr;
        KILN_CALL(dnnl_layer_normalization_forward_primitive_desc_create, &desc, engine,
                dnnl_forward_inference, data, data, statistics, 1e-5f,
                dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift, nullptr);
        KILN_CALL(dnnl_primitive_create, &primitive_, desc);
        const struct {
            int arg;
            dnnl_memory_desc_t desc;
        } described[]{{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}, {DNNL_ARG_MEAN, statistics},
                {DNNL_ARG_VARIANCE, statistics}, {DNNL_ARG_SCALE, weights},
                {DNNL_ARG_SHIFT, weights}};
        for (size_t i = 0; i < std::size(described); ++i) {
            args_[i].arg = described[i].arg;
            KILN_CALL(dnnl_memory_create, &args_[i].memory, described[i].desc, engine,
                    DNNL_MEMORY_ALLOCATE);
        }
    }
#undef KILN_CALL

    void *handle_;
    decltype(&dnnl_primitive_execute) execute_ = nullptr;
    dnnl_primitive_t primitive_ = nullptr;
    dnnl_stream_t stream_ = nullptr;
    dnnl_exec_arg_t args_[6]{};
    std::vector<double> nanoseconds_;
};

} // namespace

int main(int argc, char **argv) {
    const int rounds = argc > 2 ? std::atoi(argv[1]) : 0;
    check(rounds > 0, "usage: execute_loop ROUNDS LIBRARY...");
    std::vector<library_t> libraries;
    for (int i = 2; i < argc; ++i) libraries.emplace_back(argv[i]);
    for (int round = 0; round < rounds; ++round)
        for (library_t &library : libraries) library.run();
    for (int i = 2; i < argc; ++i) libraries[static_cast<size_t>(i - 2)].print(argv[i]);
}
