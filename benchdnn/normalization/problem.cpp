// SPDX-License-Identifier: Apache-2.0
// One problem of a normalization: its fields and its arguments.
#include "normalization/problem.hpp"

#include <utility>

#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::normalization {

void add_images_knob(knob_set_t &knobs, std::vector<dim_t> &images) {
    add_numbers(knobs, images, counts_from_0,
            {"mb", "0 keeps the number of the problem",
                    "Number of images that replaces the problem's.", "--mb=1,64", {}});
}

normalization_problem_t::normalization_problem_t(
        normalization_spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string normalization_problem_t::field(const std::string &name) const {
    const int ndims = static_cast<int>(spec_.dims().size());
    const auto tag_text = [&](const std::string &tag) { return normalized_tag(tag, ndims); };
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "dt" || name == "sdt") return type_text();
    if (name == "tag" || name == "stag")
        return tag_text(spec_.tag.src)
               + (spec_.tag.dst == "any" && !spec_.has_rows() ? "" : ":" + tag_text(spec_.tag.dst));
    if (name == "flags") return spec_.flags.letters();
    if (name == "eps") return number_text(spec_.shape.epsilon);
    if (name == "inplace") return bool_text(spec_.in_place);
    if (name == "strides") return stride_pair_text(spec_.strides);
    if (name == "mb" && !spec_.has_rows()) return std::to_string(spec_.shape.images);
    if (name == "group" && !spec_.has_rows()) return std::to_string(spec_.shape.groups);
    return "";
}

std::string normalization_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : {spec_.type.src, spec_.type.dst})
        if (!is_testable_type(type)) return "Data type not supported";
    using kind_t = post_op_t::kind_t;
    for (const kind_t kind : {kind_t::sum, kind_t::depthwise})
        if (settings.attributes.post_ops.has(kind)) return "Case not supported";
    return in_place_problem(spec_);
}

void normalization_problem_t::add_leading_knobs(knobs_text_t &knobs) const {
    const common_spec_t standard;
    const bool has_pair = type_text().find(':') != std::string::npos;
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("dt", type_text(),
            has_pair ? type_pair_text(standard.type) : data_type_text(standard.type.src));
    knobs.add("tag", tag_pair_text(spec_.tag), tag_pair_text(standard.tag));
}

memory_desc_t normalization_problem_t::src_descriptor() const {
    return make_descriptor(spec_.dims(), spec_.type.src, spec_.tag.src, spec_.strides.src);
}

memory_desc_t normalization_problem_t::dst_descriptor() const {
    return make_descriptor(spec_.dims(), spec_.type.dst, spec_.tag.dst, spec_.strides.dst);
}

dnnl_status_t normalization_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    if (spec_.direction.is_forward())
        return create_forward(engine, attr, spec_.direction.prop_kind, out);
    primitive_desc_t hint;
    const dnnl_status_t status = create_forward(engine, attr, dnnl_forward_training, hint);
    return status == dnnl_success ? create_backward(engine, attr, hint.get(), out) : status;
}

// The forward pass whose workspace the backward pass reads.
primitive_desc_t normalization_problem_t::forward_of(const primitive_desc_t &primitive_desc) const {
    dnnl_engine_t engine = nullptr;
    require_success(dnnl_primitive_desc_query(primitive_desc.get(), dnnl_query_engine, 0, &engine),
            "dnnl_primitive_desc_query(engine)");
    const attr_t attr = make_attr(attributes_t(), attribute_target());
    primitive_desc_t forward;
    require_success(create_forward(engine, attr.get(), dnnl_forward_training, forward),
            "the forward pass's primitive descriptor");
    return forward;
}

std::string normalization_problem_t::prepare(
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
    if (spec_.has_stats())
        for (const int id : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
            if (id == DNNL_ARG_VARIANCE || !spec_.flags.rms()) add(id, stat_role);
    if (spec_.flags.scale()) add(DNNL_ARG_SCALE, input);
    if (spec_.flags.shift() && forward) add(DNNL_ARG_SHIFT, input);
    if (spec_.flags.add() && forward) add(DNNL_ARG_SRC_1, input);
    if (spec_.reads_mask()) {
        add(DNNL_ARG_WORKSPACE, input);
        // The other operands that determine the mask.
        const primitive_desc_t hint = forward_of(primitive_desc);
        for (const auto &[is_used, id] : {std::pair(spec_.flags.shift(), DNNL_ARG_SHIFT),
                     std::pair(spec_.flags.add(), DNNL_ARG_SRC_1)})
            if (is_used) arguments.add_kept(id, argument_descriptor(hint, id));
    } else if (spec_.flags.relu() && !spec_.direction.is_inference()) {
        add(DNNL_ARG_WORKSPACE, output);
    }
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(argument_descriptor(primitive_desc, from),
                    argument_descriptor(primitive_desc, to)))
            return "Invalid case";
        arguments.add_in_place(to, from);
    } else {
        add(to, output);
    }
    if (spec_.flags.add() && !forward) add(DNNL_ARG_DIFF_SRC_1, output);
    if (spec_.flags.scale() && spec_.direction.gives_weights()) add(DNNL_ARG_DIFF_SCALE, output);
    if (spec_.flags.shift() && spec_.direction.gives_weights()) add(DNNL_ARG_DIFF_SHIFT, output);
    if (arguments.wants_data()) fill(spec_, arguments);
    return "";
}

void normalization_problem_t::derive_inputs(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    if (!spec_.reads_mask()) return;
    excuse_undecided(spec_, arguments);
    run_forward(forward_of(primitive_desc), arguments);
}

std::vector<comparison_t> normalization_problem_t::compare(const arguments_t &arguments) const {
    return spec_.direction.is_forward() ? compare_forward(spec_, settings.attributes, arguments)
                                        : compare_backward(spec_, arguments);
}

} // namespace benchdnn::normalization
