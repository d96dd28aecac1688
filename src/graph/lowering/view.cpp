// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/view.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace kiln::graph {
namespace {

constexpr int max_image_axes = 5;

struct destroy_t {
    void operator()(memory_desc_t *md) const { dnnl_memory_desc_destroy(md); }
};

/// The result of a C function that creates a memory descriptor; empty if it refuses. Throws
/// std::bad_alloc.
template <typename make_t> std::optional<memory_desc_t> made(const make_t &make) {
    memory_desc_t *md = nullptr;
    const status_t status = make(&md);
    if (status == dnnl_out_of_memory) throw std::bad_alloc();
    if (status != dnnl_success) return std::nullopt;
    return *std::unique_ptr<memory_desc_t, destroy_t>(md);
}

/// Joins the axes from `axis` to `end` - 1 into one.
std::optional<memory_desc_t> join(const memory_desc_t &md, int axis, int end) {
    dims_t dims;
    int ndims = 0;
    for (int d = 0; d < axis; ++d) dims[ndims++] = md.dims[d];
    dims[ndims++] =
            std::accumulate(md.dims + axis, md.dims + end, dim_t{1}, std::multiplies<dim_t>());
    for (int d = end; d < md.ndims; ++d) dims[ndims++] = md.dims[d];
    return reshaped(md, ndims, dims);
}

std::optional<memory_desc_t> channels_second(const memory_desc_t &md) {
    std::vector<int> source_axes{0, md.ndims - 1};
    for (int d = 1; d + 1 < md.ndims; ++d) source_axes.push_back(d);
    return permuted(md, source_axes);
}

/// Adds axes of extent 1 in the places of a mask, and leading ones.
std::optional<memory_desc_t> with_ones(const memory_desc_t &md, int ndims, unsigned mask) {
    if (md.ndims == ndims) return md;
    dims_t dims;
    std::fill_n(dims, ndims, 1);
    int left = element_count(md) == 1 ? 0 : md.ndims;
    for (int d = ndims; d-- > 0 && left > 0;)
        if ((mask >> d & 1) == 0) dims[d] = md.dims[--left];
    return left == 0 ? reshaped(md, ndims, dims) : std::nullopt;
}

} // namespace

std::optional<memory_desc_t> reshaped(const memory_desc_t &md, int ndims, const dim_t *dims) {
    if (md.ndims == ndims && std::equal(dims, dims + ndims, md.dims)) return md;
    return made(
            [&](memory_desc_t **out) { return dnnl_memory_desc_reshape(out, &md, ndims, dims); });
}

std::optional<memory_desc_t> permuted(
        const memory_desc_t &md, const std::vector<int> &source_axes) {
    // The C function takes the target of each axis.
    std::vector<int> target_axes(source_axes.size());
    for (size_t d = 0; d < source_axes.size(); ++d)
        target_axes[static_cast<size_t>(source_axes[d])] = static_cast<int>(d);
    return made([&](memory_desc_t **out) {
        return dnnl_memory_desc_permute_axes(out, &md, target_axes.data());
    });
}

std::optional<memory_desc_t> with_leading_ones(const memory_desc_t &md, int ndims) {
    if (md.ndims == ndims) return md;
    if (md.ndims > ndims) return std::nullopt;
    dims_t dims;
    std::fill_n(dims, ndims, 1);
    std::copy_n(md.dims, md.ndims, dims + ndims - md.ndims);
    return reshaped(md, ndims, dims);
}

std::optional<memory_desc_t> broadcast_to(const memory_desc_t &md, int ndims, const dim_t *dims) {
    auto result = with_leading_ones(md, ndims);
    if (!result) return std::nullopt;
    for (int d = 0; d < ndims; ++d) {
        if (result->dims[d] == dims[d]) continue;
        if (result->dims[d] != 1 || !is_plain(*result)) return std::nullopt;
        result->dims[d] = result->padded_dims[d] = dims[d];
        result->format_desc.blocking.strides[d] = 0;
    }
    return result;
}

memory_desc_t with_type(memory_desc_t md, data_type_t type) {
    md.data_type = type;
    return md;
}

memory_desc_t dense_md(data_type_t type, int ndims, const dim_t *dims) {
    memory_desc_t md{};
    init_by_strides(md, ndims, dims, type, nullptr);
    return md;
}

memory_desc_t dense_like(const memory_desc_t &md, data_type_t type) {
    memory_desc_t like{};
    const status_t status = init_like(like, md.ndims, md.dims, type, md);
    return status == dnnl_success ? like : dense_md(type, md.ndims, md.dims);
}

memory_desc_t vector_md(data_type_t type, dim_t count) { return dense_md(type, 1, &count); }

std::optional<memory_desc_t> view_t::operator()(const memory_desc_t &tensor) const {
    if (kind_ == kind_t::lacking) return with_ones(tensor, ndims_, mask_);
    auto md = with_leading_ones(tensor, ndims_);
    if (!md) return std::nullopt;
    switch (kind_) {
    case kind_t::lacking:
    case kind_t::same: return md;
    case kind_t::joined:
        if (axis_ > 0) return join(*md, axis_, ndims_);
        // All axes are joined: the row axis is added.
        md = join(*md, 0, ndims_);
        return md ? with_leading_ones(*md, 2) : md;
    case kind_t::channels_last: md = channels_second(*md); [[fallthrough]];
    case kind_t::channels:
        if (!md || md->ndims <= max_image_axes) return md;
        return join(*md, 2, md->ndims);
    }
    return std::nullopt;
}

} // namespace kiln::graph
