// SPDX-License-Identifier: Apache-2.0
// Layer normalization (RMS normalization included): the problem as plain data and its descriptor.
#pragma once

#include "common/operations/normalization/normalization_pd.hpp"

namespace kiln {

/// The last logical axis of src is normalized. Fields after the types of scale and shift go beyond
/// the C interface, whose entries leave them zero.
struct layer_normalization_desc_t {
    using pd_t = class layer_normalization_pd_t;
    static constexpr const char *component = "lnorm";

    prop_kind_t prop_kind;
    unsigned flags; // dnnl_use_global_stats, _use_scale, _use_shift, dnnl_rms_norm
    float epsilon;
    memory_desc_t src;
    optional_memory_desc_t dst;
    optional_memory_desc_t diff_src;
    optional_memory_desc_t diff_dst;
    optional_memory_desc_t stat; // ndims - 1 axes
    data_type_t scale_shift_type;
    data_type_t diff_scale_shift_type;
    // Forward.
    optional_memory_desc_t src_1; // src's shape: added to src before the statistics
    optional_memory_desc_t sum; // an output: src + src_1. Where it is there, statistics and dst are
                                // of the sum as it is stored
    optional_memory_desc_t row_scale; // an output of src's shape without the last axis: max|y| of a
                                      // row times a factor; dst = y / row_scale
    bool recomputes_stats; // backward: mean and variance are not given but computed from src;
                           // `stat` means nothing then

    auto fields() const {
        return std::tie(prop_kind, flags, epsilon, src, dst.get(), diff_src.get(), diff_dst.get(),
                stat.get(), scale_shift_type, diff_scale_shift_type, src_1.get(), sum.get(),
                row_scale.get(), recomputes_stats);
    }
};

class layer_normalization_pd_t : public normalization_pd_t<layer_normalization_desc_t> {
public:
    layer_normalization_pd_t(engine_t *engine, const layer_normalization_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` their default layout.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<layer_normalization_pd_t>> implementations();

    /// Extent of the normalized axis, and how many rows of it there are.
    dim_t cols() const { return src_.dims[src_.ndims - 1]; }
    dim_t rows() const;
    /// What ranks send each other.
    rank_message_size_t message_size() const {
        return {.statistics = combines_statistics() ? rows() : 0,
                .weights = combines_weight_gradients() ? cols() : 0};
    }

    bool has_src_1() const { return !is_zero(src_1_); }
    bool has_sum() const { return !is_zero(sum_); }
    bool has_row_scale() const { return !is_zero(row_scale_); }
    /// DNNL_ARG_SRC_1, DNNL_ARG_DST_1, DNNL_ARG_DST_2; the zero descriptor where there is none.
    const memory_desc_t &src_1() const { return src_1_; }
    const memory_desc_t &sum() const { return sum_; }
    const memory_desc_t &row_scale() const { return row_scale_; }

private:
    status_t init_stat();
    status_t init_row_scale();
    status_t check_sum() const;
    status_t resolve_stat();
    void add_fused_slots();

    optional_memory_desc_t src_1_, sum_, row_scale_;
    optional_memory_desc_t row_factor_; // what max|y| is multiplied by: one float, DNNL_ARG_SRC_2
};

} // namespace kiln
