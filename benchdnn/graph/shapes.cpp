// SPDX-License-Identifier: Apache-2.0
// Shape inference of the driver.
#include "graph/shapes.hpp"

#include <algorithm>
#include <set>

#include "common/command_line/usage_error.hpp"
#include "graph/operations.hpp"

namespace benchdnn::graph {

namespace {

const dims_t &input_dims(const graph_t &graph, const op_t &op, size_t port) {
    if (port >= op.inputs.size()) throw bad_value_t(op.kind, "an input is missing");
    return graph.tensor(op.inputs[port]).dims;
}

// A tensor that keeps its dims keeps its strides.
void set_dims(graph_t &graph, const op_t &op, size_t port, const dims_t &dims) {
    if (port >= op.outputs.size()) return;
    logical_tensor_t &output = graph.tensors.at(op.outputs[port]);
    if (output.exists() && output.dims != dims) output.reshape(dims);
}

// Axes are aligned at the last one; axes of extent 1 are broadcast.
dims_t broadcast(const dims_t &a, const dims_t &b) {
    if (a.size() < b.size()) return broadcast(b, a);
    dims_t dims = a;
    const size_t missing = a.size() - b.size();
    for (size_t i = 0; i < b.size(); ++i) {
        dim_t &dim = dims[missing + i];
        if (dim == 1)
            dim = b[i];
        else if (b[i] != 1 && b[i] != dim)
            throw bad_value_t(dims_text(b), "it does not broadcast to " + dims_text(a));
    }
    return dims;
}

} // namespace

void infer_same(graph_t &graph, const op_t &op) {
    for (size_t port = 0; port < op.outputs.size(); ++port)
        set_dims(graph, op, port, input_dims(graph, op, 0));
}

void infer_pairwise(graph_t &graph, const op_t &op) {
    for (size_t port = 0; port < op.outputs.size(); ++port)
        set_dims(graph, op, port, input_dims(graph, op, port));
}

void infer_broadcast(graph_t &graph, const op_t &op) {
    dims_t dims = input_dims(graph, op, 0);
    for (size_t port = 1; port < op.inputs.size(); ++port)
        dims = broadcast(dims, input_dims(graph, op, port));
    set_dims(graph, op, 0, dims);
}

void infer_concat(graph_t &graph, const op_t &op) {
    dims_t dims = input_dims(graph, op, 0);
    const auto axis = static_cast<size_t>(op.axis("axis", 0, dims.size()));
    for (size_t port = 1; port < op.inputs.size(); ++port) {
        dims_t next = input_dims(graph, op, port);
        if (next.size() != dims.size())
            throw bad_value_t(dims_text(next), "not as many dims as " + dims_text(dims));
        const dim_t extent = next[axis];
        next[axis] = dims[axis];
        if (next != dims) throw bad_value_t(dims_text(next), "not like " + dims_text(dims));
        dims[axis] += extent;
    }
    set_dims(graph, op, 0, dims);
}

void infer_reduction(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    const auto ndims = static_cast<int64_t>(src.size());
    std::set<int64_t> reduced;
    for (const int64_t axis : op.get<std::vector<int64_t>>("axes", {})) {
        if (axis < -ndims || axis >= ndims) throw bad_value_t("axes", "src has no such axis");
        reduced.insert(axis < 0 ? axis + ndims : axis);
    }
    dims_t dims;
    for (int64_t axis = 0; axis < ndims; ++axis)
        if (reduced.count(axis) == 0)
            dims.push_back(src[axis]);
        else if (op.get<bool>("keep_dims", false))
            dims.push_back(1);
    set_dims(graph, op, 0, dims);
}

void infer_softmax(graph_t &graph, const op_t &op) {
    dims_t dims = input_dims(graph, op, 0);
    set_dims(graph, op, 0, dims);
    dims[op.axis("axis", op.kind == "LogSoftmax" ? -1 : 1, dims.size())] = 1;
    set_dims(graph, op, 1, dims);
}

void infer_matmul(graph_t &graph, const op_t &op) {
    dims_t src = input_dims(graph, op, 0), weights = input_dims(graph, op, 1);
    const bool is_row = src.size() == 1, is_column = weights.size() == 1;
    if (op.get<bool>("transpose_a", false) && !is_row) std::swap(src.end()[-1], src.end()[-2]);
    if (op.get<bool>("transpose_b", false) && !is_column)
        std::swap(weights.end()[-1], weights.end()[-2]);
    if (is_row) src.insert(src.begin(), 1);
    if (is_column) weights.push_back(1);
    if (src.back() != weights.end()[-2]) throw bad_value_t(op.kind, "the inner dims differ");
    dims_t dims = broadcast({src.begin(), src.end() - 2}, {weights.begin(), weights.end() - 2});
    if (!is_row) dims.push_back(src.end()[-2]);
    if (!is_column) dims.push_back(weights.back());
    set_dims(graph, op, 0, dims);
}

void infer_reshape(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    dims_t dims = op.get<std::vector<int64_t>>("shape", {});
    const bool zero_copies = op.get<bool>("special_zero", false);
    dim_t known = 1;
    auto open = dims.end();
    for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
        const auto axis = static_cast<size_t>(dim - dims.begin());
        if (*dim == 0 && zero_copies && axis < src.size()) *dim = src[axis];
        if (*dim == -1)
            open = dim;
        else
            known *= *dim;
    }
    if (open != dims.end()) *open = known > 0 ? product(src) / known : 0;
    if (product(dims) != product(src))
        throw bad_value_t(dims_text(dims), "not as many elements as " + dims_text(src));
    set_dims(graph, op, 0, dims);
}

