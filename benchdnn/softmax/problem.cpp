// SPDX-License-Identifier: Apache-2.0
// One problem of the softmax driver: its knobs, its primitive descriptors and its arguments.
#include "softmax/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/command_line/named_value.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"

namespace benchdnn::softmax {

namespace {

constexpr named_value_t<dnnl_alg_kind_t> algorithms[] = {
        {"softmax", dnnl_softmax_accurate},
        {"logsoftmax", dnnl_softmax_log},
        {"softmax_accurate", dnnl_softmax_accurate},
        {"softmax_log", dnnl_softmax_log},
};

} // namespace

dnnl_alg_kind_t parse_algorithm(const std::string &text) { return value_named(algorithms, text); }

softmax_problem_t::softmax_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string softmax_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("sdt", data_type_text(spec_.src_type), data_type_text(standard.src_type));
    knobs.add("ddt", data_type_text(spec_.dst_type), data_type_text(standard.dst_type));
    knobs.add("stag", spec_.src_tag, standard.src_tag);
    knobs.add("dtag", spec_.dst_tag, standard.dst_tag);
    knobs.add("alg", name_of(algorithms, spec_.algorithm), name_of(algorithms, standard.algorithm));
    knobs.add("axis", std::to_string(spec_.axis), std::to_string(standard.axis));
    knobs.add("inplace", spec_.in_place, standard.in_place);
    return knobs.text;
}

std::string softmax_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "alg") return name_of(algorithms, spec_.algorithm);
    if (name == "axis") return std::to_string(spec_.axis);
    if (name == "inplace") return bool_text(spec_.in_place);
    return spec_.field(name, spec_.ndims());
}

std::string softmax_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : {spec_.src_type, spec_.dst_type})
        if (!is_testable_type(type)) return "Data type not supported";
    using kind_t = post_op_t::kind_t;
    for (const kind_t kind : {kind_t::sum, kind_t::depthwise})
        if (settings.attributes.post_ops.has(kind)) return "Case not supported: sum or dw post-op";
    if (spec_.in_place && data_type_size(spec_.src_type) != data_type_size(spec_.dst_type))
        return "Invalid case: types of unlike sizes in place";
    return "";
}

attribute_target_t softmax_problem_t::attribute_target() const {
    return {spec_.shape.dims, std::min(1, spec_.ndims() - 1)};
}

dnnl_status_t softmax_problem_t::create_forward(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    const memory_desc_t src = make_descriptor(spec_.shape.dims, spec_.src_type, spec_.src_tag);
    const memory_desc_t dst = make_descriptor(spec_.shape.dims, spec_.dst_type, spec_.dst_tag);
    const dnnl_prop_kind_t prop_kind =
            spec_.is_forward() ? spec_.direction.prop_kind : dnnl_forward_training;
    return dnnl_softmax_forward_primitive_desc_create(
            out.out(), engine, prop_kind, spec_.algorithm, src.get(), dst.get(), spec_.axis, attr);
}

dnnl_status_t softmax_problem_t::create_backward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
        primitive_desc_t &out) const {
    const std::string &dst_tag = spec_.dst_tag == "any" ? spec_.src_tag : spec_.dst_tag;
    const memory_desc_t dst = make_descriptor(spec_.shape.dims, spec_.dst_type, dst_tag);
    const memory_desc_t diff_dst = make_descriptor(spec_.shape.dims, spec_.dst_type, spec_.dst_tag);
    const memory_desc_t diff_src = make_descriptor(
            spec_.shape.dims, spec_.src_type, spec_.dst_tag == "any" ? "any" : spec_.src_tag);
    return dnnl_softmax_backward_primitive_desc_create(out.out(), engine, spec_.algorithm,
            diff_src.get(), diff_dst.get(), dst.get(), spec_.axis, hint, attr);
}

dnnl_status_t softmax_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    if (spec_.is_forward()) return create_forward(engine, attr, out);
    primitive_desc_t hint;
    const dnnl_status_t status = create_forward(engine, nullptr, hint);
    return status == dnnl_success ? create_backward(engine, attr, hint.get(), out) : status;
}

std::string softmax_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    const auto add = [&](int id, arguments_t::role_t role) {
        arguments.add(id, role, argument_descriptor(primitive_desc, id));
    };
    using enum arguments_t::role_t;
    const int from = spec_.is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
    const int to = spec_.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    if (!spec_.is_forward()) add(DNNL_ARG_DST, input);
    add(from, input);
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(argument_descriptor(primitive_desc, from),
                    argument_descriptor(primitive_desc, to)))
            return "Invalid case";
        arguments.add_in_place(to, from);
    } else {
        add(to, output);
    }
    if (arguments.wants_data()) fill(arguments);
    return "";
}

// Forward: each line has a level of its own, which results do not depend on, and an element that
// stands out. Backward: dst is as large as a softmax or logsoftmax of so many elements.
void softmax_problem_t::fill(arguments_t &arguments) const {
    const noise_t noise(seed_of(descriptor_text(false))), levels(seed_of("levels"));
    const dim_t length = spec_.length();
    if (product(spec_.shape.dims) == 0) return;
    dim_t inner = 1;
    for (int d = spec_.axis + 1; d < spec_.ndims(); ++d) inner *= spec_.shape.dims[d];
    if (spec_.is_forward()) {
        const bool has_signs = spec_.src_type != dnnl_u8;
        fill_elements(arguments.at(DNNL_ARG_SRC), [&](dim_t index) {
            const dim_t line = index / (inner * length) * inner + index % inner;
            const dim_t place = index / inner % length;
            const double peak = place == (line * 7 + 3) % length ? 4 : 0;
            const double x = 3 * noise(index) + peak + 8 * levels(line) + (has_signs ? 0 : 12);
            return is_integer_type(spec_.src_type) ? std::floor(x) : x;
        });
        return;
    }
    const auto count = static_cast<double>(length);
    fill_elements(arguments.at(DNNL_ARG_DST), [&](dim_t index) {
        return spec_.is_log() ? noise(index) - std::log(count) - 1
                              : (1 + 0.75 * noise(index)) / count;
    });
    fill_elements(arguments.at(DNNL_ARG_DIFF_DST), [&](dim_t index) {
        const dim_t line = index / (inner * length) * inner + index % inner;
        return levels(index) + levels(line + 1000003);
    });
}

std::vector<comparison_t> softmax_problem_t::compare(const arguments_t &arguments) const {
    return softmax::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::softmax
