// SPDX-License-Identifier: Apache-2.0
// Parallel loops whose tasks may use non-temporal stores.
#pragma once

#include "cpu/parallel.hpp"
#include "cpu/x64/instructions.hpp"

namespace kiln::x64 {

/// cpu::parallel_chunks() of tasks that use non-temporal stores if `non_temporal`. Kernels contain
/// no fence: each task ends with one.
template <typename body_t>
void parallel_stores(dim_t count, dim_t grain, bool non_temporal, const body_t &body) {
    cpu::parallel_chunks(count, grain, [body, non_temporal](dim_t begin, dim_t end) {
        body(begin, end);
        if (non_temporal) fence_non_temporal_stores();
    });
}

/// cpu::parallel_shares() of tasks that use non-temporal stores if `non_temporal`.
template <typename body_t>
void parallel_stores(const cpu::shares_t &shares, bool non_temporal, const body_t &body) {
    cpu::parallel_shares(shares, [body, non_temporal](dim_t begin, dim_t end) {
        body(begin, end);
        if (non_temporal) fence_non_temporal_stores();
    });
}

} // namespace kiln::x64
