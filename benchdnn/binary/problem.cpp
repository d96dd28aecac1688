// SPDX-License-Identifier: Apache-2.0
// One problem of the binary driver: its knobs, its primitive descriptor and its arguments.
#include "binary/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::binary {

namespace {

constexpr int source_ids[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};

std::string quantization_problem(const quantization_t &scales) {
    for (const quantization_entry_t &entry : scales.entries) {
        if (entry.argument != DNNL_ARG_SRC_0 && entry.argument != DNNL_ARG_SRC_1)
            return "Invalid case: scales of an argument that is not src_0 or src_1";
        if (!is_testable_type(entry.data_type)) return "Data type not supported";
        if (!entry.groups.empty() || !entry.broadcast.is_single_value())
            return "Case not supported: more than one scale";
    }
    return "";
}

// What src_0 and dst share cannot be in place.
std::string in_place_problem(const spec_t &spec, const post_ops_t &post_ops) {
    if (!spec.in_place) return "";
    if (post_ops.has(post_op_t::kind_t::sum)) return "Invalid case: a sum in place";
    const bool is_same =
            spec.src_type.of[0] == spec.dst_type && spec.src_dims[0] == spec.dst_dims();
    return is_same ? "" : "Invalid case: in place with different types or dims";
}

} // namespace

dims_t spec_t::dst_dims() const {
    dims_t dims = src_dims[0];
    for (size_t axis = 0; axis < dims.size(); ++axis)
        if (dims[axis] == 1) dims[axis] = src_dims[1][axis];
    return dims;
}

std::string types_text(const source_types_t &types) {
    return data_type_text(types.of[0]) + ":" + data_type_text(types.of[1]);
}

std::string tags_text(const source_tags_t &tags) { return tags.of[0] + ":" + tags.of[1]; }

std::string strides_text(const strides_t &strides) {
    const auto &[src_0, src_1, dst] = strides.of;
    if (src_0.empty() && src_1.empty() && dst.empty()) return "";
    return dims_text(src_0) + ":" + dims_text(src_1) + ":" + dims_text(dst);
}

binary_problem_t::binary_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string binary_problem_t::descriptor_text(bool) const {
    return named_shapes_text({{spec_.src_dims[0], spec_.src_dims[1]}, spec_.name});
}

std::string binary_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("sdt", types_text(spec_.src_type), types_text(standard.src_type));
    knobs.add("ddt", data_type_text(spec_.dst_type), data_type_text(standard.dst_type));
    knobs.add("stag", tags_text(spec_.src_tag), tags_text(standard.src_tag));
    knobs.add("dtag", spec_.dst_tag, standard.dst_tag);
    knobs.add_given("strides", strides_text(spec_.strides));
    knobs.add("alg", spec_.algorithm.name, standard.algorithm.name);
    knobs.add("inplace", spec_.in_place, standard.in_place);
    return knobs.text;
}

std::string binary_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.name;
    if (name == "sdt") return types_text(spec_.src_type);
    if (name == "ddt") return data_type_text(spec_.dst_type);
    if (name == "stag")
        return normalized_tag(spec_.src_tag.of[0], spec_.ndims()) + ":"
               + normalized_tag(spec_.src_tag.of[1], spec_.ndims());
    if (name == "dtag") return normalized_tag(spec_.dst_tag, spec_.ndims());
    if (name == "alg") return spec_.algorithm.name;
    if (name == "inplace") return bool_text(spec_.in_place);
    if (name == "strides") return strides_text(spec_.strides);
    return "";
}

std::string binary_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : {spec_.src_type.of[0], spec_.src_type.of[1], spec_.dst_type})
        if (!is_testable_type(type)) return "Data type not supported";
    const attributes_t &attributes = settings.attributes;
    if (attributes.post_ops.has(post_op_t::kind_t::depthwise))
        return "Case not supported: dw post-op";
    const std::string quantization = quantization_problem(attributes.scales);
    return quantization.empty() ? in_place_problem(spec_, attributes.post_ops) : quantization;
}

attribute_target_t binary_problem_t::attribute_target() const {
    return {spec_.dst_dims(), std::min(1, spec_.ndims() - 1)};
}

dnnl_status_t binary_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    const auto source = [&](size_t i) {
        return make_descriptor(
                spec_.src_dims[i], spec_.src_type.of[i], spec_.src_tag.of[i], spec_.strides.of[i]);
    };
    const memory_desc_t src_0 = source(0), src_1 = source(1);
    const memory_desc_t dst = make_descriptor(
            spec_.dst_dims(), spec_.dst_type, spec_.dst_tag, spec_.strides.of[sources]);
    // As in oneDNN's driver, the condition is like src_0.
    const memory_desc_t condition =
            make_descriptor(spec_.src_dims[0], dnnl_s8, spec_.src_tag.of[0]);
    return dnnl_binary_primitive_desc_create_v2(out.out(), engine, spec_.algorithm.value,
            src_0.get(), src_1.get(), spec_.has_condition() ? condition.get() : nullptr, dst.get(),
            attr);
}

std::string binary_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    const auto descriptor = [&](int id) { return argument_descriptor(primitive_desc, id); };
    for (const int id : source_ids) {
        arguments.add(id, arguments_t::role_t::input, descriptor(id));
        arguments.set_name(id, id == DNNL_ARG_SRC_0 ? "src_0" : "src_1");
    }
    if (spec_.has_condition()) {
        arguments.add(DNNL_ARG_SRC_2, arguments_t::role_t::input, descriptor(DNNL_ARG_SRC_2));
        arguments.set_name(DNNL_ARG_SRC_2, "src_2");
    }
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(descriptor(DNNL_ARG_SRC_0), descriptor(DNNL_ARG_DST)))
            return "Invalid case: in place with different layouts";
        arguments.add_in_place(DNNL_ARG_DST, DNNL_ARG_SRC_0);
    } else {
        arguments.add_result(DNNL_ARG_DST, descriptor(DNNL_ARG_DST),
                settings.attributes.post_ops.has(post_op_t::kind_t::sum));
    }
    if (arguments.wants_data()) fill(arguments);
    return "";
}

void binary_problem_t::fill(arguments_t &arguments) const {
    const uint64_t seed = seed_of(descriptor_text(false));
    // Some elements are equal, so that comparisons differ.
    const auto is_equal = [](dim_t index) { return index % 7 == 3; };
    for (const int id : source_ids) {
        tensor_t &src = arguments.at(id);
        const dnnl_data_type_t type = src.layout().data_type();
        const noise_t noise(seed + static_cast<uint64_t>(id));
        fill_elements(src, [&](dim_t index) {
            if (is_equal(index)) return 2.;
            const double x = noise(index);
            const double magnitude = is_integer_type(type) ? 1 + std::floor(19.99 * std::fabs(x))
                                                           : 0.25 + 4 * std::fabs(x);
            return x < 0 && type != dnnl_u8 ? -magnitude : magnitude;
        });
    }
    if (spec_.has_condition()) fill_condition(arguments.at(DNNL_ARG_SRC_2), seed);
    if (!spec_.in_place && settings.attributes.post_ops.has(post_op_t::kind_t::sum))
        fill_prior(arguments.at(DNNL_ARG_DST));
}

std::vector<comparison_t> binary_problem_t::compare(const arguments_t &arguments) const {
    return binary::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::binary
