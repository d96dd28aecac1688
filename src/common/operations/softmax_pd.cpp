// SPDX-License-Identifier: Apache-2.0
// Softmax's descriptor: layouts that were left open, and the table of arguments.

#include "common/operations/softmax_pd.hpp"

#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

softmax_pd_t::softmax_pd_t(engine_t *engine, const softmax_desc_t &desc,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_softmax, engine, desc, attr, std::move(hint))
    , dst_(desc.dst)
    , diff_src_(desc.diff_src)
    , diff_dst_(desc.diff_dst)
    , stats_(desc.stats) {}

status_t softmax_pd_t::init() {
    if (is_forward()) {
        add_slot({DNNL_ARG_SRC, arg_use_t::input, &desc_.src.get(), dnnl_query_src_md});
        add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
        if (has_stats()) add_slot({DNNL_ARG_DST_1, arg_use_t::output, &stats_.get()});
    } else {
        add_slot({DNNL_ARG_DST, arg_use_t::input, &dst_, dnnl_query_dst_md});
        add_slot({DNNL_ARG_DIFF_DST, arg_use_t::input, &diff_dst_.get(), dnnl_query_diff_dst_md});
        add_slot({DNNL_ARG_DIFF_SRC, arg_use_t::output, &diff_src_.get(), dnnl_query_diff_src_md});
    }
    add_attr_slots();
    return dnnl_success;
}

status_t softmax_pd_t::resolve_formats() {
    if (is_forward()) {
        KILN_TRY(follow(dst_, desc_.src));
        KILN_TRY(follow(stats_, desc_.src));
    } else {
        KILN_TRY(follow(diff_dst_, dst_));
        KILN_TRY(follow(diff_src_, diff_dst_));
    }
    return resolve_attr_formats(dst_);
}

status_t softmax_pd_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_alg_kind: return answer(result, desc_.alg);
    case dnnl_query_axis_s32: return answer(result, desc_.axis);
    default: return primitive_desc_t::query(what, index, result);
    }
}

primitive_text_t softmax_pd_t::text() const {
    // Readers expect diff_src under src's name.
    std::string tensors =
            is_forward() ? describe("src", src()) : describe("src", diff_src(), desc_.diff_src);
    tensors += " " + describe("dst", dst(), desc_.dst);
    if (!is_forward()) tensors += " " + describe("diff_dst", diff_dst(), desc_.diff_dst);
    if (has_stats()) tensors += " " + describe("stats", stats(), desc_.stats);
    std::string auxiliary = std::string("alg:") + dnnl_alg_kind2str(desc_.alg)
                            + (desc_.is_inf_zero ? "_inf_as_zero" : "")
                            + " axis:" + std::to_string(desc_.axis);
    if (desc_.pre_ops != 0) auxiliary += " pre_ops:" + std::to_string(desc_.pre_ops);
    return {tensors, auxiliary, describe_dims(dst())};
}

} // namespace kiln
