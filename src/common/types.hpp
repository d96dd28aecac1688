// SPDX-License-Identifier: Apache-2.0
// The names of the C interface's types inside the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oneapi/dnnl/dnnl.h"

namespace kiln {

using status_t = dnnl_status_t;
using dim_t = dnnl_dim_t;
using dims_t = dnnl_dims_t;
using data_type_t = dnnl_data_type_t;
using format_kind_t = dnnl_format_kind_t;
using format_tag_t = dnnl_format_tag_t;
using prop_kind_t = dnnl_prop_kind_t;
using alg_kind_t = dnnl_alg_kind_t;
using primitive_kind_t = dnnl_primitive_kind_t;
using query_t = dnnl_query_t;
using engine_kind_t = dnnl_engine_kind_t;

using memory_desc_t = dnnl_memory_desc;
using memory_t = dnnl_memory;
using engine_t = dnnl_engine;
using stream_t = dnnl_stream;
using primitive_attr_t = dnnl_primitive_attr;
using post_ops_t = dnnl_post_ops;

constexpr int max_ndims = DNNL_MAX_NDIMS;
constexpr dim_t runtime_dim = DNNL_RUNTIME_DIM_VAL;

} // namespace kiln
