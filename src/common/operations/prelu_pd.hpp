// SPDX-License-Identifier: Apache-2.0
// PReLU: the problem as plain data and its descriptor.
#pragma once

#include "common/memory/optional_memory_desc.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Forward: dst = src > 0 ? src : weights * src. Backward: diff_src = src > 0 ? diff_dst : weights
/// * diff_dst, and diff_weights is the sum of src > 0 ? 0 : src * diff_dst over the elements that
/// share a weight. Along each axis weights have src's extent or 1.
struct prelu_desc_t {
    using pd_t = class prelu_pd_t;

    prop_kind_t prop_kind;
    memory_desc_t src;
    memory_desc_t weights;
    optional_memory_desc_t dst; // forward
    optional_memory_desc_t diff_src;
    optional_memory_desc_t diff_weights;
    optional_memory_desc_t diff_dst;

    bool is_forward() const { return prop_kind != dnnl_backward; }
    auto fields() const {
        return std::tie(prop_kind, src, weights, dst.get(), diff_src.get(), diff_weights.get(),
                diff_dst.get());
    }
};

class prelu_pd_t : public operation_pd_t<prelu_desc_t> {
public:
    prelu_pd_t(engine_t *engine, const prelu_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` the order and the blocks of src, which is row-major
    /// if its format is `any`; diff_weights get those of weights.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<prelu_pd_t>> implementations();

    prop_kind_t prop_kind() const override { return desc_.prop_kind; }

    bool is_forward() const { return desc_.is_forward(); }
    const memory_desc_t &src() const { return src_; }
    const memory_desc_t &weights() const { return weights_; }
    const memory_desc_t &dst() const { return dst_; }
    const memory_desc_t &diff_src() const { return diff_src_; }
    const memory_desc_t &diff_weights() const { return diff_weights_; }
    const memory_desc_t &diff_dst() const { return diff_dst_; }

private:
    /// Layouts that follow from another one are compared too, as in binary operations.
    bool same_problem(const primitive_desc_t &other) const override;

    memory_desc_t src_, weights_;
    optional_memory_desc_t dst_, diff_src_, diff_weights_, diff_dst_;
};

} // namespace kiln
