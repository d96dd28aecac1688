// SPDX-License-Identifier: Apache-2.0
// Exported functions that no public header declares, though tools of the ecosystem call them.
#pragma once

#include "oneapi/dnnl/dnnl.h"

extern "C" {

/// A descriptor from a tag's name, which need not be one of dnnl_format_tag_t.
dnnl_status_t DNNL_API dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag);

/// Changes a descriptor in place.
dnnl_status_t DNNL_API dnnl_memory_desc_set_data_type(
        dnnl_memory_desc_t memory_desc, dnnl_data_type_t data_type);

/// Writes zeros to the padding of a memory with a blocked layout.
dnnl_status_t DNNL_API dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream);
}
