// SPDX-License-Identifier: Apache-2.0
// One problem of the concat driver: its knobs, its primitive descriptor, its arguments and its
// reference.
#include "concat/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::concat {

namespace {

int source_id(size_t source) { return DNNL_ARG_MULTIPLE_SRC + static_cast<int>(source); }

// What dst should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : spec_(spec)
        , dst_dims_(spec.dst_dims())
        , arguments_(arguments) {
        dim_t begin = 0;
        for (size_t i = 0; i < spec.sources(); ++i) {
            begins_.push_back(begin);
            begin += spec.srcs.shapes[i][spec.axis];
            scales_.emplace_back(attributes.scales, DNNL_ARG_ATTR_SCALES, source_id(i), arguments,
                    spec.srcs.shapes[i]);
        }
        begins_.push_back(begin);
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        values_.resize(segment.count);
        const dim_t cols = dst_dims_.back();
        for (dim_t done = 0, count; done < segment.count; done += count) {
            dims_t at = position_of(segment.row * cols + segment.first + done, dst_dims_);
            const size_t source = source_of(at[spec_.axis]);
            at[spec_.axis] -= begins_[source];
            const dim_t left = spec_.srcs.shapes[source].back() - at.back();
            count = std::min(segment.count - done, left);
            load(source, at, count, values_.data() + done);
        }
        return values_;
    }

private:
    size_t source_of(dim_t position) const {
        size_t source = 0;
        while (position >= begins_[source + 1]) ++source;
        return source;
    }

    // Elements of a row of the source, from a position on.
    void load(size_t source, const dims_t &at, dim_t count, estimate_t *to) {
        const tensor_t &tensor = arguments_.original(source_id(source));
        dim_t row = 0;
        for (size_t d = 0; d + 1 < at.size(); ++d) row = row * spec_.srcs.shapes[source][d] + at[d];
        elements_.resize(count);
        tensor.load_span(row, at.back(), count, elements_.data());
        double scale = 1;
        const bool is_scaled = scales_[source].is_given();
        if (is_scaled) scales_[source].load({row, at.back(), 1}, &scale);
        for (dim_t i = 0; i < count; ++i)
            to[i] = is_scaled ? quantization::scaled(quantization::loaded(elements_[i]), scale)
                              : estimate_t{elements_[i], 0};
    }

    const spec_t &spec_;
    const dims_t dst_dims_;
    const arguments_t &arguments_;
    std::vector<dim_t> begins_; // along the axis, and the end
    std::vector<quantizer_t> scales_;
    std::vector<double> elements_;
    std::vector<estimate_t> values_;
};

} // namespace

dims_t spec_t::dst_dims() const {
    dims_t dims = srcs.shapes.front();
    dims[axis] = 0;
    for (const dims_t &shape : srcs.shapes) dims[axis] += shape[axis];
    return dims;
}

std::string tags_text(const spec_t &spec) {
    return source_list_text(spec.src_tag, [](const std::string &tag) { return tag; });
}

concat_problem_t::concat_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string concat_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("sdt", data_type_text(spec_.src_type), data_type_text(standard.src_type));
    knobs.add("ddt", data_type_text(spec_.dst_type), data_type_text(standard.dst_type));
    knobs.add("stag", tags_text(spec_), tags_text(standard));
    knobs.add("dtag", spec_.dst_tag, standard.dst_tag);
    knobs.add("axis", std::to_string(spec_.axis), std::to_string(standard.axis));
    return knobs.text;
}

std::string concat_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.srcs.name;
    if (name == "sdt") return data_type_text(spec_.src_type);
    if (name == "ddt") return data_type_text(spec_.dst_type);
    if (name == "stag")
        return source_list_text(spec_.src_tag,
                [&](const std::string &tag) { return normalized_tag(tag, spec_.ndims()); });
    if (name == "dtag") return normalized_tag(spec_.dst_tag, spec_.ndims());
    if (name == "axis") return std::to_string(spec_.axis);
    return "";
}

std::string concat_problem_t::skip_reason() const {
    if (!is_testable_type(spec_.src_type) || !is_testable_type(spec_.dst_type))
        return "Data type not supported";
    for (const quantization_entry_t &entry : settings.attributes.scales.entries) {
        const int source = entry.argument - DNNL_ARG_MULTIPLE_SRC;
        if (source < 0 || source >= static_cast<int>(spec_.sources()))
            return "Invalid case: scales of an argument that is not a source";
        if (!is_testable_type(entry.data_type)) return "Data type not supported";
        if (!entry.groups.empty() || !entry.broadcast.is_single_value())
            return "Case not supported: more than one scale";
    }
    return "";
}

attribute_target_t concat_problem_t::attribute_target() const { return {spec_.dst_dims(), 0}; }

dnnl_status_t concat_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    std::vector<memory_desc_t> sources;
    std::vector<const_dnnl_memory_desc_t> handles;
    for (size_t i = 0; i < spec_.sources(); ++i) {
        sources.push_back(make_descriptor(spec_.srcs.shapes[i], spec_.src_type, spec_.src_tag[i]));
        handles.push_back(sources.back().get());
    }
    const memory_desc_t dst = make_descriptor(spec_.dst_dims(), spec_.dst_type, spec_.dst_tag);
    return dnnl_concat_primitive_desc_create(out.out(), engine, dst.get(),
            static_cast<int>(handles.size()), spec_.axis, handles.data(), attr);
}

std::string concat_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    const uint64_t seed = seed_of(descriptor_text(false));
    for (size_t i = 0; i < spec_.sources(); ++i) {
        const int id = source_id(i);
        tensor_t &src = arguments.add(
                id, arguments_t::role_t::input, argument_descriptor(primitive_desc, id));
        arguments.set_name(id, "src_" + std::to_string(i));
        if (!arguments.wants_data()) continue;
        const noise_t noise(seed + i);
        fill_elements(src, [&](dim_t index) {
            const double x = 150 * noise(index);
            if (spec_.src_type == dnnl_u8) return std::floor(std::fabs(x));
            return is_integer_type(spec_.src_type) ? std::floor(x) : x;
        });
    }
    arguments.add(DNNL_ARG_DST, arguments_t::role_t::output,
            argument_descriptor(primitive_desc, DNNL_ARG_DST));
    return "";
}

std::vector<comparison_t> concat_problem_t::compare(const arguments_t &arguments) const {
    return concat::compare(spec_, settings.attributes, arguments);
}

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    const tensor_t &dst = arguments.at(DNNL_ARG_DST);
    comparison_t comparison(argument_name(DNNL_ARG_DST), dst.layout().data_type(), spec.dst_dims());
    if (product(spec.dst_dims()) < 16) comparison.expect_constant();
    return {compare_segments(dst, comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::concat
