// SPDX-License-Identifier: Apache-2.0
// A primitive whose tensors are copied to other layouts before and after it.

#include "cpu/relaid.hpp"

#include "common/integers.hpp"
#include "common/verbose/arg_name.hpp"
#include "cpu/step_text.hpp"

namespace kiln::cpu {

status_t relaid_plan_t::add_copy(engine_t *engine, int arg, const memory_desc_t &own,
        const memory_desc_t &copied, bool is_result, bool may_be_slow) {
    const memory_desc_t &from = is_result ? copied : own, &to = is_result ? own : copied;
    const reorder_desc_t desc{
            from, to, engine->kind(), engine->kind(), engine_ref_t(engine), engine_ref_t(engine)};
    copy_t copy{.arg = arg,
            .is_result = is_result,
            .reorder = nullptr,
            .place = operation_place,
            .reorder_place = 0};
    KILN_TRY(operation_pd_t<reorder_desc_t>::find(engine, desc, nullptr, nullptr, 0, copy.reorder));
    // A copy in scalar code saves nothing.
    if (copy.reorder->is_reference()) return dnnl_unimplemented;
    if (copy.reorder->implementation_name() == std::string_view("jit:elements") && !may_be_slow)
        return dnnl_unimplemented;
    const auto aligned = [](size_t bytes) { return round_up(bytes, scratchpad_alignment); };
    copy.reorder_place = copy.place + aligned(byte_size(copied));
    operation_place = copy.reorder_place + aligned(copy.reorder->scratchpad_size());
    copies.push_back(std::move(copy));
    return dnnl_success;
}

std::string relaid_plan_t::text() const {
    const auto text_of = [this](bool of_result, const char *what) {
        std::string text;
        for (const copy_t &copy : copies)
            if (copy.is_result == of_result)
                text += step_text(std::string(arg_name(copy.arg).c_str()) + what, *copy.reorder);
        return text;
    };
    return text_of(false, " copied to another layout") + step_text("the operation", *operation)
           + text_of(true, " copied from the scratchpad");
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
        if (const int slot = pd.slot_of(slots[i].arg, i); ctx.has(slot))
            computing.set(static_cast<int>(i), ctx.output(slot));
    const auto is_left_out = [&](const relaid_plan_t::copy_t &copied) {
        return !ctx.has(pd.slot_of(copied.arg)); // a result that is not asked for
    };
    const auto copy = [&](size_t number) {
        const auto &copied = plan_.copies[number];
        const primitive_desc_t &reorder = *copied.reorder;
        exec_ctx_t copying(reorder);
        const auto set = [&](int reordered, void *data) {
            copying.set(reorder.slot_of(reordered), data);
        };
        set(copied.is_result ? DNNL_ARG_TO : DNNL_ARG_FROM, ctx.output(pd.slot_of(copied.arg)));
        set(copied.is_result ? DNNL_ARG_FROM : DNNL_ARG_TO, scratchpad + copied.place);
        copying.set_scratchpad(scratchpad + copied.reorder_place);
        return reorders_[number].execute(copying);
    };
    for (size_t i = 0; i < plan_.copies.size(); ++i) {
        const auto &copied = plan_.copies[i];
        if (is_left_out(copied)) continue;
        if (!copied.is_result) KILN_TRY(copy(i));
        computing.set(plan_.operation->slot_of(copied.arg), scratchpad + copied.place);
    }
    computing.set_scratchpad(scratchpad + plan_.operation_place);
    KILN_TRY(operation_.execute(computing));
    for (size_t i = 0; i < plan_.copies.size(); ++i)
        if (plan_.copies[i].is_result && !is_left_out(plan_.copies[i])) KILN_TRY(copy(i));
    return dnnl_success;
}

} // namespace kiln::cpu
