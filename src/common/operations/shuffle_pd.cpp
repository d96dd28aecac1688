// SPDX-License-Identifier: Apache-2.0
// Shuffle's descriptor: layouts that were left open, and the table of arguments.

#include "common/operations/shuffle_pd.hpp"

#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"

namespace kiln {

shuffle_pd_t::shuffle_pd_t(engine_t *engine, const shuffle_desc_t &desc,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_shuffle, engine, desc, attr, std::move(hint))
    , src_(desc.src)
    , dst_(desc.dst) {}

status_t shuffle_pd_t::init() {
    add_slot({src_arg(), arg_use_t::input, &src_,
            is_forward() ? dnnl_query_src_md : dnnl_query_diff_dst_md});
    add_slot({dst_arg(), arg_use_t::output, &dst_,
            is_forward() ? dnnl_query_dst_md : dnnl_query_diff_src_md});
    add_attr_slots();
    return dnnl_success;
}

status_t shuffle_pd_t::resolve_formats() {
    if (is_any(src_) && is_any(dst_)) {
        const memory_desc_t *forward = hint() == nullptr ? nullptr : &hint()->md_of(DNNL_ARG_DST);
        if (forward != nullptr && same_dims(*forward, dst_))
            KILN_TRY(follow(dst_, *forward));
        else
            KILN_TRY(init_by_strides(dst_, dst_.ndims, dst_.dims, dst_.data_type, nullptr));
    }
    KILN_TRY(follow(src_, dst_));
    return follow(dst_, src_);
}

dim_t shuffle_pd_t::columns() const {
    return is_forward() ? desc_.group_size : src_.dims[desc_.axis] / desc_.group_size;
}

status_t shuffle_pd_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_axis_s32: return answer(result, desc_.axis);
    case dnnl_query_group_size_s64: return answer(result, desc_.group_size);
    default: return primitive_desc_t::query(what, index, result);
    }
}

primitive_text_t shuffle_pd_t::text() const {
    const memory_desc_t &data = is_forward() ? src_ : dst_;
    return {describe(is_forward() ? "data" : "diff", data, is_forward() ? desc_.src : desc_.dst),
            "axis:" + std::to_string(desc_.axis) + " group:" + std::to_string(desc_.group_size),
            describe_dims(data)};
}

} // namespace kiln
