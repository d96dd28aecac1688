// SPDX-License-Identifier: Apache-2.0
// Tables of calls that are refused.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"

namespace kiln::test {

struct bad_call_t {
    const char *name;
    std::function<dnnl_status_t()> call;
    dnnl_status_t expected = dnnl_invalid_arguments;
};

inline void expect_refused(const std::vector<bad_call_t> &calls) {
    for (const auto &[name, call, expected] : calls) EXPECT_EQ(call(), expected) << name;
}

// Each row holds a lambda, so that the call is made when the test reaches the row.
#define CALL(FUNCTION, ...)                                                                        \
    {                                                                                              \
#FUNCTION "(" #__VA_ARGS__ ")", [&] { return FUNCTION(__VA_ARGS__); }                      \
    }

const dims_t dims = {4, 16};
const dims_t zeros = {0, 0};
const int permutation[] = {1, 0};

inline memory_desc_handle_t matrix(dnnl_data_type_t data_type = dnnl_f32) {
    return make_desc(dims, data_type);
}

inline memory_desc_handle_t scalar_md() {
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_host_scalar(md.out(), dnnl_f32), "host scalar");
    return md;
}

inline memory_handle_t scalar_memory() {
    float value = 1;
    memory_handle_t memory;
    require(dnnl_memory_create_host_scalar(memory.out(), scalar_md(), &value), "host scalar");
    return memory;
}

} // namespace kiln::test
