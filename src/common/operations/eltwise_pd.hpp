// SPDX-License-Identifier: Apache-2.0
// Elementwise functions: the problem as plain data and its descriptor.
#pragma once

#include "common/memory/optional_memory_desc.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Forward: dst = alg(src). Backward: diff_src = diff_dst * alg'(data), where data is src or, for
/// the *_use_dst_for_bwd algorithms, dst.
struct eltwise_desc_t {
    using pd_t = class eltwise_pd_t;

    prop_kind_t prop_kind;
    alg_kind_t alg;
    memory_desc_t data;         // src; backward also dst
    optional_memory_desc_t dst; // forward
    optional_memory_desc_t diff_src;
    optional_memory_desc_t diff_dst;
    float alpha;
    float beta;

    bool is_forward() const { return prop_kind != dnnl_backward_data; }
    auto fields() const {
        return std::tie(
                prop_kind, alg, data, dst.get(), diff_src.get(), diff_dst.get(), alpha, beta);
    }
};

class eltwise_pd_t : public operation_pd_t<eltwise_desc_t> {
public:
    eltwise_pd_t(engine_t *engine, const eltwise_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` the layout of the data.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<eltwise_pd_t>> implementations();

    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    status_t query(query_t what, int index, void *result) const override;

    bool is_forward() const { return desc_.is_forward(); }
    /// The argument that the function, or its derivative, is computed of.
    int data_arg() const { return !is_forward() && uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC; }
    int result_arg() const { return is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
    const memory_desc_t &data() const { return desc_.data; }
    /// dst or diff_src.
    const memory_desc_t &result() const { return is_forward() ? dst_ : diff_src_; }
    const memory_desc_t &diff_dst() const { return diff_dst_; }

private:
    bool uses_dst() const;

    optional_memory_desc_t dst_, diff_src_, diff_dst_;
};

} // namespace kiln
