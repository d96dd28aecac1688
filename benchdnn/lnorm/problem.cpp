// SPDX-License-Identifier: Apache-2.0
// One problem of the lnorm driver: its knobs, its primitive descriptor and its arguments.
#include "lnorm/problem.hpp"

#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::lnorm {

using namespace normalization;

namespace {

memory_desc_t src_descriptor(const spec_t &spec) {
    return make_descriptor(spec.shape.dims, spec.type.src, spec.tag.src, spec.strides.src);
}

memory_desc_t dst_descriptor(const spec_t &spec) {
    return make_descriptor(spec.shape.dims, spec.type.dst, spec.tag.dst, spec.strides.dst);
}

memory_desc_t stat_descriptor(const spec_t &spec) {
    return make_descriptor(spec.stat_dims(), dnnl_f32, spec.stat_tag);
}

} // namespace

lnorm_problem_t::lnorm_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string lnorm_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("dt", type_pair_text(spec_.type), type_pair_text(standard.type));
    knobs.add("tag", tag_pair_text(spec_.tag), tag_pair_text(standard.tag));
    knobs.add("stat_tag", spec_.stat_tag, standard.stat_tag);
    knobs.add("ss_dt", data_type_text(spec_.scale_shift_type),
            data_type_text(standard.scale_shift_type));
    knobs.add("flags", spec_.flags.letters(), "");
    knobs.add("eps", number_text(spec_.epsilon), number_text(standard.epsilon));
    knobs.add("inplace", spec_.in_place, false);
    knobs.add_given("strides", stride_pair_text(spec_.strides));
    return knobs.text;
}

std::string lnorm_problem_t::field(const std::string &name) const {
    const int ndims = static_cast<int>(spec_.shape.dims.size());
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "dt" || name == "sdt") return type_pair_text(spec_.type);
    if (name == "tag" || name == "stag")
        return normalized_tag(spec_.tag.src, ndims) + ":" + normalized_tag(spec_.tag.dst, ndims);
    if (name == "stat_tag") return normalized_tag(spec_.stat_tag, ndims - 1);
    if (name == "ss_dt") return data_type_text(spec_.scale_shift_type);
    if (name == "flags") return spec_.flags.letters();
    if (name == "eps") return number_text(spec_.epsilon);
    if (name == "inplace") return bool_text(spec_.in_place);
    if (name == "strides") return stride_pair_text(spec_.strides);
    return "";
}

std::string lnorm_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : {spec_.type.src, spec_.type.dst, spec_.scale_shift_type})
        if (data_type_size(type) == 0) return "Data type not supported";
    // The definition of the operation has eltwise and binary post-ops only.
    using kind_t = post_op_t::kind_t;
    for (const kind_t kind : {kind_t::sum, kind_t::prelu, kind_t::depthwise})
        if (settings.attributes.post_ops.has(kind)) return "Case not supported";
    return in_place_problem(spec_);
}

attribute_target_t lnorm_problem_t::attribute_target() const {
    return {spec_.shape.dims, static_cast<int>(spec_.shape.dims.size()) - 1};
}

dnnl_status_t lnorm_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    return spec_.direction.is_forward()
                   ? create_forward(engine, attr, spec_.direction.prop_kind, out)
                   : create_backward(engine, attr, out);
}

dnnl_status_t lnorm_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = src_descriptor(spec_), dst = dst_descriptor(spec_);
    const memory_desc_t stat = stat_descriptor(spec_);
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(out.out(), engine, prop_kind,
            src.get(), dst.get(), stat.get(), spec_.scale_shift_type, spec_.epsilon,
            spec_.flags.bits(), attr);
}

dnnl_status_t lnorm_problem_t::create_backward(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    primitive_desc_t hint;
    const dnnl_status_t status = create_forward(engine, attr, dnnl_forward_training, hint);
    if (status != dnnl_success) return status;
    const memory_desc_t src = src_descriptor(spec_), diff_dst = dst_descriptor(spec_);
    const memory_desc_t diff_src = src_descriptor(spec_), stat = stat_descriptor(spec_);
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(out.out(), engine,
            spec_.direction.prop_kind, diff_src.get(), diff_dst.get(), src.get(), stat.get(),
            spec_.scale_shift_type, spec_.scale_shift_type, spec_.epsilon, spec_.flags.bits(),
            hint.get(), attr);
}

std::string lnorm_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    constexpr auto input = arguments_t::role_t::input, output = arguments_t::role_t::output;
    const auto add = [&](int id, arguments_t::role_t role) {
        arguments.add(id, role, argument_descriptor(primitive_desc, id));
    };
    const bool forward = spec_.direction.is_forward();
    const int from = spec_.from(), to = spec_.to();
    const auto stat_role = spec_.computes_stats() ? output : input;

    add(DNNL_ARG_SRC, input);
    if (!forward) add(DNNL_ARG_DIFF_DST, input);
    if (spec_.has_stats() && !spec_.flags.rms()) add(DNNL_ARG_MEAN, stat_role);
    if (spec_.has_stats()) add(DNNL_ARG_VARIANCE, stat_role);
    if (spec_.flags.scale()) add(DNNL_ARG_SCALE, input);
    if (spec_.flags.shift() && forward) add(DNNL_ARG_SHIFT, input);
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(argument_descriptor(primitive_desc, from),
                    argument_descriptor(primitive_desc, to)))
            return "Invalid case";
        arguments.add_in_place(to, from);
    } else {
        add(to, output);
    }
    if (spec_.flags.scale() && spec_.direction.gives_weights()) add(DNNL_ARG_DIFF_SCALE, output);
    if (spec_.flags.shift() && spec_.direction.gives_weights()) add(DNNL_ARG_DIFF_SHIFT, output);
    if (arguments.wants_data()) fill(spec_, arguments);
    return "";
}

std::vector<comparison_t> lnorm_problem_t::compare(const arguments_t &arguments) const {
    return spec_.direction.is_forward() ? compare_forward(spec_, settings.attributes, arguments)
                                        : compare_backward(spec_, arguments);
}

} // namespace benchdnn::lnorm
