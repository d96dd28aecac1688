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

std::string tensor_obstacle(const graph_t &graph) {
    for (const auto &[id, tensor] : graph.tensors) {
        if (!tensor.exists()) continue;
        if (tensor.type != dnnl_boolean && !is_testable_weights_type(tensor.type))
            return "Data type not supported";
        if (tensor.has_unknown_dims())
            return "Invalid case: unknown dims of tensor " + std::to_string(id);
    }
    return "";
}

std::string policy_text(dnnl_graph_partition_policy_t policy) {
    return policy == dnnl_graph_partition_policy_debug ? "debug" : "fusion";
}

} // namespace

graph_problem_t::graph_problem_t(spec_t spec, graph_t graph, problem_settings_t settings)
    : problem_t(std::move(settings))
    , spec_(std::move(spec))
    , graph_(std::move(graph)) {
    rewrite(graph_, spec_);
}

std::string graph_problem_t::knobs_text(bool canonical) const {
    knobs_text_t knobs(canonical);
    knobs.add("mb", std::to_string(spec_.images), "0");
    knobs.add("dt", spec_.types.text, "");
    knobs.add("op-kind", spec_.kinds.text, "");
    knobs.add("tensor-property", spec_.properties.text, "");
    knobs.add("in-shapes", spec_.shapes.text, "");
    knobs.add("op-attrs", spec_.attributes.text, "");
    knobs.add("attr-fpmath", spec_.fpmath, "");
    knobs.add("expected-n-partitions", std::to_string(spec_.expected_partitions), "1");
    knobs.add("inplace", spec_.is_in_place, false);
    knobs.add("policy", policy_text(spec_.policy), "fusion");
    return knobs.text;
}

std::string graph_problem_t::descriptor_text(bool) const { return "--case=" + spec_.file; }

std::string graph_problem_t::field(const std::string &name) const {
    if (name == "desc") return spec_.file;
    if (name == "name") return std::filesystem::path(spec_.file).stem().string();
    if (name == "dt") return spec_.types.text;
    if (name == "flags") return policy_text(spec_.policy);
    if (name == "inplace") return bool_text(spec_.is_in_place);
    if (name == "attr") return spec_.attributes.text;
    return "";
}

std::string graph_problem_t::skip_reason() const {
    const std::string obstacle = reference_obstacle(graph_);
    return obstacle.empty() ? tensor_obstacle(graph_) : obstacle;
}

std::unique_ptr<executable_t> graph_problem_t::make(
        const creation_request_t &request, result_t &result) const {
    if (!has_graphs()) {
        result.end(state_t::unimplemented, "the library has no graphs");
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
                result.end(state_t::unimplemented, "the library does not run " + partition.name);
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
        result.end(state_t::failed, std::to_string(count) + " partitions instead of "
                                            + std::to_string(spec_.expected_partitions) + ": "
                                            + result.implementation);
        return nullptr;
    }
    return std::make_unique<graph_executable_t>(
            request.engine, graph_, std::move(partitions), spec_.is_in_place);
}

} // namespace benchdnn::graph
