// SPDX-License-Identifier: Apache-2.0
// Sums as passes over some of the sources each.

#include "cpu/sum_passes.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "common/primitive/primitive.hpp"
#include "common/verbose/arg_name.hpp"
#include "cpu/step_text.hpp"

namespace kiln::cpu {
namespace {

/// A sum of sources `first` to `end` - 1. But for the first pass, its source 0 is the sum of those
/// in front of them.
struct sum_pass_t {
    size_t first, end;
    std::shared_ptr<const primitive_desc_t> sum;

    /// The number of source `first` in the pass.
    size_t leading() const { return first == 0 ? 0 : 1; }
};

int source_arg(size_t number) { return DNNL_ARG_MULTIPLE_SRC + static_cast<int>(number); }

struct passes_t {
    std::vector<sum_pass_t> passes;
    memory_desc_t partial; // the sum so far; it lies at the beginning of the scratchpad
    size_t sum_place = 0;  // of the scratchpad of a pass

    std::string text() const {
        std::string text;
        for (const sum_pass_t &pass : passes) {
            std::string what = arg_name(source_arg(pass.first)).c_str();
            if (pass.end - pass.first > 1)
                what += std::string(" to ") + arg_name(source_arg(pass.end - 1)).c_str();
            text += step_text(what, *pass.sum);
        }
        return text;
    }
};

/// The sum so far is in the scratchpad also where dst is f32: dst may have the memory of any
/// source, and is written by the last pass alone.
class sum_in_passes_t final : public primitive_impl_t {
public:
    explicit sum_in_passes_t(const passes_t &plan)
        : plan_(plan) {
        for (const sum_pass_t &pass : plan.passes) sums_.push_back({pass.sum, pass.sum->create()});
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        for (size_t i = 0; i < sums_.size(); ++i) {
            const sum_pass_t &pass = plan_.passes[i];
            exec_ctx_t adding(*pass.sum);
            const auto set = [&](int arg, void *data) { adding.set(pass.sum->slot_of(arg), data); };
            if (pass.leading() > 0) set(source_arg(0), ctx.scratchpad());
            for (size_t source = pass.first; source < pass.end; ++source)
                set(source_arg(source - pass.first + pass.leading()),
                        ctx.output(ctx.pd().slot_of(source_arg(source))));
            const bool is_last = i + 1 == sums_.size();
            set(DNNL_ARG_DST,
                    is_last ? ctx.output(ctx.pd().slot_of(DNNL_ARG_DST)) : ctx.scratchpad());
            adding.set_scratchpad(ctx.scratchpad() + plan_.sum_place);
            KILN_TRY(sums_[i].execute(adding));
        }
        return dnnl_success;
    }

private:
    const passes_t &plan_;
    std::vector<cached_primitive_t> sums_;
};

sum_desc_t desc_of_pass(const sum_pd_t &pd, const sum_pass_t &pass, const memory_desc_t &partial) {
    sum_desc_t desc;
    if (pass.leading() > 0) {
        desc.srcs.push_back(partial);
        desc.scales.push_back(1);
    }
    for (size_t source = pass.first; source < pass.end; ++source) {
        desc.srcs.push_back(pd.srcs()[source]);
        desc.scales.push_back(pd.desc().scales[source]);
    }
    desc.dst = pass.end == pd.srcs().size() ? pd.dst() : partial;
    return desc;
}

} // namespace

refusal_t sum_passes_accept(sum_pd_t &pd, plan_ptr_t &plan, size_t sources_of_pass) {
    const size_t sources = pd.srcs().size();
    if (sources <= sources_of_pass) return refused("one pass takes all sources");
    const auto found = std::make_shared<plan_of_t<sum_in_passes_t, passes_t>>();
    passes_t &work = found->work;
    const memory_desc_t &dst = pd.dst();
    if (init_like(work.partial, dst.ndims, dst.dims, dnnl_f32, dst) != dnnl_success)
        return refused("no f32 tensor lies like dst");
    size_t scratchpad_size = 0;
    for (size_t first = 0; first < sources;) {
        sum_pass_t &pass = work.passes.emplace_back(sum_pass_t{first, sources, nullptr});
        pass.end = std::min(sources, first + sources_of_pass - pass.leading());
        if (operation_pd_t<sum_desc_t>::find(pd.engine(), desc_of_pass(pd, pass, work.partial),
                    nullptr, nullptr, 0, pass.sum)
                        != dnnl_success
                || pass.sum->is_reference())
            return refused("a pass would be a reference implementation");
        scratchpad_size = std::max(scratchpad_size, pass.sum->scratchpad_size());
        first = pass.end;
    }
    work.sum_place = round_up(byte_size(work.partial), scratchpad_alignment);
    pd.set_scratchpad_size(work.sum_place + scratchpad_size);
    pd.set_implementation_pads(); // the last pass does
    plan = found;
    return accepted();
}

} // namespace kiln::cpu
