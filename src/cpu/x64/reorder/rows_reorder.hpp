// SPDX-License-Identifier: Apache-2.0
// Reorder that computes, by generated kernels on rows.
#pragma once

#include "common/operations/reorder_pd.hpp"

namespace kiln::x64::reorder {

/// Takes what lies side by side alike in src and dst, with any attributes, where floats do.
refusal_t rows_reorder_accept(reorder_pd_t &pd);
status_t rows_reorder_create(const reorder_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);

} // namespace kiln::x64::reorder
