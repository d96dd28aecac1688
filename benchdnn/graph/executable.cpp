// SPDX-License-Identifier: Apache-2.0
// The compiled partitions of a graph, with their tensors.
#include "graph/executable.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/memory_limit.hpp"
#include "graph/fill.hpp"

namespace benchdnn::graph {

namespace {

// Scalars are tensors of one element, and booleans are bytes that are 0 or 1.
memory_desc_t descriptor_of(const logical_tensor_t &tensor) {
    const dnnl_data_type_t type = tensor.type == dnnl_boolean ? dnnl_u8 : tensor.type;
    if (tensor.dims.empty()) return make_strided_descriptor({1}, type, {1});
    return make_strided_descriptor(tensor.dims, type, tensor.strides);
}

} // namespace

graph_executable_t::graph_executable_t(const engine_t &engine, const graph_t &graph,
        std::vector<partition_t> partitions, bool is_in_place)
    : engine_(engine)
    , graph_(graph)
    , partitions_(std::move(partitions))
    , is_in_place_(is_in_place) {
    std::set<size_t> ids;
    for (const partition_t &partition : partitions_)
        for (const auto *ports : {&partition.ports.inputs, &partition.ports.outputs})
            ids.insert(ports->begin(), ports->end());
    ids_.assign(ids.begin(), ids.end());
}

int graph_executable_t::argument_of(size_t id) const {
    return static_cast<int>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin()) + 1;
}

// The reference keeps two doubles for each element, of a few tensors at a time.
bool graph_executable_t::fits_memory(bool for_checks) const {
    constexpr double tensors_at_once = 4;
    double bytes = 0, most_elements = 0;
    for (const size_t id : ids_) {
        const logical_tensor_t &tensor = graph_.tensor(id);
        const auto elements = static_cast<double>(tensor.elements());
        bytes += elements * static_cast<double>(std::max<size_t>(data_type_size(tensor.type), 1));
        most_elements = std::max(most_elements, elements);
    }
    const double reference = tensors_at_once * most_elements * sizeof(estimate_t);
    return fits_available_memory(for_checks ? 2 * bytes + reference : bytes);
}

std::map<size_t, size_t> graph_executable_t::shared_inputs() const {
    std::map<size_t, size_t> inputs;
    std::set<size_t> taken;
    const auto readers = [&](size_t id) {
        return std::count_if(partitions_.begin(), partitions_.end(), [&](const partition_t &other) {
            const std::vector<size_t> &ids = other.ports.inputs;
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        });
    };
    for (const partition_t &partition : partitions_)
        for (const dnnl_graph_inplace_pair_t &pair : in_place_pairs(partition)) {
            const logical_tensor_t &input = graph_.tensor(pair.input_id);
            const logical_tensor_t &output = graph_.tensor(pair.output_id);
            const bool is_alike = input.type == output.type && input.dims == output.dims
                                  && input.strides == output.strides;
            const bool is_free = graph_.is_input(input.id) && readers(input.id) == 1
                                 && inputs.count(output.id) == 0;
            if (is_alike && is_free && taken.insert(input.id).second) inputs[output.id] = input.id;
        }
    return inputs;
}

std::string graph_executable_t::prepare(arguments_t &arguments) const {
    const std::map<size_t, size_t> shared =
            is_in_place_ ? shared_inputs() : std::map<size_t, size_t>();
    if (is_in_place_ && shared.empty()) return "Invalid case: nothing may be in place";
    for (const size_t id : ids_) {
        if (shared.count(id) != 0) continue;
        const bool is_input = graph_.is_input(id);
        const memory_desc_t descriptor = descriptor_of(graph_.tensor(id));
        arguments.add(argument_of(id),
                is_input ? arguments_t::role_t::input : arguments_t::role_t::output,
                descriptor.get());
        arguments.set_name(argument_of(id), "tensor " + std::to_string(id));
    }
    for (const auto &[output, input] : shared) {
        arguments.add_in_place(argument_of(output), argument_of(input));
        arguments.set_name(argument_of(output), "tensor " + std::to_string(output));
    }
    if (!arguments.wants_data()) return "";
    // Inputs that no partition reads have no memory; their values have no effect.
    std::map<size_t, tensor_t> unused;
    fill(graph_, [&](size_t id) -> tensor_t & {
        if (std::binary_search(ids_.begin(), ids_.end(), id)) return arguments.at(argument_of(id));
        const memory_desc_t descriptor = descriptor_of(graph_.tensor(id));
        return unused.try_emplace(id, layout_t(descriptor.get())).first->second;
    });
    return "";
}

void graph_executable_t::bind(const arguments_t &arguments) {
    tensors_.clear();
    std::map<size_t, const_dnnl_graph_tensor_t> handles;
    for (const size_t id : ids_) {
        const dnnl_graph_logical_tensor_t tensor = library_tensor(graph_.tensor(id));
        void *data = arguments.at(argument_of(id)).data();
        tensors_.emplace_back();
        const bool is_scalar = tensor.property == dnnl_graph_tensor_property_host_scalar;
        require_success(
                is_scalar ? dnnl_graph_tensor_create_scalar(tensors_.back().out(), &tensor, data)
                          : dnnl_graph_tensor_create(
                                  tensors_.back().out(), &tensor, engine_.get(), data),
                "dnnl_graph_tensor_create");
        handles[id] = tensors_.back().get();
    }
    bound_.clear();
    for (const partition_t &partition : partitions_) {
        bound_t bound;
        for (const size_t id : partition.ports.inputs) bound.inputs.push_back(handles.at(id));
        for (const size_t id : partition.ports.outputs) bound.outputs.push_back(handles.at(id));
        bound_.push_back(std::move(bound));
    }
}

void graph_executable_t::execute(const stream_t &stream) const {
    for (size_t part = 0; part < partitions_.size(); ++part) execute_part(part, stream);
}

void graph_executable_t::execute_part(size_t part, const stream_t &stream) const {
    bound_t &bound = bound_[part];
    require_success(dnnl_graph_compiled_partition_execute(partitions_[part].compiled.get(),
                            stream.get(), bound.inputs.size(), bound.inputs.data(),
                            bound.outputs.size(), bound.outputs.data()),
            "dnnl_graph_compiled_partition_execute");
}

std::vector<comparison_t> graph_executable_t::compare(const arguments_t &arguments) const {
    std::vector<comparison_t> comparisons;
    for (const partition_t &partition : partitions_) {
        std::vector<comparison_t> found = compare_partition(graph_, partition.ports,
                [&](size_t id) -> const tensor_t & { return arguments.original(argument_of(id)); });
        comparisons.insert(comparisons.end(), found.begin(), found.end());
    }
    return comparisons;
}

std::vector<std::string> graph_executable_t::part_names() const {
    std::vector<std::string> names;
    for (const partition_t &partition : partitions_) names.push_back(partition.name);
    return names;
}

} // namespace benchdnn::graph
