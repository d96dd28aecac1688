// SPDX-License-Identifier: Apache-2.0
// MatMul: matmul primitives.

#include "common/operations/matmul_pd.hpp"

#include <algorithm>
#include <numeric>

#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/view.hpp"

namespace kiln::graph {

status_t transpose_operand(const op_t &op, bool transposes, memory_desc_t &md) {
    if (!transposes) return dnnl_success;
    std::vector<int> axes(static_cast<size_t>(md.ndims));
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes.end()[-1], axes.end()[-2]);
    const auto seen = permuted(md, axes);
    KILN_REQUIRE(seen, dnnl_unimplemented, "graph", "%s: an operand's layout cannot be transposed",
            op.name.c_str());
    md = *seen;
    return dnnl_success;
}

status_t lower_matmul(const op_t &op, request_t &request) {
    matmul_desc_t desc{};
    const int src = request.tensor(op.inputs[0]).ndims,
              weights = request.tensor(op.inputs[1]).ndims;
    KILN_REQUIRE(src >= 2 && weights >= 2, dnnl_unimplemented, "graph",
            "%s: src has %d dims and weights have %d; both must have at least 2", op.name.c_str(),
            src, weights);
    request.view = view_t::same(std::max(src, weights));
    KILN_TRY(request.read(DNNL_ARG_SRC, op.inputs[0], desc.src));
    KILN_TRY(transpose_operand(op, op.attr<bool>(dnnl_graph_op_attr_transpose_a), desc.src));
    KILN_TRY(request.read(DNNL_ARG_WEIGHTS, op.inputs[1], desc.weights));
    KILN_TRY(transpose_operand(op, op.attr<bool>(dnnl_graph_op_attr_transpose_b), desc.weights));
    if (op.inputs.size() > 2) KILN_TRY(request.read(DNNL_ARG_BIAS, op.inputs[2], desc.bias));
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst));
    KILN_TRY(check_shapes(desc));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
