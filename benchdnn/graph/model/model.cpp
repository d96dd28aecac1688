// SPDX-License-Identifier: Apache-2.0
// A graph as data.
#include "graph/model/model.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "common/command_line/usage_error.hpp"

namespace benchdnn::graph {

namespace {

// Axes in memory order, outermost first.
std::vector<size_t> memory_order(const logical_tensor_t &tensor, size_t ndims) {
    std::vector<size_t> order(ndims);
    std::iota(order.begin(), order.end(), 0);
    if (tensor.strides.size() != ndims || tensor.dims.size() != ndims) return order;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        if (tensor.strides[a] != tensor.strides[b]) return tensor.strides[a] > tensor.strides[b];
        return tensor.dims[a]
               > tensor.dims[b]; // the stride of an axis of one element has no meaning
    });
    return order;
}

} // namespace

bool logical_tensor_t::has_unknown_dims() const {
    return std::any_of(dims.begin(), dims.end(), [](dim_t dim) { return dim < 0; });
}

void logical_tensor_t::reshape(dims_t new_dims) {
    const std::vector<size_t> order = memory_order(*this, new_dims.size());
    dims = std::move(new_dims);
    strides.assign(dims.size(), 1);
    dim_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride *= std::max<dim_t>(dims[order[i]], 1);
    }
}

dims_t dense_strides(const dims_t &dims) {
    logical_tensor_t tensor;
    tensor.reshape(dims);
    return tensor.strides;
}

int op_t::axis(const std::string &attribute, int64_t standard, size_t ndims) const {
    const auto count = static_cast<int64_t>(ndims);
    const int64_t axis = get<int64_t>(attribute, standard);
    if (axis < -count || axis >= count) refuse(attribute);
    return static_cast<int>(axis < 0 ? axis + count : axis);
}

void op_t::refuse(const std::string &attribute) const {
    throw bad_value_t(attribute, "it is not what " + kind + " takes");
}

const op_t *graph_t::op(size_t id) const {
    for (const op_t &op : ops)
        if (op.id == id) return &op;
    return nullptr;
}

const op_t *graph_t::producer(size_t id) const {
    for (const op_t &op : ops)
        if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) return &op;
    return nullptr;
}

std::vector<place_t> graph_t::consumers(size_t id) const {
    std::vector<place_t> places;
    for (const op_t &op : ops)
        for (size_t port = 0; port < op.inputs.size(); ++port)
            if (op.inputs[port] == id) places.push_back({&op, port});
    return places;
}

void graph_t::sort_ops() {
    std::set<size_t> missing; // tensors that are not produced yet
    for (const op_t &op : ops) missing.insert(op.outputs.begin(), op.outputs.end());
    const auto is_ready = [&](const op_t &op) {
        return std::none_of(op.inputs.begin(), op.inputs.end(),
                [&](size_t id) { return missing.count(id) != 0; });
    };
    std::vector<op_t> sorted;
    while (!ops.empty()) {
        const auto next = std::find_if(ops.begin(), ops.end(), is_ready);
        if (next == ops.end()) throw bad_value_t("graph", "operations wait for each other");
        for (const size_t id : next->outputs) missing.erase(id);
        sorted.push_back(std::move(*next));
        ops.erase(next);
    }
    ops = std::move(sorted);
}

} // namespace benchdnn::graph
