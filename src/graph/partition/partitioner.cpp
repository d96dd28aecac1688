// SPDX-License-Identifier: Apache-2.0
// Groups of operations grow around anchors by fusion rules, unless that makes a cycle between
// groups. Each group, and each remaining operation, becomes a partition.
#include "graph/partition/partitioner.hpp"

#include <algorithm>
#include <unordered_set>

#include "graph/fusion/rule.hpp"
#include "graph/lowering/operations.hpp"
#include "graph/op/unique_id.hpp"

namespace kiln::graph {
namespace {

constexpr size_t max_fusions = 16;

class partitioner_t {
public:
    partitioner_t(const std::vector<op_ptr_t> &ops, const edges_t &edges)
        : ops_(ops)
        , edges_(edges) {}

    /// Anchors that the rules name first come before others: operations next to one join it, not
    /// each other.
    void fuse() {
        for (const bool are_first : {true, false})
            for (const op_ptr_t &op : ops_)
                if (is_first_anchor(op->kind) == are_first && is_free(op.get())
                        && is_supported(*op))
                    grow(op.get());
    }

    /// Each operation that is in no group becomes one.
    void add_single_ops() {
        for (const op_ptr_t &op : ops_)
            if (is_free(op.get())) add({op.get(), {}, result_of(*op)});
    }

    /// The groups with their operations, both in an execution order.
    std::vector<std::pair<group_t, std::vector<op_ptr_t>>> ordered_groups() const;

private:
    static size_t result_of(const op_t &op) {
        return op.outputs.empty() ? SIZE_MAX : op.outputs[0].id;
    }
    bool is_free(const op_t *op) const { return !group_of_.contains(op); }

    void grow(const op_t *anchor);
    bool join(group_t &group, const rule_t &rule);
    bool makes_cycle(const std::unordered_set<const op_t *> &members) const;
    void add(const group_t &group);

