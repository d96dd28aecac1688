// SPDX-License-Identifier: Apache-2.0
// A primitive in which sources are copied to dst's layout first.

#include "cpu/relaid.hpp"

#include "common/integers.hpp"
#include "common/verbose/arg_name.hpp"
#include "cpu/step_text.hpp"

namespace kiln::cpu {

status_t relaid_plan_t::add_copy(
        engine_t *engine, int arg, const memory_desc_t &from, const memory_desc_t &to) {
    const reorder_desc_t desc{
            from, to, engine->kind(), engine->kind(), engine_ref_t(engine), engine_ref_t(engine)};
    copy_t copy{.arg = arg, .reorder = nullptr, .place = operation_place, .reorder_place = 0};
    KILN_TRY(operation_pd_t<reorder_desc_t>::find(engine, desc, nullptr, nullptr, 0, copy.reorder));
    // A copy in scalar code saves nothing.
    if (copy.reorder->is_reference()) return dnnl_unimplemented;
    const auto aligned = [](size_t bytes) { return round_up(bytes, scratchpad_alignment); };
    copy.reorder_place = copy.place + aligned(byte_size(to));
    operation_place = copy.reorder_place + aligned(copy.reorder->scratchpad_size());
    copies.push_back(std::move(copy));
    return dnnl_success;
}

std::string relaid_plan_t::text() const {
    std::string text;
    for (const copy_t &copy : copies)
        text += step_text(
                std::string(arg_name(copy.arg).c_str()) + " copied to dst's layout", *copy.reorder);
    return text + step_text("the operation", *operation);
}

relaid_t::relaid_t(const relaid_plan_t &plan)
    : plan_(plan)
    , operation_{plan.operation, plan.operation->create()} {
    for (const auto &copy : plan.copies)
        reorders_.push_back({copy.reorder, copy.reorder->create()});
}

status_t relaid_t::execute(const exec_ctx_t &ctx) const {
    const primitive_desc_t &pd = ctx.pd();
    std::byte *const scratchpad = ctx.scratchpad();
    exec_ctx_t computing(*plan_.operation);
    const auto &slots = plan_.operation->slots();
    for (size_t i = 0; i < slots.size(); ++i)
        computing.set(static_cast<int>(i), ctx.output(pd.slot_of(slots[i].arg, i)));
    for (size_t i = 0; i < plan_.copies.size(); ++i) {
        const auto &copy = plan_.copies[i];
        exec_ctx_t copying(*copy.reorder);
        copying.set(copy.reorder->slot_of(DNNL_ARG_FROM), ctx.output(pd.slot_of(copy.arg)));
        copying.set(copy.reorder->slot_of(DNNL_ARG_TO), scratchpad + copy.place);
        copying.set_scratchpad(scratchpad + copy.reorder_place);
        KILN_TRY(reorders_[i].execute(copying));
        computing.set(plan_.operation->slot_of(copy.arg), scratchpad + copy.place);
    }
    computing.set_scratchpad(scratchpad + plan_.operation_place);
    return operation_.execute(computing);
}

} // namespace kiln::cpu
