// SPDX-License-Identifier: Apache-2.0
// What users see of generated code: dump files, perf's map and perf's jitdump file, read back as
// the tools that they are for read them.
#include "cpu/x64/jit/code/code_listing.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/settings.hpp"
#include "cpu/x64/jit/code/jitdump_file.hpp"
#include "unit/jit/code_sample.hpp"
#include "unit/jit/jitdump_reader.hpp"
#include "unit/process_maps.hpp"

namespace kiln::test {

namespace {

/// same for all of them, and each uses names of its own.
class jit_code_listing : public testing::Test {
protected:
    static void SetUpTestSuite() {
        static const process_directory_t directory;
        directory_ = directory.path();
        ASSERT_FALSE(directory_.empty());
        start_ = fs::current_path();
        ++suites_;
    }
    static void TearDownTestSuite() {
        fs::current_path(start_);
        fs::remove(perf_map_path());
    }
    /// A name that no run of the tests before had.
    static std::string own(const std::string &name) { return name + "_" + std::to_string(suites_); }
    void SetUp() override {
        fs::current_path(directory_);
        dnnl_set_jit_profiling_jitdumpdir((directory_ / "jitdumpdir").c_str());
        dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE);
    }
    void TearDown() override {
        dnnl_set_jit_dump(0);
        dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE);
        dnnl_set_jit_profiling_jitdumpdir(nullptr);
    }

    /// The indices with which code of a name is dumped.
    static std::set<int> dumped_indices(const std::string &name) {
        const std::string prefix = "dnnl_dump_cpu_" + name + ".", suffix = ".bin";
        std::set<int> result;
        for (const auto &entry : fs::directory_iterator(directory_)) {
            const std::string file = entry.path().filename();
            if (!file.starts_with(prefix) || !file.ends_with(suffix)) continue;
            const int index = std::stoi(file.substr(prefix.size()));
            EXPECT_EQ(file, prefix + std::to_string(index) + suffix);
            result.insert(index);
        }
        return result;
    }
    static bytes_t dumped(const std::string &name, int index) {
        return content_of(
                directory_ / ("dnnl_dump_cpu_" + name + "." + std::to_string(index) + ".bin"));
    }
    /// The jitdump file of a process below a directory.
    static fs::path jitdump_path(const fs::path &below, pid_t pid) {
        const std::string name = "jit-" + std::to_string(pid) + ".dump";
        if (!fs::exists(below)) return {};
        for (const auto &entry : fs::recursive_directory_iterator(below))
            if (entry.path().filename() == name) return entry.path();
        return {};
    }
    static fs::path jitdump_path(pid_t pid = getpid()) {
        return jitdump_path(directory_ / "jitdumpdir", pid);
    }

    static inline fs::path start_;
    static inline fs::path directory_;
    static inline int suites_ = 0;
};

TEST_F(jit_code_listing, writes_nothing_unasked) {
    const executable_code_t code(own("unasked"), code_that_returns(1));
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE);
    const executable_code_t for_vtune(own("unasked"), code_that_returns(1));
    EXPECT_TRUE(dumped_indices(own("unasked")).empty());
    EXPECT_EQ(read_perf_map().count(own("unasked")), 0u);
    const fs::path jitdump = jitdump_path();
    if (!jitdump.empty()) {
        EXPECT_FALSE(read_jitdump(jitdump).find(own("unasked")));
    }
}

TEST_F(jit_code_listing, dumps_code_while_it_is_asked_to) {
    dnnl_set_jit_dump(1);
    const executable_code_t code(own("dumped"), code_that_returns(11, 9000));
    dnnl_set_jit_dump(0);
    const executable_code_t quiet(own("dumped"), code_that_returns(12));
    const std::set<int> indices = dumped_indices(own("dumped"));
    ASSERT_EQ(indices.size(), 1u);
    EXPECT_EQ(dumped(own("dumped"), *indices.begin()), bytes_of(code));
}

