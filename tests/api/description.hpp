// SPDX-License-Identifier: Apache-2.0
// The results of all queries of a memory descriptor, as one value that can be compared.
#pragma once

#include <ostream>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace kiln::test {

template <typename answer_t> answer_t asked(const_dnnl_memory_desc_t md, dnnl_query_t what) {
    answer_t answer{};
    EXPECT_EQ(dnnl_memory_desc_query(md, what, &answer), dnnl_success) << "query " << what;
    return answer;
}

inline dims_t asked_dims(const_dnnl_memory_desc_t md, dnnl_query_t what, int count) {
    const auto *values = asked<const dnnl_dims_t *>(md, what);
    if (values == nullptr) return {};
    return {*values, *values + count};
}

struct description_t {
    dims_t dims;
    dnnl_data_type_t data_type = dnnl_data_type_undef;
    dnnl_format_kind_t format_kind = dnnl_format_kind_undef;
    dims_t padded_dims;
    dims_t padded_offsets;
    dnnl_dim_t offset0 = 0;
    dims_t strides;
    dims_t inner_blocks;
    dims_t inner_axes;

    bool operator==(const description_t &) const = default;
};

inline description_t describe(const_dnnl_memory_desc_t md) {
    description_t result;
    const int ndims = asked<int>(md, dnnl_query_ndims_s32);
    result.dims = asked_dims(md, dnnl_query_dims, ndims);
    result.data_type = asked<dnnl_data_type_t>(md, dnnl_query_data_type);
    result.format_kind = asked<dnnl_format_kind_t>(md, dnnl_query_format_kind);
    result.padded_dims = asked_dims(md, dnnl_query_padded_dims, ndims);
    result.padded_offsets = asked_dims(md, dnnl_query_padded_offsets, ndims);
    result.offset0 = asked<dnnl_dim_t>(md, dnnl_query_submemory_offset_s64);
    if (result.format_kind != dnnl_blocked) return result;
    const int blocks = asked<int>(md, dnnl_query_inner_nblks_s32);
    result.strides = asked_dims(md, dnnl_query_strides, ndims);
    result.inner_blocks = asked_dims(md, dnnl_query_inner_blks, blocks);
    result.inner_axes = asked_dims(md, dnnl_query_inner_idxs, blocks);
    return result;
}

/// The expected results for a descriptor without blocks.
inline description_t plain(
        const dims_t &dims, const dims_t &strides, dnnl_data_type_t data_type = dnnl_f32) {
    return {dims, data_type, dnnl_blocked, dims, dims_t(dims.size(), 0), 0, strides, {}, {}};
}

inline std::ostream &operator<<(std::ostream &out, const description_t &md) {
    return out << "dims " << to_string(md.dims) << " type " << md.data_type << " kind "
               << md.format_kind << " padded " << to_string(md.padded_dims) << " from "
               << to_string(md.padded_offsets) << " offset " << md.offset0 << " strides "
               << to_string(md.strides) << " blocks " << to_string(md.inner_blocks) << " of "
               << to_string(md.inner_axes);
}

} // namespace kiln::test
