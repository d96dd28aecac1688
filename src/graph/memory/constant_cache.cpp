// SPDX-License-Identifier: Apache-2.0
#include "graph/memory/constant_cache.hpp"

#include <cstdlib>
#include <limits>

#include "common/environment.hpp"

namespace kiln::graph {
namespace {

/// The variable holds KIND:MEBIBYTES entries, separated by semicolons.
size_t capacity_from_environment() {
    const auto text = environment_value("GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY");
    if (!text) return 0;
    const std::string kind = "cpu:";
    const size_t at = text->find(kind);
    if (at == std::string::npos) return 0;
    return bytes_of_mebibytes(std::strtoull(text->c_str() + at + kind.size(), nullptr, 10));
}

} // namespace

size_t bytes_of_mebibytes(size_t count) {
    return std::min(count, std::numeric_limits<size_t>::max() / mebibyte) * mebibyte;
}

void constant_cache_t::drop(size_t program) {
    const std::lock_guard lock(mutex_);
    for (auto at = blocks_.lower_bound({program, {}});
            at != blocks_.end() && at->first.program == program;) {
        used_ -= at->second.bytes;
        at = blocks_.erase(at);
    }
}

size_t constant_cache_t::capacity() const {
    const std::lock_guard lock(mutex_);
    return capacity_;
}

void constant_cache_t::set_capacity(size_t bytes) {
    const std::lock_guard lock(mutex_);
    capacity_ = bytes;
    if (used_ <= capacity_) return;
    blocks_.clear();
    used_ = 0;
}

constant_cache_t &constant_cache() {
    // Never destroyed: partitions may be executed until the process ends.
    static auto *cache = new constant_cache_t(capacity_from_environment());
    return *cache;
}

} // namespace kiln::graph
