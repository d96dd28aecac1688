// SPDX-License-Identifier: Apache-2.0
// Reports of generated code to files and profilers, as the user's settings request.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kiln::x64::jit {

/// Reports code at its final address, under the name of its kernel, in those that are enabled of
/// - `dnnl_dump_cpu_<name>.<index>.bin` in the working directory, where the index counts all code
///   of the process (code dump);
/// - `/tmp/perf-<pid>.map` (map of Linux perf);
/// - the jitdump file of Linux perf, in the directory that is set at the first report.
/// A failure to write is ignored: kernels run without reports.
void list_code(const std::string &name, std::span<const uint8_t> code) noexcept;

} // namespace kiln::x64::jit
