// SPDX-License-Identifier: Apache-2.0
// One problem of the reorder driver: its knobs, its primitive descriptor and its arguments.
#include "reorder/problem.hpp"

#include <algorithm>
#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"

namespace benchdnn::reorder {

namespace {

memory_desc_t src_descriptor(const spec_t &spec, const dims_t &dims) {
    return make_descriptor(dims, spec.src_type, spec.src_tag, spec.strides.src);
}

memory_desc_t dst_descriptor(const spec_t &spec, const dims_t &dims) {
    return make_descriptor(dims, spec.dst_type, spec.dst_tag, spec.strides.dst);
}

// The dims as the primitive descriptor is told: those that the mask names are left open.
dims_t described_dims(const spec_t &spec) {
    dims_t dims = spec.shape.dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (spec.runtime_dim_mask >> d & 1) dims[d] = DNNL_RUNTIME_DIM_VAL;
    return dims;
}

bool has_runtime_dims(const spec_t &spec) { return described_dims(spec) != spec.shape.dims; }

std::string quantization_problem(const quantization_t &quantization, int ndims) {
    using policy_t = broadcast_t::policy_t;
    for (const quantization_entry_t &entry : quantization.entries) {
        const policy_t policy = entry.broadcast.policy();
        if (entry.argument != DNNL_ARG_FROM && entry.argument != DNNL_ARG_TO)
            return "Invalid case: attributes of an argument that a reorder does not have";
        if (!is_testable_type(entry.data_type)) return "Data type not supported";
        if (!entry.groups.empty() || policy == policy_t::mx || policy == policy_t::dynamic_fp)
            return "Case not supported: quantization by groups";
        if (entry.broadcast.mask(ndims, 0) >> ndims != 0)
            return "Invalid case: a mask with more bits than there are axes";
    }
    return "";
}

// The descriptors of values along open dims are open themselves; the driver fills no such tensors.
std::string runtime_dims_problem(const spec_t &spec, const attributes_t &attributes) {
    if (!has_runtime_dims(spec)) return "";
    const int ndims = static_cast<int>(spec.shape.dims.size());
    for (const quantization_t *quantization : {&attributes.scales, &attributes.zero_points})
        for (const quantization_entry_t &entry : quantization->entries)
            if (static_cast<unsigned>(entry.broadcast.mask(ndims, 0)) & spec.runtime_dim_mask)
                return "Case not supported: scales or zero points along run-time dims";
    return "";
}

std::string zero_point_problem(const spec_t &spec, const quantization_t &zero_points) {
    const auto wrong = [&](int argument, dnnl_data_type_t type) {
        return zero_points.find(argument) && !is_integer_type(type);
    };
    const bool is_wrong = wrong(DNNL_ARG_FROM, spec.src_type) || wrong(DNNL_ARG_TO, spec.dst_type);
    return is_wrong ? "Invalid case: zero points of a floating-point tensor" : "";
}

// Features of the interface, or of oneDNN's batch files, for which this driver has no reference.
std::string beyond_the_driver(const spec_t &spec, const attributes_t &attributes) {
    if (!is_testable_weights_type(spec.src_type) || !is_testable_weights_type(spec.dst_type))
        return "Data type not supported";
    if (!spec.compensation.empty()) return "Case not supported: compensation";
    if (spec.cross_engine != "none") return "Case not supported: there is only a CPU engine";
    if (attributes.post_ops.has(post_op_t::kind_t::depthwise))
        return "Case not supported: dw post-op";
    for (const rounding_t::entry_t &entry : attributes.rounding.entries)
        if (entry.mode != dnnl_rounding_mode_environment)
            return "Case not supported: stochastic rounding";
    return "";
}

} // namespace

bool only_converts(const attributes_t &attributes) {
    return attributes.scales.entries.empty() && attributes.zero_points.entries.empty()
           && attributes.post_ops.chain.empty();
}

reorder_problem_t::reorder_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string reorder_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    // oneDNN's driver always writes these four knobs.
    knobs.add_given("sdt", data_type_text(spec_.src_type));
    knobs.add_given("ddt", data_type_text(spec_.dst_type));
    knobs.add_given("stag", spec_.src_tag);
    knobs.add_given("dtag", spec_.dst_tag);
    knobs.add("strides", stride_pair_text(spec_.strides), "");
    knobs.add("oflag", spec_.compensation, "");
    knobs.add("cross-engine", spec_.cross_engine, standard.cross_engine);
    knobs.add("runtime-dim-mask", std::to_string(spec_.runtime_dim_mask), "0");
    knobs.add("inplace", spec_.in_place, false);
    return knobs.text;
}

std::string reorder_problem_t::field(const std::string &name) const {
    const int ndims = static_cast<int>(spec_.shape.dims.size());
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "flags") return spec_.compensation;
    if (name == "inplace") return bool_text(spec_.in_place);
    if (name == "strides") return stride_pair_text(spec_.strides);
    return spec_.field(name, ndims);
}

std::string reorder_problem_t::skip_reason() const {
    const attributes_t &attributes = settings.attributes;
    const int ndims = static_cast<int>(spec_.shape.dims.size());
    for (const std::string &reason :
            {beyond_the_driver(spec_, attributes), quantization_problem(attributes.scales, ndims),
                    quantization_problem(attributes.zero_points, ndims),
                    zero_point_problem(spec_, attributes.zero_points),
                    runtime_dims_problem(spec_, attributes)})
        if (!reason.empty()) return reason;
    const bool may_share = spec_.src_type == spec_.dst_type;
    return spec_.in_place && !may_share ? "Invalid case: in place with different types" : "";
}

attribute_target_t reorder_problem_t::attribute_target() const {
    const int ndims = static_cast<int>(spec_.shape.dims.size());
    return {spec_.shape.dims, std::min(1, ndims - 1)};
}

dnnl_status_t reorder_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    const dims_t dims = described_dims(spec_);
    const memory_desc_t src = src_descriptor(spec_, dims), dst = dst_descriptor(spec_, dims);
    return dnnl_reorder_primitive_desc_create(
            out.out(), src.get(), engine, dst.get(), engine, attr);
}

std::string reorder_problem_t::prepare(const primitive_desc_t &, arguments_t &arguments) const {
    const memory_desc_t src = src_descriptor(spec_, spec_.shape.dims);
    const memory_desc_t dst = dst_descriptor(spec_, spec_.shape.dims);
    arguments.add(DNNL_ARG_FROM, arguments_t::role_t::input, src.get());
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(src.get(), dst.get()))
            return "Invalid case: in place with different layouts";
        arguments.add_in_place(DNNL_ARG_TO, DNNL_ARG_FROM);
    } else {
        arguments.add_result(
                DNNL_ARG_TO, dst.get(), settings.attributes.post_ops.has(post_op_t::kind_t::sum));
    }
    if (arguments.wants_data()) fill(spec_, settings.attributes, arguments);
    return "";
}

std::vector<comparison_t> reorder_problem_t::compare(const arguments_t &arguments) const {
    return reorder::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::reorder
