// SPDX-License-Identifier: Apache-2.0
// The descriptor of binary operations: layouts, and the table of arguments.

#include "common/operations/binary_pd.hpp"

#include "common/out_parameter.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

binary_pd_t::binary_pd_t(engine_t *engine, const binary_desc_t &desc, const primitive_attr_t *attr,
        std::shared_ptr<const primitive_desc_t> hint)
    : operation_pd_t(dnnl_binary, engine, desc, attr, std::move(hint))
    , src_1_(desc.src_1)
    , src_2_(desc.src_2)
    , dst_(desc.dst) {}

status_t binary_pd_t::init() {
    add_slot({DNNL_ARG_SRC_0, arg_use_t::input, &desc_.src_0, dnnl_query_src_md, 0});
    add_slot({DNNL_ARG_SRC_1, arg_use_t::input, &src_1_, dnnl_query_src_md, 1});
    if (desc_.has_condition())
        add_slot({DNNL_ARG_SRC_2, arg_use_t::input, &src_2_, dnnl_query_src_md, 2});
    add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
    add_attr_slots();
    return dnnl_success;
}

status_t binary_pd_t::resolve_formats() {
    for (memory_desc_t *md : {&src_1_, &src_2_, &dst_}) KILN_TRY(follow(*md, desc_.src_0));
    return resolve_attr_formats(dst_);
}

bool binary_pd_t::same_problem(const primitive_desc_t &other) const {
    if (!operation_pd_t::same_problem(other)) return false;
    const auto &binary = static_cast<const binary_pd_t &>(other);
    return src_1_ == binary.src_1_ && src_2_ == binary.src_2_ && dst_ == binary.dst_;
}

status_t binary_pd_t::query(query_t what, int index, void *result) const {
    if (what == dnnl_query_alg_kind) return answer(result, desc_.alg);
    return primitive_desc_t::query(what, index, result);
}

primitive_text_t binary_pd_t::text() const {
    std::string tensors = describe("src", src_0()) + " " + describe("src", src_1_, desc_.src_1);
    std::string problem = describe_dims(src_0()) + ":" + describe_dims(src_1_);
    if (desc_.has_condition()) {
        tensors += " " + describe("src", src_2_, desc_.src_2);
        problem += ":" + describe_dims(src_2_);
    }
    return {tensors + " " + describe("dst", dst_, desc_.dst),
            std::string("alg:") + dnnl_alg_kind2str(desc_.alg), problem};
}

} // namespace kiln
