// SPDX-License-Identifier: Apache-2.0
// Names that graphs share with the interface of primitives, and statuses of graphs.

#ifndef ONEAPI_DNNL_CPP_GRAPH_STATUS_HPP
#define ONEAPI_DNNL_CPP_GRAPH_STATUS_HPP

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace dnnl {
namespace graph {

using engine = dnnl::engine;
using stream = dnnl::stream;
using fpmath_mode = dnnl::fpmath_mode;

/// The status of a C function. Functions of this interface that return a status throw only if their
/// arguments allow it.
enum class status {
    success = dnnl_success,
    out_of_memory = dnnl_out_of_memory,
    invalid_arguments = dnnl_invalid_arguments,
    unimplemented = dnnl_unimplemented,
    last_impl_reached = dnnl_last_impl_reached,
    runtime_error = dnnl_runtime_error,
    not_required = dnnl_not_required,
    /// The graph is inconsistent, or the call is not possible before or after finalization.
    invalid_graph = dnnl_invalid_graph,
    /// An operation does not match its schema.
    invalid_graph_op = dnnl_invalid_graph_op,
    /// Shapes cannot be inferred or contradict each other.
    invalid_shape = dnnl_invalid_shape,
    invalid_data_type = dnnl_invalid_data_type,
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_STATUS_HPP
