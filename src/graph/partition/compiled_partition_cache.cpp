// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/compiled_partition_cache.hpp"

#include <algorithm>

#include "common/environment.hpp"
#include "common/fields.hpp"
#include "common/primitive/shared_cache.hpp"
#include "graph/dump/dump.hpp"

namespace kiln::graph {
namespace {

/// All that a compilation depends on.
struct key_t {
    partition_ptr_t partition;
    const dnnl_graph_allocator *allocator;
    size_t device;
    int thread_count;
    std::vector<logical_tensor_t> inputs, outputs;

    bool operator==(const key_t &other) const {
        const auto same = [](const std::vector<logical_tensor_t> &lhs,
                                  const std::vector<logical_tensor_t> &rhs) {
            return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(), is_equal);
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

cache_t &cache() {
    constexpr int default_capacity = 1024;
    // Never destroyed: partitions may be compiled until the process ends.
    static auto *instance = new cache_t(
            environment_int("GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", default_capacity));
    return *instance;
}

/// Dumps the partition's operations with the shapes that they are compiled for.
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

} // namespace

status_t compile_cached(const partition_ptr_t &partition, std::vector<logical_tensor_t> inputs,
        std::vector<logical_tensor_t> outputs, engine_t *engine,
        std::shared_ptr<const compilation_t> &compilation, bool &is_hit) {
    const key_t key{partition, engine->allocator(), engine->index(), engine->thread_count(),
            std::move(inputs), std::move(outputs)};
    const auto make = [&](std::shared_ptr<const compilation_t> &made) {
        dump(*partition, key);
        return compile(partition, key.inputs, key.outputs, engine, made);
    };
    return cache().get(key, make, compilation, is_hit);
}

int compiled_partition_cache_capacity() { return cache().capacity(); }
void set_compiled_partition_cache_capacity(int capacity) { cache().set_capacity(capacity); }

} // namespace kiln::graph
