// SPDX-License-Identifier: Apache-2.0
// Verbose mode: which kinds of lines are wanted, and how a line is written.
#pragma once

#include <atomic>
#include <string>

#include "common/status.hpp"
#include "common/verbose/refusal_record.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::verbose {

/// Kinds of lines; `ONEDNN_VERBOSE` and `dnnl_set_verbose` choose a set of them.
enum flag_t : unsigned {
    none = 0,
    error = 1u << 2,
    create_check = 1u << 3,
    create_dispatch = 1u << 4,
    create_profile = 1u << 5,
    exec_check = 1u << 6,
    exec_profile = 1u << 7,
    warning = 1u << 9,
};

/// The kinds that are wanted. Every bit is set until the environment has been read, so the first
/// query of any kind calls enabled_slowly(); later a query of an unwanted kind costs one load.
extern std::atomic<unsigned> wanted;
bool enabled_slowly(flag_t flag, primitive_kind_t kind);

/// Whether lines of this kind are wanted (for this primitive kind, where a filter is set).
inline bool enabled(flag_t flag, primitive_kind_t kind = dnnl_undefined_primitive) {
    return (wanted.load(std::memory_order_relaxed) & flag) != 0 && enabled_slowly(flag, kind);
}

/// Milliseconds of a steady clock, as profile lines report them.
double now_ms();

/// Writes one line: prefix, version, time stamp where asked for, then `text`; `stamp_ms` is when
/// the event began.
void print_line(const std::string &text, double stamp_ms);

/// Writes `common,warning,environment,TEXT` where warnings are wanted. The line may come before the
/// header, because the header reads settings itself.
void print_notice(const std::string &text);

/// Writes the line of a finished event, `primitive,EVENT,INFO,MILLISECONDS`; the event is "exec" or
/// "create:cache_hit" and the like, `info` what describe() says of the primitive: make it before
/// the event, or making it is measured too.
void print_profile(
        const char *event, const std::string &info, double begin_ms, double end_ms = now_ms());

/// Writes `primitive,create:check,COMPONENT,MESSAGE,FILE:LINE` where lines of `flag` are wanted.
[[gnu::format(printf, 5, 6)]] void report(
        flag_t flag, const char *component, const char *file, int line, const char *format, ...);

/// The same of a refusal: keeps "COMPONENT: MESSAGE", too, where the calling thread keeps refusals.
[[gnu::format(printf, 5, 6)]] void refuse(
        flag_t flag, const char *component, const char *file, int line, const char *format, ...);

} // namespace kiln::verbose

/// Returns `status` from the enclosing function, with a reason in verbose mode, unless `condition`
/// holds. `flag` is the kind of line, `component` the object's short name, then a printf format.
#define KILN_REQUIRE_AS(flag, condition, status, component, ...)                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ::kiln::verbose::refuse(                                                               \
                    ::kiln::verbose::flag, component, __FILE__, __LINE__, __VA_ARGS__);            \
            return status;                                                                         \
        }                                                                                          \
    } while (0)

/// A check of what the caller passed to a creating function.
#define KILN_REQUIRE(condition, status, component, ...)                                            \
    KILN_REQUIRE_AS(create_check, condition, status, component, __VA_ARGS__)

/// A check of what the caller passed to an executing function.
#define KILN_REQUIRE_EXEC(condition, status, component, ...)                                       \
    KILN_REQUIRE_AS(exec_check, condition, status, component, __VA_ARGS__)
