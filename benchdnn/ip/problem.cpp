// SPDX-License-Identifier: Apache-2.0
// One problem of the ip driver: its knobs, its primitive descriptors and its arguments.
#include "ip/problem.hpp"

#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::ip {

namespace {

// The extents of the space from what is given of id, ih and iw, which are 0 where they are not.
dims_t space_of(dim_t id, dim_t ih, dim_t iw) {
    if (id > 0) return {id, ih > 0 ? ih : id, iw > 0 ? iw : ih > 0 ? ih : id};
    if (ih > 0) return {ih, iw > 0 ? iw : ih};
    if (iw > 0) return {iw};
    return {};
}

} // namespace

shape_t parse_shape(const std::string &text) {
    shape_t shape;
    dim_t id = 0, ih = 0, iw = 0;
    const std::pair<const char *, dim_t *> pieces[] = {{"mb", &shape.mb}, {"ic", &shape.ic},
            {"oc", &shape.oc}, {"id", &id}, {"ih", &ih}, {"iw", &iw}};
    for (size_t at = 0; at < text.size();) {
        if (text[at] == '_') {
            ++at;
            continue;
        }
        if (text[at] == 'n') {
            shape.name = text.substr(at + 1);
            break;
        }
        dim_t *value = nullptr;
        for (const auto &[name, place] : pieces)
            if (text.compare(at, 2, name) == 0) value = place;
        const size_t end = text.find_first_not_of("0123456789", at + 2);
        if (value == nullptr || end == at + 2 || at + 2 >= text.size())
            throw bad_value_t(text, "'" + text.substr(at) + "' is no piece of a shape");
        *value = parse_number(text.substr(at + 2, end - at - 2), integers_from_0);
        at = std::min(end, text.size());
    }
    shape.space = space_of(id, ih, iw);
    return shape;
}

std::string shape_text(const shape_t &shape, bool canonical) {
    std::string text;
    if (canonical || shape.mb != shape_t().mb) text += "mb" + std::to_string(shape.mb);
    text += "ic" + std::to_string(shape.ic);
    const char *const names[] = {"id", "ih", "iw"};
    for (size_t i = 0; i < shape.space.size(); ++i)
        text += names[3 - shape.space.size() + i] + std::to_string(shape.space[i]);
    text += "oc" + std::to_string(shape.oc);
    return text + (shape.name.empty() ? "" : "n" + shape.name);
}

dims_t spec_t::src() const {
    dims_t dims{shape.mb, shape.ic};
    dims.insert(dims.end(), shape.space.begin(), shape.space.end());
    return dims;
}

dims_t spec_t::weights() const {
    dims_t dims = src();
    dims[0] = shape.oc;
    return dims;
}

bool spec_t::has_bias() const {
    const std::string name = direction.name;
    if (name == "BWD_D") return false;
    return name == "FWD_B" || name == "BWD_WB" || bias_type != dnnl_data_type_undef;
}

ip_problem_t::ip_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string ip_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("dt", type_triple_text(spec_.type), type_triple_text(standard.type));
    knobs.add("bia-dt", data_type_text(spec_.bias_type), data_type_text(standard.bias_type));
    spec_.add_tags(knobs);
    return knobs.text;
}

std::string ip_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "mb") return std::to_string(spec_.shape.mb);
    return spec_.field(name, spec_.ndims(), 2);
}

double ip_problem_t::operations() const {
    return 2. * static_cast<double>(product(spec_.src())) * static_cast<double>(spec_.shape.oc);
}

multiplication_t ip_problem_t::multiplication() const {
    const bool is_data = spec_.direction.prop_kind == dnnl_backward_data;
    return multiplication_of(spec_.type[is_data ? 2 : 0], spec_.type[1]);
}

