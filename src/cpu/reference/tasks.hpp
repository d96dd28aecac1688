// SPDX-License-Identifier: Apache-2.0
// How reference implementations share work among threads.
#pragma once

#include <algorithm>

#include "cpu/parallel.hpp"

namespace kiln::cpu::reference {

/// How many items a task takes if each computes `values` values in double. It depends on the
/// problem alone, so that partial sums of tasks do not depend on the number of threads.
inline dim_t items_of_task(dim_t values) {
    return least_items_per_task(std::max(values, dim_t(1)) * dim_t(sizeof(double)));
}

/// The same for elements one by one. To find the position of each costs about as much as its value.
inline dim_t elements_of_task() { return items_of_task(2); }

} // namespace kiln::cpu::reference
