// SPDX-License-Identifier: Apache-2.0
// Reorder's descriptor: its table of arguments and its queries.

#include "common/operations/reorder_pd.hpp"

#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"

namespace kiln {

reorder_pd_t::reorder_pd_t(engine_t *engine, const reorder_desc_t &desc,
        const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_reorder, engine, desc, attr, std::move(hint)) {}

status_t reorder_pd_t::init() {
    add_slot({DNNL_ARG_FROM, arg_use_t::input, &desc_.src, dnnl_query_src_md});
    add_slot({DNNL_ARG_TO, arg_use_t::output, &desc_.dst, dnnl_query_dst_md});
    add_attr_slots();
    return dnnl_success;
}

status_t reorder_pd_t::resolve_formats() { return resolve_attr_formats(desc_.dst); }

status_t reorder_pd_t::query(query_t what, int index, void *result) const {
    switch (what) {
    case dnnl_query_reorder_src_engine: return answer(result, desc_.src_engine.get());
    case dnnl_query_reorder_dst_engine: return answer(result, desc_.dst_engine.get());
    default: return primitive_desc_t::query(what, index, result);
    }
}

namespace {

int runtime_dim_mask(const memory_desc_t &md) {
    int mask = 0;
    for (int d = 0; d < md.ndims; ++d) mask |= (md.dims[d] == runtime_dim) << d;
    return mask;
}

} // namespace

primitive_text_t reorder_pd_t::text() const {
    const bool is_open = has_runtime_values();
    return {describe("src", src()) + " " + describe("dst", dst()),
            is_open ? "runtime-dim-mask:" + std::to_string(runtime_dim_mask(src())) : "",
            describe_dims(src())};
}

bool reorder_pd_t::moves_bits() const {
    return src().data_type == dst().data_type && attr().scales.empty() && attr().zero_points.empty()
           && attr().post_ops.entries.empty();
}

} // namespace kiln
