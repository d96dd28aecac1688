// SPDX-License-Identifier: Apache-2.0
// Partitioning and running networks.
#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "graph/network.hpp"

namespace kiln::test {

namespace {

using dnnl::graph::compiled_partition;
using dnnl::graph::partition;
using dnnl::graph::tensor;

struct attribute_setter_t {
    dnnl::graph::op &op;
    attr_name_t name;
    template <typename T> void operator()(const T &value) const { op.set_attr<T>(name, value); }
};

std::vector<std::string> fields_of(const std::string &line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
}

/// Captures the verbose lines of a compilation and an execution.
class listener_t {
public:
    listener_t() {
        dnnl_set_verbose(2);
        testing::internal::CaptureStdout();
    }
    ~listener_t() {
        if (!is_done_) std::fputs(testing::internal::GetCapturedStdout().c_str(), stderr);
        dnnl_set_verbose(0);
    }
    void tell(part_t &part) {
        is_done_ = true;
        std::istringstream lines(testing::internal::GetCapturedStdout());
        for (std::string line; std::getline(lines, line);) {
            const auto fields = fields_of(line);
            if (fields.size() < 8) continue;
            // ...,plan,kiln,time
            if (fields[2] == "graph" && fields[3] == "exec") part.plan = fields[fields.size() - 3];
        }
    }

private:
    bool is_done_ = false;
};

std::vector<size_t> ids_of(const std::vector<logical_tensor> &lts) {
    std::vector<size_t> ids;
    for (const logical_tensor &lt : lts) ids.push_back(lt.get_id());
    return ids;
}

} // namespace

const dnnl::engine &test_engine() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dnnl::graph::graph network_t::make_graph() const {
    dnnl::graph::graph graph(dnnl::engine::kind::cpu);
    for (const op_t &described : ops_) {
        dnnl::graph::op op(described.id, described.kind, "op" + std::to_string(described.id));
        for (const size_t id : described.inputs) op.add_input(in_graph(id));
        for (const size_t id : described.outputs) op.add_output(in_graph(id));
        for (const auto &[name, value] : described.attributes)
            std::visit(attribute_setter_t{op, name}, value);
        graph.add_op(op);
    }
    graph.finalize();
    return graph;
}

std::vector<partition> network_t::partitions(policy_t policy) const {
    return make_graph().get_partitions(policy);
}

std::vector<std::vector<size_t>> network_t::partition_ops(policy_t policy) const {
    std::vector<std::vector<size_t>> result;
    for (const partition &part : partitions(policy)) result.push_back(part.get_ops());
    return result;
}

outcome_t network_t::run(const run_options_t &options) const {
    outcome_t outcome;
    std::map<size_t, std::shared_ptr<guarded_buffer_t>> buffers;
    std::set<size_t> computed;
    dnnl::stream stream(*options.engine);
    const auto share = [](guarded_buffer_t buffer) {
        return std::make_shared<guarded_buffer_t>(std::move(buffer));
    };
    for (const partition &part : partitions(options.policy)) {
        part_t told{part.get_ops(), part.is_supported(), ids_of(part.get_input_ports()),
                ids_of(part.get_output_ports()), {}, {}};
        for (const size_t id : told.inputs)
            if (!buffers.contains(id)) {
                // It must be an input of the graph, or the order of partitions is wrong.
                EXPECT_FALSE(is_output(id)) << "tensor " << id << " is used before it is computed";
                buffers[id] = share(buffer_of(id, true));
            }
        for (const size_t id : told.outputs) {
            buffers[id] = share(buffer_of(id, !told.is_supported));
            if (told.is_supported) computed.insert(id);
        }
        if (told.is_supported) {
            listener_t listener;
            std::vector<logical_tensor> inputs, outputs;
            for (const size_t id : told.inputs) inputs.push_back(at_hand(id));
            for (const size_t id : told.outputs) outputs.push_back(at_hand(id));
            const auto compiled = part.compile(inputs, outputs, *options.engine);
            told.inplace_pairs = compiled.get_inplace_ports();
            if (options.is_in_place)
                for (const auto &[from, to] : told.inplace_pairs)
                    if (is_last_use(from, told)) buffers[to] = buffers[from];
            const auto bind = [&](const std::vector<size_t> &ids) {
                std::vector<tensor> tensors;
                for (const size_t id : ids)
                    tensors.emplace_back(compiled.query_logical_tensor(id), *options.engine,
                            buffers[id]->data());
                return tensors;
            };
            compiled.execute(stream, bind(told.inputs), bind(told.outputs));
            listener.tell(told);
            for (const size_t id : told.outputs) outcome.values[id] = read(id, buffers[id]->data());
        }
        outcome.parts.push_back(std::move(told));
    }
    return outcome;
}

bool network_t::is_output(size_t id) const {
    return std::any_of(ops_.begin(), ops_.end(), [&](const op_t &op) {
        return std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end();
    });
}

/// Whether no operation outside the partition reads it.
bool network_t::is_last_use(size_t id, const part_t &part) const {
    return std::all_of(ops_.begin(), ops_.end(), [&](const op_t &op) {
        const bool is_inside = std::find(part.ops.begin(), part.ops.end(), op.id) != part.ops.end();
        return is_inside || std::find(op.inputs.begin(), op.inputs.end(), id) == op.inputs.end();
    });
}

outcome_t expect_right(const network_t &network) {
    const outcome_t fused = network.run();
    EXPECT_TRUE(network.is_right(fused)) << "fused";
    EXPECT_TRUE(network.is_right(network.run({.is_in_place = true}))) << "fused, in place";
    const outcome_t unfused = network.run({.policy = policy_t::debug});
    EXPECT_TRUE(network.is_right(unfused)) << "one operation at a time";
    return fused;
}

} // namespace kiln::test
