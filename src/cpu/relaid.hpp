// SPDX-License-Identifier: Apache-2.0
// An implementation of elementwise work on tensors that lie unlike each other: one source is copied
// to dst's layout, then an implementation that walks all tensors together takes the problem. Where
// several sources lie unlike dst, that is such an implementation for the others.
#pragma once

#include <span>
#include <string_view>

#include "common/operations/reorder_pd.hpp"
#include "common/primitive/primitive.hpp"

namespace kiln::cpu {

/// A tensor of an operation: its argument, and where its descriptor says what it is.
template <typename desc_t> struct described_arg_t {
    int arg;
    memory_desc_t desc_t::*md;
};

/// The two primitives that take the place of one, and where their scratchpads and the copy begin.
struct relaid_plan_t {
    int arg; // of the source that is copied
    std::shared_ptr<const primitive_desc_t> reorder, operation;
    size_t reorder_place = 0, operation_place = 0, scratchpad_size = 0;

    /// Finds the reorder of a source from its layout to `to`; the copy begins at 0.
    status_t find_copy(engine_t *engine, const memory_desc_t &from, const memory_desc_t &to);
};

class relaid_t final : public primitive_impl_t {
public:
    explicit relaid_t(const relaid_plan_t &plan);
    status_t execute(const exec_ctx_t &ctx) const override;

private:
    const relaid_plan_t &plan_;
    const cached_primitive_t reorder_, operation_;
};

/// `tensors`: dst first, then the sources. `fast`: the name of the implementation for tensors that
/// lie alike; if copying one source does not lead to it, copying another one may.
template <typename desc_t>
refusal_t relaid_accept(typename desc_t::pd_t &pd, plan_ptr_t &plan,
        std::span<const described_arg_t<desc_t>> tensors, std::string_view fast) {
    desc_t desc = pd.desc();
    for (const auto &[arg, md] : tensors) desc.*md = pd.md_of(arg);
    const memory_desc_t &dst = desc.*(tensors.front().md);
    if (has_zero_dim(dst)) return refused("dst has no elements");
    primitive_attr_t attr = pd.attr();
    attr.scratchpad_mode = dnnl_scratchpad_mode_library;
    std::shared_ptr<plan_of_t<relaid_t, relaid_plan_t>> best;
    for (const auto &[arg, md] : tensors.subspan(1)) {
        const memory_desc_t &source = desc.*md;
        memory_desc_t copy;
        if (is_zero(source)
                || init_like(copy, source.ndims, source.dims, source.data_type, dst) != dnnl_success
                || copy == source)
            continue;
        auto found = std::make_shared<plan_of_t<relaid_t, relaid_plan_t>>();
        relaid_plan_t &work = found->work;
        work.arg = arg;
        desc_t relaid = desc;
        relaid.*md = copy;
        if (operation_pd_t<desc_t>::find(pd.engine(), relaid, &attr, nullptr, 0, work.operation)
                        != dnnl_success
                || std::string_view(work.operation->implementation_name()).starts_with("ref")
                || work.find_copy(pd.engine(), source, copy) != dnnl_success)
            continue;
        const bool is_fast = work.operation->implementation_name() == fast;
        if (best == nullptr || is_fast) best = found;
        if (is_fast) break;
    }
    if (best == nullptr) return refused("copies of sources in dst's layout do not help");
    pd.set_scratchpad_size(best->work.scratchpad_size);
    plan = best;
    return accepted();
}

} // namespace kiln::cpu
