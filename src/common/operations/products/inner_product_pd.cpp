// SPDX-License-Identifier: Apache-2.0
// The descriptor of inner products: layouts, and the table of arguments.

#include "common/operations/products/inner_product_pd.hpp"

#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"

namespace kiln {

inner_product_pd_t::inner_product_pd_t(engine_t *engine, const inner_product_desc_t &desc,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_inner_product, engine, desc, attr, std::move(hint))
    , src_(desc.src)
    , weights_(desc.weights)
    , bias_(desc.bias)
    , dst_(desc.dst) {}

status_t inner_product_pd_t::init() {
    using enum arg_use_t;
    const bool changes_weights = desc_.prop_kind == dnnl_backward_weights;
    add_slot({src_arg(), is_backward_data() ? output : input, &src_,
            is_backward_data() ? dnnl_query_diff_src_md : dnnl_query_src_md});
    const query_t of_weights = changes_weights ? dnnl_query_diff_weights_md : dnnl_query_weights_md;
    add_slot({weights_arg(), changes_weights ? output : input, &weights_, of_weights});
    if (has_bias()) add_slot({bias_arg(), changes_weights ? output : input, &bias_, of_weights, 1});
    add_slot({dst_arg(), is_forward() ? output : input, &dst_,
            is_forward() ? dnnl_query_dst_md : dnnl_query_diff_dst_md});
    add_attr_slots();
    quantization_.init(*this);
    return dnnl_success;
}

status_t inner_product_pd_t::query(query_t what, int index, void *result) const {
    const memory_desc_t *const md =
            what == dnnl_query_exec_arg_md ? quantization_.find(index) : nullptr;
    return md ? answer(result, md) : primitive_desc_t::query(what, index, result);
}

status_t inner_product_pd_t::resolve_formats() {
    const auto resolve = [](memory_desc_t &md, const memory_desc_t *model) {
        if (!is_any(md)) return dnnl_success;
        if (model && is_blocked(*model))
            return init_like(md, md.ndims, md.dims, md.data_type, *model);
        return init_by_strides(md, md.ndims, md.dims, md.data_type, nullptr);
    };
    KILN_TRY(resolve(src_, &weights_));
    KILN_TRY(resolve(weights_, &src_));
    KILN_TRY(resolve(bias_, nullptr));
    KILN_TRY(resolve(dst_, nullptr));
    return resolve_attr_formats(dst_);
}

primitive_text_t inner_product_pd_t::text() const {
    std::string tensors =
            describe("src", src_, desc_.src) + " " + describe("wei", weights_, desc_.weights) + " ";
    if (has_bias()) tensors += describe("bia", bias_, desc_.bias) + " ";
    return {tensors + describe("dst", dst_, desc_.dst), "",
            describe_image(src_) + "oc" + std::to_string(outputs())};
}

} // namespace kiln
