// SPDX-License-Identifier: Apache-2.0
// The compiled partition cache: each partition is compiled once for the same tensors, engine and
// number of threads.
#pragma once

#include "graph/partition/compilation.hpp"

namespace kiln::graph {

/// Compiles the partition or finds it in the cache. A partition that is compiled is dumped first,
/// if dumps of subgraphs are enabled. `is_hit` tells whether the cache had it.
status_t compile_cached(const partition_ptr_t &partition, std::vector<logical_tensor_t> inputs,
        std::vector<logical_tensor_t> outputs, engine_t *engine,
        std::shared_ptr<const compilation_t> &compilation, bool &is_hit);

/// The largest number of entries.
int compiled_partition_cache_capacity();
void set_compiled_partition_cache_capacity(int capacity);

} // namespace kiln::graph
