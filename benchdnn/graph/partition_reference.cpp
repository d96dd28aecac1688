// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of a partition with a reference.
#include "graph/partition_reference.hpp"

#include <algorithm>
#include <map>

#include "common/command_line/text.hpp"
#include "common/tensor/segments.hpp"
#include "graph/operations.hpp"

namespace benchdnn::graph {

namespace {

bool has(const std::vector<size_t> &list, size_t id) {
    return std::find(list.begin(), list.end(), id) != list.end();
}

class partition_reference_t {
public:
    partition_reference_t(const graph_t &graph, const partition_ports_t &ports,
            const std::function<const tensor_t &(size_t id)> &tensor_of)
        : graph_(graph)
        , ports_(ports)
        , tensor_of_(tensor_of) {
        for (const op_t &op : graph.ops)
            if (has(ports.ops, op.id)) ops_.push_back(&op);
    }

    std::vector<comparison_t> run() {
        for (const size_t id : ports_.inputs) values_[id] = loaded(id);
        for (size_t i = 0; i < ops_.size(); ++i) {
            const op_t &op = *ops_[i];
            compute(op);
            for (const size_t id : op.outputs)
                if (graph_.tensor(id).exists()) leave(id);
            for (const size_t id : op.inputs)
                if (!is_needed_after(i, id)) values_.erase(id);
        }
        return std::move(comparisons_);
    }

private:
    value_t empty(size_t id) const {
        const logical_tensor_t &tensor = graph_.tensor(id);
        value_t value{tensor.dims, tensor.type, tensor.type, {}};
        value.elements.resize(value.count());
        return value;
    }

    value_t loaded(size_t id) const {
        value_t value = empty(id);
        const tensor_t &tensor = tensor_of_(id);
        parallel_segments(tensor.layout(), [&](int, const segment_t &segment) {
            std::vector<double> numbers(segment.count);
            tensor.load_span(segment.row, segment.first, segment.count, numbers.data());
            const dim_t begin = segment.index(tensor.cols());
            for (dim_t i = 0; i < segment.count; ++i) value.elements[begin + i] = {numbers[i], 0};
        });
        return value;
    }

    void compute(const op_t &op) {
        step_t step{op, {}, {}};
        for (const size_t id : op.inputs)
            step.inputs.push_back(graph_.tensor(id).exists() ? &values_.at(id) : nullptr);
        for (const size_t id : op.outputs) {
            const bool exists = graph_.tensor(id).exists();
            step.outputs.push_back(exists ? &(values_[id] = empty(id)) : nullptr);
        }
        operation_of(op.kind).compute(step);
    }

    // The value of a tensor after the operation that computes it.
    void leave(size_t id) {
        value_t &value = values_.at(id);
        if (has(ports_.outputs, id)) {
            comparisons_.push_back(compare(id, value));
            const dnnl_data_type_t variety = value.variety;
            value = loaded(id);
            value.variety = variety;
            return;
        }
        for_each_index(value.count(),
                [&](dim_t i) { value.elements[i] = settled(value.type, value.elements[i]); });
    }

    comparison_t compare(size_t id, const value_t &value) const {
        const tensor_t &tensor = tensor_of_(id);
        const std::string name = "tensor " + std::to_string(id);
        std::vector<comparison_t> found(
                worker_count(), comparison_t(name, tensor.layout().data_type(), value.dims));
        parallel_segments(tensor.layout(), [&](int worker, const segment_t &segment) {
            std::vector<double> got(segment.count);
            tensor.load_span(segment.row, segment.first, segment.count, got.data());
            const dim_t begin = segment.index(tensor.cols());
            for (dim_t i = 0; i < segment.count; ++i)
                found[worker].check(begin + i, value.elements[begin + i], got[i]);
        });
        for (size_t i = 1; i < found.size(); ++i) found[0].merge(found[i]);
        if (value.count() == 0) found[0].expect_constant();
        return found[0];
    }

    bool is_needed_after(size_t position, size_t id) const {
        return std::any_of(ops_.begin() + position + 1, ops_.end(),
                [&](const op_t *op) { return has(op->inputs, id); });
    }

    const graph_t &graph_;
    const partition_ports_t &ports_;
    const std::function<const tensor_t &(size_t id)> &tensor_of_;
    std::vector<const op_t *> ops_; // the partition's, in order
    std::map<size_t, value_t> values_;
    std::vector<comparison_t> comparisons_;
};

} // namespace

std::string reference_obstacle(const graph_t &graph) {
    for (const op_t &op : graph.ops) {
        const operation_t *operation = find_operation(op.kind);
        const bool is_known = operation && operation->compute;
        if (!is_known) return "The driver has no reference for " + op.kind;
        for (size_t port = 1; port < op.inputs.size(); ++port)
            if (role_of(op, port) == role_t::axes)
                return "The driver takes axes of " + op.kind + " as an attribute only";
    }
    return "";
}

std::vector<comparison_t> compare_partition(const graph_t &graph, const partition_ports_t &ports,
        const std::function<const tensor_t &(size_t id)> &tensor_of) {
    return partition_reference_t(graph, ports, tensor_of).run();
}

} // namespace benchdnn::graph
