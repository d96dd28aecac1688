// SPDX-License-Identifier: Apache-2.0
// Reduction's descriptor: dst's layout, and the table of arguments.

#include "common/operations/reduction_pd.hpp"

#include "common/attributes/alg_kind.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

reduction_pd_t::reduction_pd_t(engine_t *engine, const reduction_desc_t &desc,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_reduction, engine, desc, attr, std::move(hint))
    , dst_(desc.dst) {}

status_t reduction_pd_t::init() {
    add_slot({DNNL_ARG_SRC, arg_use_t::input, &desc_.src, dnnl_query_src_md});
    add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
    add_attr_slots();
    return dnnl_success;
}

status_t reduction_pd_t::resolve_formats() {
    KILN_TRY(follow(dst_, desc_.src));
    return resolve_attr_formats(dst_);
}

status_t reduction_pd_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_alg_kind: return answer(result, desc_.alg);
    case dnnl_query_p_f32: return answer(result, desc_.p);
    case dnnl_query_epsilon_f32: return answer(result, desc_.epsilon);
    default: return primitive_desc_t::query(what, index, result);
    }
}

primitive_text_t reduction_pd_t::text() const {
    std::string auxiliary = std::string("alg:") + dnnl_alg_kind2str(desc_.alg);
    if (is_norm_alg(desc_.alg))
        auxiliary += " p:" + describe_number(desc_.p) + " eps:" + describe_number(desc_.epsilon);
    return {describe("src", src()) + " " + describe("dst", dst(), desc_.dst), auxiliary,
            describe_dims(src()) + ":" + describe_dims(dst())};
}

dim_t reduction_pd_t::terms() const {
    dim_t count = 1;
    for (int d = 0; d < dst_.ndims; ++d)
        if (dst_.dims[d] == 1) count *= desc_.src.dims[d];
    return count;
}

} // namespace kiln
