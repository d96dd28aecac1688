// SPDX-License-Identifier: Apache-2.0
// How a status reaches the caller: by early return inside the library, and without an exception
// across the C boundary.
#pragma once

#include <new>

#include "common/types.hpp"

/// Returns from the enclosing function with the status of `call` unless it is success.
#define KILN_TRY(call)                                                                             \
    do {                                                                                           \
        if (const ::kiln::status_t try_status = (call); try_status != dnnl_success)                \
            return try_status;                                                                     \
    } while (0)

namespace kiln {

/// Runs the body of a C entry that returns a value, which is `otherwise` after an exception.
template <typename value_t, typename body_t>
value_t guarded_value(value_t otherwise, body_t &&body) noexcept {
    try {
        return body();
    } catch (...) {
        return otherwise;
    }
}

/// Runs the body of a C entry; exceptions become the status they stand for.
template <typename body_t> status_t guarded(body_t &&body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return dnnl_out_of_memory;
    } catch (...) {
        return dnnl_runtime_error;
    }
}

} // namespace kiln
