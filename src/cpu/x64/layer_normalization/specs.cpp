// SPDX-License-Identifier: Apache-2.0
// What distinguishes one kernel of layer or RMS normalization from another.

#include "cpu/x64/layer_normalization/specs.hpp"

#include "common/memory/type_set.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::layer_normalization {

std::string normalization_spec_t::name_of(
        const std::string &kernel, size_t input, size_t output) const {
    return jit::kernel_name(
            (is_rms ? "rms_norm_" : "layer_norm_") + kernel, {type(input), type(output)}, isa);
}

std::vector<const memory_desc_t *> tensors_of(const layer_normalization_pd_t &pd) {
    return {&pd.src(), &pd.dst(), &pd.src_1(), &pd.sum(), &pd.diff_src(), &pd.diff_dst()};
}

refusal_t check_operands(const layer_normalization_pd_t &pd) {
    if (has_zero_dim(pd.src())) return refused("src has no elements");
    if (pd.combines_statistics() && (pd.has_src_1() || pd.has_row_scale()))
        return refused("ranks combine statistics, and src_1 is added to src or dst has a scale for "
                       "each row");
    if (pd.combines_statistics() && pd.recomputes_stats())
        return refused("ranks combine statistics, which are not given to the gradient");
    const type_set_t types = pd.is_forward() ? float_types | int8_types : float_types;
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !contains(types, md->data_type))
            return refused("a tensor is not f32, bf16 or f16, nor, forward, s8 or u8");
    if (pd.recomputes_stats()) return accepted();
    if (!contains(float_types, pd.stat().data_type))
        return refused("mean and variance are not f32, bf16 or f16");
    return is_plain(pd.stat()) ? accepted() : refused("statistics have a blocked layout");
}

namespace {

/// The layout of an array that ranks combine: a float for each row, in logical order.
memory_desc_t desc_of_rank_array(const layer_normalization_pd_t &pd) {
    memory_desc_t md{};
    init_by_strides(md, pd.src().ndims - 1, pd.src().dims, dnnl_f32, nullptr);
    return md;
}

} // namespace

refusal_t add_operands(operand_layouts_t &layouts, const layer_normalization_pd_t &pd, int axis,
        normalization_spec_t &spec, bool has_rank_arrays) {
    constexpr int no_argument = 0;
    const auto add_rank_array = [&](bool is_present) {
        if (has_rank_arrays && is_present)
            layouts.add_own(no_argument, desc_of_rank_array(pd));
        else
            layouts.add(no_argument, zero_md);
    };
    const bool has_mean = !pd.is_rms();
    if (pd.is_forward()) {
        layouts.add({DNNL_ARG_SRC, DNNL_ARG_DST});
        if (has_rank_arrays)
            add_rank_array(has_mean), add_rank_array(true);
        else
            layouts.add({DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
        layouts.add_shared({DNNL_ARG_SCALE, DNNL_ARG_SHIFT});
        layouts.add({DNNL_ARG_SRC_1, DNNL_ARG_DST_1, DNNL_ARG_DST_2});
        add_rank_array(has_mean);
        layouts.add_shared({DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, DNNL_ARG_SRC_2});
    } else {
        layouts.add({DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_MEAN,
                DNNL_ARG_VARIANCE});
        layouts.add_shared({DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
        add_rank_array(has_mean);
        add_rank_array(true);
    }
    return add_post_ops_along(pd, axis, layouts, spec.post_ops);
}

} // namespace kiln::x64::layer_normalization
