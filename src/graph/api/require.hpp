// SPDX-License-Identifier: Apache-2.0
// The check of pointers that C entry points share.
#pragma once

#include "common/verbose/verbose.hpp"

namespace kiln::graph {

template <typename... pointers_t> bool are_given(const pointers_t *...pointers) {
    return ((pointers != nullptr) && ...);
}

} // namespace kiln::graph

/// Returns dnnl_invalid_arguments, with a reason in verbose mode, unless all pointers are non-null.
#define KILN_REQUIRE_POINTERS(...)                                                                 \
    KILN_REQUIRE(::kiln::graph::are_given(__VA_ARGS__), dnnl_invalid_arguments, "graph",           \
            "null pointer: %s", #__VA_ARGS__)
