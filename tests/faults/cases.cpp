// SPDX-License-Identifier: Apache-2.0
#include "faults/cases.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::test {

void results_t::add(const void *data, size_t size) {
    const size_t taken = std::min(size, sizeof(bytes) - count);
    std::memcpy(bytes + count, data, taken);
    count += taken;
}

bool results_t::operator==(const results_t &other) const {
    return count == other.count && std::memcmp(bytes, other.bytes, count) == 0;
}

std::vector<fault_case_t> all_cases() {
    std::vector<fault_case_t> all;
    for (const auto &list : {interface_cases(), primitive_cases(), elementwise_cases(),
                 product_cases(), graph_cases()})
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

std::string name_of_case(const testing::TestParamInfo<fault_case_t> &info) {
    std::string name;
    for (const char c : std::string(info.param.name))
        if (std::isalnum(static_cast<unsigned char>(c)))
            name += c;
        else if (!name.empty() && name.back() != '_')
            name += '_';
    return name;
}

namespace {

dnnl_status_t set_cache_capacities(int capacity) {
    TRY(dnnl_set_primitive_cache_capacity(capacity));
    return dnnl_graph_set_compiled_partition_cache_capacity(capacity);
}

} // namespace

device_t::~device_t() { set_cache_capacities(0); }

dnnl_status_t device_t::create() {
    TRY(dnnl_engine_create(engine.out(), dnnl_cpu, 0));
    return create_stream();
}

dnnl_status_t device_t::create_stream() {
    TRY(set_cache_capacities(cache_capacity));
    return dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags);
}

} // namespace kiln::test
