// SPDX-License-Identifier: Apache-2.0
// How a primitive sees an operation's tensors: the same elements under other axes.
#pragma once

#include <optional>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln::graph {

/// The same elements in another shape, if the layout allows it.
std::optional<memory_desc_t> reshaped(const memory_desc_t &md, int ndims, const dim_t *dims);
/// Axis d of the result is axis `source_axes[d]` of `md`.
std::optional<memory_desc_t> permuted(const memory_desc_t &md, const std::vector<int> &source_axes);
/// With axes of extent 1 in front, so that there are `ndims` of them; `md` has no more.
std::optional<memory_desc_t> with_leading_ones(const memory_desc_t &md, int ndims);
/// With stride 0 along the axes in which `md` has extent 1 and `dims` more; the tensor is plain.
std::optional<memory_desc_t> broadcast_to(const memory_desc_t &md, int ndims, const dim_t *dims);
/// The bytes of one element as another type of the same size.
memory_desc_t with_type(memory_desc_t md, data_type_t type);
/// Row-major.
memory_desc_t dense_md(data_type_t type, int ndims, const dim_t *dims);
/// `count` elements one after the other.
memory_desc_t vector_md(data_type_t type, dim_t count);

/// A view of tensors of a given rank; operands of lower rank get leading ones.
class view_t {
public:
    /// As they are.
    static view_t same(int ndims) { return {kind_t::same, ndims, 0}; }
    /// The axes from `axis` on as one; at least two axes.
    static view_t folded(int ndims, int axis) { return {kind_t::folded, ndims, axis}; }
    /// Batch, channels, at most three spatial axes; the channels come last in the tensor or second.
    static view_t channels(int ndims, bool channels_last) {
        return {channels_last ? kind_t::channels_last : kind_t::channels, ndims, 0};
    }

    int ndims() const { return ndims_; }
    /// None where the layout does not allow it.
    std::optional<memory_desc_t> operator()(const memory_desc_t &md) const;

private:
    enum class kind_t { same, folded, channels, channels_last };
    view_t(kind_t kind, int ndims, int axis)
        : kind_(kind)
        , ndims_(ndims)
        , axis_(axis) {}

    kind_t kind_;
    int ndims_;
    int axis_;
};

} // namespace kiln::graph