TEST_F(jit_code_listing, dumps_code_of_one_name_to_several_files) {
    dnnl_set_jit_dump(1);
    const executable_code_t a(own("twice"), code_that_returns(1)),
            b(own("twice"), code_that_returns(2));
    const std::set<int> indices = dumped_indices(own("twice"));
    ASSERT_EQ(indices.size(), 2u);
    EXPECT_EQ(dumped(own("twice"), *indices.begin()), bytes_of(a));
    EXPECT_EQ(dumped(own("twice"), *indices.rbegin()), bytes_of(b));
}

TEST_F(jit_code_listing, shortens_names_that_no_file_can_have) {
    dnnl_set_jit_dump(1);
    const std::string name = own("long");
    const executable_code_t code(name + std::string(1000, 'n'), code_that_returns(1));
    size_t count = 0;
    for (const auto &entry : fs::directory_iterator(directory_))
        if (entry.path().filename().string().starts_with("dnnl_dump_cpu_" + name + "nnnn")) {
            ++count;
            EXPECT_EQ(content_of(entry.path()), bytes_of(code));
        }
    EXPECT_EQ(count, 1u);
}

TEST_F(jit_code_listing, adds_lines_to_the_map_of_perf) {
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERFMAP);
    const executable_code_t a(own("mapped_a"), code_that_returns(1)),
            b(own("mapped_b"), code_that_returns(2, 300));
    const auto symbols = read_perf_map();
    ASSERT_TRUE(symbols.count(own("mapped_a")) && symbols.count(own("mapped_b")));
    EXPECT_EQ(symbols.at(own("mapped_a")).address, reinterpret_cast<uintptr_t>(a.data()));
    EXPECT_EQ(symbols.at(own("mapped_a")).size, a.size());
    EXPECT_EQ(symbols.at(own("mapped_b")).address, reinterpret_cast<uintptr_t>(b.data()));
    EXPECT_EQ(symbols.at(own("mapped_b")).size, b.size());
}

TEST_F(jit_code_listing, keeps_what_others_wrote_to_the_map_of_perf) {
    std::ofstream(perf_map_path(), std::ios::app)
            << "1000 20 " + own("of_another_generator") + "\n";
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERFMAP);
    const executable_code_t code(own("mapped_after"), code_that_returns(1));
    const auto symbols = read_perf_map();
    EXPECT_EQ(symbols.count(own("of_another_generator")), 1u);
    EXPECT_EQ(symbols.count(own("mapped_after")), 1u);
}

TEST_F(jit_code_listing, adds_code_to_the_jitdump_file) {
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_JITDUMP);
    const executable_code_t a(own("recorded_a"), code_that_returns(1)),
            b(own("recorded_b"), code_that_returns(2, 5000));
    const fs::path path = jitdump_path();
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.parent_path().parent_path(), directory_ / "jitdumpdir" / ".debug" / "jit");
    const jitdump_content_t content = read_jitdump(path);
    const auto load_a = content.find(own("recorded_a")), load_b = content.find(own("recorded_b"));
    ASSERT_TRUE(load_a && load_b);
    EXPECT_EQ(load_a->code, bytes_of(a));
    EXPECT_EQ(load_b->code, bytes_of(b));
    EXPECT_EQ(load_a->run_address, reinterpret_cast<uintptr_t>(a.data()));
    EXPECT_EQ(load_b->run_address, reinterpret_cast<uintptr_t>(b.data()));
    EXPECT_LT(load_a->index, load_b->index);
}

TEST_F(jit_code_listing, gives_dump_and_jitdump_the_same_index) {
    dnnl_set_jit_dump(1);
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERF);
    const executable_code_t code(own("everywhere"), code_that_returns(1));
    const std::set<int> indices = dumped_indices(own("everywhere"));
    const auto load = read_jitdump(jitdump_path()).find(own("everywhere"));
    ASSERT_TRUE(load && indices.size() == 1);
    EXPECT_EQ(load->index, static_cast<uint64_t>(*indices.begin()));
    EXPECT_EQ(read_perf_map().count(own("everywhere")), 1u);
}

