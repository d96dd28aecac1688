// SPDX-License-Identifier: Apache-2.0
// An operation on tensors whose dims or strides are known only at execution.
#pragma once

#include "common/primitive/primitive.hpp"
#include "common/primitive/primitive_cache.hpp"
#include "common/primitive/scratchpad.hpp"

namespace kiln::cpu {

/// Checks that the memory of an argument is one of those that the descriptor stands for.
status_t check_described_memory(
        const char *component, int arg, const memory_desc_t &described, const memory_desc_t &md);
/// Binds the arguments of `ctx` to the same arguments of `inner`, whose sizes are known.
status_t pass_arguments(const char *component, const exec_ctx_t &ctx, exec_ctx_t &inner);

/// A tensor whose descriptor an execution completes.
template <typename desc_t> struct open_tensor_t {
    int arg;
    memory_desc_t desc_t::*md;
};

/// Each execution takes the dims and strides from the memories that are passed, looks the primitive
/// for them up in the primitive cache, or makes it, and executes it. So it may allocate and lock,
/// unlike other executions. `rules_t` says what the operation is:
///     static constexpr const char *component;
///     static constexpr open_tensor_t<desc_t> tensors[];
///     static status_t check(const desc_t &, const primitive_attr_t &);  // once all dims are known
template <typename desc_t, typename rules_t> class runtime_problem_t : public primitive_impl_t {
public:
    explicit runtime_problem_t(const typename desc_t::pd_t &pd)
        : desc_(pd.desc())
        , attr_(inner_attr(pd.attr())) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        primitive_cache_t::value_t primitive;
        KILN_TRY(find(ctx, primitive));
        exec_ctx_t inner(*primitive->pd);
        KILN_TRY(pass_arguments(rules_t::component, ctx, inner));
        scratchpad_lease_t lease;
        if (const size_t bytes = primitive->pd->scratchpad_size())
            inner.set_scratchpad(lease.take(bytes));
        return primitive->execute(inner);
    }

private:
    static primitive_attr_t inner_attr(primitive_attr_t attr) {
        attr.post_ops.adopt_formats();
        return attr;
    }
    /// The primitive for the memories that were passed.
    status_t find(const exec_ctx_t &ctx, primitive_cache_t::value_t &primitive) const {
        desc_t desc = desc_;
        for (const open_tensor_t<desc_t> &tensor : rules_t::tensors) {
            memory_desc_t &md = desc.*tensor.md;
            if (is_zero(md)) continue;
            // What the descriptor leaves to the library is in the table of arguments.
            const memory_desc_t &described = ctx.pd().md_of(tensor.arg);
            const memory_desc_t &given = *ctx.md(ctx.pd().slot_of(tensor.arg));
            KILN_TRY(check_described_memory(rules_t::component, tensor.arg, described, given));
            md = given;
        }
        KILN_TRY(rules_t::check(desc, attr_));
        std::shared_ptr<const primitive_desc_t> pd;
        KILN_TRY(operation_pd_t<desc_t>::find(ctx.pd().engine(), desc, &attr_, nullptr, 0, pd));
        bool is_hit = false;
        return primitive_cache().get(pd, primitive, is_hit);
    }

    const desc_t desc_;
    const primitive_attr_t attr_; // with the layouts of post-ops' operands
};

} // namespace kiln::cpu