void infer_transpose(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    const auto ndims = static_cast<int64_t>(src.size());
    dims_t dims;
    std::set<int64_t> axes;
    for (int64_t axis : op.get<std::vector<int64_t>>("order", {})) {
        if (axis < 0) axis += ndims;
        if (axis < 0 || axis >= ndims || !axes.insert(axis).second)
            throw bad_value_t("order", "no permutation of src's axes");
        dims.push_back(src[axis]);
    }
    if (dims.size() != src.size()) throw bad_value_t("order", "no permutation of src's axes");
    set_dims(graph, op, 0, dims);
}

// Statistics may have extents of 1 in place of the normalized axes.
void infer_layer_norm(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    const int axis = op.axis("begin_norm_axis", -1, src.size());
    set_dims(graph, op, 0, src);
    for (size_t port = 1; port < op.outputs.size(); ++port) {
        dims_t dims(src.begin(), src.begin() + axis);
        if (graph.tensor(op.outputs[port]).dims.size() == src.size()) dims.resize(src.size(), 1);
        set_dims(graph, op, port, dims);
    }
}

void infer_layer_norm_backward(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    set_dims(graph, op, 0, src);
    if (op.outputs.size() < 2) return;
    const int axis = op.axis("begin_norm_axis", -1, src.size());
    const size_t scale_port = lacks_statistics(op) ? 2 : 4;
    const bool has_scale = op.get<bool>("use_affine", true) && op.inputs.size() > scale_port;
    const dims_t dims =
            has_scale ? input_dims(graph, op, scale_port) : dims_t(src.begin() + axis, src.end());
    for (size_t port = 1; port < op.outputs.size(); ++port) set_dims(graph, op, port, dims);
}

void infer_group_norm(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    set_dims(graph, op, 0, src);
    for (size_t port = 1; port < op.outputs.size(); ++port)
        set_dims(graph, op, port, {src.at(0), op.get<int64_t>("groups", 1)});
}

void infer_batch_norm(graph_t &graph, const op_t &op) {
    const dims_t &src = input_dims(graph, op, 0);
    if (src.size() < 2) throw bad_value_t(dims_text(src), "batch normalization needs channels");
    set_dims(graph, op, 0, src);
    const dim_t channels = op.is_channels_last() ? src.back() : src[1];
    for (size_t port = 1; port < op.outputs.size(); ++port) set_dims(graph, op, port, {channels});
}

void infer_shapes(graph_t &graph, std::set<size_t> laid_out) {
    const bool are_known = std::all_of(graph.ops.begin(), graph.ops.end(), [](const op_t &op) {
        const operation_t *operation = find_operation(op.kind);
        return operation && operation->infer;
    });
    if (!are_known) return;
    for (const op_t &op : graph.ops) {
        find_operation(op.kind)->infer(graph, op);
        if (op.inputs.empty() || laid_out.count(op.inputs[0]) == 0) continue;
        for (const size_t id : op.outputs) {
            logical_tensor_t &output = graph.tensors.at(id);
            if (output.dims != graph.tensor(op.inputs[0]).dims) continue;
            output.strides = graph.tensor(op.inputs[0]).strides;
            laid_out.insert(id);
        }
    }
}

} // namespace benchdnn::graph
