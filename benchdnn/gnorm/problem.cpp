// SPDX-License-Identifier: Apache-2.0
// One problem of the gnorm driver: its knobs and its primitive descriptor.
#include "gnorm/problem.hpp"

namespace benchdnn::gnorm {

std::string gnorm_problem_t::knobs_text(bool canonical) const {
    knobs_text_t knobs(canonical);
    add_leading_knobs(knobs);
    knobs.add_given("strides", stride_pair_text(spec_.strides));
    knobs.add("flags", spec_.flags.letters(), "");
    knobs.add("inplace", spec_.in_place, false);
    return knobs.text;
}

dnnl_status_t gnorm_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(), dst = dst_descriptor();
    return dnnl_group_normalization_forward_primitive_desc_create(out.out(), engine, prop_kind,
            src.get(), dst.get(), spec_.shape.groups, spec_.shape.epsilon, spec_.flags.bits(),
            attr);
}

dnnl_status_t gnorm_problem_t::create_backward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
        primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(), diff_src = src_descriptor();
    const memory_desc_t diff_dst = dst_descriptor();
    return dnnl_group_normalization_backward_primitive_desc_create(out.out(), engine,
            spec_.direction.prop_kind, diff_src.get(), diff_dst.get(), src.get(),
            spec_.shape.groups, spec_.shape.epsilon, spec_.flags.bits(), hint, attr);
}

} // namespace benchdnn::gnorm
