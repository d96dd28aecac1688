// SPDX-License-Identifier: Apache-2.0
// A short notation for graphs, with tensors of the test in place of a library.
#include "graph_case.hpp"

#include "common/tensor/data_type.hpp"
#include "graph/fill.hpp"

namespace benchdnn::graph {

namespace {

std::vector<size_t> add_tensors(graph_t &graph, const std::vector<tensor_words_t> &tensors) {
    std::vector<size_t> ids;
    for (const tensor_words_t &words : tensors) {
        logical_tensor_t &tensor = graph.tensors[words.id];
        tensor.id = words.id;
        tensor.type = words.type;
        tensor.dims = words.dims;
        tensor.strides = dense_strides(words.dims);
        ids.push_back(words.id);
    }
    return ids;
}

} // namespace

graph_t graph_of(const std::vector<op_words_t> &ops) {
    graph_t graph;
    for (const op_words_t &words : ops) {
        op_t op;
        op.id = graph.ops.size();
        op.kind = words.kind;
        op.attributes = words.attributes;
        op.inputs = add_tensors(graph, words.inputs);
        op.outputs = add_tensors(graph, words.outputs);
        graph.ops.push_back(op);
    }
    return graph;
}

layout_t dense_layout(dnnl_data_type_t type, const dims_t &dims) {
    layout_fields_t fields;
    fields.data_type = type == dnnl_boolean ? dnnl_u8 : type;
    fields.dims = dims.empty() ? dims_t{1} : dims;
    fields.padded_dims = fields.dims;
    fields.strides = dense_strides(fields.dims);
    fields.bytes = static_cast<size_t>(product(fields.dims)) * data_type_size(fields.data_type);
    return layout_t(fields);
}

graph_case_t::graph_case_t(graph_t given)
    : graph(std::move(given)) {
    for (const op_t &op : graph.ops) ports_.ops.push_back(op.id);
    for (const auto &[id, tensor] : graph.tensors) {
        if (graph.is_input(id))
            ports_.inputs.push_back(id);
        else if (tensor.exists() && graph.consumers(id).empty())
            ports_.outputs.push_back(id);
        else
            continue;
        tensors_.emplace(id, tensor_t(dense_layout(tensor.type, tensor.dims)));
    }
    fill(graph, [&](size_t id) -> tensor_t & { return tensors_.at(id); });
}

std::vector<double> graph_case_t::values(size_t id) const {
    const tensor_t &tensor = tensors_.at(id);
    std::vector<double> values(tensor.layout().elements());
    for (size_t i = 0; i < values.size(); ++i) values[i] = tensor.load(static_cast<dim_t>(i));
    return values;
}

void graph_case_t::store(size_t id, const std::vector<double> &values) {
    for (size_t i = 0; i < values.size(); ++i)
        tensors_.at(id).store(static_cast<dim_t>(i), values[i]);
}

int64_t graph_case_t::errors() const {
    int64_t errors = 0;
    for (const comparison_t &comparison : compare_partition(
                 graph, ports_, [&](size_t id) -> const tensor_t & { return tensors_.at(id); }))
        errors += comparison.errors();
    return errors;
}

} // namespace benchdnn::graph
