// SPDX-License-Identifier: Apache-2.0
// A file in the jitdump format of Linux perf: generated code with its name, address and creation
// time, from which `perf inject --jit` makes symbols and disassembly.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

#include "cpu/x64/jit/code/output_file.hpp"

namespace kiln::x64::jit {

/// Failures are ignored; the file then ends at the first one. Not thread-safe.
class jitdump_file_t {
public:
    /// Creates `<directory>/.debug/jit/dnnl.XXXXXX/jit-<pid>.dump`. Times are those of the time
    /// stamp counter or of the monotonic clock (nanoseconds), as perf records them.
    jitdump_file_t(const std::string &directory, bool uses_tsc);
    jitdump_file_t(const jitdump_file_t &) = delete;
    jitdump_file_t &operator=(const jitdump_file_t &) = delete;
    ~jitdump_file_t();

    /// Adds code at its final address; `index` is unique in the process.
    void add(const std::string &name, std::span<const uint8_t> code, uint64_t index);

    /// Empty if no file could be created.
    const std::string &path() const { return path_; }
    /// The process that created it.
    pid_t pid() const { return pid_; }

private:
    void place_marker();
    void write_header();
    uint64_t now() const;

    const bool uses_tsc_;
    const pid_t pid_;
    const std::string path_;
    output_file_t file_;
    void *marker_ = nullptr;
};

} // namespace kiln::x64::jit
