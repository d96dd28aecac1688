// SPDX-License-Identifier: Apache-2.0
// One problem of the prelu driver: its knobs, its primitive descriptors and its arguments.
#include "prelu/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::prelu {

std::string types_text(const source_types_t &types) {
    return data_type_text(types.of[0]) + ":" + data_type_text(types.of[1]);
}

std::string tags_text(const source_tags_t &tags) { return tags.of[0] + ":" + tags.of[1]; }

prelu_problem_t::prelu_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string prelu_problem_t::descriptor_text(bool) const {
    return named_shapes_text({{spec_.src_dims, spec_.weights_dims}, spec_.name});
}

std::string prelu_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("sdt", types_text(spec_.types), types_text(standard.types));
    knobs.add("stag", tags_text(spec_.tags), tags_text(standard.tags));
    return knobs.text;
}

std::string prelu_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "sdt") return types_text(spec_.types);
    if (name == "stag")
        return normalized_tag(spec_.tags.of[0], spec_.ndims()) + ":"
               + normalized_tag(spec_.tags.of[1], spec_.ndims());
    return "";
}

std::string prelu_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : spec_.types.of)
        if (!is_testable_type(type)) return "Data type not supported";
    return settings.attributes.post_ops.chain.empty() ? "" : "Case not supported: post-ops";
}

attribute_target_t prelu_problem_t::attribute_target() const {
    return {spec_.src_dims, std::min(1, spec_.ndims() - 1)};
}

dnnl_status_t prelu_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = make_descriptor(spec_.src_dims, spec_.types.of[0], spec_.tags.of[0]);
    const memory_desc_t weights =
            make_descriptor(spec_.weights_dims, spec_.types.of[1], spec_.tags.of[1]);
    const memory_desc_t dst = make_descriptor(spec_.src_dims, spec_.types.of[0], "any");
    return dnnl_prelu_forward_primitive_desc_create(
            out.out(), engine, prop_kind, src.get(), weights.get(), dst.get(), attr);
}

dnnl_status_t prelu_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    if (spec_.is_forward()) return create_forward(engine, attr, spec_.direction.prop_kind, out);
    primitive_desc_t hint;
    const dnnl_status_t status = create_forward(engine, nullptr, dnnl_forward_training, hint);
    if (status != dnnl_success) return status;
    const memory_desc_t src = make_descriptor(spec_.src_dims, spec_.types.of[0], spec_.tags.of[0]);
    const memory_desc_t weights =
            make_descriptor(spec_.weights_dims, spec_.types.of[1], spec_.tags.of[1]);
    const memory_desc_t diff = make_descriptor(spec_.src_dims, spec_.types.of[0], "any");
    const memory_desc_t diff_weights =
            make_descriptor(spec_.weights_dims, spec_.types.of[1], "any");
    return dnnl_prelu_backward_primitive_desc_create(out.out(), engine, src.get(), weights.get(),
            diff.get(), diff_weights.get(), diff.get(), hint.get(), attr);
}

std::string prelu_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    using enum arguments_t::role_t;
    const auto add = [&](int id, arguments_t::role_t role) {
        arguments.add(id, role, argument_descriptor(primitive_desc, id));
    };
    add(DNNL_ARG_SRC, input);
    add(DNNL_ARG_WEIGHTS, input);
    if (spec_.is_forward()) {
        add(DNNL_ARG_DST, output);
    } else {
        add(DNNL_ARG_DIFF_DST, input);
        add(DNNL_ARG_DIFF_SRC, output);
        add(DNNL_ARG_DIFF_WEIGHTS, output);
    }
    if (!arguments.wants_data()) return "";
    const uint64_t seed = seed_of(descriptor_text(false));
    // Integers are small enough for their products to fit s8.
    const auto fill = [&](int id, uint64_t salt, dnnl_data_type_t type) {
        const noise_t noise(seed + salt);
        fill_elements(arguments.at(id), [=](dim_t index) {
            const double x = noise(index);
            if (!is_integer_type(type)) return 4 * x;
            return std::floor(type == dnnl_u8 ? 11 * std::fabs(x) : 11 * x);
        });
    };
    fill(DNNL_ARG_SRC, 0, spec_.types.of[0]);
    fill(DNNL_ARG_WEIGHTS, 1, spec_.types.of[1]);
    if (!spec_.is_forward()) fill(DNNL_ARG_DIFF_DST, 2, spec_.types.of[0]);
    return "";
}

std::vector<comparison_t> prelu_problem_t::compare(const arguments_t &arguments) const {
    return prelu::compare(spec_, arguments);
}

} // namespace benchdnn::prelu
