// SPDX-License-Identifier: Apache-2.0
// Group normalization forward of groups whose elements are adjacent, as rows: the kernel of layer
// normalization with a scale and a shift for each element.

#include <algorithm>
#include <array>

#include "cpu/x64/jit/code/lazy_code.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/layer_normalization/row_forward_kernel.hpp"
#include "cpu/x64/layer_normalization/rows.hpp"
#include "cpu/x64/parallel_stores.hpp"
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
    dim_t row_bytes() const {
        return operands[forward_t::src].bytes(spec.length)
               + operands[forward_t::dst].bytes(spec.length);
    }

    /// Null stands for aligned buffers.
    bool has_non_temporal_stores(const addresses_t &bases) const {
        return is_large && spec.has_non_temporal_stores(forward_t::dst)
               && spec.length % jit::lanes_of(spec.isa) == 0
               && may_bypass_caches(spec.isa, forward_t::dst, bases);
    }

    forward_t spec;
    bool is_large = false; // caches hold little of the tensors
    dim_t groups = 1;      // with rows of their own
    dim_t plane = 1;
    order_t order = order_t::none;
};

class group_rows_t final : public primitive_impl_t {
public:
    explicit group_rows_t(const group_rows_plan_t &plan)
        : plan_(plan) {
        code_for(plan.has_non_temporal_stores({}));
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        addresses_t bases = plan_.operands.bind(ctx);
        auto *const copies = reinterpret_cast<float *>(ctx.scratchpad());
        const dim_t rows = plan_.rows.rows(), bytes = plan_.row_bytes();
        const bool is_non_temporal = plan_.has_non_temporal_stores(bases);
        const jit::executable_code_t &code = code_for(is_non_temporal);
        if (plan_.groups == 1) {
            if (plan_.copies_weights()) copy_weights(bases, copies);
            parallel_stores(plan_.shares_of_rows(bytes, plan_.spec.length), is_non_temporal,
                    [&](dim_t begin, dim_t end) { call(code, bases, begin, end); });
        } else {
            const dim_t group_work = cpu::bytes_as_floats(rows * bytes, rows * plan_.spec.length);
            parallel_stores(cpu::shares_of(plan_.groups, group_work), is_non_temporal,
                    [&](dim_t begin, dim_t end) {
                        float *const of_task = copies + 2 * begin * plan_.spec.length;
                        call_groups(code, bases, of_task, begin, end);
                    });
        }
        return dnnl_success;
    }

private:
    const jit::executable_code_t &code_for(bool is_non_temporal) const {
        return codes_[is_non_temporal ? 1 : 0].get([&] {
            forward_t spec = plan_.spec;
            spec.is_dst_non_temporal = is_non_temporal;
            return row_forward_kernel_t(spec).finish();
        });
    }
    /// Scale and shift of a group become copies for each element.
    void copy_weights(addresses_t &addresses, float *copies) const {
        for (const size_t weights : {forward_t::scale, forward_t::shift}) {
            if (addresses[weights] == nullptr) continue;
            copy(static_cast<const float *>(addresses[weights]), copies);
            addresses[weights] = copies;
            copies += plan_.spec.length;
        }
    }
    /// To each element the weight of its channel.
    void copy(const float *weights, float *to) const {
        const dim_t channels = plan_.spec.length / plan_.plane;
        if (plan_.order == order_t::planes_of_channels)
            for (dim_t c = 0; c < channels; ++c) to = std::fill_n(to, plan_.plane, weights[c]);
        else
            for (dim_t i = 0; i < plan_.plane; ++i) to = std::copy_n(weights, channels, to);
    }
    void call(const jit::executable_code_t &code, const addresses_t &bases, dim_t begin,
            dim_t end) const {
        call_for_each_run(code, plan_.operands, plan_.rows, bases, begin, end);
    }
    /// `copies`: for the weights of one group, if they are copied.
    void call_groups(const jit::executable_code_t &code, const addresses_t &bases, float *copies,
            dim_t begin, dim_t end) const {
        // Groups share cache lines, which come from memory once if all groups of some samples
        // follow each other.
        constexpr dim_t bytes_at_once = 262144, least_rows = 16;
        const dim_t rows = plan_.rows.rows(), bytes_per_row = (end - begin) * plan_.row_bytes();
        const dim_t rows_at_once =
                plan_.spec.is_streamed ? std::max(least_rows, bytes_at_once / bytes_per_row) : rows;
        for (dim_t first = 0; first < rows; first += rows_at_once)
            for (dim_t group = begin; group < end; ++group) {
                addresses_t addresses = addresses_of(group, bases);
                if (plan_.copies_weights()) copy_weights(addresses, copies);
                call(code, addresses, first, std::min(first + rows_at_once, rows));
            }
    }
    addresses_t addresses_of(dim_t group, const addresses_t &bases) const {
        const dim_t length = plan_.spec.length;
        addresses_t addresses = bases;
        for (const size_t i : {forward_t::src, forward_t::dst})
            addresses[i] = plan_.operands.locate(bases, i, group * length);
        for (const size_t i : {forward_t::scale, forward_t::shift})
            addresses[i] = plan_.operands.locate(bases, i, group * (length / plan_.plane));
        for (const size_t i : {forward_t::mean, forward_t::variance})
            addresses[i] = plan_.operands.locate(bases, i, group);
        return addresses;
    }

    const group_rows_plan_t &plan_;
    mutable std::array<jit::lazy_code_t, 2> codes_; // without and with non-temporal stores
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
    work.order = order;
    work.plane = pd.plane_size();
    work.groups = has_weights ? pd.groups() : 1;
    forward_t &spec = work.spec;
    work.describe(spec, most_block_rows);
    spec.describe(pd, pd.group_size(), isa);
    const dim_t footprint = pd.samples() * pd.groups() * work.row_bytes();
    spec.is_streamed = fills_half_of_cache(footprint);
    work.is_large = fills_most_of_cache(footprint);
    spec.post_ops = std::move(post_ops);
    if (work.copies_weights())
        pd.set_scratchpad_size(static_cast<size_t>(2 * work.groups * spec.length) * sizeof(float));
    plan = made;
    return accepted();
}

} // namespace kiln::x64::layer_normalization
