// SPDX-License-Identifier: Apache-2.0
// Reorder of tensors whose dims or strides are known only at execution.

#include "cpu/runtime_reorder.hpp"

#include <algorithm>

#include "common/primitive/primitive_cache.hpp"
#include "common/primitive/scratchpad.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln::cpu {
namespace {

/// Whether `values` are what `described` says, where it says something.
bool agree(const dim_t *described, const dim_t *values, int count) {
    return std::equal(described, described + count, values,
            [](dim_t wanted, dim_t value) { return wanted == runtime_dim || wanted == value; });
}

bool has_layout(const memory_desc_t &described, const memory_desc_t &md) {
    const auto &wanted = described.format_desc.blocking, &given = md.format_desc.blocking;
    const auto blocks = static_cast<size_t>(wanted.inner_nblks);
    return is_blocked(md) && !kiln::has_runtime_values(md)
           && wanted.inner_nblks == given.inner_nblks
           && std::equal(wanted.inner_blks, wanted.inner_blks + blocks, given.inner_blks)
           && std::equal(wanted.inner_idxs, wanted.inner_idxs + blocks, given.inner_idxs)
           && agree(wanted.strides, given.strides, described.ndims)
           && agree(&described.offset0, &md.offset0, 1);
}

/// Checks that the memory of an argument is one of those that the descriptor stands for.
status_t check_memory(int arg, const memory_desc_t &described, const memory_desc_t &md) {
    KILN_REQUIRE_EXEC(md.ndims == described.ndims && md.data_type == described.data_type
                              && agree(described.dims, md.dims, md.ndims)
                              && has_layout(described, md),
            dnnl_invalid_arguments, "reorder",
            "the memory of %s does not agree with the primitive's descriptor: its data type, "
            "layout and dimensions must be those of the descriptor, except for run-time values",
            arg_name(arg).c_str());
    return dnnl_success;
}

class runtime_reorder_t : public primitive_impl_t {
public:
    explicit runtime_reorder_t(const reorder_pd_t &pd)
        : desc_(pd.desc())
        , attr_(pd.attr()) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        primitive_cache_t::value_t primitive;
        KILN_TRY(find(ctx, primitive));
        exec_ctx_t inner(*primitive->pd);
        KILN_TRY(pass_arguments(ctx, inner));
        scratchpad_lease_t lease;
        if (const size_t bytes = primitive->pd->scratchpad_size())
            inner.set_scratchpad(lease.take(bytes));
        return primitive->execute(inner);
    }

private:
    /// The primitive for the memories that were passed.
    status_t find(const exec_ctx_t &ctx, primitive_cache_t::value_t &primitive) const {
        reorder_desc_t desc = desc_;
        for (const auto &[arg, md] :
                {std::pair(DNNL_ARG_FROM, &desc.src), {DNNL_ARG_TO, &desc.dst}}) {
            const memory_desc_t &given = *ctx.md(ctx.pd().slot_of(arg));
            KILN_TRY(check_memory(arg, *md, given));
            KILN_REQUIRE_EXEC(given.extra.flags == md->extra.flags, dnnl_invalid_arguments,
                    "reorder", "the memory of %s and its descriptor differ in the sums behind it",
                    arg_name(arg).c_str());
            *md = given;
        }
        KILN_REQUIRE_EXEC(same_dims(desc.src, desc.dst), dnnl_invalid_arguments, "reorder",
                "the memories of %s and %s have different dimensions; they must be equal",
                arg_name(DNNL_ARG_FROM).c_str(), arg_name(DNNL_ARG_TO).c_str());
        std::shared_ptr<const primitive_desc_t> pd;
        KILN_TRY(operation_pd_t<reorder_desc_t>::find(
                ctx.pd().engine(), desc, &attr_, nullptr, 0, pd));
        bool is_hit = false;
        return primitive_cache().get(pd, primitive, is_hit);
    }

    status_t pass_arguments(const exec_ctx_t &ctx, exec_ctx_t &inner) const {
        const auto &slots = inner.pd().slots();
        for (size_t i = 0; i < slots.size(); ++i) {
            const int from = ctx.pd().slot_of(slots[i].arg);
            if (!ctx.has(from)) continue;
            const memory_desc_t &md = *ctx.md(from);
            const size_t least = slots[i].bytes;
            KILN_REQUIRE_EXEC(least == 0
                                      || (ctx.input(from) != nullptr
                                              && byte_size(md) + offset0_bytes(md) >= least),
                    dnnl_invalid_arguments, "reorder", "the memory of %s must hold %zu bytes",
                    arg_name(slots[i].arg).c_str(), least);
            KILN_REQUIRE_EXEC(
                    slots[i].type == dnnl_data_type_undef || md.data_type == slots[i].type,
                    dnnl_invalid_arguments, "reorder", "the memory of %s must be of %s",
                    arg_name(slots[i].arg).c_str(), dnnl_dt2str(slots[i].type));
            inner.set(static_cast<int>(i), ctx.output(from), md);
        }
        return dnnl_success;
    }

    const reorder_desc_t desc_;
    const primitive_attr_t attr_;
};

} // namespace

refusal_t runtime_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan) {
    return accepted_for<runtime_reorder_t>(pd, plan);
}

} // namespace kiln::cpu
