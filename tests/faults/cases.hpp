// SPDX-License-Identifier: Apache-2.0
// What a program does with the library, in pieces that faults are injected into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/handle.hpp"

namespace kiln::test {

/// The bytes that a case computes.
struct results_t {
    uint8_t bytes[1 << 15];
    size_t count = 0;
    void add(const void *data, size_t size);
    bool operator==(const results_t &other) const;
};

/// A case makes objects, uses them and destroys them, from the engine on. It returns the first
/// status that is not success, and allocates nothing itself.
struct fault_case_t {
    const char *name;
    dnnl_status_t (*run)(results_t &results);
};

inline void PrintTo(const fault_case_t &one, std::ostream *out) { *out << one.name; }

std::vector<fault_case_t> all_cases();
std::span<const fault_case_t> interface_cases();
std::span<const fault_case_t> primitive_cases();
std::span<const fault_case_t> elementwise_cases();
std::span<const fault_case_t> product_cases();
std::span<const fault_case_t> graph_cases();

/// A case's name as part of the name of a test.
std::string name_of_case(const testing::TestParamInfo<fault_case_t> &info);

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (const dnnl_status_t try_status = (call)) return try_status;                            \
    } while (0)

/// The engine, the stream and the caches of a case. Caches are empty at its end, since what they
/// keep would look like a leak.
struct device_t {
    int cache_capacity = 0; ///< of primitives and of compiled partitions
    engine_handle_t engine;
    stream_handle_t stream;

    ~device_t();
    dnnl_status_t create();
    /// With an engine that exists already.
    dnnl_status_t create_stream();
};

} // namespace kiln::test
