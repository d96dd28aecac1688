// SPDX-License-Identifier: Apache-2.0
// What graphs take over from the primitives' interface, and the statuses that graphs add to it.

#ifndef ONEAPI_DNNL_CPP_GRAPH_STATUS_HPP
#define ONEAPI_DNNL_CPP_GRAPH_STATUS_HPP

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace dnnl {
namespace graph {

using engine = dnnl::engine;
using stream = dnnl::stream;
using fpmath_mode = dnnl::fpmath_mode;

/// What a C function returns. The functions of this interface that return it do not throw, unless
/// they are asked to.
enum class status {
    success = dnnl_success,
    out_of_memory = dnnl_out_of_memory,
    invalid_arguments = dnnl_invalid_arguments,
    unimplemented = dnnl_unimplemented,
    last_impl_reached = dnnl_last_impl_reached,
    runtime_error = dnnl_runtime_error,
    not_required = dnnl_not_required,
    /// Operations do not make a graph, or it is too early or too late for the call.
    invalid_graph = dnnl_invalid_graph,
    /// An operation breaks its schema.
    invalid_graph_op = dnnl_invalid_graph_op,
    /// Shapes do not follow from the inputs' or contradict them.
    invalid_shape = dnnl_invalid_shape,
    invalid_data_type = dnnl_invalid_data_type,
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_STATUS_HPP
