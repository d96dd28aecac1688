// SPDX-License-Identifier: Apache-2.0
// Shuffle by the kernels of reorder.

#include "cpu/reordered_shuffle.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "common/operations/reorder_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/step_text.hpp"

namespace kiln::cpu {
namespace {

/// One of the two axes that take the place of an axis.
struct factor_t {
    int axis;
    dim_t extent;
};

/// `md` with axis `axis` as two neighbours, where position = outer position * inner.extent + inner
/// position. Nothing if strides and blocks cannot say so.
std::optional<memory_desc_t> split(
        const memory_desc_t &md, int axis, const factor_t &outer, const factor_t &inner) {
    const blocking_t &from = md.format_desc.blocking;
    const int nblks = from.inner_nblks;
    if (md.ndims == max_ndims || md.padded_dims[axis] != md.dims[axis]
            || md.padded_offsets[axis] != 0)
        return std::nullopt;
    const auto blocks = std::count(from.inner_idxs, from.inner_idxs + nblks, axis);
    if (blocks > 1) return std::nullopt;
    memory_desc_t result = md;
    blocking_t &to = result.format_desc.blocking;
    result.set_ndims(md.ndims + 1);
    const auto insert = [&](dim_t *values, const dim_t *old) {
        std::copy_backward(old + axis + 1, old + md.ndims, values + md.ndims + 1);
    };
    insert(result.dims, md.dims);
    insert(result.padded_dims, md.padded_dims);
    insert(result.padded_offsets, md.padded_offsets);
    insert(to.strides, from.strides);
    for (const factor_t &factor : {outer, inner}) {
        result.dims[factor.axis] = result.padded_dims[factor.axis] = factor.extent;
        result.padded_offsets[factor.axis] = 0;
    }
    const dim_t stride = from.strides[axis];
    to.strides[inner.axis] = stride;
    to.strides[outer.axis] = inner.extent * stride;
    to.inner_nblks = 0;
    const auto add_block = [&](dim_t size, int of) {
        if (to.inner_nblks == max_ndims) return false;
        to.inner_blks[to.inner_nblks] = size;
        to.inner_idxs[to.inner_nblks++] = of;
        return true;
    };
    for (int i = 0; i < nblks; ++i) {
        const dim_t size = from.inner_blks[i], of = from.inner_idxs[i];
        if (of != axis) {
            if (!add_block(size, static_cast<int>(of < axis ? of : of + 1))) return std::nullopt;
        } else if (inner.extent % size == 0) { // within the inner axis
            to.strides[outer.axis] = inner.extent / size * stride;
            if (!add_block(size, inner.axis)) return std::nullopt;
        } else if (size % inner.extent == 0) { // a part of the outer axis, and all of the inner one
            to.strides[outer.axis] = stride;
            if (!add_block(size / inner.extent, outer.axis) || !add_block(inner.extent, inner.axis))
                return std::nullopt;
        } else {
            return std::nullopt;
        }
    }
    return result;
}

struct reordered_shuffle_plan_t {
    std::shared_ptr<const primitive_desc_t> reorder;
    int src_slot, dst_slot;

    std::string text() const { return cpu::step_text("the axis as two, exchanged", *reorder); }
};

class reordered_shuffle_t final : public primitive_impl_t {
public:
    explicit reordered_shuffle_t(const reordered_shuffle_plan_t &plan)
        : plan_(plan)
        , reorder_{plan.reorder, plan.reorder->create()} {}

    status_t execute(const exec_ctx_t &ctx) const override {
        exec_ctx_t moving(*plan_.reorder);
        moving.set(plan_.reorder->slot_of(DNNL_ARG_FROM), ctx.output(plan_.src_slot));
        moving.set(plan_.reorder->slot_of(DNNL_ARG_TO), ctx.output(plan_.dst_slot));
        moving.set_scratchpad(ctx.scratchpad());
        return reorder_.execute(moving);
    }

private:
    const reordered_shuffle_plan_t &plan_;
    const cached_primitive_t reorder_;
};

} // namespace

refusal_t reordered_shuffle_accept(shuffle_pd_t &pd, plan_ptr_t &plan) {
    if (has_zero_dim(pd.src())) return refused("there are no elements");
    const int axis = pd.axis();
    const factor_t rows{axis, pd.src().dims[axis] / pd.columns()}, columns{axis + 1, pd.columns()};
    const auto src = split(pd.src(), axis, rows, columns);
    const auto dst = split(pd.dst(), axis, columns, rows);
    if (!src || !dst) return refused("the axis is padded, or groups do not divide its blocks");
    const engine_t *engine = pd.engine();
    const reorder_desc_t desc{*src, *dst, engine->kind(), engine->kind(), engine_ref_t(pd.engine()),
            engine_ref_t(pd.engine())};
    auto found = std::make_shared<plan_of_t<reordered_shuffle_t, reordered_shuffle_plan_t>>();
    using namespace std::string_view_literals;
    if (operation_pd_t<reorder_desc_t>::find(
                pd.engine(), desc, nullptr, nullptr, 0, found->work.reorder)
                    != dnnl_success
            || found->work.reorder->implementation_name() != "jit:nests"sv)
        return refused("reorder's nests do not take it");
    found->work.src_slot = pd.slot_of(pd.src_arg());
    found->work.dst_slot = pd.slot_of(pd.dst_arg());
    pd.set_scratchpad_size(found->work.reorder->scratchpad_size());
    pd.set_implementation_pads(); // the reorder's execution does
    plan = found;
    return accepted();
}

} // namespace kiln::cpu
