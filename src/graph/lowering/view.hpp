// SPDX-License-Identifier: Apache-2.0
// Views: memory descriptors of the same elements with other axes.
#pragma once

#include <optional>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::graph {

/// The same elements in another shape; empty if the layout does not allow it.
std::optional<memory_desc_t> reshaped(const memory_desc_t &md, int ndims, const dim_t *dims);
/// Axis d of the result is axis `source_axes[d]` of `md`.
std::optional<memory_desc_t> permuted(const memory_desc_t &md, const std::vector<int> &source_axes);
/// Adds axes of extent 1 in front until there are `ndims`; empty if `md` has more.
std::optional<memory_desc_t> with_leading_ones(const memory_desc_t &md, int ndims);
/// Broadcasts to `dims`, with stride 0 along axes where `md` has extent 1. Empty if that is not
/// possible or the layout is not plain.
std::optional<memory_desc_t> broadcast_to(const memory_desc_t &md, int ndims, const dim_t *dims);
/// The same layout with another data type.
memory_desc_t with_type(memory_desc_t md, data_type_t type);
/// A dense row-major tensor.
memory_desc_t dense_md(data_type_t type, int ndims, const dim_t *dims);
/// A dense tensor of the same shape with the same order of axes.
memory_desc_t dense_like(const memory_desc_t &md, data_type_t type);
/// A dense vector of `count` elements.
memory_desc_t vector_md(data_type_t type, dim_t count);

/// A view of tensors with a given number of axes. Tensors with fewer get leading axes of extent 1.
class view_t {
public:
    /// No change.
    static view_t same(int ndims) { return {kind_t::same, ndims, 0}; }
    /// Joins the axes from `axis` on into one. The result has at least two axes.
    static view_t joined(int ndims, int axis) { return {kind_t::joined, ndims, axis}; }
    /// Batch, channels, at most three spatial axes. Channels are the last axis of the tensor or the
    /// second.
    static view_t channels(int ndims, bool channels_last) {
        return {channels_last ? kind_t::channels_last : kind_t::channels, ndims, 0};
    }

    /// Tensors without the axes of a mask, which have extent 1 in the view.
    static view_t lacking(int ndims, unsigned mask) {
        return {mask == 0 ? kind_t::same : kind_t::lacking, ndims, 0, mask};
    }
    /// Matrices of a product's dst, whose row axis, column axis or both the tensors do not have.
    static view_t product(int ndims, bool lacks_rows, bool lacks_columns) {
        return lacking(ndims,
                (lacks_rows ? 1u << (ndims - 2) : 0) | (lacks_columns ? 1u << (ndims - 1) : 0));
    }

    int ndims() const { return ndims_; }
    /// Empty if the layout does not allow the view.
    std::optional<memory_desc_t> operator()(const memory_desc_t &md) const;

private:
    enum class kind_t { same, joined, channels, channels_last, lacking };
    view_t(kind_t kind, int ndims, int axis, unsigned mask = 0)
        : kind_(kind)
        , ndims_(ndims)
        , axis_(axis)
        , mask_(mask) {}

    kind_t kind_;
    int ndims_;
    int axis_;
    unsigned mask_;
};

} // namespace kiln::graph
