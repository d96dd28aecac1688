// SPDX-License-Identifier: Apache-2.0
// The constant tensor cache and its C entries.

#include "graph/partition/constant_cache.hpp"

#include <cstdlib>
#include <limits>

#include "common/environment.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln::graph {
namespace {

constexpr size_t mebibyte = size_t{1} << 20;
constexpr size_t most_mebibytes = std::numeric_limits<size_t>::max() / mebibyte;

size_t bytes_of_mebibytes(size_t count) { return std::min(count, most_mebibytes) * mebibyte; }

/// The variable holds KIND:MEBIBYTES entries with semicolons between them.
size_t capacity_from_environment() {
    const auto text = environment_value("GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY");
    if (!text) return 0;
    const std::string kind = "cpu:";
    const size_t at = text->find(kind);
    if (at == std::string::npos) return 0;
    return bytes_of_mebibytes(std::strtoull(text->c_str() + at + kind.size(), nullptr, 10));
}

} // namespace

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
    // Never destroyed: partitions may be executed while the process ends.
    static auto *cache = new constant_cache_t(capacity_from_environment());
    return *cache;
}

} // namespace kiln::graph

using namespace kiln;
using namespace kiln::graph;

status_t dnnl_graph_set_constant_tensor_cache(int flag) {
    KILN_REQUIRE(flag >= 0, dnnl_invalid_arguments, "graph", "a flag of %d", flag);
    return guarded([&] {
        constant_cache().set_capacity(flag == 0 ? 0 : std::numeric_limits<size_t>::max());
        return dnnl_success;
    });
}

status_t dnnl_graph_get_constant_tensor_cache(int *flag) {
    if (flag == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *flag = constant_cache().capacity() != 0;
        return dnnl_success;
    });
}

status_t dnnl_graph_set_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t size) {
    KILN_REQUIRE(eng_kind == dnnl_cpu, dnnl_invalid_arguments, "graph", "no %s engine",
            dnnl_engine_kind2str(eng_kind));
    return guarded([&] {
        constant_cache().set_capacity(bytes_of_mebibytes(size));
        return dnnl_success;
    });
}

status_t dnnl_graph_get_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t *size) {
    if (size == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(eng_kind == dnnl_cpu, dnnl_invalid_arguments, "graph", "no %s engine",
            dnnl_engine_kind2str(eng_kind));
    return guarded([&] {
        *size = constant_cache().capacity() / mebibyte;
        return dnnl_success;
    });
}
