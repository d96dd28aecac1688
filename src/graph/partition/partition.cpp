// SPDX-License-Identifier: Apache-2.0
// The partition's C entries, and the cache of what partitions were compiled to.

#include "graph/partition/partition.hpp"

#include <algorithm>

#include "common/environment.hpp"
#include "common/fields.hpp"
#include "common/primitive/shared_cache.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/describe.hpp"
#include "graph/dump.hpp"
#include "graph/partition/compiled_partition.hpp"
#include "graph/partition/partitioner.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

/// What a compilation depends on.
struct key_t {
    std::shared_ptr<const partition_t> partition;
    const dnnl_graph_allocator *allocator;
    size_t device;
    int thread_count;
    std::vector<logical_tensor_t> inputs, outputs;

    bool operator==(const key_t &other) const {
        const auto same = [](const std::vector<logical_tensor_t> &lhs,
                                  const std::vector<logical_tensor_t> &rhs) {
            return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
                    [](const logical_tensor_t &a, const logical_tensor_t &b) {
                        return a.id == b.id && a.property == b.property && is_equal(a, b);
                    });
        };
        return partition == other.partition && allocator == other.allocator
               && device == other.device && thread_count == other.thread_count
               && same(inputs, other.inputs) && same(outputs, other.outputs);
    }
};

struct key_hash_t {
    size_t operator()(const key_t &key) const {
        hasher_t hasher;
        hasher(key.partition->id);
        for (const auto *list : {&key.inputs, &key.outputs})
            for (const logical_tensor_t &lt : *list) {
                hasher(lt.id);
                for (const dim_t dim : dims_of(lt)) hasher(dim);
            }
        return hasher.value();
    }
};

using cache_t = shared_cache_t<key_t, std::shared_ptr<const compilation_t>, key_hash_t>;

cache_t &compiled_partition_cache() {
    constexpr int default_capacity = 1024;
    // Never destroyed: partitions may be compiled while the process ends.
    static auto *cache = new cache_t(
            environment_int("GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", default_capacity));
    return *cache;
}

std::vector<logical_tensor_t> copies(const logical_tensor_t *const *tensors, size_t count) {
    std::vector<logical_tensor_t> result;
    for (size_t i = 0; i < count; ++i) result.push_back(*tensors[i]);
    return result;
}

/// The partition's operations with the shapes they are compiled for.
void dump(const partition_t &partition, const key_t &key) {
    if (!is_dumped(dnnl_graph_dump_mode_subgraph)) return;
    std::vector<op_ptr_t> ops;
    for (const op_ptr_t &op : partition.ops) {
        auto copy = std::make_shared<op_t>(*op);
        for (auto *list : {&copy->inputs, &copy->outputs})
            for (logical_tensor_t &lt : *list)
                for (const auto *given : {&key.inputs, &key.outputs})
                    for (const logical_tensor_t &known : *given)
                        if (known.id == lt.id && !is_absent(lt)) lt = known;
        ops.push_back(std::move(copy));
    }
    const std::string name = "graph-" + std::to_string(partition.id) + "-"
                             + std::to_string(key_hash_t()(key)) + ".json";
    dump_ops(name, ops, partition.engine_kind, partition.fpmath);
}

status_t compile(const std::shared_ptr<const partition_t> &partition,
        std::vector<logical_tensor_t> inputs, std::vector<logical_tensor_t> outputs,
        engine_t *engine, dnnl_graph_compiled_partition &compiled) {
    const bool is_timed = verbose::enabled(verbose::create_profile);
    const double start = is_timed ? verbose::now_ms() : 0;
    const key_t key{partition, engine->allocator(), engine->index(), engine->thread_count(),
            std::move(inputs), std::move(outputs)};
    const auto make = [&](std::shared_ptr<const compilation_t> &made) {
        dump(*partition, key);
        return compile(partition, key.inputs, key.outputs, engine, made);
    };
    bool hit = false;
    KILN_TRY(compiled_partition_cache().get(key, make, compiled.compilation, hit));
    if (is_timed) {
        const double end = verbose::now_ms();
        print_graph_profile(hit ? "compile:cache_hit" : "compile:cache_miss", *compiled.compilation,
                start, end);
    }
    return dnnl_success;
}

/// Copies a list of `count` things the caller has room for.
template <typename from_t, typename to_t>
status_t tell(const std::vector<from_t> &list, size_t count, to_t *out) {
    if (out == nullptr || list.size() != count) return dnnl_invalid_arguments;
    std::copy(list.begin(), list.end(), out);
    return dnnl_success;
}

} // namespace
} // namespace kiln::graph

