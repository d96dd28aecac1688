// SPDX-License-Identifier: Apache-2.0
// A graph as a library object.
#include "graph/library.hpp"

#include <algorithm>
#include <set>

#include <dlfcn.h>

#include "common/attributes/attributes.hpp"
#include "common/command_line/text.hpp"
#include "graph/operations.hpp"

namespace benchdnn::graph {

namespace {

struct attribute_setter_t {
    dnnl_graph_op_t op;
    dnnl_graph_op_attr_t name;

    dnnl_status_t operator()(bool value) const {
        const uint8_t flag = value;
        return dnnl_graph_op_set_attr_bool(op, name, &flag, 1);
    }
    dnnl_status_t operator()(int64_t value) const {
        return dnnl_graph_op_set_attr_s64(op, name, &value, 1);
    }
    dnnl_status_t operator()(double value) const {
        const auto number = static_cast<float>(value);
        return dnnl_graph_op_set_attr_f32(op, name, &number, 1);
    }
    dnnl_status_t operator()(const std::string &value) const {
        return dnnl_graph_op_set_attr_str(op, name, value.c_str(), value.size());
    }
    dnnl_status_t operator()(const std::vector<int64_t> &value) const {
        return dnnl_graph_op_set_attr_s64(op, name, value.data(), value.size());
    }
    dnnl_status_t operator()(const std::vector<double> &value) const {
        const std::vector<float> numbers(value.begin(), value.end());
        return dnnl_graph_op_set_attr_f32(op, name, numbers.data(), numbers.size());
    }
};

op_owner_t make_op(const graph_t &graph, const op_t &op) {
    op_owner_t handle;
    require_success(
            dnnl_graph_op_create(handle.out(), op.id, operation_of(op.kind).kind, op.name.c_str()),
            op.kind.c_str());
    for (const auto &[name, value] : op.attributes)
        require_success(
                std::visit(attribute_setter_t{handle.get(), attribute_enumerator(name)}, value),
                (op.kind + "'s attribute " + name).c_str());
    for (const size_t id : op.inputs) {
        const dnnl_graph_logical_tensor_t tensor = library_tensor(graph.tensor(id));
        require_success(dnnl_graph_op_add_input(handle.get(), &tensor), "dnnl_graph_op_add_input");
    }
    for (const size_t id : op.outputs) {
        const dnnl_graph_logical_tensor_t tensor = library_tensor(graph.tensor(id));
        require_success(
                dnnl_graph_op_add_output(handle.get(), &tensor), "dnnl_graph_op_add_output");
    }
    return handle;
}

graph_owner_t make_graph(const graph_t &graph) {
    graph_owner_t handle;
    require_success(dnnl_graph_graph_create(handle.out(), dnnl_cpu), "dnnl_graph_graph_create");
    const fpmath_t fpmath = parse_fpmath(graph.fpmath_mode);
    require_success(
            dnnl_graph_graph_set_fpmath_mode(handle.get(), fpmath.mode, graph.fpmath_for_integers),
            "dnnl_graph_graph_set_fpmath_mode");
    for (const op_t &op : graph.ops) {
        const op_owner_t op_handle = make_op(graph, op);
        require_success(dnnl_graph_add_op(handle.get(), op_handle.get()),
                ("dnnl_graph_add_op of " + op.kind).c_str());
    }
    require_success(dnnl_graph_graph_finalize(handle.get()), "dnnl_graph_graph_finalize");
    return handle;
}

using count_call_t = dnnl_status_t (*)(const_dnnl_graph_partition_t, size_t *);
using ports_call_t = dnnl_status_t (*)(
        const_dnnl_graph_partition_t, size_t, dnnl_graph_logical_tensor_t *);

std::vector<size_t> port_ids(
        const partition_owner_t &partition, count_call_t count_of, ports_call_t ports_of) {
    size_t count = 0;
    require_success(count_of(partition.get(), &count), "a partition's number of ports");
    if (count == 0) return {};
    std::vector<dnnl_graph_logical_tensor_t> tensors(count);
    require_success(ports_of(partition.get(), count, tensors.data()), "a partition's ports");
    std::vector<size_t> ids;
    for (const dnnl_graph_logical_tensor_t &tensor : tensors)
        if (tensor.data_type != dnnl_data_type_undef) ids.push_back(tensor.id);
    return ids;
}

partition_t describe(const graph_t &graph, dnnl_graph_partition_t handle) {
    partition_t partition;
    partition.handle.reset(handle);
    size_t count = 0;
    require_success(dnnl_graph_partition_get_op_num(handle, &count), "a partition's size");
    partition.ports.ops.resize(count);
    require_success(dnnl_graph_partition_get_ops(handle, count, partition.ports.ops.data()),
            "a partition's operations");
    partition.ports.inputs = port_ids(
            partition.handle,
            [](auto... arguments) {
                return dnnl_graph_partition_get_input_ports_num(arguments...);
            },
            [](auto... arguments) { return dnnl_graph_partition_get_input_ports(arguments...); });
    partition.ports.outputs = port_ids(
            partition.handle,
            [](auto... arguments) {
                return dnnl_graph_partition_get_output_ports_num(arguments...);
            },
            [](auto... arguments) { return dnnl_graph_partition_get_output_ports(arguments...); });
    uint8_t is_supported = 0;
    require_success(dnnl_graph_partition_is_supported(handle, &is_supported),
            "dnnl_graph_partition_is_supported");
    partition.is_supported = is_supported != 0;
    std::vector<std::string> kinds;
    for (const op_t &op : graph.ops)
        if (std::count(partition.ports.ops.begin(), partition.ports.ops.end(), op.id) > 0)
            kinds.push_back(op.kind);
    partition.name = join(kinds, "+");
    return partition;
}

bool executes_nothing(const graph_t &graph, const partition_t &partition) {
    return std::all_of(partition.ports.ops.begin(), partition.ports.ops.end(), [&](size_t id) {
        const op_t *op = graph.op(id);
        return op && (op->kind == "End" || op->kind == "Wildcard");
    });
}

std::vector<partition_t> in_order(std::vector<partition_t> partitions) {
    std::set<size_t> missing;
    for (const partition_t &partition : partitions)
        missing.insert(partition.ports.outputs.begin(), partition.ports.outputs.end());
    std::vector<partition_t> sorted;
    while (!partitions.empty()) {
        const auto next = std::find_if(
                partitions.begin(), partitions.end(), [&](const partition_t &partition) {
                    return std::none_of(partition.ports.inputs.begin(),
                            partition.ports.inputs.end(),
                            [&](size_t id) { return missing.count(id) != 0; });
                });
        if (next == partitions.end())
            throw status_error_t(dnnl_runtime_error, "partitions wait for each other; the library");
        for (const size_t id : next->ports.outputs) missing.erase(id);
        sorted.push_back(std::move(*next));
        partitions.erase(next);
    }
    return sorted;
}

// Compilation must keep the given layouts, because the tensors exist already.
void require_layout_as_given(const partition_t &partition, const logical_tensor_t &tensor) {
    const dnnl_graph_logical_tensor_t given = library_tensor(tensor);
    dnnl_graph_logical_tensor_t compiled;
    require_success(dnnl_graph_compiled_partition_query_logical_tensor(
                            partition.compiled.get(), tensor.id, &compiled),
            "dnnl_graph_compiled_partition_query_logical_tensor");
    size_t given_size = 0, compiled_size = 0;
    require_success(dnnl_graph_logical_tensor_get_mem_size(&given, &given_size), "a tensor's size");
    require_success(
            dnnl_graph_logical_tensor_get_mem_size(&compiled, &compiled_size), "a tensor's size");
    const bool is_same = given_size == compiled_size && given.ndims == compiled.ndims
                         && given.data_type == compiled.data_type
                         && std::equal(given.dims, given.dims + given.ndims, compiled.dims);
    if (!is_same)
        throw status_error_t(dnnl_runtime_error,
                "compilation made another tensor of " + std::to_string(tensor.id) + "; it");
}

} // namespace

dnnl_graph_logical_tensor_t library_tensor(const logical_tensor_t &tensor) {
    dnnl_graph_logical_tensor_t handle;
    const auto ndims = static_cast<int32_t>(tensor.dims.size());
    const dnnl_status_t status =
            tensor.exists() ? dnnl_graph_logical_tensor_init_with_strides(&handle, tensor.id,
                    tensor.type, ndims, tensor.dims.data(), tensor.strides.data(), tensor.property)
                            : dnnl_graph_logical_tensor_init(&handle, tensor.id, tensor.type,
                                    DNNL_GRAPH_UNKNOWN_NDIMS, dnnl_graph_layout_type_undef,
                                    tensor.property);
    require_success(status, "a logical tensor's initialization");
    return handle;
}

std::vector<dnnl_graph_inplace_pair_t> in_place_pairs(const partition_t &partition) {
    size_t count = 0;
    const dnnl_graph_inplace_pair_t *pairs = nullptr;
    require_success(dnnl_graph_compiled_partition_get_inplace_ports(
                            partition.compiled.get(), &count, &pairs),
            "dnnl_graph_compiled_partition_get_inplace_ports");
    return {pairs, pairs + count};
}

bool has_graphs() { return dlsym(RTLD_DEFAULT, "dnnl_graph_graph_create") != nullptr; }

std::vector<partition_t> partitions_of(const graph_t &graph, dnnl_graph_partition_policy_t policy) {
    const graph_owner_t handle = make_graph(graph);
    require_success(dnnl_graph_graph_filter(handle.get(), policy), "dnnl_graph_graph_filter");
    size_t count = 0;
    require_success(dnnl_graph_graph_get_partition_num(handle.get(), &count),
            "dnnl_graph_graph_get_partition_num");
    std::vector<dnnl_graph_partition_t> handles(count);
    require_success(dnnl_graph_graph_get_partitions(handle.get(), count, handles.data()),
            "dnnl_graph_graph_get_partitions");
    std::vector<partition_t> partitions;
    for (const dnnl_graph_partition_t partition : handles) {
        partitions.push_back(describe(graph, partition));
        if (executes_nothing(graph, partitions.back())) partitions.pop_back();
    }
    return in_order(std::move(partitions));
}

void compile(partition_t &partition, const graph_t &graph, const engine_t &engine) {
    const auto tensors_of = [&](const std::vector<size_t> &ids) {
        std::vector<dnnl_graph_logical_tensor_t> tensors;
        for (const size_t id : ids) tensors.push_back(library_tensor(graph.tensor(id)));
        return tensors;
    };
    const auto addresses_of = [](const std::vector<dnnl_graph_logical_tensor_t> &tensors) {
        std::vector<const dnnl_graph_logical_tensor_t *> addresses;
        for (const dnnl_graph_logical_tensor_t &tensor : tensors) addresses.push_back(&tensor);
        return addresses;
    };
    const auto inputs = tensors_of(partition.ports.inputs);
    const auto outputs = tensors_of(partition.ports.outputs);
    auto input_addresses = addresses_of(inputs), output_addresses = addresses_of(outputs);
    require_success(
            dnnl_graph_compiled_partition_create(partition.compiled.out(), partition.handle.get()),
            "dnnl_graph_compiled_partition_create");
    require_success(dnnl_graph_partition_compile(partition.handle.get(), partition.compiled.get(),
                            inputs.size(), input_addresses.data(), outputs.size(),
                            output_addresses.data(), engine.get()),
            ("compilation of " + partition.name).c_str());
    for (const size_t id : partition.ports.outputs)
        require_layout_as_given(partition, graph.tensor(id));
}

} // namespace benchdnn::graph
