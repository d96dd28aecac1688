// SPDX-License-Identifier: Apache-2.0
// MatMul: matmul primitives.

#include "common/operations/matmul_pd.hpp"

#include <algorithm>
#include <numeric>

#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/lowering/view.hpp"

namespace kiln::graph {

status_t read_factor(const op_t &op, int arg, const logical_tensor_t &lt, request_t &request,
        memory_desc_t &md, int kind) {
    const view_t of_result = request.view;
    const bool is_src = arg == DNNL_ARG_SRC, is_vector = request.tensor(lt).ndims == 1;
    request.view = view_t::product(of_result.ndims(), false, is_vector && !is_src);
    const status_t status = request.read(kind | arg, lt, md);
    request.view = of_result;
    KILN_TRY(status);
    if (is_vector
            || !op.attr<bool>(
                    is_src ? dnnl_graph_op_attr_transpose_a : dnnl_graph_op_attr_transpose_b))
        return dnnl_success;
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
    request.view = view_t::product(std::max({2, src, weights}), src == 1, weights == 1);
    KILN_TRY(read_factor(op, DNNL_ARG_SRC, op.inputs[0], request, desc.src));
    KILN_TRY(read_factor(op, DNNL_ARG_WEIGHTS, op.inputs[1], request, desc.weights));
    if (op.inputs.size() > 2) KILN_TRY(request.read(DNNL_ARG_BIAS, op.inputs[2], desc.bias));
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst));
    KILN_TRY(check_shapes(desc));
    request.desc = desc;
    // Integers of both operands stay integers: apply_to_int is for weights that alone are ones.
    request.attr.fpmath.mode = request.fpmath.mode;
    return dnnl_success;
}

} // namespace kiln::graph
