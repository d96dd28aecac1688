// SPDX-License-Identifier: Apache-2.0
// Reports of generated code to files and profilers.

#include "cpu/x64/jit/code/code_listing.hpp"

#include <atomic>
#include <charconv>
#include <mutex>
#include <optional>

#include <unistd.h>

#include "common/settings.hpp"
#include "cpu/x64/jit/code/jitdump_file.hpp"
#include "cpu/x64/jit/code/output_file.hpp"

namespace kiln::x64::jit {
namespace {

std::string in_hex(uint64_t number) {
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
    return {digits, end};
}

void dump(const std::string &name, std::span<const uint8_t> code, uint64_t index) {
    // File systems limit the length of names. The index keeps shortened names distinct.
    constexpr size_t longest_name = 200;
    output_file_t file(
            "dnnl_dump_cpu_" + name.substr(0, longest_name) + "." + std::to_string(index) + ".bin",
            O_WRONLY | O_TRUNC);
    file.write(code);
}

/// Appends, because other code generators in this process may write to the same file. Does not
/// follow a symbolic link, because anybody can create one in /tmp.
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
    // Never destroyed, because threads may generate code while the process ends.
    static jitdump_t &jitdump = *new jitdump_t;
    const std::lock_guard lock(jitdump.mutex);
    // A forked process creates its own file.
    if (!jitdump.file || jitdump.file->pid() != getpid())
        jitdump.file.emplace(jit_profiling_jitdumpdir(),
                (jit_profiling_flags() & DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC) != 0);
    jitdump.file->add(name, code, index);
}

void write_enabled_reports(const std::string &name, std::span<const uint8_t> code, uint64_t index) {
    if (jit_dump_enabled()) dump(name, code, index);
    // DNNL_JIT_PROFILE_VTUNE, which is on by default, has no effect: Kiln does not include the
    // interface through which VTune is notified.
    const unsigned profilers = jit_profiling_flags();
    if (profilers & DNNL_JIT_PROFILE_LINUX_PERFMAP) add_to_perf_map(name, code);
    if (profilers & DNNL_JIT_PROFILE_LINUX_JITDUMP) add_to_jitdump(name, code, index);
}

} // namespace

void list_code(const std::string &name, std::span<const uint8_t> code) noexcept {
    static std::atomic<uint64_t> count{0};
    const uint64_t index = count++;
    try {
        write_enabled_reports(name, code, index);
    } catch (...) {
        // Out of memory, or the name of the directory is invalid.
    }
}

} // namespace kiln::x64::jit
