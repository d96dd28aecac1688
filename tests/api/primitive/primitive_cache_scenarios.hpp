// SPDX-License-Identifier: Apache-2.0
// Requests of primitives that the cache finds or does not find.
#pragma once

#include <functional>
#include <vector>

#include "api/normalization_desc.hpp"
#include "scenario.hpp"

namespace kiln::test {

void set_capacity(int capacity);
int capacity();

/// A problem with this number of rows, which no other problem has.
inline normalization_t of_rows(dnnl_dim_t rows) { return {.dims = {rows, 16}}; }

using attr_setter_t = std::function<void(dnnl_primitive_attr_t)>;

struct difference_t {
    const char *name;
    normalization_t problem;
    attr_setter_t set_attr = nullptr;
};

/// Problems that differ from the first and from each other in something that the key contains.
std::vector<difference_t> differences();

std::span<const scenario_t> primitive_cache_scenarios();

} // namespace kiln::test
