// SPDX-License-Identifier: Apache-2.0
// The fused program is tried first, one primitive for the whole partition. If shapes or layouts do
// not allow it, or only a reference can execute it, each operation becomes a primitive of its own.
#include "graph/partition/compilation.hpp"

#include <algorithm>
#include <unordered_map>

#include "common/operations/tensor_checks.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/shapes/shape_inference.hpp"

namespace kiln::graph {
namespace {

using tensors_t = std::unordered_map<size_t, logical_tensor_t>;

bool is_among(std::span<const logical_tensor_t> tensors, size_t id) {
    return std::any_of(tensors.begin(), tensors.end(),
            [&](const logical_tensor_t &lt) { return lt.id == id; });
}

/// Matches the caller's tensors with the partition's ports by id. `matched` keeps the caller's
/// order.
status_t match_ports(std::span<const logical_tensor_t> ports,
        std::span<const logical_tensor_t> given, const char *what, tensors_t &tensors,
        std::vector<logical_tensor_t> &matched) {
    for (const logical_tensor_t &lt : given) {
        matched.push_back(lt);
        if (is_among(ports, lt.id)) tensors[lt.id] = lt;
    }
    for (const logical_tensor_t &port : ports) {
        const auto at = tensors.find(port.id);
        KILN_REQUIRE(at != tensors.end(), dnnl_invalid_arguments, "graph",
                "no logical tensor is given for %s %zu", what, port.id);
        KILN_REQUIRE(at->second.data_type == port.data_type, dnnl_invalid_arguments, "graph",
                "the data type of %s %zu is %s, not %s", what, port.id,
                dnnl_dt2str(at->second.data_type), dnnl_dt2str(port.data_type));
        // The graph's property holds unless the caller states one.
        if (at->second.property == dnnl_graph_tensor_property_undef)
            at->second.property = port.property;
    }
    return dnnl_success;
}

bool has_layout(const logical_tensor_t &lt) {
    return is_opaque(lt) || (is_strided(lt) && has_known_strides(lt));
}

status_t check_inputs(const partition_t &partition, const tensors_t &tensors) {
    for (const logical_tensor_t &port : partition.inputs) {
        const logical_tensor_t &lt = tensors.at(port.id);
        KILN_REQUIRE(has_known_shape(lt), dnnl_invalid_arguments, "graph",
                "the dims of input %zu are unknown", lt.id);
        KILN_REQUIRE(is_host_scalar(lt) || has_layout(lt), dnnl_invalid_arguments, "graph",
                "the layout of input %zu is unknown", lt.id);
        KILN_REQUIRE(!is_zero(md_of(lt)), dnnl_invalid_arguments, "graph",
                "the dims and the layout of input %zu contradict each other", lt.id);
    }
    return dnnl_success;
}

/// Chooses the layout of a tensor if the caller does not state one: that of the operation's first
/// input if both have the same shape, else row-major.
void choose_layout(logical_tensor_t &lt, const logical_tensor_t &first_input, bool is_inner) {
    if (is_absent(lt) || (has_layout(lt) && !is_inner)) return;
    memory_desc_t md;
    const memory_desc_t like = md_of(first_input);
    if (same_shape(lt, first_input) && lt.ndims > 0
            && init_like(md, lt.ndims, lt.dims, lt.data_type, like) == dnnl_success) {
        set_layout(lt, md);
        return;
    }
    lt.layout_type = dnnl_graph_layout_type_strided;
    fill_row_major_strides(lt);
}

/// Finds shapes and layouts of all tensors, operation by operation.
status_t find_tensors(const partition_t &partition, tensors_t &tensors) {
    for (const op_ptr_t &op : partition.ops) {
        std::vector<logical_tensor_t> inputs, outputs;
        for (const logical_tensor_t &lt : op->inputs) inputs.push_back(tensors.at(lt.id));
        for (const logical_tensor_t &lt : op->outputs)
            outputs.push_back(!is_absent(lt) && tensors.contains(lt.id) ? tensors.at(lt.id) : lt);
        KILN_TRY(infer_shapes(*op, inputs, outputs));
        for (logical_tensor_t &lt : outputs) {
            if (is_absent(lt)) continue;
            choose_layout(lt, inputs[0], !tensors.contains(lt.id));
            KILN_REQUIRE(!is_zero(md_of(lt)), dnnl_invalid_arguments, "graph",
                    "the dims and the layout of tensor %zu contradict each other", lt.id);
            tensors[lt.id] = lt;
        }
    }
    return dnnl_success;
}

status_t check_outputs(std::span<const logical_tensor_t> ports, const tensors_t &tensors) {
    for (const logical_tensor_t &port : ports) {
        const std::string name = "tensor " + std::to_string(port.id);
        KILN_TRY(check_output("graph", md_of(tensors.at(port.id)), name.c_str()));
    }
    return dnnl_success;
}

status_t add_fused(const partition_t &partition, program_builder_t &program) {
    request_t request(program, partition.fpmath);
    KILN_TRY(lower(*partition.group->anchor, request));
    for (const fusion_t &fusion : partition.group->fusions)
        KILN_TRY(fusion.rule->apply(fusion, request));
    return request.finish();
}

status_t add_one_by_one(const partition_t &partition, program_builder_t &program) {
    for (const op_ptr_t &op : partition.ops) {
        request_t request(program, partition.fpmath);
        KILN_TRY(lower(*op, request));
        KILN_TRY(request.finish());
    }
    return dnnl_success;
}

/// Gives tensors that are not ports an id that no operation uses: the program ignores them.
std::vector<logical_tensor_t> with_ports_only(
        std::vector<logical_tensor_t> given, std::span<const logical_tensor_t> ports) {
    for (logical_tensor_t &lt : given)
        if (!is_among(ports, lt.id)) lt.id = SIZE_MAX;
    return given;
}

status_t build_program(const partition_t &partition, engine_t *engine, const tensors_t &tensors,
        std::span<const logical_tensor_t> inputs, std::span<const logical_tensor_t> outputs,
        compilation_t &made) {
    const auto build = [&](const auto &add, std::shared_ptr<const program_t> &program) {
        program_builder_t builder(engine, inputs, outputs, tensors);
        KILN_TRY(add(builder));
        program = builder.finish();
        return dnnl_success;
    };
    std::shared_ptr<const program_t> fused, single;
    status_t status = build([&](auto &to) { return add_fused(partition, to); }, fused);
    const bool is_slow = fused ? fused->has_reference : status == dnnl_unimplemented;
    if (is_slow && !partition.group->fusions.empty()) {
        const status_t added =
                build([&](auto &to) { return add_one_by_one(partition, to); }, single);
        // A reference that does everything at once is no slower than references one by one.
        if (fused && single && single->has_reference) single = nullptr;
        if (!fused || added == dnnl_out_of_memory) status = added;
    }
    made.is_fused = single == nullptr;
    made.program = single ? single : fused;
    if (single)
        verbose::refuse(verbose::create_dispatch, "graph", __FILE__, __LINE__,
                "partition %zu cannot be fused into one primitive: its operations run one by one",
                partition.id);
    KILN_REQUIRE(status == dnnl_success, status, "graph", "partition %zu cannot be compiled",
            partition.id);
    return dnnl_success;
}

} // namespace

status_t compile(const partition_ptr_t &partition, std::span<const logical_tensor_t> inputs,
        std::span<const logical_tensor_t> outputs, engine_t *engine,
        std::shared_ptr<const compilation_t> &compilation) {
    auto made = std::make_shared<compilation_t>(compilation_t{partition, engine_ref_t(engine)});
    tensors_t tensors;
    KILN_TRY(match_ports(partition->inputs, inputs, "input", tensors, made->inputs));
    KILN_TRY(check_inputs(*partition, tensors));
    KILN_TRY(match_ports(partition->outputs, outputs, "output", tensors, made->outputs));
    KILN_TRY(find_tensors(*partition, tensors));
    KILN_TRY(check_outputs(partition->outputs, tensors));
    for (auto *list : {&made->inputs, &made->outputs})
        for (logical_tensor_t &lt : *list)
            if (const auto at = tensors.find(lt.id); at != tensors.end()) lt = at->second;
    KILN_TRY(build_program(*partition, engine, tensors,
            with_ports_only(made->inputs, partition->inputs),
            with_ports_only(made->outputs, partition->outputs), *made));
    // The program ignores tensors that are not ports; their buffers may be empty.
    const auto bytes = [&](const logical_tensor_t &lt, std::span<const logical_tensor_t> ports) {
        return is_among(ports, lt.id) ? byte_size(md_of(lt)) : 0;
    };
    for (const logical_tensor_t &lt : made->inputs)
        made->input_bytes.push_back(bytes(lt, partition->inputs));
    for (const logical_tensor_t &lt : made->outputs)
        made->output_bytes.push_back(bytes(lt, partition->outputs));
    for (const shared_place_t &shared : made->program->shared_places)
        made->inplace_pairs.push_back(
                {made->inputs[shared.input].id, made->outputs[shared.output].id});
    compilation = std::move(made);
    return dnnl_success;
}

} // namespace kiln::graph
