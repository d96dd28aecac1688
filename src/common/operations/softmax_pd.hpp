// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax: the problem as plain data and its descriptor.
#pragma once

#include "common/memory/optional_memory_desc.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Softmax along one axis. Fields from is_inf_zero on go beyond the C interface, whose entries
/// leave them zero.
struct softmax_desc_t {
    using pd_t = class softmax_pd_t;

    prop_kind_t prop_kind;
    alg_kind_t alg; // dnnl_softmax_accurate or dnnl_softmax_log
    int axis;
    optional_memory_desc_t src; // forward
    memory_desc_t dst;          // an input of backward
    optional_memory_desc_t diff_src;
    optional_memory_desc_t diff_dst;
    bool is_inf_zero;             // forward: a line of -inf alone gives zeros instead of NaN
    optional_memory_desc_t stats; // forward: an output with extent 1 along the axis,
                                  // log(sum(exp(src))), or 0 for a line of zeros instead of NaN;
                                  // the zero descriptor if it is not wanted
    size_t pre_ops; // forward: so many of the attributes' post-ops, the first ones, are
                    // applied to src instead of the result. They are eltwise or binary.

    auto fields() const {
        return std::tie(prop_kind, alg, axis, src.get(), dst, diff_src.get(), diff_dst.get(),
                is_inf_zero, stats.get(), pre_ops);
    }
};

class softmax_pd_t : public operation_pd_t<softmax_desc_t> {
public:
    softmax_pd_t(engine_t *engine, const softmax_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` their default layout.
    status_t resolve_formats();
    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<softmax_pd_t>> implementations();

    status_t query(query_t what, int index, void *result) const override;

    bool is_forward() const { return desc_.prop_kind != dnnl_backward_data; }
    bool is_log() const { return desc_.alg == dnnl_softmax_log; }
    int axis() const { return desc_.axis; }
    const memory_desc_t &src() const { return desc_.src; }
    const memory_desc_t &dst() const { return dst_; }
    const memory_desc_t &diff_src() const { return diff_src_; }
    const memory_desc_t &diff_dst() const { return diff_dst_; }
    const memory_desc_t &stats() const { return stats_; }
    bool has_stats() const { return !is_zero(stats_); }
    /// Elements of a line along the axis, and how many lines there are.
    dim_t length() const { return dst_.dims[desc_.axis]; }
    dim_t lines() const { return length() == 0 ? 0 : element_count(dst_) / length(); }

private:
    memory_desc_t dst_;
    optional_memory_desc_t diff_src_, diff_dst_, stats_;
};

} // namespace kiln
