// SPDX-License-Identifier: Apache-2.0
// The status of a call of the C++ interface, for tests of its errors.
#pragma once

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

namespace kiln::test {

/// dnnl_success, or the status of the dnnl::error that the call throws. The error must have a
/// message.
template <typename call_t> dnnl_status_t status_of(call_t &&call) {
    try {
        call();
    } catch (const dnnl::error &failure) {
        EXPECT_STREQ(failure.message, failure.what());
        EXPECT_STRNE("", failure.what());
        return failure.status;
    }
    return dnnl_success;
}

} // namespace kiln::test
