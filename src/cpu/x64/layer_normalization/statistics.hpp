// SPDX-License-Identifier: Apache-2.0
// Where a forward kernel gets mean and variance from, and whether it stores them.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"

namespace kiln::x64::layer_normalization {

enum class statistics_t { computed, computed_and_stored, given };

inline statistics_t statistics_of(const layer_normalization_pd_t &pd) {
    if (pd.reads_stats()) return statistics_t::given;
    return pd.writes_stats() ? statistics_t::computed_and_stored : statistics_t::computed;
}

} // namespace kiln::x64::layer_normalization
