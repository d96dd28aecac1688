// SPDX-License-Identifier: Apache-2.0
// Reads dump files, the map of perf and jitdump files as the tools do that they are for.
#pragma once

#include "cpu/x64/jit/code/code_listing.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "cpu/x64/jit/code/jitdump_file.hpp"

namespace kiln::test {

namespace fs = std::filesystem;
using x64::jit::executable_code_t;
using x64::jit::jitdump_file_t;
using bytes_t = std::vector<uint8_t>;

inline bytes_t content_of(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline bytes_t bytes_of(const executable_code_t &code) {
    return {code.data(), code.data() + code.size()};
}

/// The fields of a file in their order.
class field_reader_t {
public:
    explicit field_reader_t(bytes_t bytes)
        : bytes_(std::move(bytes)) {}

    template <typename field_t> field_t next() {
        field_t field{};
        if (at_ + sizeof(field) <= bytes_.size())
            std::memcpy(&field, bytes_.data() + at_, sizeof(field));
        else
            ADD_FAILURE() << "the file ends within a field";
        at_ += sizeof(field);
        return field;
    }
    std::string next_string() {
        std::string text;
        for (char c; (c = next<char>()) != 0 && !is_at_end();) text += c;
        return text;
    }
    bytes_t next_bytes(size_t count) {
        bytes_t result;
        for (size_t i = 0; i < count && !is_at_end(); ++i) result.push_back(next<uint8_t>());
        return result;
    }
    size_t at() const { return at_; }
    bool is_at_end() const { return at_ >= bytes_.size(); }

private:
    bytes_t bytes_;
    size_t at_ = 0;
};

struct jitdump_load_t {
    uint64_t timestamp = 0;
    uint32_t pid = 0, tid = 0;
    uint64_t run_address = 0, load_address = 0, index = 0;
    std::string name;
    bytes_t code;
};

struct jitdump_content_t {
    uint32_t magic = 0, version = 0, header_size = 0, machine = 0, pid = 0;
    uint64_t timestamp = 0, flags = 0;
    std::vector<jitdump_load_t> loads;

    std::optional<jitdump_load_t> find(const std::string &name) const {
        for (const jitdump_load_t &load : loads)
            if (load.name == name) return load;
        return std::nullopt;
    }
};

inline jitdump_load_t read_load(field_reader_t &file) {
    const size_t begin = file.at();
    EXPECT_EQ(file.next<uint32_t>(), 0u) << "is no JIT_CODE_LOAD";
    const auto size = file.next<uint32_t>();
    jitdump_load_t load;
    load.timestamp = file.next<uint64_t>();
    load.pid = file.next<uint32_t>();
    load.tid = file.next<uint32_t>();
    load.run_address = file.next<uint64_t>();
    load.load_address = file.next<uint64_t>();
    const auto code_size = file.next<uint64_t>();
    load.index = file.next<uint64_t>();
    load.name = file.next_string();
    load.code = file.next_bytes(code_size);
    EXPECT_EQ(load.code.size(), code_size);
    EXPECT_EQ(file.at() - begin, size) << "of " << load.name;
    return load;
}

inline jitdump_content_t read_jitdump(const fs::path &path) {
    field_reader_t file(content_of(path));
    jitdump_content_t content;
    content.magic = file.next<uint32_t>();
    content.version = file.next<uint32_t>();
    content.header_size = file.next<uint32_t>();
    content.machine = file.next<uint32_t>();
    file.next<uint32_t>();
    content.pid = file.next<uint32_t>();
    content.timestamp = file.next<uint64_t>();
    content.flags = file.next<uint64_t>();
    EXPECT_EQ(content.header_size, file.at());
    while (!file.is_at_end() && !testing::Test::HasFailure())
        content.loads.push_back(read_load(file));
    return content;
}

inline std::string perf_map_path() { return "/tmp/perf-" + std::to_string(getpid()) + ".map"; }

struct perf_symbol_t {
    uintptr_t address = 0;
    size_t size = 0;
};

inline std::map<std::string, perf_symbol_t> read_perf_map() {
    std::map<std::string, perf_symbol_t> result;
    std::ifstream file(perf_map_path());
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        perf_symbol_t symbol;
        std::string name;
        EXPECT_TRUE(words >> std::hex >> symbol.address >> symbol.size >> name) << line;
        EXPECT_TRUE(result.emplace(name, symbol).second) << name << " stands there twice";
    }
    return result;
}

inline uint64_t seconds_of_monotonic_clock() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec);
}

/// A directory of this process, for as long as it lives.
class process_directory_t {
public:
    process_directory_t() {
        std::string path = fs::temp_directory_path() / "kiln_code_XXXXXX";
        if (mkdtemp(path.data())) path_ = path;
    }
    ~process_directory_t() {
        std::error_code failure;
        fs::remove_all(path_, failure);
    }
    const fs::path &path() const { return path_; }

private:
    fs::path path_;
};

/// The tests work in a directory of their process. A process has one jitdump file, so it is the

} // namespace kiln::test
