// SPDX-License-Identifier: Apache-2.0
// The end of a process, and of the library in a process, in every order: the library is used by
// destructors of static and thread-local objects, by functions of atexit, by threads that run while
// the process ends; it is loaded and unloaded. Each scenario is a process that must end with 0.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"
#include "scenario.hpp"
#include "trust/workload.hpp"

namespace {

using kiln::test::run_problem;
using kiln::test::workload_kinds;

dnnl::engine cpu() { return dnnl::engine(dnnl::engine::kind::cpu, 0); }

void run_all() {
    const dnnl::engine engine = cpu();
    for (uint64_t number = 0; number < 2 * workload_kinds; ++number) run_problem(engine, number);
}

bool has_writable_code() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(" rwx") != std::string::npos) return true;
    return false;
}

/// Uses the library in its destructor.
struct late_user_t {
    ~late_user_t() {
        if (!is_active) return;
        run_all();
        if (has_writable_code()) std::abort();
    }
    bool is_active = false;
};

// Constructed before main, so before anything of the library that is made on demand.
late_user_t early_object;
thread_local late_user_t thread_object;

void objects_made_before_the_library() { early_object.is_active = true; }

void objects_made_after_the_library() {
    run_all();
    static late_user_t object;
    object.is_active = true;
}

void functions_of_atexit() {
    std::atexit(run_all);
    run_all();
    std::atexit(run_all);
}

void functions_of_quick_exit() {
    std::at_quick_exit(run_all);
    run_all();
    std::quick_exit(0);
}

void handles_that_outlive_main() {
    static dnnl::engine engine = cpu();
    static dnnl::stream stream(engine);
    static dnnl::memory memory(
            {{16}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a}, engine);
    static dnnl::reorder reorder(memory, memory);
    reorder.execute(stream, memory, memory);
    run_all();
}

void thread_local_objects() {
    std::thread([] {
        run_all();
        thread_object.is_active = true;
    }).join();
    std::thread([] { thread_object.is_active = true; }).join(); // first use in the destructor
    thread_object.is_active = true;
    run_all();
}

/// They have run parallel loops before: oneTBB takes no thread that is new to it while the process
/// ends.
void threads_that_run_while_the_process_ends() {
    constexpr uint64_t problems = 15 * workload_kinds;
    static std::atomic<int> started = 0;
    for (int i = 0; i < 4; ++i)
        std::thread([] {
            const dnnl::engine engine = cpu();
            for (uint64_t number = 0;; ++number) {
                run_problem(engine, number % problems);
                if (number == problems) ++started;
            }
        }).detach();
    while (started < 4) std::this_thread::yield();
    std::exit(0);
}

// --- Loading and unloading ----------------------------------------------------------------------

/// The library's file, as this program was linked with it.
std::string library_path() {
    Dl_info info{};
    dladdr(reinterpret_cast<const void *>(&dnnl_version), &info);
    return info.dli_fname;
}

/// Loads a copy of the library under another name, because this program has loaded the library.
class loaded_t {
public:
    explicit loaded_t(const std::string &path)
        : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!handle_) throw std::runtime_error(dlerror());
    }
    ~loaded_t() { dlclose(handle_); }
    template <typename function_t> function_t *function(const char *name) const {
        return reinterpret_cast<function_t *>(dlsym(handle_, name));
    }

private:
    void *handle_;
};

/// A reorder from f32 to bf16 of a matrix that several threads share.
void use(const loaded_t &library) {
#define KILN_LOADED(name) (library.function<decltype(name)>(#name))
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    dnnl_memory_desc_t from = nullptr, to = nullptr;
    dnnl_memory_t src = nullptr, dst = nullptr;
    dnnl_primitive_desc_t desc = nullptr;
    dnnl_primitive_t primitive = nullptr;
    const dnnl_dims_t dims = {512, 300};
    const auto check = [](dnnl_status_t status) {
        if (status != dnnl_success) std::abort();
    };
    check(KILN_LOADED(dnnl_engine_create)(&engine, dnnl_cpu, 0));
    check(KILN_LOADED(dnnl_stream_create)(&stream, engine, dnnl_stream_default_flags));
    const auto make_desc = KILN_LOADED(dnnl_memory_desc_create_with_tag);
    check(make_desc(&from, 2, dims, dnnl_f32, dnnl_ab));
    check(make_desc(&to, 2, dims, dnnl_bf16, dnnl_ba));
    const auto make_memory = KILN_LOADED(dnnl_memory_create);
    check(make_memory(&src, from, engine, DNNL_MEMORY_ALLOCATE));
    check(make_memory(&dst, to, engine, DNNL_MEMORY_ALLOCATE));
    check(KILN_LOADED(dnnl_reorder_primitive_desc_create)(
            &desc, from, engine, to, engine, nullptr));
    check(KILN_LOADED(dnnl_primitive_create)(&primitive, desc));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
    check(KILN_LOADED(dnnl_primitive_execute)(primitive, stream, 2, args));
    check(KILN_LOADED(dnnl_stream_wait)(stream));
    check(KILN_LOADED(dnnl_primitive_destroy)(primitive));
    check(KILN_LOADED(dnnl_primitive_desc_destroy)(desc));
    for (dnnl_memory_t memory : {src, dst}) check(KILN_LOADED(dnnl_memory_destroy)(memory));
    for (dnnl_memory_desc_t one : {from, to}) check(KILN_LOADED(dnnl_memory_desc_destroy)(one));
    check(KILN_LOADED(dnnl_stream_destroy)(stream));
    check(KILN_LOADED(dnnl_engine_destroy)(engine));
#undef KILN_LOADED
}

