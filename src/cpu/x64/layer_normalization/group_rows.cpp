// SPDX-License-Identifier: Apache-2.0
// Group normalization forward of groups whose elements are adjacent, as rows: the kernel of layer
// normalization with a scale and a shift for each element.

#include <algorithm>

#include "cpu/parallel.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "cpu/x64/layer_normalization/rows.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {
namespace {

using forward_t = forward_spec_t;

/// How elements of a sample's group follow each other.
enum class order_t { none, planes_of_channels, channels_of_pixels };

/// Whether the spatial axes are dense, the last one innermost, and their elements `step` apart.
bool are_planes_dense(const memory_desc_t &md, dim_t step) {
    for (int d = md.ndims - 1; d >= 2; --d) {
        if (md.dims[d] != 1 && md.format_desc.blocking.strides[d] != step) return false;
        step *= md.dims[d];
    }
    return true;
}

order_t order_of(const memory_desc_t &md, const group_normalization_pd_t &pd) {
    const dim_t channel = md.format_desc.blocking.strides[1];
    const bool has_planes = pd.plane_size() > 1;
    if (pd.channels() == 1 || channel == pd.plane_size())
        if (!has_planes || are_planes_dense(md, 1)) return order_t::planes_of_channels;
    const bool is_whole = pd.groups() == 1 && channel == 1;
    return is_whole && are_planes_dense(md, pd.channels()) ? order_t::channels_of_pixels
                                                           : order_t::none;
}

/// Rows of a group in all samples; of all groups if there are no weights.
struct group_rows_plan_t : rows_plan_t {
    using rows_plan_t::rows_plan_t;

    std::string text() const {
        return text_of_length(spec.length) + ", of each of " + std::to_string(groups) + " groups\n";
    }
    bool has_weights() const { return spec.has(forward_t::scale) || spec.has(forward_t::shift); }
    /// Whether scale and shift are copied for each element: else a channel is one element.
    bool copies_weights() const { return has_weights() && plane != 1; }
    dim_t all_weights() const { return groups * spec.length; }
    dim_t row_bytes() const {
        return operands[forward_t::src].bytes(spec.length)
               + operands[forward_t::dst].bytes(spec.length);
    }

    forward_t spec;
    dim_t groups = 1; // with rows of their own
    dim_t plane = 1;
    order_t order = order_t::none;
};

class group_rows_t final : public primitive_impl_t {
public:
    explicit group_rows_t(const group_rows_plan_t &plan)
        : plan_(plan)
        , code_(row_forward_kernel_t(plan.spec).finish()) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        addresses_t bases = plan_.operands.bind(ctx);
        if (plan_.copies_weights()) {
            auto *copies = reinterpret_cast<float *>(ctx.scratchpad());
            for (const size_t weights : {forward_t::scale, forward_t::shift}) {
                if (bases[weights] == nullptr) continue;
                copy(static_cast<const float *>(bases[weights]), copies);
                bases[weights] = copies;
                copies += plan_.all_weights();
            }
        }
        const dim_t rows = plan_.rows.rows(), bytes = plan_.row_bytes();
        if (plan_.groups == 1)
            cpu::parallel_chunks(rows, plan_.rows_per_task(bytes),
                    [&](dim_t begin, dim_t end) { call(bases, begin, end); });
        else
            cpu::parallel_chunks(plan_.groups, cpu::items_per_task(plan_.groups, rows * bytes),
                    [&](dim_t begin, dim_t end) { call_groups(bases, begin, end); });
        return dnnl_success;
    }

private:
    /// To each element the weight of its channel.
    void copy(const float *weights, float *to) const {
        const dim_t channels = plan_.all_weights() / plan_.plane;
        if (plan_.order == order_t::planes_of_channels)
            for (dim_t c = 0; c < channels; ++c) to = std::fill_n(to, plan_.plane, weights[c]);
        else
            for (dim_t i = 0; i < plan_.plane; ++i) to = std::copy_n(weights, channels, to);
    }
    void call(const addresses_t &bases, dim_t begin, dim_t end) const {
        call_for_each_run(code_, plan_.operands, plan_.rows, bases, begin, end);
    }
    void call_groups(const addresses_t &bases, dim_t begin, dim_t end) const {
        const dim_t length = plan_.spec.length;
        const operands_t &operands = plan_.operands;
        for (dim_t group = begin; group < end; ++group) {
            addresses_t of_group = bases;
            for (const size_t i :
                    {forward_t::src, forward_t::dst, forward_t::scale, forward_t::shift})
                of_group[i] = operands.locate(bases, i, group * length);
            for (const size_t i : {forward_t::mean, forward_t::variance})
                of_group[i] = operands.locate(bases, i, group);
            call(of_group, 0, plan_.rows.rows());
        }
    }

