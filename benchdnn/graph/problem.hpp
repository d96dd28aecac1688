// SPDX-License-Identifier: Apache-2.0
// One problem of the graph driver: a graph from a file, changed by the knobs.
#pragma once

#include <memory>
#include <string>

#include "common/driver/driver.hpp"
#include "graph/rewrite.hpp"
#include "oneapi/dnnl/dnnl_graph_types.h"

namespace benchdnn::graph {

struct spec_t : rewriting_t {
    std::string file;                // the text of --case
    int64_t expected_partitions = 1; // 0: any number
    bool is_in_place = false;
    dnnl_graph_partition_policy_t policy = dnnl_graph_partition_policy_fusion;
};

class graph_problem_t final : public problem_t {
public:
    // graph: as in the file.
    graph_problem_t(spec_t spec, graph_t graph, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool canonical) const override;
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    std::unique_ptr<executable_t> make(
            const creation_request_t &request, result_t &result) const override;

    // The graph changed by the knobs.
    const graph_t &graph() const { return graph_; }

private:
    const spec_t spec_;
    graph_t graph_;
};

} // namespace benchdnn::graph
