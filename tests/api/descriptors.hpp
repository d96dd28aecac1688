// SPDX-License-Identifier: Apache-2.0
// Memory descriptors of every kind for the tests of the interface.
#pragma once

#include "support/layout.hpp"

namespace kiln::test {

/// The status of the call that creates a descriptor with a format tag.
inline dnnl_status_t by_tag(memory_desc_handle_t &md, const dims_t &dims, dnnl_format_tag_t tag,
        dnnl_data_type_t data_type = dnnl_f32) {
    return dnnl_memory_desc_create_with_tag(
            md.out(), static_cast<int>(dims.size()), dims.data(), data_type, tag);
}

inline memory_desc_handle_t tagged(
        const dims_t &dims, dnnl_format_tag_t tag, dnnl_data_type_t data_type = dnnl_f32) {
    memory_desc_handle_t md;
    require(by_tag(md, dims, tag, data_type), "dnnl_memory_desc_create_with_tag");
    return md;
}

inline memory_desc_handle_t zero_desc() {
    return tagged({}, dnnl_format_tag_undef, dnnl_data_type_undef);
}

/// A sparse matrix of 4 rows and 6 columns with `nnz` non-zero elements, by compressed rows.
inline memory_desc_handle_t csr_desc(dnnl_dim_t nnz, dnnl_data_type_t data_type = dnnl_f32,
        dnnl_data_type_t pointer_type = dnnl_s32, const dims_t &dims = {4, 6}) {
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_with_csr_encoding(
                    md.out(), 2, dims.data(), data_type, nnz, dnnl_s32, pointer_type),
            "dnnl_memory_desc_create_with_csr_encoding");
    return md;
}

/// The same by coordinates.
inline memory_desc_handle_t coo_desc(dnnl_dim_t nnz, const dims_t &dims = {4, 6}) {
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_with_coo_encoding(
                    md.out(), 2, dims.data(), dnnl_f32, nnz, dnnl_s32),
            "dnnl_memory_desc_create_with_coo_encoding");
    return md;
}

} // namespace kiln::test
