// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/layout_choice.hpp"

#include <algorithm>

#include "graph/lowering/view.hpp"

namespace kiln::graph {
namespace {

struct operand_t {
    int arg;
    memory_desc_t md, order; ///< order: the dense layout with the same order of axes, of f32
    bool is_bound;

    bool is_copied(const memory_desc_t &layout) const { return !(order == layout); }
};

/// The operation's tensors with the shape of the first one.
std::vector<operand_t> operands_of(
        operation_desc_t &desc, const std::map<int, value_t> &arguments) {
    std::vector<operand_t> operands;
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DST, DNNL_ARG_DIFF_SRC}) {
        const memory_desc_t *const md = desc.find_tensor(arg);
        if (md == nullptr || is_zero(*md)) continue;
        if (operands.empty() || same_dims(*md, operands[0].md))
            operands.push_back({arg, *md, dense_like(*md, dnnl_f32), arguments.contains(arg)});
    }
    return operands;
}

/// Row-major but for axes that `dst` lacks: they are innermost.
memory_desc_t with_reduced_axes_innermost(const memory_desc_t &src, const memory_desc_t &dst) {
    dims_t strides;
    dim_t stride = 1;
    for (const bool are_reduced : {true, false})
        for (int d = src.ndims; d-- > 0;) {
            if ((src.dims[d] != dst.dims[d]) != are_reduced) continue;
            strides[d] = stride;
            stride *= std::max(src.dims[d], dim_t(1));
        }
    memory_desc_t md{};
    init_by_strides(md, src.ndims, src.dims, dnnl_f32, strides);
    return md;
}

/// Layouts to try: those that need the fewest copies first.
std::vector<memory_desc_t> layouts_of(
        operation_desc_t &desc, const std::vector<operand_t> &operands) {
    std::vector<memory_desc_t> layouts;
    for (const operand_t &operand : operands) layouts.push_back(operand.order);
    const memory_desc_t &first = operands[0].md;
    layouts.push_back(dense_md(dnnl_f32, first.ndims, first.dims));
    const memory_desc_t *const dst = desc.find_tensor(DNNL_ARG_DST);
    if (dst && dst->ndims == first.ndims && !same_dims(*dst, first))
        layouts.push_back(with_reduced_axes_innermost(first, *dst));
    std::ranges::stable_sort(layouts, {}, [&](const memory_desc_t &layout) {
        return std::ranges::count_if(operands, [&](const operand_t &operand) {
            return operand.is_bound && operand.is_copied(layout);
        });
    });
    return layouts;
}

} // namespace

status_t choose_layouts(engine_t *engine, operation_desc_t &desc, const primitive_attr_t &attr,
        const std::map<int, value_t> &arguments, std::shared_ptr<const primitive_desc_t> &pd,
        std::vector<layout_copy_t> &copies) {
    KILN_TRY(desc.find(engine, attr, pd));
    if (!pd->is_reference()) return dnnl_success;
    const std::vector<operand_t> operands = operands_of(desc, arguments);
    if (operands.empty()) return dnnl_success;
    for (const memory_desc_t &layout : layouts_of(desc, operands)) {
        copies.clear();
        for (const operand_t &operand : operands) {
            memory_desc_t &md = desc.tensor(operand.arg) = operand.md;
            if (!operand.is_copied(layout)) continue;
            md = with_type(layout, operand.md.data_type);
            if (operand.is_bound) copies.push_back({operand.arg, operand.md, md});
        }
        std::shared_ptr<const primitive_desc_t> found;
        const status_t status = desc.find(engine, attr, found);
        if (status == dnnl_out_of_memory) return status;
        if (status != dnnl_success || found->is_reference()) continue;
        pd = found;
        return dnnl_success;
    }
    copies.clear();
    for (const operand_t &operand : operands) desc.tensor(operand.arg) = operand.md;
    return dnnl_success;
}

} // namespace kiln::graph
