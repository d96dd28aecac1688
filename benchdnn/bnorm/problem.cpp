// SPDX-License-Identifier: Apache-2.0
// One problem of the bnorm driver: its knobs and its primitive descriptor.
#include "bnorm/problem.hpp"

#include <utility>

#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"

namespace benchdnn::bnorm {

bnorm_problem_t::bnorm_problem_t(const spec_t &spec, problem_settings_t settings)
    : normalization_problem_t(spec, std::move(settings))
    , check_alg_(spec.check_alg)
    , debug_check_ws_(spec.debug_check_ws) {}

std::string bnorm_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    add_leading_knobs(knobs);
    knobs.add("strides", stride_pair_text(spec_.strides), "");
    knobs.add("flags", spec_.flags.letters(), "");
    knobs.add("check-alg", check_alg_, standard.check_alg);
    knobs.add("inplace", spec_.in_place, false);
    knobs.add("debug-check-ws", debug_check_ws_, false);
    return knobs.text;
}

std::string bnorm_problem_t::type_text() const { return data_type_text(spec_.type.src); }

std::string bnorm_problem_t::skip_reason() const {
    const std::string reason = normalization_problem_t::skip_reason();
    if (!reason.empty()) return reason;
    // The operation supports eltwise post-ops only, and integers only if statistics are inputs.
    if (settings.attributes.post_ops.has(post_op_t::kind_t::binary)) return "Case not supported";
    const bool integers_fit = spec_.direction.is_forward() && spec_.flags.global_stats();
    const dnnl_data_type_t type = spec_.type.src;
    if (type == dnnl_u8 || (type == dnnl_s8 && !integers_fit)) return "Case not supported";
    return "";
}

dnnl_status_t bnorm_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(), dst = dst_descriptor();
    return dnnl_batch_normalization_forward_primitive_desc_create(out.out(), engine, prop_kind,
            src.get(), dst.get(), spec_.shape.epsilon, spec_.flags.bits(), attr);
}

// As in oneDNN's driver, the library chooses the layout of diff_src unless strides are given.
dnnl_status_t bnorm_problem_t::create_backward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
        primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(), diff_dst = dst_descriptor();
    const memory_desc_t diff_src =
            make_descriptor(spec_.dims(), spec_.type.src, "any", spec_.strides.src);
    return dnnl_batch_normalization_backward_primitive_desc_create(out.out(), engine,
            spec_.direction.prop_kind, diff_src.get(), diff_dst.get(), src.get(),
            spec_.shape.epsilon, spec_.flags.bits(), hint, attr);
}

} // namespace benchdnn::bnorm
