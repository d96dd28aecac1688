// SPDX-License-Identifier: Apache-2.0
// The short include path of the graphs' C interface; everything is in oneapi/dnnl/dnnl_graph.h.

#ifndef DNNL_GRAPH_H
#define DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_graph.h"

#endif // DNNL_GRAPH_H
