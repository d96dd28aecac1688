// SPDX-License-Identifier: Apache-2.0
// The tensor: a logical tensor with its data.
#pragma once

#include "graph/memory/allocator.hpp"
#include "graph/op/logical_tensor.hpp"

/// The C interface's opaque tensor.
struct dnnl_graph_tensor {
    kiln::graph::logical_tensor_t lt;
    kiln::engine_ref_t engine; ///< empty for a host scalar
    void *handle;
    size_t bytes; ///< of the buffer; SIZE_MAX if the logical tensor does not determine them
    kiln::graph::graph_buffer_t owned{}; ///< the buffer, if the library allocated it
    alignas(8) unsigned char scalar[8]{};
};
