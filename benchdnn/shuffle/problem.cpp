// SPDX-License-Identifier: Apache-2.0
// One problem of the shuffle driver: its knobs, its primitive descriptors, its arguments and what
// the result should be.
#include "shuffle/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::shuffle {

namespace {

// What dst should hold: elements of src.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const tensor_t &src)
        : spec_(spec)
        , src_(src) {
        for (size_t axis = spec.axis + 1; axis < spec.shape.dims.size(); ++axis)
            inner_ *= spec.shape.dims[axis];
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        const dim_t extent = spec_.shape.dims[spec_.axis];
        values_.clear();
        for (dim_t i = 0; i < segment.count; ++i) {
            const dim_t index = segment.index(src_.cols()) + i;
            const dim_t position = index / inner_ % extent;
            const dim_t from = index + (spec_.source_of(position) - position) * inner_;
            values_.push_back({src_.load(from), 0});
        }
        return values_;
    }

private:
    const spec_t spec_;
    const tensor_t &src_;
    dim_t inner_ = 1; // elements behind the axis
    std::vector<estimate_t> values_;
};

} // namespace

dim_t spec_t::source_of(dim_t position) const {
    const dim_t extent = shape.dims[axis];
    const dim_t columns = is_forward() ? group : extent / group, rows = extent / columns;
    return position % rows * columns + position / rows;
}

shuffle_problem_t::shuffle_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string shuffle_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("dt", data_type_text(spec_.type.src), data_type_text(standard.type.src));
    knobs.add("tag", spec_.tag, standard.tag);
    knobs.add("group", std::to_string(spec_.group), std::to_string(standard.group));
    knobs.add("axis", std::to_string(spec_.axis), std::to_string(standard.axis));
    return knobs.text;
}

std::string shuffle_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "dt" || name == "sdt") return data_type_text(spec_.type.src);
    if (name == "tag" || name == "stag") return normalized_tag(spec_.tag, spec_.ndims());
    if (name == "group") return std::to_string(spec_.group);
    if (name == "axis") return std::to_string(spec_.axis);
    return "";
}

std::string shuffle_problem_t::skip_reason() const {
    if (!is_testable_type(spec_.type.src)) return "Data type not supported";
    return settings.attributes.post_ops.chain.empty() ? "" : "Case not supported: post-ops";
}

attribute_target_t shuffle_problem_t::attribute_target() const {
    return {spec_.shape.dims, std::min(1, spec_.ndims() - 1)};
}

dnnl_status_t shuffle_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = make_descriptor(spec_.shape.dims, spec_.type.src, spec_.tag);
    const memory_desc_t dst = make_descriptor(spec_.shape.dims, spec_.type.src, "any");
    return dnnl_shuffle_forward_primitive_desc_create(
            out.out(), engine, prop_kind, src.get(), dst.get(), spec_.axis, spec_.group, attr);
}

dnnl_status_t shuffle_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    if (spec_.is_forward()) return create_forward(engine, attr, spec_.direction.prop_kind, out);
    primitive_desc_t hint;
    const dnnl_status_t status = create_forward(engine, nullptr, dnnl_forward_training, hint);
    if (status != dnnl_success) return status;
    const memory_desc_t diff = make_descriptor(spec_.shape.dims, spec_.type.src, "any");
    return dnnl_shuffle_backward_primitive_desc_create(
            out.out(), engine, diff.get(), diff.get(), spec_.axis, spec_.group, hint.get(), attr);
}

std::string shuffle_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    const auto add = [&](int id, arguments_t::role_t role) {
        arguments.add(id, role, argument_descriptor(primitive_desc, id));
    };
    add(spec_.src_argument(), arguments_t::role_t::input);
    add(spec_.dst_argument(), arguments_t::role_t::output);
    if (!arguments.wants_data()) return "";
    const noise_t noise(seed_of(descriptor_text(false)));
    const dnnl_data_type_t type = spec_.type.src;
    fill_elements(arguments.at(spec_.src_argument()), [&](dim_t index) {
        const double x = noise(index);
        if (type == dnnl_u8) return std::floor(128 * (x + 1));
        return is_integer_type(type) ? std::floor((type == dnnl_s32 ? 0x1p31 : 128) * x) : 4 * x;
    });
    return "";
}

std::vector<comparison_t> shuffle_problem_t::compare(const arguments_t &arguments) const {
    comparison_t comparison(argument_name(spec_.dst_argument()), spec_.type.src, spec_.shape.dims);
    if (product(spec_.shape.dims) < 16) comparison.expect_constant();
    return {compare_segments(arguments.at(spec_.dst_argument()), comparison,
            expectation_t(spec_, arguments.original(spec_.src_argument())))};
}

} // namespace benchdnn::shuffle
