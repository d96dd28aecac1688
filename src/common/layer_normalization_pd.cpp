// SPDX-License-Identifier: Apache-2.0
// Layer normalization's descriptor: which layouts `any` becomes, and the table of arguments.

#include "common/layer_normalization_pd.hpp"

#include "common/out_parameter.hpp"

namespace kiln {

layer_normalization_pd_t::layer_normalization_pd_t(engine_t *engine,
        const layer_normalization_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_layer_normalization, engine, desc, attr, std::move(hint))
    , src_(desc.src)
    , dst_(desc.dst)
    , diff_src_(desc.diff_src)
    , diff_dst_(desc.diff_dst)
    , stat_(desc.stat) {}

status_t layer_normalization_pd_t::init() {
    KILN_TRY(is_forward() ? resolve_forward() : resolve_backward());
    KILN_TRY(resolve_stat());
    if (uses_scale() || uses_shift()) {
        const dim_t extent = cols();
        KILN_TRY(init_by_strides(scale_shift_, 1, &extent, desc_.scale_shift_type, nullptr));
        if (has_weight_gradients())
            KILN_TRY(init_by_strides(
                    diff_scale_shift_, 1, &extent, desc_.diff_scale_shift_type, nullptr));
    }
    if (is_forward())
        add_forward_slots();
    else
        add_backward_slots();
    add_attr_slots();
    return dnnl_success;
}

namespace {

/// Gives `md` the layout of `model` if it is open.
status_t follow(memory_desc_t &md, const memory_desc_t &model) {
    return is_any(md) ? init_like(md, md.ndims, md.dims, md.data_type, model) : dnnl_success;
}

} // namespace

status_t layer_normalization_pd_t::resolve_forward() {
    KILN_TRY(follow(dst_, src_));
    return attr_.post_ops.resolve_formats(dst_);
}

status_t layer_normalization_pd_t::resolve_backward() {
    if (is_any(src_)) {
        // Forward's own layout if it is known, else that of a gradient, else row-major.
        const auto *forward = static_cast<const layer_normalization_pd_t *>(hint());
        if (forward)
            KILN_TRY(follow(src_, forward->src()));
        else if (!is_any(diff_dst_))
            KILN_TRY(follow(src_, diff_dst_));
        else if (!is_any(diff_src_))
            KILN_TRY(follow(src_, diff_src_));
        else
            KILN_TRY(init_by_strides(src_, src_.ndims, src_.dims, src_.data_type, nullptr));
    }
    KILN_TRY(follow(diff_dst_, src_));
    return follow(diff_src_, src_);
}

status_t layer_normalization_pd_t::resolve_stat() {
    if (!is_any(stat_)) return dnnl_success;
    dims_t blocks;
    block_sizes(src_, blocks);
    // Without the normalized axis, src's blocks may no longer nest: row-major then.
    if (blocks[src_.ndims - 1] != 1)
        return init_by_strides(stat_, stat_.ndims, stat_.dims, stat_.data_type, nullptr);
    return init_like(stat_, stat_.ndims, stat_.dims, stat_.data_type, src_);
}

dim_t layer_normalization_pd_t::rows() const {
    dim_t count = 1;
    for (int d = 0; d + 1 < src_.ndims; ++d) count *= src_.dims[d];
    return count;
}

void layer_normalization_pd_t::add_forward_slots() {
    const auto stats_use = reads_stats()    ? arg_use_t::input
                           : writes_stats() ? arg_use_t::output
                                            : arg_use_t::unused;
    const auto stats_query = reads_stats()    ? dnnl_query_src_md
                             : writes_stats() ? dnnl_query_dst_md
                                              : dnnl_query_undef;
    const memory_desc_t *stat = stats_use == arg_use_t::unused ? &zero_md : &stat_;
    const auto input_if = [](bool used) { return used ? arg_use_t::input : arg_use_t::unused; };

    add_slot({DNNL_ARG_SRC, arg_use_t::input, &src_, dnnl_query_src_md});
    add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
    add_slot({DNNL_ARG_MEAN, is_rms() ? arg_use_t::unused : stats_use, stat, stats_query, 1});
    add_slot({DNNL_ARG_VARIANCE, stats_use, stat, stats_query, 2});
    // Either of scale and shift is described where the other is used: programs make both from one.
    add_slot({DNNL_ARG_SCALE, input_if(uses_scale()), &scale_shift_, dnnl_query_weights_md, 0});
    add_slot({DNNL_ARG_SHIFT, input_if(uses_shift()), &scale_shift_, dnnl_query_weights_md, 1});
}

void layer_normalization_pd_t::add_backward_slots() {
    const auto input_if = [](bool used) { return used ? arg_use_t::input : arg_use_t::unused; };
    const auto gradient_if = [&](bool used) {
        return used && has_weight_gradients() ? arg_use_t::output : arg_use_t::unused;
    };
    add_slot({DNNL_ARG_SRC, arg_use_t::input, &src_, dnnl_query_src_md});
    add_slot({DNNL_ARG_DIFF_DST, arg_use_t::input, &diff_dst_, dnnl_query_diff_dst_md});
    add_slot({DNNL_ARG_MEAN, input_if(!is_rms()), &stat_, dnnl_query_src_md, 1});
    add_slot({DNNL_ARG_VARIANCE, arg_use_t::input, &stat_, dnnl_query_src_md, 2});
    add_slot({DNNL_ARG_SCALE, input_if(uses_scale()), &scale_shift_, dnnl_query_weights_md, 0});
    // Any of the gradients may be left out at execution: what is not asked for is not computed.
    add_slot({DNNL_ARG_DIFF_SRC, arg_use_t::output, &diff_src_, dnnl_query_diff_src_md, 0, true});
    add_slot({DNNL_ARG_DIFF_SCALE, gradient_if(uses_scale()), &diff_scale_shift_,
            dnnl_query_diff_weights_md, 0, true});
    add_slot({DNNL_ARG_DIFF_SHIFT, gradient_if(uses_shift()), &diff_scale_shift_,
            dnnl_query_diff_weights_md, 1, true});
}

status_t layer_normalization_pd_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_epsilon_f32: return answer(result, desc_.epsilon);
    case dnnl_query_flags: return answer(result, desc_.flags);
    default: return primitive_desc_t::query(what, index, result);
    }
}

} // namespace kiln
