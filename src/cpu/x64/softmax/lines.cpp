// SPDX-License-Identifier: Apache-2.0
// The operands of softmax as loops along the axis and across it.

#include "cpu/x64/softmax/lines.hpp"

#include <algorithm>

#include "common/memory/type_set.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::softmax {
namespace {

refusal_t check_types(const softmax_pd_t &pd) {
    if (pd.has_stats() && !contains(float_types, pd.stats().data_type))
        return refused("stats are not of f32, bf16 or f16");
    return check_tensor_types({&pd.src(), &pd.dst(), &pd.diff_src(), &pd.diff_dst()});
}

/// The arguments in the order of the direction's enum; 0 for values that only a driver passes.
constexpr int none = 0;
constexpr int forward_args[] = {DNNL_ARG_SRC, DNNL_ARG_DST, none, DNNL_ARG_DST_1,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, none, none};
constexpr int backward_args[] = {DNNL_ARG_DST, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, none};
static_assert(std::size(forward_args) == forward_spec_t::first_post_op);
static_assert(std::size(backward_args) == backward_spec_t::first_post_op);

void add_operands(const softmax_pd_t &pd, operand_layouts_t &layouts) {
    const auto args = pd.is_forward() ? std::span<const int>(forward_args)
                                      : std::span<const int>(backward_args);
    for (const int arg : args) {
        if (arg == DNNL_ARG_DST_1)
            layouts.add_broadcast(arg, pd.stats());
        else if (arg & DNNL_ARG_ATTR_SCALES)
            layouts.add_shared(arg);
        else
            layouts.add(arg);
    }
}

/// The tensors as if their padding along the axis were elements, if all that move along it are
/// padded alike and there alone. `padding` becomes how much that is; 0: they are as they were.
std::vector<memory_desc_t> without_padding(
        const operand_layouts_t &layouts, int axis, dim_t &padding) {
    std::vector<memory_desc_t> mds;
    for (const memory_desc_t *md : layouts.mds()) mds.push_back(*md);
    const dim_t extent = mds.front().dims[axis], padded = mds.front().padded_dims[axis];
    padding = 0;
    for (const memory_desc_t &md : mds)
        for (int d = 0; d < md.ndims; ++d) {
            const bool is_along = d == axis && md.dims[d] == extent;
            if (md.padded_dims[d] != (is_along ? padded : md.dims[d])) return mds;
        }
    for (memory_desc_t &md : mds)
        if (!is_zero(md) && md.dims[axis] == extent) md.dims[axis] = padded;
    padding = padded - extent;
    return mds;
}

template <typename spec_t> spec_t spec_of(const softmax_pd_t &pd, const lines_t &lines) {
    spec_t spec{};
    for (size_t i = 0; i < spec_t::first_post_op; ++i) spec.types[i] = lines.operands[i].type;
    spec.is_log = pd.is_log();
    return spec;
}

} // namespace

refusal_t lines_t::place_post_ops(const row_mode_t &line, size_t first_post_op) {
    size_t operand = first_post_op;
    for (jit::post_op_link_t &link : post_ops)
        for (jit::post_op_operand_t &read : link.operands) {
            const dim_t stride = line.strides[operand++];
            if (stride != 0 && stride != 1)
                return refused("a post-op's tensor is strided along the axis of vectors");
            read.per_lane = stride != 0;
        }
    return accepted();
}

refusal_t find_lines(const softmax_pd_t &pd, lines_t &lines) {
    if (has_zero_dim(pd.dst())) return refused("dst has no elements");
    if (const refusal_t refusal = check_types(pd)) return refusal;
    if (!pd.is_forward() && !pd.attr().post_ops.entries.empty())
        return refused("post-ops are applied to diff_src");
    operand_layouts_t layouts(pd);
    add_operands(pd, layouts);
    if (const refusal_t refusal = add_post_ops(pd, layouts, lines.post_ops)) return refusal;
    // A tensor that does not move along the axis tells the axis' loops from the others.
    const size_t marked = layouts.mds().size();
    dims_t dims;
    std::copy_n(pd.dst().dims, pd.dst().ndims, dims);
    dims[pd.axis()] = 1;
    const std::vector<memory_desc_t> tensors = without_padding(layouts, pd.axis(), lines.padding);
    memory_desc_t marker = zero_md;
    if (init_by_strides(marker, pd.dst().ndims, dims, dnnl_f32, nullptr) != dnnl_success)
        return refused("a tensor of this shape with one element along the axis exceeds the limits "
                       "of a memory descriptor");
    std::vector<const memory_desc_t *> mds;
    for (const memory_desc_t &md : tensors) mds.push_back(&md);
    mds.push_back(&marker);
    auto loops = make_loops(mds);
    if (!loops) return refused("tensors are padded, or their blocks do not divide each other");
    lines.operands = layouts.operands();
    lines.origin = origin_of(layouts.mds());
    std::vector<row_mode_t> along;
    for (row_mode_t &loop : *loops) {
        const bool is_along = loop.strides[marked] == 0;
        loop.strides[marked] = 0;
        (is_along ? along : lines.others).push_back(loop);
    }
    lines.axis = take_nearest(along, lines.count());
    if (along.empty() && lines.padding == 0) return accepted();
    lines.block = lines.axis;
    lines.axis = take_nearest(along, lines.count()); // an extent of 1 if there is one block
    return along.empty() ? accepted() : refused("blocks cut the axis more than once");
}

forward_spec_t forward_spec_of(const softmax_pd_t &pd, const lines_t &lines) {
    forward_spec_t spec = spec_of<forward_spec_t>(pd, lines);
    spec.is_inf_zero = pd.desc().is_inf_zero;
    spec.post_ops = lines.post_ops;
    spec.pre_ops = pd.desc().pre_ops;
    return spec;
}

backward_spec_t backward_spec_of(const softmax_pd_t &pd, const lines_t &lines) {
    return spec_of<backward_spec_t>(pd, lines);
}

} // namespace kiln::x64::softmax
