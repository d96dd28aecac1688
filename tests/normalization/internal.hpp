// SPDX-License-Identifier: Apache-2.0
// Problems that only internal descriptors can ask for, in programs that link the library's objects.
#pragma once

#include "common/operations/normalization/batch_normalization_pd.hpp"
#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "normalization/problem.hpp"

namespace kiln::test::normalization {

layer_normalization_desc_t layer_desc_of(const problem_t &problem);
batch_normalization_desc_t batch_desc_of(const problem_t &problem);

/// A problem's `create`.
dnnl_status_t create_internally(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr);

} // namespace kiln::test::normalization
