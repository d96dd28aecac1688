// SPDX-License-Identifier: Apache-2.0
// Concatenation as reorders.

#include "cpu/reordered_concat.hpp"

#include "common/operations/reorder_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "common/verbose/arg_name.hpp"
#include "cpu/step_text.hpp"

namespace kiln::cpu {
namespace {

/// The reorder of one source, and the slots of the concatenation's arguments.
struct moved_source_t {
    std::shared_ptr<const primitive_desc_t> reorder;
    int arg, slot, scale_slot; // -1: no scale
};

struct reordered_work_t {
    std::vector<moved_source_t> sources;
    int dst_slot;

    std::string text() const {
        std::string text;
        for (const moved_source_t &source : sources)
            text += step_text(arg_name(source.arg).c_str(), *source.reorder);
        return text;
    }
};

class reordered_concat_t final : public primitive_impl_t {
public:
    explicit reordered_concat_t(const reordered_work_t &work)
        : work_(work) {
        for (const moved_source_t &source : work.sources)
            reorders_.push_back(source.reorder->create());
    }

    /// Implementations are executed without the padding that follows the execution of a primitive:
    /// a part of dst may begin inside a block. Padding of dst is set to zero in the end.
    status_t execute(const exec_ctx_t &ctx) const override {
        for (size_t i = 0; i < reorders_.size(); ++i) {
            const moved_source_t &source = work_.sources[i];
            const primitive_desc_t &pd = *source.reorder;
            exec_ctx_t moving(pd);
            moving.set(pd.slot_of(DNNL_ARG_FROM), ctx.output(source.slot));
            moving.set(pd.slot_of(DNNL_ARG_TO), ctx.output(work_.dst_slot));
            if (source.scale_slot >= 0)
                moving.set(pd.slot_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM),
                        ctx.output(source.scale_slot), *ctx.md(source.scale_slot));
            moving.set_scratchpad(ctx.scratchpad());
            KILN_TRY(reorders_[i]->execute(moving));
        }
        return dnnl_success;
    }

private:
    const reordered_work_t &work_; // the plan's
    std::vector<std::unique_ptr<primitive_impl_t>> reorders_;
};

refusal_t accept(concat_pd_t &pd, plan_ptr_t &plan, bool by_reference) {
    const auto found = std::make_shared<plan_of_t<reordered_concat_t, reordered_work_t>>();
    reordered_work_t &work = found->work;
    work.dst_slot = pd.slot_of(DNNL_ARG_DST);
    bool is_fast = false;
    size_t scratchpad_size = 0;
    const engine_t *engine = pd.engine();
    for (size_t i = 0; i < pd.srcs().size(); ++i) {
        if (has_zero_dim(pd.srcs()[i])) continue;
        const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
        primitive_attr_t attr;
        const auto scale = pd.attr().scales.find(arg);
        if (scale != pd.attr().scales.end()) attr.scales[DNNL_ARG_FROM] = scale->second;
        moved_source_t source{.reorder = nullptr,
                .arg = arg,
                .slot = pd.slot_of(arg),
                .scale_slot = pd.slot_of(DNNL_ARG_ATTR_SCALES | arg)};
        const reorder_desc_t desc{pd.srcs()[i], pd.part_of_dst(i), engine->kind(), engine->kind(),
                engine_ref_t(pd.engine()), engine_ref_t(pd.engine())};
        status_t status = operation_pd_t<reorder_desc_t>::find(
                pd.engine(), desc, &attr, nullptr, 0, source.reorder);
        while (status == dnnl_success && by_reference && !source.reorder->is_reference()) {
            const std::shared_ptr<const primitive_desc_t> last = source.reorder;
            status = last->next(source.reorder);
        }
        if (status != dnnl_success) return refused("no reorder of a source");
        is_fast |= !source.reorder->is_reference();
        scratchpad_size = std::max(scratchpad_size, source.reorder->scratchpad_size());
        work.sources.push_back(source);
    }
    if (!by_reference && !is_fast) return refused("all reorders are reference implementations");
    pd.set_scratchpad_size(scratchpad_size);
    plan = found;
    return accepted();
}

} // namespace

refusal_t reordered_concat_accept(concat_pd_t &pd, plan_ptr_t &plan) {
    return accept(pd, plan, false);
}

refusal_t reference_concat_accept(concat_pd_t &pd, plan_ptr_t &plan) {
    return accept(pd, plan, true);
}

} // namespace kiln::cpu
