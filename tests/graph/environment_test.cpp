// SPDX-License-Identifier: Apache-2.0
// Environment variables of graphs: dumps, capacities of caches, verbose lines.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "graph/call.hpp"
#include "scenario.hpp"

namespace kiln::test {

namespace {

using json_t = nlohmann::json;
namespace fs = std::filesystem;

// ---- scenarios

/// Compiles and executes a residual addition and its norm in a new folder, and prints its path.
void run_in_new_folder() {
    std::string path = (fs::temp_directory_path() / "graph_dump_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) return;
    fs::current_path(path);
    network_t net;
    const size_t sum = add_sum(net, f32, {4, 8});
    net.forget_shape(add_norm(net, kind_t::RMSNorm, sum));
    const call_t call(net);
    call.execute();
    std::printf("folder,%s\n", path.c_str());
}

void switch_dumps_off() {
    dnnl::graph::set_dump_mode(dnnl::graph::graph_dump_mode::none);
    run_in_new_folder();
}

void switch_dumps_on() {
    dnnl::graph::set_dump_mode(
            dnnl::graph::graph_dump_mode::graph | dnnl::graph::graph_dump_mode::subgraph);
    run_in_new_folder();
}

void tell_capacities() {
    std::printf("%d %zu\n", dnnl::graph::get_compiled_partition_cache_capacity(),
            dnnl::graph::get_constant_tensor_cache_capacity(dnnl::engine::kind::cpu));
}

void run_twice() {
    network_t net;
    const size_t sum = add_sum(net, f32, {4, 8});
    add_norm(net, kind_t::RMSNorm, sum);
    const auto partition = net.partitions()[0];
    for (int i = 0; i < 2; ++i) call_t(net, partition).execute();
}

/// A residual that is broadcast, which is unknown until compilation.
void run_one_by_one() {
    network_t net;
    const size_t x = net.input(f32, {4, 8}), residual = net.input(f32, {8});
    const size_t sum = net.add(kind_t::Add, {x, residual});
    const size_t dst = add_norm(net, kind_t::RMSNorm, sum);
    for (const size_t tensor : {x, residual, sum, dst}) net.forget_shape(tensor);
    call_t(net).execute();
}

const scenario_t scenarios[] = {{"run_in_new_folder", run_in_new_folder},
        {"switch_dumps_off", switch_dumps_off}, {"switch_dumps_on", switch_dumps_on},
        {"tell_capacities", tell_capacities}, {"run_twice", run_twice},
        {"run_one_by_one", run_one_by_one}};

// ---- dumps

/// The files that a scenario has written, by name. Removes the folder.
std::map<std::string, json_t> files_of(const std::string &scenario, const std::string &modes) {
    std::map<std::string, json_t> files;
    const auto result = run_scenario(scenario, {"ONEDNN_GRAPH_DUMP=" + modes});
    EXPECT_TRUE(result.succeeded);
    for (const std::string &line : result.lines()) {
        if (!line.starts_with("folder,")) continue;
        const fs::path folder = line.substr(line.find(',') + 1);
        for (const auto &entry : fs::directory_iterator(folder)) {
            std::ifstream stream(entry.path());
            files[entry.path().filename()] = json_t::parse(stream, nullptr, false);
        }
        fs::remove_all(folder);
    }
    return files;
}

std::set<std::string> names_of(const std::map<std::string, json_t> &files) {
    std::set<std::string> kinds;
    for (const auto &[name, json] : files) {
        EXPECT_FALSE(json.is_discarded()) << name << " is not JSON";
        if (std::regex_match(name, std::regex("graph-\\d+\\.json"))) kinds.insert("graph");
        if (std::regex_match(name, std::regex("graph-\\d+-partitioning\\.json")))
            kinds.insert("partitioning");
        if (std::regex_match(name, std::regex("graph-\\d+-\\d+\\.json"))) kinds.insert("partition");
    }
    EXPECT_EQ(kinds.size(), files.size()) << "a file of another name";
    return kinds;
}

using names_t = std::set<std::string>;

TEST(graph_environment, enables_dumps_of_graphs_and_partitions) {
    EXPECT_EQ(names_of(files_of("run_in_new_folder", "graph")), (names_t{"graph", "partitioning"}));
    EXPECT_EQ(names_of(files_of("run_in_new_folder", "subgraph")), names_t{"partition"});
    EXPECT_EQ(names_of(files_of("run_in_new_folder", "graph,subgraph")),
            (names_t{"graph", "partitioning", "partition"}));
    EXPECT_EQ(names_of(files_of("run_in_new_folder", "none")), names_t());
    EXPECT_EQ(names_of(files_of("run_in_new_folder", "everything")), names_t());
}

TEST(graph_environment, is_overridden_by_the_program) {
    EXPECT_EQ(names_of(files_of("switch_dumps_off", "graph,subgraph")), names_t());
    EXPECT_EQ(names_of(files_of("switch_dumps_on", "none")),
            (names_t{"graph", "partitioning", "partition"}));
}

TEST(graph_environment, dumps_have_operations_and_the_shapes_of_compilations) {
    for (const auto &[name, json] : files_of("run_in_new_folder", "graph,subgraph")) {
        ASSERT_TRUE(json.contains("graph")) << name;
        ASSERT_EQ(json["graph"].size(), 2U) << name;
        EXPECT_EQ(json["engine_kind"], "cpu");
        EXPECT_EQ(json["graph"][0]["kind"], "Add");
        EXPECT_EQ(json["graph"][1]["kind"], "RMSNorm");
        EXPECT_EQ(json["input_ports"], json_t({1, 2, 4})) << name;
        EXPECT_EQ(json["output_ports"], json_t({5})) << name;
        const bool is_compiled = std::regex_match(name, std::regex("graph-\\d+-\\d+\\.json"));
        const json_t shape = json["graph"][1]["outputs"][0]["shape"];
        if (is_compiled)
            EXPECT_EQ(shape, json_t({4, 8})) << name;
        else
            EXPECT_NE(shape, json_t({4, 8})) << name;
    }
}

// ---- capacities

TEST(graph_environment, sets_the_capacities_of_caches) {
    const auto told = [](const std::vector<std::string> &variables) {
        return run_scenario("tell_capacities", variables).output;
    };
    EXPECT_EQ(told({}), "1024 0\n");
    EXPECT_EQ(told({"ONEDNN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY=3"}), "3 0\n");
    EXPECT_EQ(told({"ONEDNN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY=cpu:7"}), "1024 7\n");
    EXPECT_EQ(told({"ONEDNN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY=gpu:7;cpu:9"}), "1024 9\n");
    EXPECT_EQ(told({"ONEDNN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY=gpu:7"}), "1024 0\n");
}

// ---- verbose lines

std::vector<std::string> graph_lines(const std::string &scenario, const std::string &verbose) {
    std::vector<std::string> lines;
    for (const std::string &line : run_scenario(scenario, {"ONEDNN_VERBOSE=" + verbose}).lines())
        if (line.find(",graph,") != std::string::npos && line.find("template") == std::string::npos)
            lines.push_back(line);
    return lines;
}

TEST(graph_environment, profiles_compilation_and_execution) {
    const auto lines = graph_lines("run_twice", "profile");
    ASSERT_EQ(lines.size(), 4U);
    const char *events[] = {"compile:cache_miss", "exec", "compile:cache_hit", "exec"};
    for (size_t i = 0; i < 4; ++i) {
        const std::regex expected(
                std::string("onednn_verbose,v1,graph,") + events[i]
                + ",cpu,\\d+,RMSNorm,op1;op2,,in0_f32:1:strided:variable:4x8:8s1 "
                  "in1_f32:2:strided:variable:4x8:8s1 in2_f32:4:strided:constant:8:1 "
                  "out0_f32:5:strided:variable:4x8:8s1,fpm:strict,scratchpad:\\d+,"
                  "RMSNorm\\+residual_add:1:jit:rows,kiln,[0-9.e+-]+");
        EXPECT_TRUE(std::regex_match(lines[i], expected)) << lines[i];
    }
    EXPECT_EQ(graph_lines("run_twice", "profile_exec").size(), 2U);
    EXPECT_TRUE(graph_lines("run_twice", "none").empty());
}

TEST(graph_environment, reports_why_a_partition_runs_one_by_one) {
    const auto lines = graph_lines("run_one_by_one", "check,dispatch");
    const auto says = [&](const char *text) {
        return std::any_of(lines.begin(), lines.end(),
                [&](const std::string &line) { return line.find(text) != std::string::npos; });
    };
    EXPECT_TRUE(says("is broadcast"));
    EXPECT_TRUE(says("one by one"));
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
