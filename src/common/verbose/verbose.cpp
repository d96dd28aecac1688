// SPDX-License-Identifier: Apache-2.0
// Writes the lines of verbose mode, in the format that readers of oneDNN's verbose output parse.

#include "common/verbose/verbose.hpp"

#include <charconv>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string_view>

#include "common/cpu_facts.hpp"
#include "common/environment.hpp"
#include "common/verbose/verbose_options.hpp"
#include "kiln/version.h"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::verbose {

namespace {

// The format's own version: readers choose their parser by it.
constexpr std::string_view line_prefix = "onednn_verbose,v1,";

// A value that is no set of flags: the environment has not been read yet.
constexpr unsigned environment_not_read = ~0u;

const options_t &environment_options() {
    // Never destroyed: lines may be written while the process ends.
    static const auto *options =
            new options_t(parse_options(environment_value("VERBOSE").value_or("")));
    return *options;
}

bool timestamps_wanted() {
    static const bool is_wanted = environment_int("VERBOSE_TIMESTAMP", 0) != 0;
    return is_wanted;
}

double milliseconds(std::chrono::nanoseconds duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

/// What to add to the steady clock to get milliseconds since 1970. Found once, so that time stamps
/// never run backwards.
double epoch_offset_ms() {
    static const double offset =
            milliseconds(std::chrono::system_clock::now().time_since_epoch()) - now_ms();
    return offset;
}

/// As printf would in the "C" locale: a decimal comma would be one field more.
template <typename... format_t> std::string decimal(double value, format_t... format) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value, format...).ptr;
    return std::string(digits, end);
}

// One call, so that lines of several threads do not mix; flushed, so that a line is not lost when
// the program crashes afterwards.
void write_line(const std::string &text) {
    const std::string line = std::string(line_prefix) + text + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

void write_notice(const std::string &text) { write_line("common,warning,environment," + text); }

void write_header() {
    const dnnl_version_t &version = *dnnl_version();
    const auto number = [](auto value) { return std::to_string(value); };
    const auto numbers = [&](const auto &v) {
        return number(v.major) + "." + number(v.minor) + "." + number(v.patch);
    };
    write_line("info,Kiln v" + numbers(*kiln_version()) + " (commit " + kiln_version()->hash
               + "),interface:oneDNN v" + numbers(version));
    write_line(std::string("info,cpu,runtime:") + dnnl_runtime2str(version.cpu_runtime)
               + ",nthr:" + number(cpu_thread_count()));
    write_line(std::string("info,cpu,isa:") + cpu_isa_description());
    write_line(std::string("info,gpu,runtime:") + dnnl_runtime2str(version.gpu_runtime));
    const std::string stamp = timestamps_wanted() ? "timestamp," : "";
    write_line(
            "primitive,info,template:" + stamp
            + "operation,engine,primitive,implementation,prop_kind,memory_descriptors,attributes,"
              "auxiliary,problem_desc,exec_time");
    write_line("graph,info,template:" + stamp
               + "operation,engine,partition_id,partition_kind,op_names,data_formats,"
                 "logical_tensors,fpmath_mode,implementation,backend,exec_time");
    const std::string &notice = environment_options().filter_notice;
    if (!notice.empty()) write_line(notice);
}

/// What a line of a flag begins with, up to the component.
std::string line_head(flag_t flag, std::string_view component) {
    if (flag == error) return "common,error,";
    const bool is_graph = component == "graph";
    const bool is_common = component == "memory" || component == "engine" || component == "stream";
    const std::string api = is_graph ? "graph," : is_common ? "common," : "primitive,";
    switch (flag) {
    case create_check: return api + "create:check,";
    case create_dispatch: return api + "create:dispatch,";
    case exec_check: return api + "exec:check,";
    default: return api + "warning,";
    }
}

/// A file's path inside the project.
std::string_view project_path(std::string_view file) {
    const size_t begin = file.rfind("src/");
    return begin == std::string_view::npos ? file : file.substr(begin);
}

std::string formatted(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
    if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, arguments);
    return text;
}

} // namespace

constinit std::atomic<unsigned> wanted{environment_not_read};

bool enabled_slowly(flag_t flag, primitive_kind_t kind) try {
    const options_t &options = environment_options();
    // Unless dnnl_set_verbose came first.
    unsigned expected = environment_not_read;
    const bool is_first = wanted.compare_exchange_strong(expected, options.flags);
    if (is_first && options.flags != none && !options.unknown_words.empty())
        write_notice("ONEDNN_VERBOSE has words without a meaning:" + options.unknown_words
                     + "; used: the others");
    return (wanted.load(std::memory_order_relaxed) & flag) != 0
           && (options.components & components_of(kind)) != 0;
} catch (...) {
    return false;
}

double now_ms() { return milliseconds(std::chrono::steady_clock::now().time_since_epoch()); }

// Here and below: if memory runs out, the line is dropped and the call continues.
void print_line(const std::string &text, double stamp_ms) try {
    static std::once_flag header_written;
    std::call_once(header_written, write_header);
    if (!timestamps_wanted()) return write_line(text);
    write_line(decimal(epoch_offset_ms() + stamp_ms, std::chars_format::fixed, 6) + "," + text);
} catch (...) {
}

void print_notice(const std::string &text) try {
    if (enabled(warning)) write_notice(text);
} catch (...) {
}

void print_profile(const char *event, const std::string &info, double begin_ms, double end_ms) try {
    print_line("primitive," + std::string(event) + "," + info + ","
                       + decimal(end_ms - begin_ms, std::chars_format::general, 6),
            begin_ms);
} catch (...) {
}

namespace {

void print_report(flag_t flag, const char *component, const char *file, int line,
        const char *format, va_list arguments) try {
    if (!enabled(flag)) return;
    print_line(line_head(flag, component) + component + "," + formatted(format, arguments) + ","
                       + std::string(project_path(file)) + ":" + std::to_string(line),
            now_ms());
} catch (...) {
}

/// Without an allocation: calls are refused when memory has run out, too.
void keep_report(const char *component, const char *format, va_list arguments) {
    if (!keeps_refusals()) return;
    char message[refusal_record_size]; // a longer one would not be kept
    std::vsnprintf(message, sizeof(message), format, arguments);
    keep_refusal({component, ": ", message});
}

} // namespace

void report(
        flag_t flag, const char *component, const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_report(flag, component, file, line, format, arguments);
    va_end(arguments);
}

void refuse(
        flag_t flag, const char *component, const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep_report(component, format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    print_report(flag, component, file, line, format, arguments);
    va_end(arguments);
}

} // namespace kiln::verbose

using namespace kiln;

status_t dnnl_set_verbose(int level) {
    switch (level) {
    case 0: verbose::wanted = verbose::none; break;
    case 1: verbose::wanted = verbose::level_1; break;
    case 2: verbose::wanted = verbose::level_2; break;
    default: return dnnl_invalid_arguments;
    }
    return dnnl_success;
}
