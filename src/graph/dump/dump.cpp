// SPDX-License-Identifier: Apache-2.0
#include "graph/dump/dump.hpp"

#include <atomic>
#include <fstream>
#include <unordered_set>

#include "common/environment.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/dump/json.hpp"

namespace kiln::graph {
namespace {

constexpr unsigned all_modes = dnnl_graph_dump_mode_subgraph | dnnl_graph_dump_mode_graph;

std::string names_of(unsigned modes) {
    const bool has_graph = modes & dnnl_graph_dump_mode_graph;
    if (modes & dnnl_graph_dump_mode_subgraph) return has_graph ? "graph and subgraph" : "subgraph";
    return has_graph ? "graph" : "none";
}

/// The variable holds words separated by commas. An unknown word discards those before it, as in
/// oneDNN.
reading_t<unsigned> parse_modes(const std::string &text) {
    reading_t<unsigned> reading{dnnl_graph_dump_mode_none};
    bool is_known = true;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (word == "graph") {
            reading.value |= dnnl_graph_dump_mode_graph;
        } else if (word == "subgraph") {
            reading.value |= dnnl_graph_dump_mode_subgraph;
        } else {
            reading.value = dnnl_graph_dump_mode_none;
            is_known = is_known && word == "none";
        }
        begin = end + 1;
    }
    if (!is_known) reading.used = names_of(reading.value);
    return reading;
}

unsigned modes_from_environment() {
    return environment_setting("GRAPH_DUMP", unsigned{dnnl_graph_dump_mode_none},
            "a list of graph and subgraph", parse_modes);
}

std::atomic<unsigned> &modes() {
    static std::atomic<unsigned> value{modes_from_environment()};
    return value;
}

} // namespace

bool is_dumped(dnnl_graph_dump_mode_t what) { return (modes() & what) != 0; }

bool set_dump_modes(unsigned wanted) {
    const bool are_known = (wanted & ~all_modes) == 0;
    if (are_known) modes() = wanted;
    return are_known;
}

void dump_ops(const std::string &file, const std::vector<op_ptr_t> &ops, engine_kind_t engine_kind,
        const fpmath_t &fpmath, std::span<const size_t> partition_ids) {
    const edges_t edges(ops);
    graph_view_t view;
    view.engine_kind = engine_kind;
    view.fpmath_mode = fpmath.mode;
    view.applies_fpmath_to_int = fpmath.apply_to_int;
    std::vector<op_t> copies;
    std::unordered_set<size_t> seen;
    for (const op_ptr_t &op : ops) {
        copies.push_back(*op);
        for (const logical_tensor_t &lt : op->inputs)
            if (!edges.producer(lt.id) && seen.insert(lt.id).second)
                view.input_ports.push_back(lt.id);
        for (const logical_tensor_t &lt : op->outputs)
            if (!is_absent(lt) && edges.consumers(lt.id).empty())
                view.output_ports.push_back(lt.id);
    }
    view.ops = copies;
    view.partition_ids = partition_ids;
    verbose::print_line("graph,info,serialize graph to a json file " + file, verbose::now_ms());
    std::ofstream stream(file);
    if (stream) write_json(stream, view);
    if (!stream)
        verbose::report(verbose::warning, "graph", __FILE__, __LINE__, "%s cannot be written",
                file.c_str());
}

} // namespace kiln::graph
