// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication: the problem as plain data and its descriptor.
#pragma once

#include "common/operations/products/mask_axes.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// dst = src x weights + bias, where the last two axes are rows and columns: src is [..., M, K],
/// weights [..., K, N], dst [..., M, N]. Along other axes, the batch, src and weights have dst's
/// extent or 1. Bias has dst's extent or 1 along each axis.
struct matmul_desc_t {
    using pd_t = class matmul_pd_t;
    /// dst cannot lie in the buffer of src: each element depends on a row of src.
    static constexpr bool allows_in_place = false;

    memory_desc_t src;
    memory_desc_t weights;
    memory_desc_t bias; // the zero descriptor: there is none
    memory_desc_t dst;

    auto fields() const { return std::tie(src, weights, bias, dst); }
};

/// Checks tensors and attributes. Each dimension that is left to execution time is so in all
/// tensors that share it.
status_t check_matmul(const matmul_desc_t &desc, const primitive_attr_t *attr);
/// Its part about shapes.
status_t check_shapes(const matmul_desc_t &desc);
/// Its part about attributes.
status_t check_matmul_attr(const matmul_desc_t &desc, const primitive_attr_t *attr);

class matmul_pd_t : public operation_pd_t<matmul_desc_t> {
public:
    matmul_pd_t(engine_t *engine, const matmul_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` the row-major layout.
    status_t resolve_formats();
    primitive_text_t text() const override;
    status_t query(query_t what, int index, void *result) const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<matmul_pd_t>> implementations();

    const memory_desc_t &src() const { return src_; }
    const memory_desc_t &weights() const { return weights_; }
    const memory_desc_t &bias() const { return bias_; }
    const memory_desc_t &dst() const { return dst_; }
    bool has_bias() const { return !is_zero(bias_); }

    int ndims() const { return dst_.ndims; }
    int batch_ndims() const { return dst_.ndims - 2; }
    dim_t m() const { return dst_.dims[dst_.ndims - 2]; }
    dim_t n() const { return dst_.dims[dst_.ndims - 1]; }
    dim_t k() const { return src_.dims[src_.ndims - 1]; }
    /// How many matrices dst consists of.
    dim_t batch() const;
    /// Both operands are integers of 8 bits or fewer, so that the sums are integers.
    bool is_integer() const;
    /// Integer weights that are converted to floating point before they are multiplied.
    bool decompresses_weights() const;

    /// For implementations that settle formats, while they accept: the layout of a tensor whose
    /// format is `any`.
    void settle_src(const memory_desc_t &md) { src_ = md; }
    void settle_weights(const memory_desc_t &md) { weights_ = md; }

private:
    memory_desc_t src_, weights_, bias_, dst_;
    mask_axes_t quantization_;
};

} // namespace kiln
