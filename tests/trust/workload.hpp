// SPDX-License-Identifier: Apache-2.0
// Problems of all operations, made, executed and destroyed through the C++ interface: the load of
// the tests that run for long or on many threads.
#pragma once

#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

namespace kiln::test {

/// So many successive numbers hold a problem of each kind.
inline constexpr uint64_t workload_kinds = 12;

/// Describes problem `number`, creates its attributes and its primitive or compiled partition,
/// makes its memory, executes it and destroys everything. Any number is a problem; types, layouts,
/// sizes and attributes follow from it. Returns a hash of the bytes of all tensors, which is the
/// same each time, for any number of threads. Throws dnnl::error.
uint64_t run_problem(const dnnl::engine &engine, uint64_t number);

} // namespace kiln::test
