// SPDX-License-Identifier: Apache-2.0
// Memory descriptors as the text of verbose lines.

#include <algorithm>

#include "common/memory/compensation.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

namespace {

std::string number(dim_t value) { return value == runtime_dim ? "*" : std::to_string(value); }

std::string joined(const dim_t *values, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i == 0 ? "" : "x") + number(values[i]);
    return text;
}

std::string properties(const memory_desc_t &md, format_kind_t user_kind) {
    const bool is_padded = !std::equal(md.dims, md.dims + md.ndims, md.padded_dims);
    const bool is_shifted = std::any_of(
            md.padded_offsets, md.padded_offsets + md.ndims, [](dim_t d) { return d != 0; });
    std::string text;
    if (user_kind == dnnl_format_kind_any) text += 'a';
    if (is_padded) text += 'p';
    if (is_shifted) text += 'o';
    if (md.offset0 != 0) text += '0';
    return text;
}

bool has_runtime_stride(const memory_desc_t &md) {
    const auto &strides = md.format_desc.blocking.strides;
    return std::find(strides, strides + md.ndims, runtime_dim) != strides + md.ndims;
}

/// "TAG:STRIDES", as the format kind has them.
std::string layout(const memory_desc_t &md) {
    switch (md.format_kind) {
    case dnnl_blocked: return describe_layout(md) + ":" + describe_gaps(md);
    case dnnl_format_kind_sparse:
        return dnnl_sparse_encoding2str(md.format_desc.sparse.encoding) + std::string(":");
    case dnnl_format_kind_any: return "any:";
    default: return ":";
    }
}

/// "f9:s8m1:zpm1": the flags, and the masks of the sums behind weights.
std::string describe_extra(const extra_desc_t &extra) {
    std::string text = "f" + std::to_string(extra.flags);
    if (extra.flags & has_s8s8_compensation)
        text += ":s8m" + std::to_string(extra.compensation_mask);
    if (extra.flags & has_zero_point_compensation)
        text += ":zpm" + std::to_string(extra.asymm_compensation_mask);
    return text;
}

} // namespace

std::string describe(const memory_desc_t &md, const char *name, format_kind_t user_kind) {
    if (is_zero(md)) return name + std::string(":undef::undef:::");
    return name + std::string(":") + dnnl_dt2str(md.data_type) + ":" + properties(md, user_kind)
           + ":" + dnnl_fmt_kind2str(md.format_kind) + ":" + layout(md) + ":"
           + describe_extra(md.extra);
}

std::string describe_layout(const memory_desc_t &md) {
    if (has_runtime_stride(md)) return "*";
    const auto &blocking = md.format_desc.blocking;
    dims_t blocks;
    block_sizes(md, blocks);
    const auto order = axes_outermost_first(md, md.ndims);

    std::string tag;
    for (int i = 0; i < md.ndims; ++i)
        tag += static_cast<char>((blocks[order[i]] == 1 ? 'a' : 'A') + order[i]);
    for (int i = 0; i < blocking.inner_nblks; ++i)
        tag += std::to_string(blocking.inner_blks[i])
               + static_cast<char>('a' + blocking.inner_idxs[i]);
    return tag;
}

std::string describe_gaps(const memory_desc_t &md) {
    if (has_runtime_values(md) || is_dense(md, true)) return "";
    return joined(md.format_desc.blocking.strides, md.ndims);
}

std::string describe_dims(const memory_desc_t &md) { return joined(md.dims, md.ndims); }

std::string describe_image(const memory_desc_t &md) {
    if (md.ndims >= 6) return describe_dims(md);
    if (md.ndims == 0) return "";
    if (md.ndims == 1) return "x" + number(md.dims[0]);
    constexpr const char *spatial[] = {"id", "ih", "iw"};
    std::string text = "mb" + number(md.dims[0]) + "ic" + number(md.dims[1]);
    // One spatial axis is the width, two are height and width.
    for (int d = 2; d < md.ndims; ++d) text += spatial[3 - md.ndims + d] + number(md.dims[d]);
    return text;
}

} // namespace kiln