TEST_F(jit_code_listing, begins_a_jitdump_file_in_a_forked_process) {
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_JITDUMP);
    const executable_code_t before(own("before_the_fork"), code_that_returns(1));
    const pid_t child = fork();
    if (child == 0) {
        const executable_code_t code(own("of_the_child"), code_that_returns(2));
        _exit(run(code) == 2 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const fs::path of_parent = jitdump_path(), of_child = jitdump_path(child);
    ASSERT_FALSE(of_parent.empty() || of_child.empty());
    EXPECT_TRUE(read_jitdump(of_parent).find(own("before_the_fork")));
    EXPECT_FALSE(read_jitdump(of_parent).find(own("of_the_child")));
    const jitdump_content_t content = read_jitdump(of_child);
    EXPECT_EQ(content.pid, static_cast<uint32_t>(child));
    ASSERT_EQ(content.loads.size(), 1u);
    EXPECT_EQ(content.loads[0].name, own("of_the_child"));
    EXPECT_EQ(content.loads[0].pid, static_cast<uint32_t>(child));
}

TEST_F(jit_code_listing, keeps_apart_what_many_threads_make) {
    constexpr uint32_t threads = 8, rounds = 50;
    dnnl_set_jit_dump(1);
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERF);
    const auto name_of = [](uint32_t number) { return own("threaded_" + std::to_string(number)); };
    std::vector<executable_code_t> codes(threads * rounds);
    std::vector<uint32_t> tids(threads);
    std::vector<std::thread> running;
    for (uint32_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            tids[t] = static_cast<uint32_t>(gettid());
            for (uint32_t i = t * rounds; i < (t + 1) * rounds; ++i)
                codes[i] = executable_code_t(name_of(i), code_that_returns(i, i * 7));
        });
    for (std::thread &thread : running) thread.join();

    const jitdump_content_t content = read_jitdump(jitdump_path());
    const auto symbols = read_perf_map();
    std::set<int> all_indices;
    for (uint32_t i = 0; i < threads * rounds; ++i) {
        SCOPED_TRACE(name_of(i));
        EXPECT_EQ(run(codes[i]), i);
        const std::set<int> indices = dumped_indices(name_of(i));
        ASSERT_EQ(indices.size(), 1u);
        EXPECT_EQ(dumped(name_of(i), *indices.begin()), bytes_of(codes[i]));
        all_indices.merge(std::set<int>(indices));
        const auto load = content.find(name_of(i));
        ASSERT_TRUE(load);
        EXPECT_EQ(load->code, bytes_of(codes[i]));
        EXPECT_EQ(load->tid, tids[i / rounds]);
        ASSERT_EQ(symbols.count(name_of(i)), 1u);
        EXPECT_EQ(symbols.at(name_of(i)).address, reinterpret_cast<uintptr_t>(codes[i].data()));
    }
    EXPECT_EQ(all_indices.size(), threads * rounds);
}

