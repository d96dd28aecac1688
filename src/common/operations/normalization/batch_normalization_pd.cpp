// SPDX-License-Identifier: Apache-2.0
// Batch normalization's descriptor: the fused ReLU's mask or operand, and the table of arguments.

#include "common/operations/normalization/batch_normalization_pd.hpp"

#include <limits>

#include "common/operations/normalization/relu_mask.hpp"
#include "common/verbose/describe.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

batch_normalization_pd_t::batch_normalization_pd_t(engine_t *engine,
        const batch_normalization_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : normalization_pd_t(dnnl_batch_normalization, engine, desc, attr, std::move(hint))
    , relu_operand_(desc.relu_operand) {}

status_t batch_normalization_pd_t::init() {
    const dim_t count = channels();
    KILN_TRY(init_by_strides(stat_.edit(), 1, &count, dnnl_f32, nullptr));
    KILN_TRY(init_scale_shift(count, dnnl_f32, dnnl_f32));
    KILN_TRY(check_relu_operand());
    add_slots();
    add_fused_slots();
    add_attr_slots();
    return dnnl_success;
}

status_t batch_normalization_pd_t::resolve_formats() {
    KILN_TRY(resolve_layouts());
    if (has_relu_mask()) KILN_TRY(resolve_relu_mask());
    return has_relu_operand() ? follow(relu_operand_, diff_dst_) : dnnl_success;
}

status_t batch_normalization_pd_t::resolve_relu_mask() {
    constexpr dim_t most_bits = std::numeric_limits<dim_t>::max() / 16;
    KILN_REQUIRE(element_count(src_, true) <= most_bits, dnnl_unimplemented, desc_.component,
            "src has more elements than a ReLU's mask can have bits");
    init_relu_mask(relu_mask_.edit(), src_);
    const dim_t bytes = has_zero_dim(src_) ? 0 : relu_mask_bytes(relu_mask_);
    KILN_TRY(init_by_strides(workspace_.edit(), 1, &bytes, dnnl_u8, nullptr));
    if (is_forward()) return dnnl_success;
    const auto *forward = static_cast<const batch_normalization_pd_t *>(hint().get());
    KILN_REQUIRE(forward, dnnl_unimplemented, desc_.component,
            "the gradient of a fused ReLU needs the forward descriptor as a hint");
    KILN_REQUIRE(forward->has_add() == has_add() && forward->relu_mask() == relu_mask_,
            dnnl_unimplemented, desc_.component,
            "the hint's workspace has another layout than this descriptor's");
    return dnnl_success;
}

status_t batch_normalization_pd_t::check_relu_operand() const {
    if (!has_relu_operand()) return dnnl_success;
    KILN_REQUIRE(!is_forward() && !has_relu(), dnnl_unimplemented, desc_.component,
            "a ReLU's operand is given, but the gradient is of no ReLU or of one with a mask");
    KILN_REQUIRE(same_dims(relu_operand_, src_), dnnl_invalid_arguments, desc_.component,
            "the ReLU's operand has another shape than src");
    return dnnl_success;
}

void batch_normalization_pd_t::add_fused_slots() {
    if (has_add() && is_forward())
        add_slot({DNNL_ARG_SRC_1, arg_use_t::input, &dst_.get(), dnnl_query_dst_md, 3});
    if (has_add() && !is_forward())
        add_slot({DNNL_ARG_DIFF_SRC_1, arg_use_t::output, &diff_dst_.get(), dnnl_query_diff_dst_md,
                1, true});
    if (has_relu_operand())
        add_slot({DNNL_ARG_DST, arg_use_t::input, &relu_operand_.get(), dnnl_query_dst_md});
    if (has_relu_mask())
        add_slot({DNNL_ARG_WORKSPACE, is_forward() ? arg_use_t::output : arg_use_t::input,
                &workspace_.edit(), dnnl_query_workspace_md});
}

primitive_text_t batch_normalization_pd_t::text() const {
    std::string tensors = describe("data", src(), desc_.src);
    if (!is_forward()) tensors += " " + describe("diff", diff_src(), desc_.diff_src);
    if (has_relu_operand())
        tensors += " " + describe("relu_operand", relu_operand(), desc_.relu_operand);
    return {tensors, "flags:" + describe_normalization_flags(desc_.flags), describe_image(src())};
}

dim_t batch_normalization_pd_t::channel_size() const {
    dim_t count = src_.dims[0];
    for (int d = 2; d < src_.ndims; ++d) count *= src_.dims[d];
    return count;
}

} // namespace kiln
