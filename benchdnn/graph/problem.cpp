// SPDX-License-Identifier: Apache-2.0
// One problem of the graph driver.
#include "graph/problem.hpp"

#include <filesystem>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/run/timing.hpp"
#include "common/tensor/data_type.hpp"
#include "graph/executable.hpp"
#include "graph/operations.hpp"

namespace benchdnn::graph {

namespace {

bool is_testable(dnnl_data_type_t type) {
    return type == dnnl_boolean || (data_type_size(type) > 0 && type != dnnl_e8m0);
}

std::string tensor_obstacle(const graph_t &graph) {
    for (const auto &[id, tensor] : graph.tensors) {
        if (!tensor.exists()) continue;
        if (!is_testable(tensor.type)) return "Data type not supported";
        if (tensor.has_unknown_dims())
            return "Invalid case: unknown dims of tensor " + std::to_string(id);
    }
    return "";
}

void end(result_t &result, state_t state, const std::string &reason) {
    result.state = state;
    result.reason = reason;
}

std::string policy_text(dnnl_graph_partition_policy_t policy) {
    return policy == dnnl_graph_partition_policy_debug ? "debug" : "fusion";
}

} // namespace

graph_problem_t::graph_problem_t(spec_t spec, graph_t graph, problem_settings_t settings)
    : problem_t(std::move(settings))
    , spec_(std::move(spec))
    , graph_(std::move(graph)) {
    rewrite(graph_, spec_.rewriting);
}

std::string graph_problem_t::knobs_text(bool canonical) const {
    const rewriting_t &r = spec_.rewriting;
    knobs_text_t knobs(canonical);
    knobs.add("mb", std::to_string(r.images), "0");
    const bool has_type = r.type != dnnl_data_type_undef;
    knobs.add("dt", has_type ? data_type_text(r.type) : r.types.text, "");
    knobs.add("op-kind", r.kinds.text, "");
    knobs.add("tensor-property", r.properties.text, "");
    knobs.add("in-shapes", r.shapes.text, "");
    knobs.add("op-attrs", r.attributes.text, "");
    knobs.add("attr-fpmath", r.fpmath, "");
    knobs.add("expected-n-partitions", std::to_string(spec_.expected_partitions), "1");
    knobs.add("inplace", spec_.is_in_place, false);
    knobs.add("policy", policy_text(spec_.policy), "fusion");
    return knobs.text;
}

std::string graph_problem_t::descriptor_text(bool) const { return "--case=" + spec_.file; }

std::string graph_problem_t::field(const std::string &name) const {
    const rewriting_t &r = spec_.rewriting;
    if (name == "desc") return spec_.file;
    if (name == "name") return std::filesystem::path(spec_.file).stem().string();
    if (name == "dt") return r.type != dnnl_data_type_undef ? data_type_text(r.type) : r.types.text;
    if (name == "flags") return policy_text(spec_.policy);
    if (name == "inplace") return bool_text(spec_.is_in_place);
    if (name == "attr") return r.attributes.text;
    return "";
}

std::string graph_problem_t::skip_reason() const {
    const std::string obstacle = reference_obstacle(graph_);
    return obstacle.empty() ? tensor_obstacle(graph_) : obstacle;
}

std::unique_ptr<executable_t> graph_problem_t::make(
        const creation_request_t &request, result_t &result) const {
    if (!has_graphs()) {
        end(result, state_t::unimplemented, "the library has no graphs");
        return nullptr;
    }
    // Twice if creation is measured: the second may hit a cache.
    const run_mode_t &mode = request.options.mode;
    const int rounds = mode.performance && !mode.simulation ? 2 : 1;
    std::vector<partition_t> partitions;
    for (int round = 0; round < rounds; ++round) {
        const stopwatch_t cutting;
        partitions = partitions_of(graph_, spec_.policy);
        result.descriptor_creation.add(cutting.ms());
        for (const partition_t &partition : partitions)
            if (!partition.is_supported) {
                end(result, state_t::unimplemented, "the library does not run " + partition.name);
                return nullptr;
            }
        const stopwatch_t compiling;
        for (partition_t &partition : partitions) compile(partition, graph_, request.engine);
        result.primitive_creation.add(compiling.ms());
    }
    result.implementation.clear();
    for (const partition_t &partition : partitions)
        result.implementation += (result.implementation.empty() ? "" : "|") + partition.name;
    if (request.options.verbosity >= 5)
        request.console.line("implementation: " + result.implementation);
    const auto count = static_cast<int64_t>(partitions.size());
    const bool is_counted =
            spec_.expected_partitions > 0 && spec_.policy == dnnl_graph_partition_policy_fusion;
    if (is_counted && count != spec_.expected_partitions) {
        end(result, state_t::failed,
                std::to_string(count) + " partitions instead of "
                        + std::to_string(spec_.expected_partitions) + ": " + result.implementation);
        return nullptr;
    }
    return std::make_unique<graph_executable_t>(
            request.engine, graph_, std::move(partitions), spec_.is_in_place);
}

} // namespace benchdnn::graph
