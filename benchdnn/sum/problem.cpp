// SPDX-License-Identifier: Apache-2.0
// One problem of the sum driver: its knobs, its primitive descriptor, its arguments and its
// reference.
#include "sum/problem.hpp"

#include <cmath>
#include <utility>

#include "common/attributes/quantization_reference.hpp"
#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::sum {

namespace {

int source_id(size_t source) { return DNNL_ARG_MULTIPLE_SRC + static_cast<int>(source); }

// What dst should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const arguments_t &arguments)
        : spec_(spec)
        , dst_type_(arguments.at(DNNL_ARG_DST).layout().data_type()) {
        for (size_t i = 0; i < spec.sources(); ++i)
            rows_.emplace_back(arguments.original(source_id(i)), spec.shape.dims, spec.shape.dims);
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        values_.assign(segment.count, {});
        elements_.resize(segment.count);
        for (size_t source = 0; source < rows_.size(); ++source) {
            rows_[source].load(segment, elements_.data());
            const double scale = static_cast<float>(spec_.scale[source]);
            for (size_t i = 0; i < values_.size(); ++i)
                values_[i] = quantization::accumulated(values_[i], scale, elements_[i]);
        }
        if (dst_type_ == dnnl_s32)
            for (estimate_t &x : values_) x = quantization::saturated_as_f32(x);
        return values_;
    }

private:
    const spec_t &spec_;
    const dnnl_data_type_t dst_type_;
    std::vector<broadcast_rows_t> rows_;
    std::vector<double> elements_;
    std::vector<estimate_t> values_;
};

} // namespace

std::string types_text(const spec_t &spec) {
    return source_list_text(spec.src_type, data_type_text, false);
}

std::string tags_text(const spec_t &spec) {
    return source_list_text(spec.src_tag, [](const std::string &tag) { return tag; });
}

std::string scales_text(const spec_t &spec) { return source_list_text(spec.scale, number_text); }

sum_problem_t::sum_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string sum_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("sdt", types_text(spec_), types_text(standard));
    knobs.add("ddt", data_type_text(spec_.dst_type), data_type_text(standard.dst_type));
    knobs.add("stag", tags_text(spec_), tags_text(standard));
    knobs.add("dtag", spec_.dst_tag, standard.dst_tag);
    knobs.add("scales", scales_text(spec_), scales_text(standard));
    knobs.add("inplace", spec_.in_place, standard.in_place);
    return knobs.text;
}

std::string sum_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "sdt") return types_text(spec_);
    if (name == "ddt") return data_type_text(spec_.dst_type);
    if (name == "stag")
        return source_list_text(spec_.src_tag,
                [&](const std::string &tag) { return normalized_tag(tag, spec_.ndims()); });
    if (name == "dtag") return normalized_tag(spec_.dst_tag, spec_.ndims());
    if (name == "scales") return scales_text(spec_);
    if (name == "inplace") return bool_text(spec_.in_place);
    return "";
}

std::string sum_problem_t::skip_reason() const {
    for (const dnnl_data_type_t type : spec_.src_type.of)
        if (!is_testable_type(type)) return "Data type not supported";
    if (!is_testable_type(spec_.dst_type)) return "Data type not supported";
    if (!spec_.in_place) return "";
    // Without a tag of dst, its layout is compared once it is known.
    const bool may_be_same = spec_.dst_tag == "any" || spec_.dst_tag == spec_.src_tag[0];
    return may_be_same && spec_.src_type[0] == spec_.dst_type
                   ? ""
                   : "Invalid case: in place with different types or layouts";
}

attribute_target_t sum_problem_t::attribute_target() const { return {spec_.shape.dims, 0}; }

dnnl_status_t sum_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    std::vector<memory_desc_t> sources;
    std::vector<const_dnnl_memory_desc_t> handles;
    std::vector<float> scales;
    for (size_t i = 0; i < spec_.sources(); ++i) {
        sources.push_back(make_descriptor(spec_.shape.dims, spec_.src_type[i], spec_.src_tag[i]));
        handles.push_back(sources.back().get());
        scales.push_back(static_cast<float>(spec_.scale[i]));
    }
    const memory_desc_t dst = make_descriptor(spec_.shape.dims, spec_.dst_type, spec_.dst_tag);
    return dnnl_sum_primitive_desc_create(out.out(), engine, dst.get(),
            static_cast<int>(handles.size()), scales.data(), handles.data(), attr);
}

std::string sum_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    const auto descriptor = [&](int id) { return argument_descriptor(primitive_desc, id); };
    for (size_t i = 0; i < spec_.sources(); ++i) {
        arguments.add(source_id(i), arguments_t::role_t::input, descriptor(source_id(i)));
        arguments.set_name(source_id(i), "src_" + std::to_string(i));
    }
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(descriptor(source_id(0)), descriptor(DNNL_ARG_DST)))
            return "Invalid case: in place with different layouts";
        arguments.add_in_place(DNNL_ARG_DST, source_id(0));
    } else {
        arguments.add(DNNL_ARG_DST, arguments_t::role_t::output, descriptor(DNNL_ARG_DST));
    }
    if (!arguments.wants_data()) return "";
    const uint64_t seed = seed_of(descriptor_text(false));
    for (size_t i = 0; i < spec_.sources(); ++i) {
        const noise_t noise(seed + i);
        const dnnl_data_type_t type = spec_.src_type[i];
        fill_elements(arguments.at(source_id(i)), [&](dim_t index) {
            const double x = 20 * noise(index);
            if (type == dnnl_u8) return std::floor(std::fabs(x));
            return is_integer_type(type) ? std::floor(x) : x / 4;
        });
    }
    return "";
}

std::vector<comparison_t> sum_problem_t::compare(const arguments_t &arguments) const {
    return sum::compare(spec_, arguments);
}

std::vector<comparison_t> compare(const spec_t &spec, const arguments_t &arguments) {
    const tensor_t &dst = arguments.at(DNNL_ARG_DST);
    comparison_t comparison(argument_name(DNNL_ARG_DST), dst.layout().data_type(), spec.shape.dims);
    if (product(spec.shape.dims) < 16) comparison.expect_constant();
    return {compare_segments(dst, comparison, expectation_t(spec, arguments))};
}

} // namespace benchdnn::sum
