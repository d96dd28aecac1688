// SPDX-License-Identifier: Apache-2.0
// A file in Linux perf's jitdump format: generated code with its name, address and time of birth,
// from which `perf inject --jit` makes symbols and disassembly. It must not know who wants it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

#include "cpu/x64/jit/output_file.hpp"

namespace kiln::x64::jit {

/// What fails is silent; the file then ends where it failed. Not to be used by two threads at once.
class jitdump_file_t {
public:
    /// Begins `<directory>/.debug/jit/dnnl.XXXXXX/jit-<pid>.dump`. Times are those of the
    /// processor's counter or of the monotonic clock (nanoseconds), as perf records them.
    jitdump_file_t(const std::string &directory, bool uses_tsc);
    jitdump_file_t(const jitdump_file_t &) = delete;
    jitdump_file_t &operator=(const jitdump_file_t &) = delete;
    ~jitdump_file_t();

    /// Code that stands where it will run; `index` is its own in this process.
    void add(const std::string &name, std::span<const uint8_t> code, uint64_t index);

    /// Empty where no file could be begun.
    const std::string &path() const { return path_; }
    /// The process it was begun in.
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
