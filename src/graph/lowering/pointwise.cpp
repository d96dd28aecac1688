// SPDX-License-Identifier: Apache-2.0
// Elementwise, binary and copying operations: reorders with post-ops.

#include "common/operations/reorder_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/eltwise_algs.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {
namespace {

/// Describes a reorder from `src` with descriptor `src_md` to the operation's output.
status_t begin_reorder(
        const op_t &op, value_t src, const memory_desc_t &src_md, request_t &request) {
    engine_t *const engine = request.program().engine();
    memory_desc_t dst_md;
    request.view = view_t::same(src_md.ndims);
    request.arguments[DNNL_ARG_SRC] = src;
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], dst_md));
    request.desc = reorder_desc_t{src_md, dst_md, engine->kind(), engine->kind(),
            engine_ref_t(engine), engine_ref_t(engine)};
    return dnnl_success;
}

/// The same from an input, which is broadcast to the output.
status_t begin_reorder(const op_t &op, size_t input, request_t &request) {
    const memory_desc_t dst = request.program().md_of_tensor(op.outputs[0].id);
    const size_t src = op.inputs[input].id;
    const auto seen = broadcast_to(request.program().md_of_tensor(src), dst.ndims, dst.dims);
    KILN_REQUIRE(seen, dnnl_unimplemented, "graph",
            "%s: input %zu is broadcast and its layout is not plain", op.name.c_str(), input);
    return begin_reorder(op, request.program().value_of(src), *seen, request);
}

bool has_shape_of_output(const op_t &op, size_t input, const request_t &request) {
    return same_shape(request.tensor(op.inputs[input]), request.tensor(op.outputs[0]));
}

} // namespace

status_t lower_copy(const op_t &op, request_t &request) { return begin_reorder(op, 0, request); }

status_t lower_eltwise(const op_t &op, request_t &request) {
    KILN_TRY(begin_reorder(op, 0, request));
    return request.add_eltwise(*eltwise_of(op));
}

/// diff_src = f'(src or dst) * diff_dst
status_t lower_eltwise_backward(const op_t &op, request_t &request) {
    KILN_TRY(begin_reorder(op, 0, request));
    KILN_TRY(request.add_eltwise(*eltwise_of(op)));
    return request.add_binary(dnnl_binary_mul, op.inputs[1]);
}

status_t lower_binary(const op_t &op, request_t &request) {
    const alg_kind_t alg = binary_alg_of(op.kind);
    // The operand of a post-op may be broadcast; src of a fast reorder may not.
    const size_t first = commutes(alg) && !has_shape_of_output(op, 0, request)
                                         && has_shape_of_output(op, 1, request)
                                 ? 1
                                 : 0;
    KILN_TRY(begin_reorder(op, first, request));
    KILN_TRY(request.add_binary(alg, op.inputs[1 - first]));
    if (op.kind != dnnl_graph_op_squared_difference) return dnnl_success;
    return request.add_eltwise(dnnl_eltwise_square, 0, 0);
}

status_t lower_select(const op_t &op, request_t &request) {
    KILN_TRY(begin_reorder(op, if_true, request));
    return request.add_select(op, if_true);
}

status_t lower_bias_add(const op_t &op, request_t &request) {
    KILN_TRY(begin_reorder(op, 0, request));
    return request.add_bias(op);
}

status_t lower_reshape(const op_t &op, request_t &request) {
    // Src is viewed in dst's shape; if its layout does not allow that, a dense copy of it is.
    program_builder_t &program = request.program();
    const memory_desc_t dst = program.md_of_tensor(op.outputs[0].id);
    const memory_desc_t own = program.md_of_tensor(op.inputs[0].id);
    value_t src = program.value_of(op.inputs[0].id);
    auto seen = reshaped(own, dst.ndims, dst.dims);
    if (!seen) {
        const memory_desc_t dense = dense_md(own.data_type, own.ndims, own.dims);
        const value_t copy = program.temporary(byte_size(dense));
        KILN_TRY(program.copy(src, own, copy, dense));
        src = copy;
        seen = reshaped(dense, dst.ndims, dst.dims);
    }
    KILN_REQUIRE(seen, dnnl_invalid_shape, "graph", "%s: src and dst differ in number of elements",
            op.name.c_str());
    return begin_reorder(op, src, *seen, request);
}

status_t permute_for(const op_t &op, memory_desc_t &src) {
    // Axis d of dst is axis order[d] of src.
    std::vector<int> source_axes;
    for (const int64_t axis : order_of_axes(op, src.ndims))
        source_axes.push_back(axis_from_front(axis, src.ndims));
    const auto seen = permuted(src, source_axes);
    KILN_REQUIRE(seen, dnnl_unimplemented, "graph",
            "%s: the axes of src cannot be permuted in its layout", op.name.c_str());
    src = *seen;
    return dnnl_success;
}

status_t lower_transpose(const op_t &op, request_t &request) {
    memory_desc_t src = request.program().md_of_tensor(op.inputs[0].id);
    KILN_TRY(permute_for(op, src));
    return begin_reorder(op, request.program().value_of(op.inputs[0].id), src, request);
}

status_t lower_end(const op_t &, request_t &) { return dnnl_success; }

} // namespace kiln::graph