TEST_F(jit_code_listing, that_fails_harms_no_code) {
    // A working directory that is gone, a map that is a link to somebody's file, and a directory
    // where none can be made, all in a process that has no jitdump file yet.
    const fs::path victim = directory_ / "victim";
    std::ofstream(victim) << "kept";
    const pid_t child = fork();
    if (child == 0) {
        fs::create_directory(directory_ / "gone");
        fs::current_path(directory_ / "gone");
        fs::remove(directory_ / "gone");
        fs::remove(perf_map_path());
        fs::create_symlink(victim, perf_map_path());
        dnnl_set_jit_dump(1);
        dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERF);
        dnnl_set_jit_profiling_jitdumpdir("/proc/nowhere");
        uint32_t right = 0;
        for (uint32_t i = 0; i < 3; ++i)
            right += run(executable_code_t(own("unheard"), code_that_returns(i))) == i;
        fs::remove(perf_map_path());
        _exit(right == 3 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(content_of(victim), (bytes_t{'k', 'e', 'p', 't'}));
}

class jitdump_file : public jit_code_listing {};

TEST_F(jitdump_file, begins_with_the_header_of_the_format) {
    const uint64_t seconds = seconds_of_monotonic_clock();
    const jitdump_file_t file(directory_ / own("header"), false);
    ASSERT_EQ(fs::path(file.path()), jitdump_path(directory_ / own("header"), getpid()));
    EXPECT_EQ(file.pid(), getpid());
    const jitdump_content_t content = read_jitdump(file.path());
    EXPECT_EQ(content.magic, 0x4a695444u);
    EXPECT_EQ(content.version, 1u);
    EXPECT_EQ(content.header_size, 40u);
    EXPECT_EQ(content.machine, 62u) << "is not x86-64";
    EXPECT_EQ(content.pid, static_cast<uint32_t>(getpid()));
    EXPECT_EQ(content.flags, 0u);
    EXPECT_GE(content.timestamp, seconds * 1'000'000'000);
    EXPECT_LE(content.timestamp, (seconds + 60) * 1'000'000'000);
    EXPECT_TRUE(content.loads.empty());
}

TEST_F(jitdump_file, holds_a_record_for_each_code) {
    const uint64_t seconds = seconds_of_monotonic_clock();
    jitdump_file_t file(directory_ / own("records"), false);
    const bytes_t first = code_that_returns(1), second = code_that_returns(2, 70000);
    file.add("first", first, 5);
    file.add("second", second, 8);
    const jitdump_content_t content = read_jitdump(file.path());
    ASSERT_EQ(content.loads.size(), 2u);
    const bytes_t *codes[] = {&first, &second};
    uint64_t time = content.timestamp;
    for (size_t i = 0; i < 2; ++i) {
        const jitdump_load_t &load = content.loads[i];
        EXPECT_EQ(load.name, i == 0 ? "first" : "second");
        EXPECT_EQ(load.index, i == 0 ? 5u : 8u);
        EXPECT_EQ(load.pid, static_cast<uint32_t>(getpid()));
        EXPECT_EQ(load.tid, static_cast<uint32_t>(gettid()));
        EXPECT_EQ(load.run_address, reinterpret_cast<uintptr_t>(codes[i]->data()));
        EXPECT_EQ(load.load_address, load.run_address);
        EXPECT_EQ(load.code, *codes[i]);
        EXPECT_GE(load.timestamp, time);
        time = load.timestamp;
    }
    EXPECT_LE(time, (seconds + 60) * 1'000'000'000);
}

TEST_F(jitdump_file, takes_its_times_from_the_processor_where_asked) {
    const uint64_t begin = __builtin_ia32_rdtsc();
    jitdump_file_t file(directory_ / own("processor_time"), true);
    file.add("timed", code_that_returns(1), 0);
    const uint64_t end = __builtin_ia32_rdtsc();
    const jitdump_content_t content = read_jitdump(file.path());
    EXPECT_EQ(content.flags, 1u);
    ASSERT_EQ(content.loads.size(), 1u);
    EXPECT_LE(begin, content.timestamp);
    EXPECT_LE(content.timestamp, content.loads[0].timestamp);
    EXPECT_LE(content.loads[0].timestamp, end);
}

TEST_F(jitdump_file, is_mapped_executable_for_perf_to_find) {
    const auto mapping_of = [](const std::string &path) {
        for (const mapping_t &mapping : process_maps())
            if (mapping.path == path) return mapping;
        return mapping_t();
    };
    std::string path;
    {
        const jitdump_file_t file(directory_ / own("marker"), false);
        path = file.path();
        EXPECT_EQ(mapping_of(path).permissions, "r-xp");
    }
    EXPECT_EQ(mapping_of(path).permissions, "");
}

TEST_F(jitdump_file, differs_from_one_begun_before) {
    const jitdump_file_t a(directory_ / own("several"), false),
            b(directory_ / own("several"), false);
    EXPECT_NE(a.path(), b.path());
    EXPECT_EQ(read_jitdump(a.path()).magic, 0x4a695444u);
    EXPECT_EQ(read_jitdump(b.path()).magic, 0x4a695444u);
}

TEST_F(jitdump_file, that_cannot_be_begun_takes_code_in_silence) {
    jitdump_file_t file("/proc/nowhere", false);
    EXPECT_EQ(file.path(), "");
    file.add("lost", code_that_returns(1), 0);
}

} // namespace

} // namespace kiln::test
