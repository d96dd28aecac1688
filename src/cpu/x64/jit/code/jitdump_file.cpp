// SPDX-License-Identifier: Apache-2.0
// A file in the jitdump format of Linux perf, which
// tools/perf/Documentation/jitdump-specification.txt of Linux specifies.

#include "cpu/x64/jit/code/jitdump_file.hpp"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

namespace kiln::x64::jit {
namespace {

struct file_header_t {
    uint32_t magic;
    uint32_t version;
    uint32_t header_size;
    uint32_t elf_machine;
    uint32_t reserved;
    uint32_t pid;
    uint64_t timestamp;
    uint64_t flags;
};
static_assert(sizeof(file_header_t) == 40);

/// The name, zero-terminated, and the code follow it.
struct load_record_t {
    uint32_t id;
    uint32_t record_size;
    uint64_t timestamp;
    uint32_t pid;
    uint32_t tid;
    uint64_t run_address;
    uint64_t load_address;
    uint64_t code_size;
    uint64_t code_index;
};
static_assert(sizeof(load_record_t) == 56);

constexpr uint32_t magic = 0x4a695444; // "JiTD", read in the writer's byte order
constexpr uint32_t version = 1;
constexpr uint64_t flag_processor_time = 1;
constexpr uint32_t record_load = 0;

/// A new directory for this run, because a later process may have the same id; empty on failure.
std::string create_run_directory(const std::string &directory) {
    namespace fs = std::filesystem;
    const fs::path parent = fs::path(directory) / ".debug" / "jit";
    std::error_code failure;
    fs::create_directories(parent, failure);
    std::string path = parent / "dnnl.XXXXXX";
    return mkdtemp(path.data()) ? path : std::string();
}

std::string create_path(const std::string &directory, pid_t pid) {
    const std::string parent = create_run_directory(directory);
    // perf recognizes the file by this name.
    return parent.empty() ? parent : parent + "/jit-" + std::to_string(pid) + ".dump";
}

template <typename header_t> std::span<const uint8_t> bytes_of(const header_t &header) {
    return {reinterpret_cast<const uint8_t *>(&header), sizeof(header)};
}

size_t marker_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

} // namespace

jitdump_file_t::jitdump_file_t(const std::string &directory, bool uses_tsc)
    : uses_tsc_(uses_tsc)
    , pid_(getpid())
    , path_(create_path(directory, pid_))
    , file_(path_, O_RDWR | O_EXCL) {
    place_marker();
    write_header();
}

jitdump_file_t::~jitdump_file_t() {
    if (marker_) munmap(marker_, marker_size());
}

/// perf records executable mappings and finds the file by this one. It is never executed.
void jitdump_file_t::place_marker() {
    if (file_.descriptor() < 0) return;
    void *const marker =
            mmap(nullptr, marker_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE, file_.descriptor(), 0);
    if (marker == MAP_FAILED)
        file_.give_up();
    else
        marker_ = marker;
}

void jitdump_file_t::write_header() {
    const file_header_t header{magic, version, sizeof(header), EM_X86_64, 0,
            static_cast<uint32_t>(pid_), now(), uses_tsc_ ? flag_processor_time : 0};
    file_.write(bytes_of(header));
}

void jitdump_file_t::add(const std::string &name, std::span<const uint8_t> code, uint64_t index) {
    const auto address = reinterpret_cast<uintptr_t>(code.data());
    const size_t size = sizeof(load_record_t) + name.size() + 1 + code.size();
    const load_record_t record{record_load, static_cast<uint32_t>(size), now(),
            static_cast<uint32_t>(pid_), static_cast<uint32_t>(gettid()), address, address,
            code.size(), index};
    // One write, so that a process that ends meanwhile leaves complete records.
    std::vector<uint8_t> bytes(size);
    std::memcpy(bytes.data(), &record, sizeof(record));
    std::memcpy(bytes.data() + sizeof(record), name.c_str(), name.size() + 1);
    std::memcpy(bytes.data() + size - code.size(), code.data(), code.size());
    file_.write(bytes);
}

uint64_t jitdump_file_t::now() const {
    if (uses_tsc_) return __rdtsc();
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    constexpr uint64_t nanoseconds = 1'000'000'000;
    return static_cast<uint64_t>(time.tv_sec) * nanoseconds + static_cast<uint64_t>(time.tv_nsec);
}

} // namespace kiln::x64::jit
