// SPDX-License-Identifier: Apache-2.0
// The graph driver: its knobs and the cross product of their values.
#include <map>

#include "common/command_line/named_value.hpp"
#include "common/driver/cross_product.hpp"
#include "common/driver/shared_settings.hpp"
#include "common/driver/tensor_knobs.hpp"
#include "common/report/perf_report.hpp"
#include "common/tensor/data_type.hpp"
#include "graph/model/deserialize.hpp"
#include "graph/problem.hpp"

namespace benchdnn::graph {

namespace {

struct settings_t {
    std::vector<by_id_t> shapes{{}}, attributes{{}}, kinds{{}}, properties{{}};
    std::vector<types_t> types{{}};
    std::vector<dim_t> images{0};
    std::vector<std::string> fpmath{""};
    std::vector<int64_t> expected_partitions{1};
    std::vector<bool> in_place{false};
    std::vector<dnnl_graph_partition_policy_t> policy{dnnl_graph_partition_policy_fusion};
    std::string pattern, perf_template;
};

std::string parse_fpmath_text(const std::string &text) {
    return text.empty() ? "" : parse_fpmath(text).text;
}

constexpr named_value_t<dnnl_graph_partition_policy_t> policies[] = {
        {"fusion", dnnl_graph_partition_policy_fusion},
        {"debug", dnnl_graph_partition_policy_debug}};

dnnl_graph_partition_policy_t parse_policy(const std::string &text) {
    return value_named(policies, text);
}

void add_rewriting_knobs(knob_set_t &knobs, settings_t &s) {
    add_list(knobs, s.shapes,
            {"in-shapes", "ID:SHAPE[*STRIDES] joined by +; STRIDES are numbers or letters",
                    "Shapes and layouts of the graph's inputs. Others are inferred. - is a scalar.",
                    "--in-shapes=0:64x768+1:768,0:8x16x768*bac", {}},
            parse_by_id);
    add_list(knobs, s.attributes,
            {"op-attrs", "ID:NAME:VALUE[*NAME:VALUE] joined by +; lists are joined by x",
                    "Attributes of operations.", "--op-attrs=0:epsilon:0.01*keep_stats:0", {}},
            parse_by_id);
    add_list(knobs, s.types,
            {"dt", "f32, bf16, f16, or ID:TYPE joined by +",
                    "Type of all f32 tensors except weights and statistics of normalizations, or "
                    "of\n"
                    "      single tensors.",
                    "--dt=f32,bf16", {}},
            parse_types);
    add_list(knobs, s.kinds,
            {"op-kind", "ID:KIND joined by +", "Replaces operations by others of the same family.",
                    "--op-kind=0:Tanh,0:Sigmoid", {}},
            parse_by_id);
    add_list(knobs, s.properties,
            {"tensor-property", "ID:PROPERTY joined by +; undef, variable, constant, host_scalar",
                    "Properties of tensors.", "--tensor-property=1:constant", {}},
            parse_by_id);
    add_numbers(knobs, s.images, counts_from_0,
            {"mb", "0 keeps the number of images of the file", "The first extent of the inputs.",
                    "--mb=1,16", {}});
    add_list(knobs, s.fpmath,
            {"attr-fpmath", "strict, bf16, f16, tf32, any, each with an optional :true",
                    "The graph's math mode, and whether it applies to integers.",
                    "--attr-fpmath=bf16", {}},
            parse_fpmath_text);
}

void add_partition_knobs(knob_set_t &knobs, settings_t &s) {
    add_numbers(knobs, s.expected_partitions, counts_from_0,
            {"expected-n-partitions", "0 for any",
                    "The expected number of partitions (with the fusion policy).",
                    "--expected-n-partitions=2", {}});
    add_in_place_knob(knobs, s.in_place,
            "Whether outputs take the memory of inputs if the library allows it.\n"
            "      Not in oneDNN's driver.");
    add_list(knobs, s.policy,
            {"policy", "fusion, debug",
                    "The partitioning policy; debug: one partition for each operation.\n"
                    "      Not in oneDNN's driver.",
                    "--policy=fusion,debug", {}},
            parse_policy);
}

class graph_driver_t final : public driver_t {
public:
    graph_driver_t() {
        add_rewriting_knobs(knobs_, settings_);
        add_partition_knobs(knobs_, settings_);
        add_report_knobs(knobs_, settings_.pattern, settings_.perf_template);
    }

    std::string name() const override { return "graph"; }
    const knob_set_t &knobs() const override { return knobs_; }
    void reset() override {
        std::string kept = std::move(settings_.perf_template);
        settings_ = settings_t();
        settings_.perf_template = std::move(kept);
    }
    bool is_descriptor(const std::string &word) const override {
        return word.rfind(case_prefix, 0) == 0;
    }
    std::string descriptor_help() const override {
        return "--case=FILE, a graph in JSON: --case=op/layer_norm.json";
    }
    std::vector<std::unique_ptr<problem_t>> problems(const std::string &descriptor,
            const options_t &options, const input_files_t &files) const override;

private:
    static constexpr const char *case_prefix = "--case=";

    std::vector<spec_t> specs(const std::string &file) const;
    const graph_t &graph_in(const std::string &path) const;

    settings_t settings_;
    knob_set_t knobs_;
    mutable std::map<std::string, graph_t> graphs_; // by path, as they were read
};

const graph_t &graph_driver_t::graph_in(const std::string &path) const {
    const auto known = graphs_.find(path);
    return known != graphs_.end() ? known->second
                                  : graphs_.emplace(path, read_graph(path)).first->second;
}

std::vector<spec_t> graph_driver_t::specs(const std::string &file) const {
    std::vector<spec_t> all(1);
    all[0].file = file;
    const settings_t &s = settings_;
    multiply(all, s.shapes, &spec_t::shapes);
    multiply(all, s.attributes, &spec_t::attributes);
    multiply(all, s.expected_partitions, &spec_t::expected_partitions);
    multiply(all, s.fpmath, &spec_t::fpmath);
    multiply(all, s.kinds, &spec_t::kinds);
    multiply(all, s.properties, &spec_t::properties);
    multiply(all, s.types, &spec_t::types);
    multiply(all, s.images, &spec_t::images);
    multiply(all, s.in_place, &spec_t::is_in_place);
    multiply(all, s.policy, &spec_t::policy);
    return all;
}

std::vector<std::unique_ptr<problem_t>> graph_driver_t::problems(
        const std::string &descriptor, const options_t &options, const input_files_t &files) const {
    const std::string file = descriptor.substr(std::string(case_prefix).size());
    const graph_t &graph = graph_in(files.find("case", file, name()));
    problem_settings_t settings;
    settings.perf_template =
            resolved_perf_template(settings_.perf_template, "%dt%,%flags%", options.table);
    std::vector<std::unique_ptr<problem_t>> list;
    for (const spec_t &spec : specs(file)) {
        auto problem = std::make_unique<graph_problem_t>(spec, graph, settings);
        if (matches(problem->reproduction_text(options.canonical), settings_.pattern))
            list.push_back(std::move(problem));
    }
    return list;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<graph_driver_t>(); }

} // namespace benchdnn::graph
