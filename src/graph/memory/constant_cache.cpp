// SPDX-License-Identifier: Apache-2.0
#include "graph/memory/constant_cache.hpp"

#include <cstdlib>
#include <limits>
#include <string>

#include "common/environment.hpp"

namespace kiln::graph {
namespace {

constexpr const char *digits = "0123456789";

bool is_entry(const std::string &text) {
    const size_t colon = text.find(':');
    return colon != std::string::npos && colon > 0 && colon + 1 < text.size()
           && text.find_first_not_of(digits, colon + 1) == std::string::npos;
}

bool are_entries(const std::string &text) {
    size_t begin = 0, end;
    for (; (end = text.find(';', begin)) != std::string::npos; begin = end + 1)
        if (!is_entry(text.substr(begin, end - begin))) return false;
    return begin == text.size() || is_entry(text.substr(begin));
}

/// The variable holds KIND:MEBIBYTES entries, separated by semicolons.
size_t capacity_from_environment() {
    const auto parse = [](const std::string &text) {
        const std::string kind = "cpu:";
        const size_t at = text.find(kind);
        const size_t mebibytes =
                at == std::string::npos
                        ? 0
                        : std::strtoull(text.c_str() + at + kind.size(), nullptr, 10);
        reading_t<size_t> reading{mebibytes};
        if (!are_entries(text)) reading.used = kind + std::to_string(mebibytes);
        return reading;
    };
    return bytes_of_mebibytes(environment_setting("GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY", size_t{0},
            "KIND:MEBIBYTES entries separated by semicolons", parse));
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
