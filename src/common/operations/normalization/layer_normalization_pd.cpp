// SPDX-License-Identifier: Apache-2.0
// Layer normalization's descriptor: its statistics' layout, and the table of arguments.

#include "common/operations/normalization/layer_normalization_pd.hpp"

#include "common/memory/type_set.hpp"
#include "common/operations/normalization_checks.hpp"
#include "common/verbose/describe.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

namespace {

constexpr const char *component = layer_normalization_desc_t::component;

std::string described_gradients(const layer_normalization_pd_t &pd) {
    std::string text = " " + describe("diff_src", pd.diff_src(), pd.desc().diff_src);
    if (pd.uses_scale()) text += " " + describe("diff_scale", pd.diff_scale_shift());
    if (pd.uses_shift()) text += " " + describe("diff_shift", pd.diff_scale_shift());
    return text;
}

/// The tensors that only fused normalizations have.
std::string described_fused(const layer_normalization_pd_t &pd) {
    std::string text;
    if (pd.has_src_1()) text += " " + describe("src_1", pd.src_1(), pd.desc().src_1);
    if (pd.has_sum()) text += " " + describe("sum", pd.sum(), pd.desc().sum);
    if (pd.has_row_scale())
        text += " " + describe("row_scale", pd.row_scale(), pd.desc().row_scale);
    return text;
}

} // namespace

layer_normalization_pd_t::layer_normalization_pd_t(engine_t *engine,
        const layer_normalization_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : normalization_pd_t(dnnl_layer_normalization, engine, desc, attr, std::move(hint))
    , src_1_(desc.src_1)
    , sum_(desc.sum)
    , row_scale_(desc.row_scale) {}

status_t layer_normalization_pd_t::init() {
    constexpr unsigned both = kiln_combine_statistics | kiln_combine_weight_gradients;
    KILN_REQUIRE((attr().ranks.combined & both) != both, dnnl_unimplemented, "lnorm",
            "ranks combine statistics and gradients of scale and shift; they may combine the first "
            "if the last axis is split among them, the second if rows are");
    // No C entry has checked the post-ops of a gradient.
    if (!is_forward()) KILN_TRY(check_normalization_post_ops(component, attr_.post_ops, diff_src_));
    KILN_TRY(init_stat());
    KILN_TRY(check_sum());
    KILN_TRY(init_row_scale());
    KILN_TRY(init_scale_shift(cols(), desc_.scale_shift_type, desc_.diff_scale_shift_type));
    add_slots();
    add_fused_slots();
    add_attr_slots();
    return dnnl_success;
}

status_t layer_normalization_pd_t::resolve_formats() {
    KILN_TRY(resolve_layouts());
    KILN_TRY(resolve_stat());
    KILN_TRY(follow(src_1_, src_));
    KILN_TRY(follow(sum_, src_));
    if (!is_any(row_scale_)) return dnnl_success;
    memory_desc_t &md = row_scale_.edit();
    return init_by_strides(md, md.ndims, md.dims, md.data_type, nullptr);
}

status_t layer_normalization_pd_t::init_stat() {
    KILN_REQUIRE(!recomputes_stats() || (!is_forward() && !has_global_stats()),
            dnnl_invalid_arguments, component,
            "statistics can be recomputed only where a gradient flows through them");
    if (!recomputes_stats()) stat_ = desc_.stat;
    return dnnl_success;
}

status_t layer_normalization_pd_t::resolve_stat() {
    if (!is_any(stat_)) return dnnl_success;
    dims_t blocks;
    block_sizes(src_, blocks);
    // If the normalized axis is blocked, the statistics are row-major: without that axis the other
    // blocks may not nest.
    if (blocks[src_.ndims - 1] == 1) return follow(stat_, src_);
    memory_desc_t &md = stat_.edit();
    return init_by_strides(md, md.ndims, md.dims, md.data_type, nullptr);
}

status_t layer_normalization_pd_t::check_sum() const {
    if (!has_src_1() && !has_sum()) return dnnl_success;
    for (const auto &[name, md] :
            {std::pair{"src_1", &src_1_.get()}, std::pair{"sum", &sum_.get()}})
        if (!is_zero(*md)) KILN_TRY(check_type(component, *md, name, float_types));
    KILN_REQUIRE(has_src_1() && is_forward(), dnnl_invalid_arguments, component,
            "the sum of src and src_1 needs src_1 and is computed forward only");
    KILN_REQUIRE(is_floating(src_), dnnl_unimplemented, component,
            "src_1 is added to src of data type %s; supported are floating-point types",
            dnnl_dt2str(src_.data_type));
    KILN_TRY(check_tensor(component, src_1_, "src_1", src_));
    if (!has_sum()) return dnnl_success;
    KILN_TRY(check_tensor(component, sum_, "sum", src_));
    return check_output(component, sum_, "sum");
}

status_t layer_normalization_pd_t::init_row_scale() {
    if (!has_row_scale()) return dnnl_success;
    KILN_TRY(check_type(component, row_scale_, "row_scale", float_types));
    KILN_REQUIRE(is_forward() && is_int8(dst_) && !attr_.scales.contains(DNNL_ARG_DST),
            dnnl_unimplemented, component,
            "a scale for each row is supported forward, with dst of s8 or u8 that has no scale of "
            "its own");
    KILN_TRY(check_tensor(component, row_scale_, "row_scale", src_, 1));
    KILN_TRY(check_output(component, row_scale_, "row_scale"));
    constexpr dim_t one = 1;
    return init_by_strides(row_factor_.edit(), 1, &one, dnnl_f32, nullptr);
}

void layer_normalization_pd_t::add_fused_slots() {
    if (has_src_1()) add_slot({DNNL_ARG_SRC_1, arg_use_t::input, &src_1_.get()});
    if (has_sum()) add_slot({DNNL_ARG_DST_1, arg_use_t::output, &sum_.get()});
    if (!has_row_scale()) return;
    add_slot({DNNL_ARG_SRC_2, arg_use_t::input, &row_factor_.get()});
    add_slot({DNNL_ARG_DST_2, arg_use_t::output, &row_scale_.get()});
}

primitive_text_t layer_normalization_pd_t::text() const {
    const bool has_stats = reads_stats() || writes_stats();
    std::string tensors = describe("src", src(), desc_.src);
    // Readers expect dst's gradient under dst's name.
    tensors += " "
               + (is_forward() ? describe("dst", dst(), desc_.dst)
                               : describe("dst", diff_dst(), desc_.diff_dst));
    tensors += " " + describe("stats", has_stats ? stat() : zero_md);
    if (uses_scale()) tensors += " " + describe("scale", scale_shift());
    if (uses_shift()) tensors += " " + describe("shift", scale_shift());
    if (!is_forward()) tensors += described_gradients(*this);
    tensors += described_fused(*this);
    std::string auxiliary = "flags:" + describe_normalization_flags(desc_.flags);
    if (desc_.recomputes_stats) auxiliary += " recomputes_stats";
    return {tensors, auxiliary, describe_dims(src())};
}

dim_t layer_normalization_pd_t::rows() const {
    dim_t count = 1;
    for (int d = 0; d + 1 < src_.ndims; ++d) count *= src_.dims[d];
    return count;
}

} // namespace kiln
