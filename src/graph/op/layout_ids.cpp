// SPDX-License-Identifier: Apache-2.0
// A linear search is enough: there is one layout for each blocked output of a compiled partition.
// Entries are never removed.
#include "graph/op/layout_ids.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace kiln::graph::layout_ids {

namespace {

struct table_t {
    std::mutex mutex;
    std::vector<memory_desc_t> layouts;
};

table_t &table() {
    // Never destroyed: logical tensors may be used until the process ends.
    static table_t &instance = *new table_t;
    return instance;
}

} // namespace

size_t id_of(const memory_desc_t &md) {
    auto &[mutex, layouts] = table();
    const std::lock_guard lock(mutex);
    const auto found = std::find(layouts.begin(), layouts.end(), md);
    if (found != layouts.end()) return static_cast<size_t>(found - layouts.begin());
    layouts.push_back(md);
    return layouts.size() - 1;
}

memory_desc_t md(size_t id) {
    auto &[mutex, layouts] = table();
    const std::lock_guard lock(mutex);
    return id < layouts.size() ? layouts[id] : zero_md;
}

} // namespace kiln::graph::layout_ids
