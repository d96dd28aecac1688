// SPDX-License-Identifier: Apache-2.0
// A primitive in which one source is copied to dst's layout first.

#include "cpu/relaid.hpp"

#include "common/integers.hpp"

namespace kiln::cpu {

status_t relaid_plan_t::find_copy(
        engine_t *engine, const memory_desc_t &from, const memory_desc_t &to) {
    const reorder_desc_t desc{
            from, to, engine->kind(), engine->kind(), engine_ref_t(engine), engine_ref_t(engine)};
    KILN_TRY(operation_pd_t<reorder_desc_t>::find(engine, desc, nullptr, nullptr, 0, reorder));
    const auto aligned = [](size_t bytes) {
        return divide_up(bytes, scratchpad_alignment) * scratchpad_alignment;
    };
    reorder_place = aligned(byte_size(to));
    operation_place = reorder_place + aligned(reorder->scratchpad_size());
    scratchpad_size = operation_place + operation->scratchpad_size();
    return dnnl_success;
}

relaid_t::relaid_t(const relaid_plan_t &plan)
    : plan_(plan)
    , reorder_{plan.reorder, plan.reorder->create()}
    , operation_{plan.operation, plan.operation->create()} {}

status_t relaid_t::execute(const exec_ctx_t &ctx) const {
    const primitive_desc_t &pd = ctx.pd();
    std::byte *const copy = ctx.scratchpad();
    exec_ctx_t copying(*plan_.reorder);
    copying.set(plan_.reorder->slot_of(DNNL_ARG_FROM), ctx.output(pd.slot_of(plan_.arg)));
    copying.set(plan_.reorder->slot_of(DNNL_ARG_TO), copy);
    copying.set_scratchpad(copy + plan_.reorder_place);
    KILN_TRY(reorder_.execute(copying));

    exec_ctx_t computing(*plan_.operation);
    const auto &slots = plan_.operation->slots();
    for (size_t i = 0; i < slots.size(); ++i) {
        const int arg = slots[i].arg;
        const int slot = static_cast<int>(i);
        if (arg == plan_.arg)
            computing.set(slot, copy);
        else
            computing.set(slot, ctx.output(pd.slot_of(arg)));
    }
    computing.set_scratchpad(copy + plan_.operation_place);
    return operation_.execute(computing);
}

} // namespace kiln::cpu
