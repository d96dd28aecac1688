// SPDX-License-Identifier: Apache-2.0
// The layouts in which a primitive gets its tensors. Generated code wants the tensors of an
// operation laid out alike, and reduced axes innermost. Copies at the speed of memory and generated
// code together take less time than the reference, which takes any layouts.
#pragma once

#include <vector>

#include "graph/lowering/operation_desc.hpp"

namespace kiln::graph {

/// A tensor that the primitive reads from, or writes to, a copy.
struct layout_copy_t {
    int arg;
    memory_desc_t own, copy;
};

/// Finds the primitive. If only the reference takes the layouts of src, dst and their gradients,
/// and other layouts of them have generated code, the descriptor gets those that need the fewest
/// `copies`. Tensors without a value in `arguments` need none.
status_t choose_layouts(engine_t *engine, operation_desc_t &desc, const primitive_attr_t &attr,
        const std::map<int, value_t> &arguments, std::shared_ptr<const primitive_desc_t> &pd,
        std::vector<layout_copy_t> &copies);

} // namespace kiln::graph
