// SPDX-License-Identifier: Apache-2.0
// Giving results through the pointers of the C interface.
#pragma once

#include "common/status.hpp"

namespace kiln {

/// Answers a query: `result` points to a T, as the query's name says.
template <typename T> status_t answer(void *result, const T &value) {
    *static_cast<T *>(result) = value;
    return dnnl_success;
}

/// Writes to an output that the caller may leave out.
template <typename T, typename value_t> void give(T *out, const value_t &value) {
    if (out) *out = value;
}

} // namespace kiln
