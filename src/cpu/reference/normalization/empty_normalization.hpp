// SPDX-License-Identifier: Apache-2.0
// Normalizations of tensors without elements.
#pragma once

#include "common/memory/memory_desc.hpp"
#include "common/primitive/implementation.hpp"

namespace kiln::cpu::reference {

/// Sets what is computed from no element to 0: statistics, scales of rows, gradients of scale and
/// shift.
class empty_normalization_t : public primitive_impl_t {
public:
    explicit empty_normalization_t(const primitive_desc_t &) {}
    status_t execute(const exec_ctx_t &ctx) const override;
};

/// Takes tensors without elements.
template <typename pd_t> refusal_t empty_normalization_accept(pd_t &pd, plan_ptr_t &plan) {
    if (!has_zero_dim(pd.src())) return refused("src has elements");
    return accepted_for<empty_normalization_t>(pd, plan);
}

} // namespace kiln::cpu::reference