using namespace kiln;
using namespace kiln::graph;

status_t dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind) {
    if (partition == nullptr || op == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        auto copy = std::make_shared<op_t>(*op);
        KILN_TRY(check_op(*copy));
        fill_default_attributes(*copy);
        const std::vector<op_ptr_t> ops{copy};
        const edges_t edges(ops);
        KILN_REQUIRE(execution_order(ops, edges).size() == 1, dnnl_invalid_graph_op, "graph",
                "%s: an input is an output", copy->name.c_str());
        const auto parts = partitions_of(
                ops, edges, ekind, primitive_attr_t().fpmath, dnnl_graph_partition_policy_debug);
        *partition = new dnnl_graph_partition{parts[0]};
        return dnnl_success;
    });
}

status_t dnnl_graph_partition_destroy(dnnl_graph_partition_t partition) {
    delete partition;
    return dnnl_success;
}

status_t dnnl_graph_partition_get_op_num(const_dnnl_graph_partition_t partition, size_t *num) {
    if (partition == nullptr || num == nullptr) return dnnl_invalid_arguments;
    *num = partition->body->ops.size();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_ops(dnnl_graph_partition_t partition, size_t num, size_t *ids) {
    if (partition == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        std::vector<size_t> list;
        for (const op_ptr_t &op : partition->body->ops) list.push_back(op->id);
        return tell(list, num, ids);
    });
}

status_t dnnl_graph_partition_get_id(const_dnnl_graph_partition_t partition, size_t *id) {
    if (partition == nullptr || id == nullptr) return dnnl_invalid_arguments;
    *id = partition->body->id;
    return dnnl_success;
}

status_t dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num,
        const dnnl_graph_logical_tensor_t **inputs, size_t out_num,
        const dnnl_graph_logical_tensor_t **outputs, dnnl_engine_t engine) {
    if (partition == nullptr || compiled_partition == nullptr || engine == nullptr
            || (inputs == nullptr && in_num > 0) || (outputs == nullptr && out_num > 0))
        return dnnl_invalid_arguments;
    KILN_REQUIRE(partition->body->group, dnnl_invalid_arguments, "graph",
            "partition %zu is not supported", partition->body->id);
    KILN_REQUIRE(engine->kind() == partition->body->engine_kind, dnnl_invalid_arguments, "graph",
            "partition %zu is for another kind of engine", partition->body->id);
    KILN_REQUIRE(compiled_partition->partition == partition->body, dnnl_invalid_arguments, "graph",
            "the compiled partition was created from another partition");
    return guarded([&] {
        return compile(partition->body, copies(inputs, in_num), copies(outputs, out_num), engine,
                *compiled_partition);
    });
}

status_t dnnl_graph_partition_get_input_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    if (partition == nullptr || num == nullptr) return dnnl_invalid_arguments;
    *num = partition->body->inputs.size();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *inputs) {
    if (partition == nullptr) return dnnl_invalid_arguments;
    return tell(partition->body->inputs, num, inputs);
}

status_t dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    if (partition == nullptr || num == nullptr) return dnnl_invalid_arguments;
    *num = partition->body->outputs.size();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, dnnl_graph_logical_tensor_t *outputs) {
    if (partition == nullptr) return dnnl_invalid_arguments;
    return tell(partition->body->outputs, num, outputs);
}

status_t dnnl_graph_partition_is_supported(
        const_dnnl_graph_partition_t partition, uint8_t *is_supported) {
    if (partition == nullptr || is_supported == nullptr) return dnnl_invalid_arguments;
    *is_supported = partition->body->group.has_value();
    return dnnl_success;
}

status_t dnnl_graph_partition_get_engine_kind(
        const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind) {
    if (partition == nullptr || kind == nullptr) return dnnl_invalid_arguments;
    *kind = partition->body->engine_kind;
    return dnnl_success;
}

status_t dnnl_graph_get_compiled_partition_cache_capacity(int *capacity) {
    if (capacity == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *capacity = compiled_partition_cache().capacity();
        return dnnl_success;
    });
}

status_t dnnl_graph_set_compiled_partition_cache_capacity(int capacity) {
    KILN_REQUIRE(capacity >= 0, dnnl_invalid_arguments, "graph", "a capacity of %d", capacity);
    return guarded([&] {
        compiled_partition_cache().set_capacity(capacity);
        return dnnl_success;
    });
}
