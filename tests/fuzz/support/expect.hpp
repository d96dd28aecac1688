// SPDX-License-Identifier: Apache-2.0
// What a target says when the library is wrong: a line on stderr, then abort(), which the fuzzing
// engine reports with the input.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "oneapi/dnnl/dnnl_debug.h"

/// Stops unless `condition` holds; the arguments after it are printf's.
#define EXPECT_THAT(condition, ...)                                                                \
    do {                                                                                           \
        if (condition) break;                                                                      \
        std::fprintf(stderr, "%s:%d: %s is false: ", __FILE__, __LINE__, #condition);              \
        std::fprintf(stderr, __VA_ARGS__);                                                         \
        std::fputc('\n', stderr);                                                                  \
        std::abort();                                                                              \
    } while (0)

namespace kiln::fuzz {

/// What a model knows of a call's status.
enum class verdict_t { success, refusal, unknown };

/// Whether a call succeeded. A refusal is dnnl_invalid_arguments, dnnl_unimplemented or one of the
/// graph API's; other errors would be the library's own. The model's verdict is compared.
inline bool succeeded(
        dnnl_status_t status, const char *call, verdict_t verdict = verdict_t::unknown) {
    const bool is_refusal = status == dnnl_invalid_arguments || status == dnnl_unimplemented
                            || status == dnnl_invalid_graph || status == dnnl_invalid_graph_op
                            || status == dnnl_invalid_shape || status == dnnl_invalid_data_type;
    EXPECT_THAT(
            status == dnnl_success || is_refusal, "%s answered %s", call, dnnl_status2str(status));
    EXPECT_THAT(verdict != verdict_t::success || status == dnnl_success,
            "%s answered %s to a legal call", call, dnnl_status2str(status));
    EXPECT_THAT(verdict != verdict_t::refusal || is_refusal, "%s accepted an illegal call", call);
    return status == dnnl_success;
}

inline verdict_t legal_if(bool condition) {
    return condition ? verdict_t::success : verdict_t::refusal;
}

} // namespace kiln::fuzz
