// SPDX-License-Identifier: Apache-2.0
// What a primitive descriptor answers: its implementations and the layouts that it chose.
#pragma once

#include <string>
#include <vector>

#include "support/handle.hpp"
#include "support/layout.hpp"

namespace kiln::test {

std::string implementation_name(const_dnnl_primitive_desc_t primitive_desc);

/// The names of the descriptor's implementation and of all that follow, which it passes.
std::vector<std::string> implementation_names(primitive_desc_handle_t primitive_desc);

/// Those that take a problem, which describe() makes a descriptor of.
template <typename problem_t> std::vector<std::string> implementations(const problem_t &problem) {
    return implementation_names(describe(problem));
}

/// Whether tests in this environment execute one of a problem's implementations. The reference
/// behind kernels is the same code at every ISA level and with every size of the cache: it is
/// executed where neither is set.
bool is_executed_here(const std::vector<std::string> &implementations, size_t index);

/// Goes on to a later implementation; throws if there are not so many.
void skip_implementations(const primitive_desc_handle_t &primitive_desc, size_t count);

/// The descriptor of an argument; throws if it has none.
const_dnnl_memory_desc_t chosen_desc(const_dnnl_primitive_desc_t primitive_desc, int arg);

/// Whether the answer to a query for a descriptor is that of such a tensor.
bool has_desc(const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index,
        const dims_t &dims, dnnl_data_type_t type = dnnl_f32, const std::string &format = "");

/// Whether there is an ISA that kernels are generated for; below, the reference takes every
/// problem.
bool generates_kernels();

/// Whether kernels use AMX.
bool has_amx();

} // namespace kiln::test