    const group_rows_plan_t &plan_;
    const jit::executable_code_t code_;
};

/// In the order of the kernel's operands.
refusal_t add_row_operands(const group_normalization_pd_t &pd, operand_layouts_t &layouts,
        std::vector<jit::post_op_link_t> &post_ops) {
    constexpr int no_argument = 0;
    layouts.add({DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    layouts.add_shared({DNNL_ARG_SCALE, DNNL_ARG_SHIFT});
    while (layouts.mds().size() < forward_t::src_scale) layouts.add(no_argument, zero_md);
    layouts.add_shared({DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST});
    layouts.add(no_argument, zero_md);
    if (const refusal_t refusal = add_post_ops_along(pd, 1, layouts, post_ops)) return refusal;
    return layouts.mds().size() == forward_t::first_post_op ? accepted()
                                                            : refused("a post-op has a tensor");
}

refusal_t check_rows(const group_normalization_pd_t &pd, order_t &order) {
    if (!pd.is_forward()) return refused("propagation is backward; this implementation is forward");
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (pd.combines_statistics()) return refused("ranks combine statistics");
    if (!is_plain(pd.src()) || !is_plain(pd.dst()))
        return refused("src or dst has a blocked layout");
    order = order_of(pd.src(), pd);
    if (order == order_t::none || order_of(pd.dst(), pd) != order)
        return refused("elements of a group are not adjacent");
    // Longer planes are worth the work per channel that two sweeps over them take.
    constexpr dim_t longest_plane = 64, longest_row = 4096;
    if (pd.plane_size() > longest_plane || pd.group_size() > longest_row)
        return refused("planes have more than 64 elements, or groups more than 4096");
    return check_tensor_types({&pd.src(), &pd.dst()});
}

} // namespace

refusal_t accept_group_rows(group_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    order_t order = order_t::none;
    if (const refusal_t refusal = check_rows(pd, order)) return refusal;
    operand_layouts_t layouts(pd);
    std::vector<jit::post_op_link_t> post_ops;
    if (const refusal_t refusal = add_row_operands(pd, layouts, post_ops)) return refusal;
    const operands_t &operands = layouts.operands();
    const bool has_weights =
            !operands[forward_t::scale].is_absent() || !operands[forward_t::shift].is_absent();
    row_mode_t samples{pd.samples(), {}}, groups{pd.groups(), {}};
    for (const size_t i : {forward_t::src, forward_t::dst}) {
        samples.strides[i] = layouts.mds()[i]->format_desc.blocking.strides[0];
        groups.strides[i] = pd.group_size();
    }
    for (const size_t i : {forward_t::mean, forward_t::variance}) {
        if (operands[i].is_absent()) continue;
        samples.strides[i] = pd.groups();
        groups.strides[i] = 1;
    }
    std::vector<row_mode_t> loops{samples};
    if (!has_weights) loops.push_back(groups);
    const auto made = std::make_shared<plan_of_t<group_rows_t, group_rows_plan_t>>(
            operands, row_plan_t(operands.count(), std::move(loops), origin_of(layouts.mds())));
    group_rows_plan_t &work = made->work;
    if (fills_half_of_cache(pd.samples() * pd.groups() * pd.group_size()
                            * (operands[forward_t::src].size + operands[forward_t::dst].size)))
        return refused("the footprint is at least half of the last-level cache");
    work.order = order;
    work.plane = pd.plane_size();
    work.groups = has_weights ? pd.groups() : 1;
    forward_t &spec = work.spec;
    work.describe(spec, most_block_rows);
    spec.describe(pd, pd.group_size(), isa);
    spec.post_ops = std::move(post_ops);
    if (work.copies_weights())
        pd.set_scratchpad_size(static_cast<size_t>(2 * work.all_weights()) * sizeof(float));
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
