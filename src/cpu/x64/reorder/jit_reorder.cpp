// SPDX-License-Identifier: Apache-2.0
// Reorder by generated kernels.

#include "cpu/x64/reorder/jit_reorder.hpp"

#include <algorithm>

#include "common/memory/data_type.hpp"
#include "common/memory/memory.hpp"
#include "common/one_of.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/layout/reorder_nest.hpp"
#include "cpu/x64/reorder/reorder_pass.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::reorder {
namespace {

element_types_t types_of(const reorder_pd_t &pd) {
    const data_type_t src = pd.src().data_type, dst = pd.dst().data_type;
    return {src, dst, static_cast<dim_t>(data_type_size(src)),
            static_cast<dim_t>(data_type_size(dst))};
}

/// Bits are moved, or values go through float, which holds both types or saturates as they do.
bool has_types(const element_types_t &types) {
    if (types.src == types.dst) return one_of(types.src_size, {dim_t(1), dim_t(2), dim_t(4)});
    if (!one_of(types.dst, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8})) return false;
    // 32-bit integers would be rounded twice on their way to 16-bit floats.
    if (types.src == dnnl_s32) return one_of(types.dst, {dnnl_f32, dnnl_s8, dnnl_u8});
    return one_of(types.src, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8});
}

std::optional<nests_t> nests_of(const reorder_pd_t &pd) {
    return make_nests(pd.src(), pd.dst(), jit::lanes_of(best_isa()));
}

class jit_reorder_t final : public primitive_impl_t {
public:
    explicit jit_reorder_t(const reorder_pd_t &pd)
        : pd_(pd)
        , src_slot_(pd.slot_of(DNNL_ARG_FROM))
        , dst_slot_(pd.slot_of(DNNL_ARG_TO)) {
        const nests_t nests = *nests_of(pd);
        pads_ = nests.have_all_padding;
        for (const nest_t &nest : nests.nests) add_passes(passes_, nest, types_of(pd), pads_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const place_t tensors{static_cast<const std::byte *>(ctx.input(src_slot_)),
                static_cast<std::byte *>(ctx.output(dst_slot_))};
        const bool is_in_place = tensors.src == tensors.dst;
        for (const auto &pass : passes_) {
            const bool is_non_temporal = !is_in_place && pass->is_non_temporal(tensors.dst);
            const dim_t items = pass->items();
            cpu::parallel_chunks(items, cpu::items_per_task(items, pass->item_bytes()),
                    [&](dim_t begin, dim_t end) {
                        pass->execute(tensors, begin, end, is_non_temporal);
                        if (is_non_temporal) fence_non_temporal_stores();
                    });
        }
        if (!pads_) zero_pad(pd_.dst(), tensors.dst);
        return dnnl_success;
    }

private:
    const reorder_pd_t &pd_;
    const int src_slot_, dst_slot_;
    passes_t passes_;
    bool pads_; // passes write the padding
};

} // namespace

refusal_t jit_reorder_accept(reorder_pd_t &pd) {
    if (best_isa() == isa_t::none) return refused("no AVX2");
    if (!pd.attr().scales.empty() || !pd.attr().zero_points.empty()
            || !pd.attr().post_ops.entries.empty())
        return refused("scales, zero points or post-ops");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (!has_types(types_of(pd))) return refused("a pair of data types without generated code");
    const std::optional<nests_t> nests = nests_of(pd);
    if (!nests) return refused("blocks of src and dst that do not go into each other");
    if (!std::all_of(nests->nests.begin(), nests->nests.end(), has_kernel))
        return refused("src or dst without elements side by side");
    pd.set_implementation_pads();
    return accepted();
}

status_t jit_reorder_create(const reorder_pd_t &pd, std::unique_ptr<primitive_impl_t> &impl) {
    impl = std::make_unique<jit_reorder_t>(pd);
    return dnnl_success;
}

} // namespace kiln::x64::reorder
