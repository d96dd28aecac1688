// SPDX-License-Identifier: Apache-2.0
// The C++11 interface of graphs over dnnl_graph.h, header-only: objects that own their handles, and
// exceptions instead of status codes. It uses the library's C functions only, and of the interface
// of primitives only engines and streams.

#ifndef ONEAPI_DNNL_DNNL_GRAPH_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_HPP

// Not used here; programs written for oneDNN rely on its inclusion.
#include <limits>

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

#include "oneapi/dnnl/cpp/graph/allocator.hpp"
#include "oneapi/dnnl/cpp/graph/compiled_partition.hpp"
#include "oneapi/dnnl/cpp/graph/graph.hpp"
#include "oneapi/dnnl/cpp/graph/library.hpp"
#include "oneapi/dnnl/cpp/graph/logical_tensor.hpp"
#include "oneapi/dnnl/cpp/graph/op.hpp"
#include "oneapi/dnnl/cpp/graph/partition.hpp"
#include "oneapi/dnnl/cpp/graph/status.hpp"
#include "oneapi/dnnl/cpp/graph/tensor.hpp"

namespace oneapi {
namespace dnnl = ::dnnl;
} // namespace oneapi

#endif // ONEAPI_DNNL_DNNL_GRAPH_HPP
