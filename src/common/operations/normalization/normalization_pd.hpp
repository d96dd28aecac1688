// SPDX-License-Identifier: Apache-2.0
// What the descriptors of all normalizations share: tensors, flags, and the table of arguments.
#pragma once

#include "common/memory/optional_memory_desc.hpp"
#include "common/out_parameter.hpp"
#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// Backward: an open src follows forward's if the hint is there, else a gradient, else it is
/// row-major; open gradients follow src.
status_t resolve_gradients(const primitive_desc_t *hint, memory_desc_t &src,
        optional_memory_desc_t &diff_dst, optional_memory_desc_t &diff_src);

/// Flags by letter in verbose lines, e.g. "CH": G C H R A M.
std::string describe_normalization_flags(unsigned flags);

/// `desc_t` has prop_kind, flags and epsilon; src, dst, diff_src and diff_dst; it may have
/// recomputes_stats. A forward descriptor has src and dst, a backward one src, diff_src and
/// diff_dst; the others are the zero descriptor.
/// The operation's class sets the descriptors of statistics, scale and shift before it adds the
/// arguments.
template <typename desc_t> class normalization_pd_t : public operation_pd_t<desc_t> {
    using base_t = operation_pd_t<desc_t>;

public:
    prop_kind_t prop_kind() const override { return desc_.prop_kind; }
    status_t query(query_t what, int index, void *result) const override {
        switch (what) {
        case dnnl_query_epsilon_f32: return answer(result, desc_.epsilon);
        case dnnl_query_flags: return answer(result, desc_.flags);
        default: return base_t::query(what, index, result);
        }
    }

    bool is_forward() const {
        return desc_.prop_kind == dnnl_forward_training
               || desc_.prop_kind == dnnl_forward_inference;
    }
    bool uses_scale() const { return desc_.flags & dnnl_use_scale; }
    bool uses_shift() const { return desc_.flags & dnnl_use_shift; }
    bool is_rms() const { return desc_.flags & dnnl_rms_norm; }
    bool has_global_stats() const { return desc_.flags & dnnl_use_global_stats; }
    /// Backward: whether the statistics are computed from src once more.
    bool recomputes_stats() const {
        if constexpr (requires { this->desc_.recomputes_stats; }) return desc_.recomputes_stats;
        return false;
    }
    /// Whether the statistics are an input.
    bool reads_stats() const { return is_forward() ? has_global_stats() : !recomputes_stats(); }
    bool writes_stats() const {
        return desc_.prop_kind == dnnl_forward_training && !has_global_stats();
    }
    /// Whether diff_scale and diff_shift can be outputs.
    bool has_weight_gradients() const { return desc_.prop_kind == dnnl_backward; }

    /// Whether ranks combine their statistics; backward, the sums that diff_src takes.
    bool combines_statistics() const {
        const bool are_constant = is_forward() ? reads_stats() : has_global_stats();
        return !are_constant && this->attr().ranks.combines(kiln_combine_statistics);
    }
    /// Whether ranks combine their diff_scale and diff_shift.
    bool combines_weight_gradients() const {
        return has_weight_gradients() && (uses_scale() || uses_shift())
               && this->attr().ranks.combines(kiln_combine_weight_gradients);
    }

    const memory_desc_t &src() const { return src_; }
    const memory_desc_t &dst() const { return dst_; }
    const memory_desc_t &diff_src() const { return diff_src_; }
    const memory_desc_t &diff_dst() const { return diff_dst_; }
    const memory_desc_t &stat() const { return stat_; }
    /// The zero descriptor where neither is used.
    const memory_desc_t &scale_shift() const { return scale_shift_; }
    const memory_desc_t &diff_scale_shift() const { return diff_scale_shift_; }

protected:
    normalization_pd_t(primitive_kind_t kind, engine_t *engine, const desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
        : base_t(kind, engine, desc, attr, std::move(hint))
        , src_(desc.src)
        , dst_(desc.dst)
        , diff_src_(desc.diff_src)
        , diff_dst_(desc.diff_dst) {}

    using base_t::desc_;

    /// Resolves every `any` of the tensors and of post-ops' operands.
    status_t resolve_layouts() {
        if (is_forward())
            KILN_TRY(follow(dst_, src_));
        else
            KILN_TRY(resolve_gradients(this->hint().get(), src_, diff_dst_, diff_src_));
        return this->resolve_attr_formats(is_forward() ? dst_ : diff_src_);
    }

    /// Scale, shift and their gradients: `count` elements each.
    status_t init_scale_shift(dim_t count, data_type_t type, data_type_t gradient_type) {
        if (!uses_scale() && !uses_shift()) return dnnl_success;
        KILN_TRY(init_by_strides(scale_shift_.edit(), 1, &count, type, nullptr));
        if (!has_weight_gradients()) return dnnl_success;
        return init_by_strides(diff_scale_shift_.edit(), 1, &count, gradient_type, nullptr);
    }

    void add_slots() {
        if (is_forward())
            add_forward_slots();
        else
            add_backward_slots();
    }

    memory_desc_t src_;
    optional_memory_desc_t dst_, diff_src_, diff_dst_;
    optional_memory_desc_t stat_, scale_shift_, diff_scale_shift_;

private:
    void add_forward_slots() {
        const auto stats_use = reads_stats()    ? arg_use_t::input
                               : writes_stats() ? arg_use_t::output
                                                : arg_use_t::unused;
        const auto stats_query = reads_stats()    ? dnnl_query_src_md
                                 : writes_stats() ? dnnl_query_dst_md
                                                  : dnnl_query_undef;
        const memory_desc_t *stat = stats_use == arg_use_t::unused ? &zero_md : &stat_.get();
        const auto mean_use = is_rms() ? arg_use_t::unused : stats_use;

        this->add_slot({DNNL_ARG_SRC, arg_use_t::input, &src_, dnnl_query_src_md});
        this->add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_.get(), dnnl_query_dst_md});
        this->add_slot({DNNL_ARG_MEAN, mean_use, stat, stats_query, 1});
        this->add_slot({DNNL_ARG_VARIANCE, stats_use, stat, stats_query, 2});
        // Either of scale and shift is described where the other is used: programs make both from
        // one.
        this->add_slot({DNNL_ARG_SCALE, input_if(uses_scale()), &scale_shift_.get(),
                dnnl_query_weights_md, 0});
        this->add_slot({DNNL_ARG_SHIFT, input_if(uses_shift()), &scale_shift_.get(),
                dnnl_query_weights_md, 1});
    }

    void add_backward_slots() {
        const memory_desc_t *stat = reads_stats() ? &stat_.get() : &zero_md;
        this->add_slot({DNNL_ARG_SRC, arg_use_t::input, &src_, dnnl_query_src_md});
        this->add_slot(
                {DNNL_ARG_DIFF_DST, arg_use_t::input, &diff_dst_.get(), dnnl_query_diff_dst_md});
        this->add_slot(
                {DNNL_ARG_MEAN, input_if(reads_stats() && !is_rms()), stat, dnnl_query_src_md, 1});
        this->add_slot({DNNL_ARG_VARIANCE, input_if(reads_stats()), stat, dnnl_query_src_md, 2});
        this->add_slot({DNNL_ARG_SCALE, input_if(uses_scale()), &scale_shift_.get(),
                dnnl_query_weights_md, 0});
        // Any of the gradients may be left out at execution: what is not asked for is not computed.
        this->add_slot({DNNL_ARG_DIFF_SRC, arg_use_t::output, &diff_src_.get(),
                dnnl_query_diff_src_md, 0, true});
        this->add_slot({DNNL_ARG_DIFF_SCALE, gradient_if(uses_scale()), &diff_scale_shift_.get(),
                dnnl_query_diff_weights_md, 0, true});
        this->add_slot({DNNL_ARG_DIFF_SHIFT, gradient_if(uses_shift()), &diff_scale_shift_.get(),
                dnnl_query_diff_weights_md, 1, true});
    }

    static arg_use_t input_if(bool used) { return used ? arg_use_t::input : arg_use_t::unused; }
    arg_use_t gradient_if(bool used) const {
        return used && has_weight_gradients() ? arg_use_t::output : arg_use_t::unused;
    }
};

} // namespace kiln
