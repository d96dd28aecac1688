// SPDX-License-Identifier: Apache-2.0
// Where mean and variance of a forward kernel come from and go to.
#pragma once

namespace kiln::x64::layer_normalization {

enum class statistics_t { computed, computed_and_stored, given };

} // namespace kiln::x64::layer_normalization