std::string ip_problem_t::skip_reason() const {
    const attributes_t &attributes = settings.attributes;
    const std::string reason = product_skip_reason(spec_.type, attributes);
    if (!reason.empty()) return reason;
    if (is_half_byte_float(spec_.type[0]) || is_half_byte_float(spec_.type[1]))
        return "Data type not supported";
    if (!spec_.direction.is_forward()
            && (!attributes.post_ops.chain.empty() || !attributes.scales.entries.empty()))
        return "Case not supported: attributes backward";
    if (!attributes.zero_points.entries.empty() || !attributes.dropout.text.empty()
            || !attributes.precomputed_reductions.text.empty() || !attributes.rounding.text.empty())
        return "Case not supported: an attribute that inner products do not have";
    for (const quantization_entry_t &entry : attributes.scales.entries)
        if (!is_testable_type(entry.data_type) || !entry.groups.empty())
            return "Case not supported: scales of groups";
    return "";
}

dnnl_status_t ip_problem_t::create_forward(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    memory_desc_t bias;
    if (spec_.has_bias()) bias = make_descriptor({spec_.shape.oc}, spec_.type_of_bias(), "any");
    const dnnl_prop_kind_t kind =
            spec_.direction.is_forward() ? spec_.direction.prop_kind : dnnl_forward_training;
    return dnnl_inner_product_forward_primitive_desc_create(out.out(), engine, kind,
            make_descriptor(spec_.src(), spec_.type[0], spec_.src_tag).get(),
            make_descriptor(spec_.weights(), spec_.type[1], spec_.weights_tag).get(), bias.get(),
            make_descriptor(spec_.dst(), spec_.type[2], spec_.dst_tag).get(), attr);
}

dnnl_status_t ip_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    if (spec_.direction.is_forward()) return create_forward(engine, attr, out);
    const auto src = make_descriptor(spec_.src(), spec_.type[0], spec_.src_tag);
    const auto weights = make_descriptor(spec_.weights(), spec_.type[1], spec_.weights_tag);
    const auto dst = make_descriptor(spec_.dst(), spec_.type[2], spec_.dst_tag);
    // Types that forward does not take have no hint; the library needs none.
    primitive_desc_t hint;
    if (create_forward(engine, nullptr, hint) != dnnl_success) hint = primitive_desc_t();
    if (spec_.direction.prop_kind == dnnl_backward_data)
        return dnnl_inner_product_backward_data_primitive_desc_create(
                out.out(), engine, src.get(), weights.get(), dst.get(), hint.get(), attr);
    memory_desc_t bias;
    if (spec_.has_bias()) bias = make_descriptor({spec_.shape.oc}, spec_.type_of_bias(), "any");
    return dnnl_inner_product_backward_weights_primitive_desc_create(
            out.out(), engine, src.get(), weights.get(), bias.get(), dst.get(), hint.get(), attr);
}

std::string ip_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    using enum arguments_t::role_t;
    const uint64_t seed = seed_of(descriptor_text(false));
    const auto add_input = [&](int id) {
        tensor_t &tensor = arguments.add(id, input, argument_descriptor(primitive_desc, id));
        if (arguments.wants_data()) fill_factor(tensor, seed + static_cast<uint64_t>(id));
    };
    const auto add_output = [&](int id) {
        arguments.add(id, output, argument_descriptor(primitive_desc, id));
    };
    const bool is_data = spec_.direction.prop_kind == dnnl_backward_data;
    const bool is_weights = spec_.direction.gives_weights();
    is_data ? add_output(DNNL_ARG_DIFF_SRC) : add_input(DNNL_ARG_SRC);
    is_weights ? add_output(DNNL_ARG_DIFF_WEIGHTS) : add_input(DNNL_ARG_WEIGHTS);
    if (spec_.has_bias()) is_weights ? add_output(DNNL_ARG_DIFF_BIAS) : add_input(DNNL_ARG_BIAS);
    if (!spec_.direction.is_forward()) {
        add_input(DNNL_ARG_DIFF_DST);
        return "";
    }
    const bool has_sum = settings.attributes.post_ops.has(post_op_t::kind_t::sum);
    arguments.add_result(DNNL_ARG_DST, argument_descriptor(primitive_desc, DNNL_ARG_DST), has_sum);
    if (has_sum && arguments.wants_data())
        fill_prior(arguments.at(DNNL_ARG_DST), settings.attributes.post_ops.sum_type());
    return "";
}

std::vector<comparison_t> ip_problem_t::compare(const arguments_t &arguments) const {
    return ip::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::ip
