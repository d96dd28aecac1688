// SPDX-License-Identifier: Apache-2.0
// One problem of the reduction driver: its knobs, its primitive descriptor and its arguments.
#include "reduction/problem.hpp"

#include <algorithm>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/command_line/named_value.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "reduction/values.hpp"

namespace benchdnn::reduction {

namespace {

constexpr named_value_t<dnnl_alg_kind_t> algorithms[] = {
        {"max", dnnl_reduction_max},
        {"min", dnnl_reduction_min},
        {"sum", dnnl_reduction_sum},
        {"mul", dnnl_reduction_mul},
        {"mean", dnnl_reduction_mean},
        {"norm_lp_max", dnnl_reduction_norm_lp_max},
        {"norm_lp_sum", dnnl_reduction_norm_lp_sum},
        {"norm_lp_power_p_max", dnnl_reduction_norm_lp_power_p_max},
        {"norm_lp_power_p_sum", dnnl_reduction_norm_lp_power_p_sum},
};

} // namespace

dnnl_alg_kind_t parse_algorithm(const std::string &text) {
    const std::string prefix = "reduction_";
    const bool is_long = lowercase(text).rfind(prefix, 0) == 0;
    return value_named(algorithms, is_long ? text.substr(prefix.size()) : text);
}

reduction_problem_t::reduction_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string reduction_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("sdt", data_type_text(spec_.src_type), data_type_text(standard.src_type));
    knobs.add("ddt", data_type_text(spec_.dst_type), data_type_text(standard.dst_type));
    knobs.add("stag", spec_.src_tag, standard.src_tag);
    knobs.add("dtag", spec_.dst_tag, standard.dst_tag);
    knobs.add("alg", name_of(algorithms, spec_.algorithm), name_of(algorithms, standard.algorithm));
    knobs.add("p", number_text(spec_.p), number_text(standard.p));
    knobs.add("eps", number_text(spec_.epsilon), number_text(standard.epsilon));
    return knobs.text;
}

std::string reduction_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shapes.name;
    if (name == "alg") return name_of(algorithms, spec_.algorithm);
    if (name == "eps") return number_text(spec_.epsilon);
    return spec_.field(name, spec_.ndims());
}

std::string reduction_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : {spec_.src_type, spec_.dst_type})
        if (!is_testable_type(type)) return "Data type not supported";
    if (settings.attributes.post_ops.has(post_op_t::kind_t::depthwise))
        return "Case not supported: dw post-op";
    const bool is_norm = spec_.formula().is_norm();
    if (is_norm && is_integer_type(spec_.src_type)) return "Invalid case: a norm of integers";
    return is_norm && !(spec_.p >= 1) ? "Invalid case: a norm with p below 1" : "";
}

attribute_target_t reduction_problem_t::attribute_target() const {
    return {spec_.dst_dims(), std::min(1, spec_.ndims() - 1)};
}

dnnl_status_t reduction_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    const memory_desc_t src = make_descriptor(spec_.src_dims(), spec_.src_type, spec_.src_tag);
    const memory_desc_t dst = make_descriptor(spec_.dst_dims(), spec_.dst_type, spec_.dst_tag);
    return dnnl_reduction_primitive_desc_create(
            out.out(), engine, spec_.algorithm, src.get(), dst.get(), spec_.p, spec_.epsilon, attr);
}

std::string reduction_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    tensor_t &src = arguments.add(DNNL_ARG_SRC, arguments_t::role_t::input,
            argument_descriptor(primitive_desc, DNNL_ARG_SRC));
    const bool has_sum = settings.attributes.post_ops.has(post_op_t::kind_t::sum);
    arguments.add_result(DNNL_ARG_DST, argument_descriptor(primitive_desc, DNNL_ARG_DST), has_sum);
    if (!arguments.wants_data()) return "";
    const grouping_t grouping = spec_.grouping();
    const src_values_t values(spec_.formula(), spec_.src_type, spec_.dst_type, grouping.terms(),
            seed_of(descriptor_text(false)));
    fill_elements(src, [&](dim_t index) {
        const grouping_t::place_t place = grouping.place_of(index);
        return values(place.result, place.term);
    });
    if (has_sum) fill_prior(arguments.at(DNNL_ARG_DST));
    return "";
}

std::vector<comparison_t> reduction_problem_t::compare(const arguments_t &arguments) const {
    return reduction::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::reduction
