// SPDX-License-Identifier: Apache-2.0
// The descriptor of concatenation: the layout of dst, its parts, and the table of arguments.

#include "common/operations/concat_pd.hpp"

#include "common/verbose/describe.hpp"

namespace kiln {

concat_pd_t::concat_pd_t(engine_t *engine, const concat_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : sources_pd_t(dnnl_concat, engine, desc, attr, std::move(hint)) {}

bool concat_pd_t::has_whole_blocks(const memory_desc_t &dst) const {
    dims_t blocks;
    block_sizes(dst, blocks);
    const dim_t block = blocks[axis()], end = dst.dims[axis()];
    dim_t begin = 0;
    for (const memory_desc_t &src : srcs()) {
        const dim_t extent = src.dims[axis()];
        const bool ends_well = begin + extent == end || extent % block == 0 || extent < block;
        if (begin % block != 0 || !ends_well) return false;
        begin += extent;
    }
    return true;
}

status_t concat_pd_t::resolve_formats() {
    if (!is_any(dst_)) return dnnl_success;
    const memory_desc_t open = dst_;
    const auto lay_like = [&](const memory_desc_t &model) {
        return init_like(dst_, open.ndims, open.dims, open.data_type, model) == dnnl_success;
    };
    const auto blocked = std::find_if(
            srcs().begin(), srcs().end(), [](const memory_desc_t &src) { return !is_plain(src); });
    if (blocked != srcs().end() && lay_like(*blocked) && has_whole_blocks(dst_))
        return dnnl_success;
    const auto plain = std::find_if(srcs().begin(), srcs().end(), [&](const memory_desc_t &src) {
        return is_plain(src) && src.dims[axis()] != 1 && !has_zero_dim(src);
    });
    if (plain != srcs().end() && lay_like(*plain)) return dnnl_success;
    return init_by_strides(dst_, open.ndims, open.dims, open.data_type, nullptr);
}

memory_desc_t concat_pd_t::part_of_dst(size_t source) const {
    dims_t blocks;
    block_sizes(dst_, blocks);
    const int d = axis();
    dim_t begin = 0;
    for (size_t i = 0; i < source; ++i) begin += srcs()[i].dims[d];
    const dim_t extent = srcs()[source].dims[d];
    const bool is_last = begin + extent == dst_.dims[d];
    const dim_t padding = dst_.padded_dims[d] - dst_.padded_offsets[d] - dst_.dims[d];
    const dim_t place = dst_.padded_offsets[d] + begin;
    memory_desc_t part = dst_;
    part.dims[d] = extent;
    part.padded_dims[d] = extent + (is_last ? padding : 0);
    part.padded_offsets[d] = place % blocks[d];
    part.offset0 += place / blocks[d] * dst_.format_desc.blocking.strides[d];
    return part;
}

/// Layouts that follow from a source's are compared too: strides along axes of one element, which
/// equal descriptors may differ in, decide about the axis.
bool concat_pd_t::same_problem(const primitive_desc_t &other) const {
    return operation_pd_t::same_problem(other)
           && dst_ == static_cast<const concat_pd_t &>(other).dst_;
}

primitive_text_t concat_pd_t::text() const {
    std::string tensors, problem;
    for (const memory_desc_t &src : srcs()) {
        tensors += describe("src", src) + " ";
        problem += (problem.empty() ? "" : ":") + describe_dims(src);
    }
    return {tensors + describe("dst", dst_, desc_.dst), "axis:" + std::to_string(axis()), problem};
}

} // namespace kiln
