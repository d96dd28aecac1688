// SPDX-License-Identifier: Apache-2.0
// One problem of the lnorm driver: its knobs and its primitive descriptor.
#include "lnorm/problem.hpp"

#include <utility>

#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::lnorm {

lnorm_problem_t::lnorm_problem_t(const spec_t &spec, problem_settings_t settings)
    : normalization_problem_t(spec, std::move(settings))
    , stat_tag_(spec.stat_tag)
    , stat_type_(spec.stat_type)
    , scale_shift_type_(spec.scale_shift_type) {}

std::string lnorm_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    add_leading_knobs(knobs);
    knobs.add("stat_tag", stat_tag_, standard.stat_tag);
    knobs.add("stat_dt", data_type_text(stat_type_), data_type_text(standard.stat_type));
    knobs.add(
            "ss_dt", data_type_text(scale_shift_type_), data_type_text(standard.scale_shift_type));
    knobs.add("flags", spec_.flags.letters(), "");
    knobs.add("eps", number_text(spec_.shape.epsilon), number_text(standard.shape.epsilon));
    knobs.add("inplace", spec_.in_place, false);
    knobs.add_given("strides", stride_pair_text(spec_.strides));
    return knobs.text;
}

std::string lnorm_problem_t::field(const std::string &name) const {
    const int stat_axes = static_cast<int>(spec_.row_dims.size()) - 1;
    if (name == "stat_tag") return normalized_tag(stat_tag_, stat_axes);
    if (name == "stat_dt") return data_type_text(stat_type_);
    if (name == "ss_dt") return data_type_text(scale_shift_type_);
    return normalization_problem_t::field(name);
}

std::string lnorm_problem_t::skip_reason() const {
    if (data_type_size(scale_shift_type_) == 0 || data_type_size(stat_type_) == 0)
        return "Data type not supported";
    return normalization_problem_t::skip_reason();
}

memory_desc_t lnorm_problem_t::stat_descriptor() const {
    const dims_t dims(spec_.row_dims.begin(), spec_.row_dims.end() - 1);
    return make_descriptor(dims, stat_type_, stat_tag_);
}

dnnl_status_t lnorm_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(), dst = dst_descriptor(), stat = stat_descriptor();
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(out.out(), engine, prop_kind,
            src.get(), dst.get(), stat.get(), scale_shift_type_, spec_.shape.epsilon,
            spec_.flags.bits(), attr);
}

dnnl_status_t lnorm_problem_t::create_backward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
        primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(), diff_dst = dst_descriptor();
    const memory_desc_t diff_src = src_descriptor(), stat = stat_descriptor();
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(out.out(), engine,
            spec_.direction.prop_kind, diff_src.get(), diff_dst.get(), src.get(), stat.get(),
            scale_shift_type_, scale_shift_type_, spec_.shape.epsilon, spec_.flags.bits(), hint,
            attr);
}

} // namespace benchdnn::lnorm
