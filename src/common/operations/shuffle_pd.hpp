// SPDX-License-Identifier: Apache-2.0
// Shuffle: the problem as plain data and its descriptor.
#pragma once

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// An axis of K * G elements is a matrix, which is transposed. Forward: dst[g * K + k] =
/// src[k * G + g] with G = group_size; backward: diff_src[k * G + g] = diff_dst[g * K + k].
struct shuffle_desc_t {
    using pd_t = class shuffle_pd_t;

    prop_kind_t prop_kind;
    memory_desc_t src; // backward: diff_dst
    memory_desc_t dst; // backward: diff_src
    int axis;
    dim_t group_size;

    bool is_forward() const { return prop_kind != dnnl_backward_data; }
    auto fields() const { return std::tie(prop_kind, src, dst, axis, group_size); }
};

class shuffle_pd_t : public operation_pd_t<shuffle_desc_t> {
public:
    shuffle_pd_t(engine_t *engine, const shuffle_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives a tensor whose format is `any` the layout of the other one. If both are `any`, it is
    /// that of the forward descriptor, or row-major.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<shuffle_pd_t>> implementations();

    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    status_t query(query_t what, int index, void *result) const override;

    bool is_forward() const { return desc_.is_forward(); }
    int axis() const { return desc_.axis; }
    int src_arg() const { return is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    int dst_arg() const { return is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
    const memory_desc_t &src() const { return src_; }
    const memory_desc_t &dst() const { return dst_; }
    /// The columns of the matrix that the axis of src is, in either direction.
    dim_t columns() const;

private:
    memory_desc_t src_, dst_;
};

} // namespace kiln
