// SPDX-License-Identifier: Apache-2.0
// Who is told of new code: a file with it, and profilers, as the user's settings ask. It must not
// know what the code does.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kiln::x64::jit {

/// Lists code that stands where it will run, under its variant's name, in
/// - `dnnl_dump_cpu_<name>.<index>.bin` in the working directory, if code is dumped; the index
/// counts
///   all code of the process;
/// - `/tmp/perf-<pid>.map`, if perf's map is asked for;
/// - perf's jitdump file, if that is asked for, begun in the directory that is set by then.
/// What cannot be written is not listed, and nobody hears of it: code runs without.
void list_code(const std::string &name, std::span<const uint8_t> code) noexcept;

} // namespace kiln::x64::jit