/// Lines of /proc/self/maps.
size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    size_t count = 0;
    for (std::string line; std::getline(maps, line);) ++count;
    return count;
}

/// A copy of the library's file that is deleted at the end.
class library_copy_t {
public:
    library_copy_t()
        : path_("./libdnnl_copy_" + std::to_string(getpid()) + ".so") {
        std::ifstream from(library_path(), std::ios::binary);
        std::ofstream(path_, std::ios::binary) << from.rdbuf();
    }
    ~library_copy_t() { std::remove(path_.c_str()); }
    const std::string &path() const { return path_; }

private:
    std::string path_;
};

void a_library_loaded_and_unloaded_a_hundred_times() {
    const library_copy_t copy;
    const auto cycle = [&] {
        const loaded_t library(copy.path());
        use(library);
    };
    for (int i = 0; i < 5; ++i) cycle();
    const size_t before = mappings();
    for (int i = 0; i < 100; ++i) cycle();
    std::printf("%zu %zu\n", before, mappings());
}

void a_library_used_on_threads_that_outlive_it() {
    const library_copy_t copy;
    auto library = std::make_unique<loaded_t>(copy.path());
    std::atomic<int> used = 0;
    std::atomic<bool> is_unloaded = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            use(*library);
            ++used;
            while (!is_unloaded) std::this_thread::yield();
        });
    while (used < 4) std::this_thread::yield();
    library.reset();
    is_unloaded = true;
    for (std::thread &thread : threads) thread.join(); // their thread-local objects are destroyed
}

void a_library_that_is_never_unloaded() {
    static const library_copy_t copy;
    static const loaded_t library(copy.path());
    use(library);
}

const kiln::test::scenario_t scenarios[] = {
        {"objects_made_before_the_library", objects_made_before_the_library},
        {"objects_made_after_the_library", objects_made_after_the_library},
        {"functions_of_atexit", functions_of_atexit},
        {"functions_of_quick_exit", functions_of_quick_exit},
        {"handles_that_outlive_main", handles_that_outlive_main},
        {"thread_local_objects", thread_local_objects},
        {"threads_that_run_while_the_process_ends", threads_that_run_while_the_process_ends},
        {"a_library_loaded_and_unloaded_a_hundred_times",
                a_library_loaded_and_unloaded_a_hundred_times},
        {"a_library_used_on_threads_that_outlive_it", a_library_used_on_threads_that_outlive_it},
        {"a_library_that_is_never_unloaded", a_library_that_is_never_unloaded},
};

class end_of_process : public testing::TestWithParam<const char *> {};

TEST_P(end_of_process, is_clean) {
    const auto result = kiln::test::run_scenario(GetParam());
    EXPECT_TRUE(result.succeeded) << result.output;
}

INSTANTIATE_TEST_SUITE_P(with, end_of_process,
        testing::Values("objects_made_before_the_library", "objects_made_after_the_library",
                "functions_of_atexit", "functions_of_quick_exit", "handles_that_outlive_main",
                "thread_local_objects", "threads_that_run_while_the_process_ends",
                "a_library_used_on_threads_that_outlive_it", "a_library_that_is_never_unloaded"),
        [](const auto &info) { return info.param; });

TEST(unloading, leaves_no_mappings) {
    const auto result = kiln::test::run_scenario("a_library_loaded_and_unloaded_a_hundred_times");
    ASSERT_TRUE(result.succeeded) << result.output;
    size_t before = 0, after = 0;
    ASSERT_EQ(std::sscanf(result.output.c_str(), "%zu %zu", &before, &after), 2) << result.output;
    EXPECT_LE(after, before + 10);
}

} // namespace

int main(int argc, char **argv) { return kiln::test::main_with_scenarios(argc, argv, scenarios); }
