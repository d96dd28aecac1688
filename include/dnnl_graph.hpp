// SPDX-License-Identifier: Apache-2.0
// The short include path of the graphs' C++ interface; everything is in
// oneapi/dnnl/dnnl_graph.hpp.

#ifndef DNNL_GRAPH_HPP
#define DNNL_GRAPH_HPP

#include "oneapi/dnnl/dnnl_graph.hpp"

#endif // DNNL_GRAPH_HPP
