// SPDX-License-Identifier: Apache-2.0
// Memory descriptors as blobs that programs keep, and the checks of blobs that programs give back.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "common/memory/compensation.hpp"
#include "common/memory/memory_desc.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

/// The number of axes in a blob that oneDNN may have written: there the first field is a flag.
int ndims_of_blob(const memory_desc_t &md) {
    if (md.data_type == dnnl_data_type_undef) return 0;
    return md.ndims_in_tools != 0 ? md.ndims_in_tools : md.ndims;
}

/// Padding follows the elements of each axis up to the end of a block. For sound blocks.
bool has_sound_padding(const memory_desc_t &md) {
    dims_t blocks;
    block_sizes(md, blocks);
    for (int d = 0; d < md.ndims; ++d) {
        if (md.dims[d] == runtime_dim) continue;
        if (md.padded_dims[d] < md.dims[d] || !has_whole_blocks(md, d, blocks[d])) return false;
    }
    return true;
}

bool has_sound_blocks(const blocking_t &blocking, int ndims) {
    if (blocking.inner_nblks < 0 || blocking.inner_nblks > max_ndims) return false;
    for (int i = 0; i < blocking.inner_nblks; ++i)
        if (blocking.inner_blks[i] < 1 || blocking.inner_idxs[i] < 0
                || blocking.inner_idxs[i] >= ndims)
            return false;
    return check_blocks(blocking) == dnnl_success;
}

/// Without a layout there is neither padding nor an offset.
bool has_shape_only(const memory_desc_t &md) {
    return md.offset0 == 0 && std::equal(md.dims, md.dims + md.ndims, md.padded_dims)
           && std::all_of(md.padded_offsets, md.padded_offsets + md.ndims,
                   [](dim_t offset) { return offset == 0; });
}

/// Sums behind s8 weights, of sizes that stay far from the limits of 64 bits.
bool has_sound_extra(const memory_desc_t &md) {
    if (md.extra.flags == 0) return true;
    constexpr dim_t most_elements = dim_t(1) << 48;
    return has_known_extra(md) && md.data_type == dnnl_s8 && md.format_kind == dnnl_blocked
           && !has_runtime_values(md) && element_count(md, true) <= most_elements
           && std::isfinite(md.extra.scale_adjust);
}

/// Whether bytes from outside can be a descriptor: whatever is computed from it later stays within
/// 64 bits and within the tensor's span.
bool is_sound(const memory_desc_t &md) {
    if (is_zero(md)) return true;
    if (check_shape(md.ndims, md.dims, md.data_type) != dnnl_success) return false;
    if (md.extra.flags != 0 && md.format_kind != dnnl_blocked) return false;
    switch (md.format_kind) {
    case dnnl_format_kind_any:
    case dnnl_format_kind_host_scalar: return has_shape_only(md);
    case dnnl_format_kind_sparse: {
        const auto &sparse = md.format_desc.sparse;
        return dnnl_csr <= sparse.encoding && sparse.encoding <= dnnl_coo && sparse.nnz >= 0
               && has_shape_only(md);
    }
    case dnnl_blocked:
        return md.offset0 >= 0 && has_sound_blocks(md.format_desc.blocking, md.ndims)
               && has_sound_padding(md) && check_layout(md) == dnnl_success && has_sound_extra(md);
    default: return false;
    }
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_memory_desc_get_blob(uint8_t *blob, size_t *size, const memory_desc_t *memory_desc) {
    if (memory_desc == nullptr || size == nullptr) return dnnl_invalid_arguments;
    if (blob == nullptr) {
        *size = sizeof(memory_desc_t);
        return dnnl_success;
    }
    KILN_REQUIRE(*size >= sizeof(memory_desc_t), dnnl_invalid_arguments, "memory",
            "the blob has %zu bytes; a memory descriptor's has %zu", *size, sizeof(memory_desc_t));
    std::memcpy(blob, memory_desc, sizeof(memory_desc_t));
    return dnnl_success;
}

status_t dnnl_memory_desc_create_with_blob(memory_desc_t **memory_desc, const uint8_t *blob) {
    if (memory_desc == nullptr || blob == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        auto md = std::make_unique<memory_desc_t>();
        std::memcpy(md.get(), blob, sizeof(memory_desc_t));
        md->set_ndims(ndims_of_blob(*md));
        KILN_REQUIRE(is_sound(*md), dnnl_invalid_arguments, "memory",
                "the blob does not hold a memory descriptor");
        KILN_REQUIRE(!has_front_padding(*md), dnnl_unimplemented, "memory",
                "the tensor has padding in front of its elements, which is not supported");
        *memory_desc = md.release();
        return dnnl_success;
    });
}
