// SPDX-License-Identifier: Apache-2.0
// Reorder from or to weights with sums behind them.

#include "cpu/compensated_reorder.hpp"

#include "common/memory/compensation.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/reference/compensation.hpp"
#include "cpu/step_text.hpp"

namespace kiln::cpu {
namespace {

struct compensated_reorder_plan_t {
    std::shared_ptr<const primitive_desc_t> reorder; // of the elements
    memory_desc_t dst;
    int dst_slot;

    bool stores_sums() const { return compensation_bytes(dst) != 0; }
    std::string text() const {
        return step_text(
                stores_sums() ? "the elements, then their sums," : "the elements", *reorder);
    }
};

class compensated_reorder_t final : public primitive_impl_t {
public:
    explicit compensated_reorder_t(const compensated_reorder_plan_t &plan)
        : plan_(plan)
        , reorder_{plan.reorder, plan.reorder->create()} {}

    status_t execute(const exec_ctx_t &ctx) const override {
        exec_ctx_t to_elements(*plan_.reorder); // its arguments have the same slots
        for (int slot = 0; slot < static_cast<int>(plan_.reorder->slots().size()); ++slot)
            if (ctx.has(slot)) to_elements.set(slot, ctx.output(slot));
        to_elements.set_scratchpad(ctx.scratchpad());
        KILN_TRY(reorder_.execute(to_elements));
        if (plan_.stores_sums())
            reference::store_compensation(plan_.dst, ctx.output(plan_.dst_slot));
        return dnnl_success;
    }

private:
    const compensated_reorder_plan_t &plan_;
    const cached_primitive_t reorder_;
};

} // namespace

refusal_t compensated_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan) {
    if (pd.src().extra.flags == 0 && pd.dst().extra.flags == 0)
        return refused("neither src nor dst has compensation");
    if (pd.dst().extra.flags & has_scale_adjustment)
        return refused("the elements of dst are adjusted");
    reorder_desc_t desc = pd.desc();
    desc.src.extra = desc.dst.extra = {};
    auto found = std::make_shared<plan_of_t<compensated_reorder_t, compensated_reorder_plan_t>>();
    if (operation_pd_t<reorder_desc_t>::find(
                pd.engine(), desc, &pd.attr(), nullptr, 0, found->work.reorder)
            != dnnl_success)
        return refused("no reorder takes the elements");
    found->work.dst = pd.dst();
    found->work.dst_slot = pd.slot_of(DNNL_ARG_TO);
    pd.set_scratchpad_size(found->work.reorder->scratchpad_size());
    pd.set_implementation_pads(); // the reorder's execution does
    plan = found;
    return accepted();
}

} // namespace kiln::cpu
