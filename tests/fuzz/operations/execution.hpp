// SPDX-License-Identifier: Apache-2.0
// Executes a primitive on guarded buffers.
#pragma once

#include <utility>
#include <vector>

#include "support/handle.hpp"
#include "support/input.hpp"

namespace kiln::fuzz {

/// Tensors that the operation may overwrite when they have one layout, e.g. dst and src.
struct in_place_t {
    int output = 0, input = 0;
};

/// The tensors of arguments whose descriptors leave dims or strides open.
using open_tensors_t = std::vector<std::pair<int, const_dnnl_memory_desc_t>>;

/// Creates the primitive of one of the descriptor's implementations and executes it with all
/// arguments, with some optional ones left out, or with one missing, which must be refused. Does
/// nothing if its tensors are too large.
void execute(input_t &input, const test::primitive_desc_handle_t &primitive_desc,
        in_place_t in_place = {}, const open_tensors_t &open_tensors = {});

} // namespace kiln::fuzz
