// SPDX-License-Identifier: Apache-2.0
#include "graph/op/edges.hpp"

#include <unordered_set>

#include "common/verbose/verbose.hpp"

namespace kiln::graph {

edges_t::edges_t(std::span<const op_ptr_t> ops) {
    for (const op_ptr_t &op : ops) {
        for (const logical_tensor_t &output : op->outputs)
            if (!is_absent(output)) producers_[output.id] = op.get();
        for (size_t i = 0; i < op->inputs.size(); ++i)
            consumers_[op->inputs[i].id].push_back({op.get(), i});
    }
}

const op_t *edges_t::producer(size_t tensor) const {
    const auto at = producers_.find(tensor);
    return at == producers_.end() ? nullptr : at->second;
}

std::span<const consumer_t> edges_t::consumers(size_t tensor) const {
    const auto at = consumers_.find(tensor);
    return at == consumers_.end() ? std::span<const consumer_t>()
                                  : std::span<const consumer_t>(at->second);
}

namespace {

#define REQUIRE(condition, ...) KILN_REQUIRE(condition, dnnl_invalid_graph, "graph", __VA_ARGS__)

status_t check_tensors(std::span<const op_ptr_t> ops) {
    std::unordered_map<size_t, const logical_tensor_t *> tensors;
    std::unordered_set<size_t> outputs;
    for (const op_ptr_t &op : ops) {
        for (const auto *list : {&op->inputs, &op->outputs})
            for (const logical_tensor_t &lt : *list) {
                if (is_absent(lt)) continue;
                const auto [at, is_new] = tensors.emplace(lt.id, &lt);
                REQUIRE(is_new || is_equal(*at->second, lt), "logical tensors with id %zu differ",
                        lt.id);
            }
        for (const logical_tensor_t &lt : op->outputs)
            REQUIRE(is_absent(lt) || outputs.insert(lt.id).second,
                    "tensor %zu is an output more than once", lt.id);
    }
    return dnnl_success;
}

/// Shorter than `ops` if there is a cycle.
std::vector<op_ptr_t> execution_order(std::span<const op_ptr_t> ops, const edges_t &edges) {
    std::vector<op_ptr_t> order;
    std::unordered_map<const op_t *, size_t> pending_inputs;
    std::unordered_map<const op_t *, op_ptr_t> owners;
    for (const op_ptr_t &op : ops) {
        owners[op.get()] = op;
        size_t &count = pending_inputs[op.get()];
        for (const logical_tensor_t &input : op->inputs)
            count += edges.producer(input.id) != nullptr;
        if (count == 0) order.push_back(op);
    }
    for (size_t i = 0; i < order.size(); ++i)
        for (const logical_tensor_t &output : order[i]->outputs) {
            if (is_absent(output)) continue;
            for (const consumer_t &consumer : edges.consumers(output.id))
                if (--pending_inputs[consumer.op] == 0) order.push_back(owners[consumer.op]);
        }
    return order;
}

} // namespace

status_t connect(std::vector<op_ptr_t> &ops, edges_t &edges) {
    KILN_TRY(check_tensors(ops));
    edges_t made(ops);
    auto order = execution_order(ops, made);
    REQUIRE(order.size() == ops.size(), "the operations form a cycle");
    edges = std::move(made);
    ops = std::move(order);
    return dnnl_success;
}

#undef REQUIRE

} // namespace kiln::graph
