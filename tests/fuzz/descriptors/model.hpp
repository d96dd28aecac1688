// SPDX-License-Identifier: Apache-2.0
// What is known of memory descriptors: which calls are legal, and where elements lie, element by
// element for small tensors.
#pragma once

#include "support/expect.hpp"
#include "support/layouts.hpp"

namespace kiln::fuzz {

/// A call that creates a descriptor.
struct creation_t {
    int ndims;
    dims_t dims; ///< 12 entries
    dnnl_data_type_t type;
};

/// Whether number, extents and type of the dimensions are those of a tensor.
bool is_tensor(const creation_t &creation);
verdict_t verdict_of_tag(const creation_t &creation, dnnl_format_tag_t tag);
/// The name of any blocked layout, whether or not there is an enumerator.
verdict_t verdict_of_tag_name(const creation_t &creation, const std::string &name);
verdict_t verdict_of_strides(const creation_t &creation, const dims_t &strides);

/// A layout as queries tell it.
class known_layout_t {
public:
    explicit known_layout_t(const_dnnl_memory_desc_t desc);

    bool is_blocked() const { return kind_ == dnnl_blocked; }
    /// Blocked, without values known only at execution.
    bool is_settled() const { return is_settled_; }
    /// Settled, and with so few elements, padding included, that each can be visited.
    bool is_small() const { return is_small_; }
    bool is_plain() const { return is_blocked() && inner_blocks_.empty(); }
    bool has_front_padding() const;
    bool has_axis_of_stride_0() const;
    /// Whether the place at an index of a plain layout is a number of elements. It may be none where
    /// no stride matters: in a tensor without elements, along an axis of one.
    bool has_place(const dims_t &index) const;
    const dims_t &dims() const { return dims_; }
    dnnl_data_type_t type() const { return type_; }
    /// Of a small layout, in elements.
    int64_t offset(const dims_t &index) const;
    /// Every query agrees with the others, elements do not overlap, and they lie within the size.
    void expect_sound(const_dnnl_memory_desc_t desc) const;

private:
    void expect_elements_within(size_t bytes) const;

    dnnl_format_kind_t kind_;
    dnnl_data_type_t type_;
    int64_t offset0_;
    dims_t dims_, padded_dims_, padded_offsets_, strides_, inner_blocks_, inner_axes_;
    bool is_settled_ = false, is_small_ = false;
};

/// The element of `part` at an index is that of `whole` at the index plus offsets.
void expect_part(const known_layout_t &part, const known_layout_t &whole, const dims_t &offsets);
/// Elements are the same in row-major order.
void expect_reshaped(const known_layout_t &to, const known_layout_t &from);
/// Axis d of `from` is axis permutation[d] of `to`.
void expect_permuted(
        const known_layout_t &to, const known_layout_t &from, const std::vector<int> &permutation);

} // namespace kiln::fuzz
