// SPDX-License-Identifier: Apache-2.0
// Reduce operations: reduction primitives, whose dst has extent 1 along the reduced axes.

#include "common/operations/reduction_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"

namespace kiln::graph {
namespace {

struct row_t {
    op_kind_t kind;
    alg_kind_t alg;
    float p; ///< of norm_lp
};

constexpr row_t rows[] = {
        {dnnl_graph_op_reduce_l1, dnnl_reduction_norm_lp_sum, 1},
        {dnnl_graph_op_reduce_l2, dnnl_reduction_norm_lp_sum, 2},
        {dnnl_graph_op_reduce_max, dnnl_reduction_max, 0},
        {dnnl_graph_op_reduce_mean, dnnl_reduction_mean, 0},
        {dnnl_graph_op_reduce_min, dnnl_reduction_min, 0},
        {dnnl_graph_op_reduce_prod, dnnl_reduction_mul, 0},
        {dnnl_graph_op_reduce_sum, dnnl_reduction_sum, 0},
};

const row_t &row_of(op_kind_t kind) {
    for (const row_t &row : rows)
        if (row.kind == kind) return row;
    return rows[0];
}

} // namespace

op_kinds_t reduction_kinds() {
    op_kinds_t kinds;
    for (const row_t &row : rows) kinds.add(row.kind);
    return kinds;
}

status_t lower_reduction(const op_t &op, request_t &request) {
    KILN_REQUIRE(op.inputs.size() == 1 && op.has_attr(dnnl_graph_op_attr_axes), dnnl_unimplemented,
            "graph", "%s: axes that are an input are not supported", op.name.c_str());
    reduction_desc_t desc{};
    desc.alg = row_of(op.kind).alg;
    desc.p = row_of(op.kind).p;
    request.view = view_t::same(std::max(request.tensor(op.inputs[0]).ndims, 1));
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    unsigned reduced = 0;
    for (const int64_t axis : op.attr<std::vector<int64_t>>(dnnl_graph_op_attr_axes))
        reduced |= 1u << axis_from_front(axis, desc.src.ndims);
    if (!op.attr<bool>(dnnl_graph_op_attr_keep_dims))
        request.view = view_t::lacking(desc.src.ndims, reduced);
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
