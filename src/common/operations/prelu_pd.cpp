// SPDX-License-Identifier: Apache-2.0
// PReLU's descriptor: layouts that were left open, and the table of arguments.

#include "common/operations/prelu_pd.hpp"

#include "common/verbose/describe.hpp"

namespace kiln {

prelu_pd_t::prelu_pd_t(engine_t *engine, const prelu_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_prelu, engine, desc, attr, std::move(hint))
    , src_(desc.src)
    , weights_(desc.weights)
    , dst_(desc.dst)
    , diff_src_(desc.diff_src)
    , diff_weights_(desc.diff_weights)
    , diff_dst_(desc.diff_dst) {}

status_t prelu_pd_t::init() {
    add_slot({DNNL_ARG_SRC, arg_use_t::input, &src_, dnnl_query_src_md});
    add_slot({DNNL_ARG_WEIGHTS, arg_use_t::input, &weights_, dnnl_query_weights_md});
    if (is_forward()) {
        add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_.get(), dnnl_query_dst_md});
    } else {
        add_slot({DNNL_ARG_DIFF_DST, arg_use_t::input, &diff_dst_.get(), dnnl_query_diff_dst_md});
        add_slot({DNNL_ARG_DIFF_SRC, arg_use_t::output, &diff_src_.get(), dnnl_query_diff_src_md});
        add_slot({DNNL_ARG_DIFF_WEIGHTS, arg_use_t::output, &diff_weights_.get(),
                dnnl_query_diff_weights_md});
    }
    add_attr_slots();
    return dnnl_success;
}

status_t prelu_pd_t::resolve_formats() {
    if (is_any(src_))
        KILN_TRY(init_by_strides(src_, src_.ndims, src_.dims, src_.data_type, nullptr));
    KILN_TRY(follow(weights_, src_));
    KILN_TRY(follow(dst_, src_));
    KILN_TRY(follow(diff_dst_, src_));
    KILN_TRY(follow(diff_src_, diff_dst_));
    return follow(diff_weights_, weights_);
}

bool prelu_pd_t::same_problem(const primitive_desc_t &other) const {
    if (!operation_pd_t::same_problem(other)) return false;
    const auto &prelu = static_cast<const prelu_pd_t &>(other);
    return src_ == prelu.src_ && weights_ == prelu.weights_ && dst_.get() == prelu.dst_
           && diff_src_.get() == prelu.diff_src_ && diff_weights_.get() == prelu.diff_weights_
           && diff_dst_.get() == prelu.diff_dst_;
}

primitive_text_t prelu_pd_t::text() const {
    std::string tensors =
            describe("src", src_, desc_.src) + " " + describe("wei", weights_, desc_.weights) + " ";
    if (is_forward())
        tensors += describe("dst", dst_, desc_.dst);
    else
        tensors += describe("diff_src", diff_src_, desc_.diff_src) + " "
                   + describe("diff_wei", diff_weights_, desc_.diff_weights) + " "
                   + describe("diff_dst", diff_dst_, desc_.diff_dst);
    return {tensors, "", describe_dims(src_) + ":" + describe_dims(weights_)};
}

} // namespace kiln
