// SPDX-License-Identifier: Apache-2.0
// Reorder by generated kernels.

#include "cpu/x64/reorder/accept.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "common/memory/memory.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/instructions.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/layout/nest.hpp"
#include "cpu/x64/nests/nest_pass.hpp"

namespace kiln::x64::reorder {
namespace {

/// All that the implementation is made from.
struct nests_work_t {
    isa_t isa;
    nests_t nests;
    nests::element_types_t types;
    memory_desc_t dst;
    int src_slot, dst_slot;

    std::string text() const { return nests.text(); }
};

class nests_reorder_t final : public primitive_impl_t {
public:
    explicit nests_reorder_t(const nests_work_t &work)
        : work_(work)
        , pads_(work.nests.have_all_padding) {
        jit::code_batch_t batch;
        for (const nest_t &nest : work.nests.nests)
            nests::add_passes(passes_, work.isa, nest, work.types, pads_);
        batch.finish();
        for (const auto &pass : passes_) {
            bytes_ += pass->bytes();
            items_ = std::max(items_, pass->items());
        }
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const nests::place_t tensors{static_cast<const std::byte *>(ctx.input(work_.src_slot)),
                static_cast<std::byte *>(ctx.output(work_.dst_slot))};
        const bool is_in_place = tensors.src == tensors.dst;
        cpu::parallel_shares(cpu::shares_of(items_, bytes_ / items_), [=, this](dim_t begin,
                                                                              dim_t end) {
            if (nests::execute_share(passes_, tensors, {begin, end, items_}, bytes_, !is_in_place))
                fence_non_temporal_stores();
        });
        if (!pads_) zero_pad(work_.dst, tensors.dst);
        return dnnl_success;
    }

private:
    const nests_work_t &work_; // the plan's
    nests::passes_t passes_;
    dim_t bytes_ = 0; // that they read and write
    dim_t items_ = 1; // of the pass that has most
    bool pads_;       // whether passes write all padding
};

/// Whether some nests have kernels, or all of them may be copied element by element.
enum class wanted_kernels_t { some, any };

refusal_t accept_copies(reorder_pd_t &pd, isa_t isa, wanted_kernels_t wanted, plan_ptr_t &plan) {
    if (!pd.attr().scales.empty() || !pd.attr().zero_points.empty()
            || !pd.attr().post_ops.entries.empty())
        return refused("attributes have scales, zero points or post-ops");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (pd.dst().extra.flags != 0) return refused("dst has compensation");
    if (has_front_padding(pd.src()) || has_front_padding(pd.dst()))
        return refused("src or dst has padding in front");
    const nests::element_types_t types = nests::types_of(pd.src(), pd.dst());
    if (!types.have_kernels()) return refused("no kernels between the data types of src and dst");
    std::optional<nests_t> found_nests = make_nests(pd.src(), pd.dst(), jit::lanes_of(isa));
    if (!found_nests) return refused("blocks of src and dst do not divide each other");
    auto &all = found_nests->nests;
    if (wanted == wanted_kernels_t::some && std::ranges::none_of(all, nests::has_kernel))
        return refused("src or dst has no axis of stride 1");
    for (nest_t &nest : all) nests::split_into_elements(nest);
    const auto found = std::make_shared<plan_of_t<nests_reorder_t, nests_work_t>>();
    found->work = {.isa = isa,
            .nests = *std::move(found_nests),
            .types = types,
            .dst = pd.dst(),
            .src_slot = pd.slot_of(DNNL_ARG_FROM),
            .dst_slot = pd.slot_of(DNNL_ARG_TO)};
    plan = found;
    pd.set_implementation_pads();
    return accepted();
}

} // namespace

refusal_t accept_nests(reorder_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    return accept_copies(pd, isa, wanted_kernels_t::some, plan);
}

refusal_t accept_elements(reorder_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    return accept_copies(pd, isa, wanted_kernels_t::any, plan);
}

} // namespace kiln::x64::reorder
