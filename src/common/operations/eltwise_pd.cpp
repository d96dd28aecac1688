// SPDX-License-Identifier: Apache-2.0
// The descriptor of elementwise functions: layouts, and the table of arguments.

#include "common/operations/eltwise_pd.hpp"

#include "common/attributes/alg_kind.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

eltwise_pd_t::eltwise_pd_t(engine_t *engine, const eltwise_desc_t &desc,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_eltwise, engine, desc, attr, std::move(hint))
    , dst_(desc.dst)
    , diff_src_(desc.diff_src)
    , diff_dst_(desc.diff_dst) {}

bool eltwise_pd_t::uses_dst() const { return uses_dst_for_backward(desc_.alg); }

status_t eltwise_pd_t::init() {
    const query_t query = data_arg() == DNNL_ARG_DST ? dnnl_query_dst_md : dnnl_query_src_md;
    add_slot({data_arg(), arg_use_t::input, &desc_.data, query});
    if (is_forward()) {
        add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_.get(), dnnl_query_dst_md});
    } else {
        add_slot({DNNL_ARG_DIFF_DST, arg_use_t::input, &diff_dst_.get(), dnnl_query_diff_dst_md});
        add_slot({DNNL_ARG_DIFF_SRC, arg_use_t::output, &diff_src_.get(), dnnl_query_diff_src_md});
    }
    add_attr_slots();
    return dnnl_success;
}

status_t eltwise_pd_t::resolve_formats() {
    for (optional_memory_desc_t *md : {&dst_, &diff_src_, &diff_dst_})
        KILN_TRY(follow(*md, desc_.data));
    return resolve_attr_formats(result());
}

status_t eltwise_pd_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_alg_kind: return answer(result, desc_.alg);
    case dnnl_query_alpha_f32: return answer(result, desc_.alpha);
    case dnnl_query_beta_f32: return answer(result, desc_.beta);
    default: return primitive_desc_t::query(what, index, result);
    }
}

primitive_text_t eltwise_pd_t::text() const {
    std::string tensors = describe("data", desc_.data);
    if (!is_forward()) tensors += " " + describe("diff", diff_src_, desc_.diff_src);
    return {tensors,
            std::string("alg:") + dnnl_alg_kind2str(desc_.alg) + " alpha:"
                    + describe_number(desc_.alpha) + " beta:" + describe_number(desc_.beta),
            describe_dims(desc_.data)};
}

} // namespace kiln