    const std::vector<op_ptr_t> &ops_;
    const edges_t &edges_;
    std::vector<group_t> groups_;
    std::unordered_map<const op_t *, size_t> group_of_;
};

std::vector<const op_t *> members_of(const group_t &group) {
    std::vector<const op_t *> members{group.anchor};
    for (const fusion_t &fusion : group.fusions)
        members.insert(members.end(), fusion.ops.begin(), fusion.ops.end());
    return members;
}

void partitioner_t::add(const group_t &group) {
    for (const op_t *op : members_of(group)) group_of_[op] = groups_.size();
    groups_.push_back(group);
}

void partitioner_t::grow(const op_t *anchor) {
    group_t group{anchor, {}, result_of(*anchor)};
    const auto applies_to = [&](const rule_t &rule, bool before) {
        return (rule.side == side_t::before) == before && rule.anchors.contains(anchor->kind);
    };
    for (const rule_t &rule : fusion_rules())
        if (applies_to(rule, true) && join(group, rule)) break;
    for (bool goes_on = true; goes_on && group.fusions.size() < max_fusions;) {
        goes_on = false;
        for (const rule_t &rule : fusion_rules())
            if (applies_to(rule, false) && join(group, rule)) {
                goes_on = rule.side == side_t::after;
                break;
            }
    }
    add(group);
}

/// Adds the operations that a rule matches, if they are in no group and do not make a cycle.
bool partitioner_t::join(group_t &group, const rule_t &rule) {
    const auto found = rule.match(group, edges_);
    if (found.empty()) return false;
    // A fused operation may read the group's result, but no other output of the group.
    const auto is_available = [&](const logical_tensor_t &input) {
        const op_t *const producer = edges_.producer(input.id);
        return input.id == group.result || producer == nullptr || !group.contains(producer);
    };
    const auto is_usable = [&](const op_t *op) {
        return is_free(op) && !group.contains(op) && is_supported(*op)
               && std::all_of(op->inputs.begin(), op->inputs.end(), is_available);
    };
    if (!std::all_of(found.begin(), found.end(), is_usable)) return false;
    group_t grown = group;
    grown.fusions.push_back({&rule, found});
    if (rule.side != side_t::before) grown.result = result_of(*found.back());
    const auto members = members_of(grown);
    if (makes_cycle({members.begin(), members.end()})) return false;
    group = std::move(grown);
    return true;
}

/// Whether a path leaves `members` and comes back. Existing groups count as one node.
bool partitioner_t::makes_cycle(const std::unordered_set<const op_t *> &members) const {
    std::unordered_set<const op_t *> seen;
    std::vector<const op_t *> open;
    bool found = false;
    const auto visit_consumers = [&](const op_t *op, bool from_inside) {
        for (const logical_tensor_t &output : op->outputs) {
            if (is_absent(output)) continue;
            for (const auto &[consumer, input] : edges_.consumers(output.id)) {
                if (members.contains(consumer))
                    found |= !from_inside;
                else if (seen.insert(consumer).second)
                    open.push_back(consumer);
            }
        }
    };
    for (const op_t *op : members) visit_consumers(op, true);
    while (!open.empty() && !found) {
        const op_t *const op = open.back();
        open.pop_back();
        const auto group = group_of_.find(op);
        if (group == group_of_.end())
            visit_consumers(op, false);
        else
            for (const op_t *member : members_of(groups_[group->second])) {
                seen.insert(member);
                visit_consumers(member, false);
            }
    }
    return found;
}

std::vector<std::pair<group_t, std::vector<op_ptr_t>>> partitioner_t::ordered_groups() const {
    std::vector<std::pair<group_t, std::vector<op_ptr_t>>> ordered;
    std::vector<std::vector<op_ptr_t>> members(groups_.size());
    for (const op_ptr_t &op : ops_) members[group_of_.at(op.get())].push_back(op);
    // Each turn takes the first group whose producers have all been taken.
    std::vector<bool> is_done(groups_.size());
    const auto is_ready = [&](size_t i) {
        for (const op_ptr_t &op : members[i])
            for (const logical_tensor_t &input : op->inputs) {
                const op_t *const producer = edges_.producer(input.id);
                const size_t from = producer ? group_of_.at(producer) : i;
                if (from != i && !is_done[from]) return false;
            }
        return true;
    };
    std::vector<size_t> waiting;
    std::unordered_set<size_t> seen;
    for (const op_ptr_t &op : ops_)
        if (seen.insert(group_of_.at(op.get())).second) waiting.push_back(group_of_.at(op.get()));
    while (!waiting.empty()) {
        const auto next = std::find_if(waiting.begin(), waiting.end(), is_ready);
        is_done[*next] = true;
        ordered.emplace_back(groups_[*next], members[*next]);
        waiting.erase(next);
    }
    return ordered;
}

/// The tensors that other groups or the program produce, each once, in the order of first use.
std::vector<logical_tensor_t> inputs_of(
        const std::vector<op_ptr_t> &ops, const edges_t &edges, const group_t &group) {
    std::vector<logical_tensor_t> inputs;
    std::unordered_set<size_t> seen;
    for (const op_ptr_t &op : ops)
        for (const logical_tensor_t &input : op->inputs) {
            const op_t *const producer = edges.producer(input.id);
            const bool is_inner = producer && group.contains(producer);
            if (!is_inner && seen.insert(input.id).second) inputs.push_back(input);
        }
    return inputs;
}

/// The tensors that operations of other groups consume, or none do.
std::vector<logical_tensor_t> outputs_of(
        const std::vector<op_ptr_t> &ops, const edges_t &edges, const group_t &group) {
    std::vector<logical_tensor_t> outputs;
    for (const op_ptr_t &op : ops)
        for (const logical_tensor_t &output : op->outputs) {
            if (is_absent(output)) continue;
            const auto consumers = edges.consumers(output.id);
            const bool is_inner = !consumers.empty()
                                  && std::all_of(consumers.begin(), consumers.end(),
                                          [&](const consumer_t &consumer) {
                                              return group.contains(consumer.op);
                                          });
            if (!is_inner) outputs.push_back(output);
        }
    return outputs;
}

} // namespace

std::vector<partition_ptr_t> partitions_of(const std::vector<op_ptr_t> &ops, const edges_t &edges,
        engine_kind_t engine_kind, const fpmath_t &fpmath, dnnl_graph_partition_policy_t policy) {
    partitioner_t partitioner(ops, edges);
    if (policy == dnnl_graph_partition_policy_fusion) partitioner.fuse();
    partitioner.add_single_ops();
    std::vector<partition_ptr_t> partitions;
    for (auto &[group, members] : partitioner.ordered_groups()) {
        auto inputs = inputs_of(members, edges, group);
        auto outputs = outputs_of(members, edges, group);
        const bool can_run = engine_kind == dnnl_cpu && is_supported(*group.anchor);
        partitions.push_back(std::make_shared<partition_t>(partition_t{next_id<partition_t>(),
                engine_kind, fpmath, std::move(members), std::move(inputs), std::move(outputs),
                can_run ? std::optional(group) : std::nullopt}));
    }
    return partitions;
}

} // namespace kiln::graph
