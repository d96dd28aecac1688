// SPDX-License-Identifier: Apache-2.0
// Who is told of new code.

#include "cpu/x64/jit/code_listing.hpp"

#include <atomic>
#include <charconv>
#include <mutex>
#include <optional>

#include <unistd.h>

#include "common/settings.hpp"
#include "cpu/x64/jit/jitdump_file.hpp"
#include "cpu/x64/jit/output_file.hpp"

namespace kiln::x64::jit {
namespace {

std::string in_hex(uint64_t number) {
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
    return {digits, end};
}

void dump(const std::string &name, std::span<const uint8_t> code, uint64_t index) {
    // File systems limit names; the index still tells two of them apart.
    constexpr size_t longest_name = 200;
    output_file_t file(
            "dnnl_dump_cpu_" + name.substr(0, longest_name) + "." + std::to_string(index) + ".bin",
            O_WRONLY | O_TRUNC);
    file.write(code);
}

/// Appends: other generators of code in this process may write to the same file. A link in a
/// directory that everybody writes to is not followed.
void add_to_perf_map(const std::string &name, std::span<const uint8_t> code) {
    const std::string line = in_hex(reinterpret_cast<uintptr_t>(code.data())) + " "
                             + in_hex(code.size()) + " " + name + "\n";
    output_file_t file(
            "/tmp/perf-" + std::to_string(getpid()) + ".map", O_WRONLY | O_APPEND | O_NOFOLLOW);
    file.write({reinterpret_cast<const uint8_t *>(line.data()), line.size()});
}

struct jitdump_t {
    std::mutex mutex;
    std::optional<jitdump_file_t> file;
};

void add_to_jitdump(const std::string &name, std::span<const uint8_t> code, uint64_t index) {
    // Never destroyed: threads may still generate code while the process ends.
    static jitdump_t &jitdump = *new jitdump_t;
    const std::lock_guard lock(jitdump.mutex);
    // A process that was forked begins a file of its own.
    if (!jitdump.file || jitdump.file->pid() != getpid())
        jitdump.file.emplace(jit_profiling_jitdumpdir(),
                (jit_profiling_flags() & DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC) != 0);
    jitdump.file->add(name, code, index);
}

void list_where_asked(const std::string &name, std::span<const uint8_t> code, uint64_t index) {
    if (jit_dump_enabled()) dump(name, code, index);
    // DNNL_JIT_PROFILE_VTUNE, which is on by default, asks for nothing: telling VTune of code takes
    // an interface of its own, which Kiln does not carry.
    const unsigned profilers = jit_profiling_flags();
    if (profilers & DNNL_JIT_PROFILE_LINUX_PERFMAP) add_to_perf_map(name, code);
    if (profilers & DNNL_JIT_PROFILE_LINUX_JITDUMP) add_to_jitdump(name, code, index);
}

} // namespace

void list_code(const std::string &name, std::span<const uint8_t> code) noexcept {
    static std::atomic<uint64_t> count{0};
    const uint64_t index = count++;
    try {
        list_where_asked(name, code, index);
    } catch (...) {
        // Memory ran out, or a directory's name is none.
    }
}

} // namespace kiln::x64::jit
