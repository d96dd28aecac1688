// SPDX-License-Identifier: Apache-2.0
// Normalizations of tensors without elements.
#pragma once

#include "common/memory/memory_desc.hpp"
#include "common/primitive/implementation.hpp"
#include "common/primitive/primitive_desc.hpp"
#include "cpu/rank_message.hpp"

namespace kiln::cpu::reference {

/// Sets what is computed from no element to 0: statistics, scales of rows, gradients of scale and
/// shift. Where ranks combine these, sets them to what the others have.
class empty_normalization_t : public primitive_impl_t {
public:
    template <typename pd_t>
    explicit empty_normalization_t(const pd_t &pd)
        : ranks_(pd.attr().ranks)
        , size_(pd.message_size())
        , is_forward_(pd.is_forward())
        , combines_statistics_(pd.combines_statistics())
        , combines_weight_gradients_(pd.combines_weight_gradients())
        , epsilon_(static_cast<double>(pd.desc().epsilon)) {}
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    /// Whether the other ranks send messages: not where no output is wanted that is combined.
    bool is_exchanged(const exec_ctx_t &ctx) const;
    void set_to_zero(const exec_ctx_t &ctx) const;
    void set_statistics(const exec_ctx_t &ctx, rank_message_t &message) const;
    void set_weight_gradients(const exec_ctx_t &ctx, rank_message_t &message) const;

    const ranks_t ranks_;
    const rank_message_size_t size_;
    const bool is_forward_, combines_statistics_, combines_weight_gradients_;
    const double epsilon_;
};

/// Takes tensors without elements.
template <typename pd_t> refusal_t empty_normalization_accept(pd_t &pd, plan_ptr_t &plan) {
    if (!has_zero_dim(pd.src())) return refused("src has elements");
    pd.set_scratchpad_size(rank_message_t::bytes(pd.attr().ranks, pd.message_size()));
    return accepted_for<empty_normalization_t>(pd, plan);
}

} // namespace kiln::cpu::reference
