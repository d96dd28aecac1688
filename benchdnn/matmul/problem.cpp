// SPDX-License-Identifier: Apache-2.0
// One problem of the matmul driver: its knobs, its primitive descriptor and its arguments.
#include "matmul/problem.hpp"

#include <utility>

#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/tag.hpp"
#include "matmul/sums_of_weights.hpp"

namespace benchdnn::matmul {

namespace {

using policy_t = broadcast_t::policy_t;

dims_t opened(dims_t dims, unsigned mask) {
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) dims[d] = DNNL_RUNTIME_DIM_VAL;
    return dims;
}

std::string quantization_problem(const quantization_t &quantization) {
    for (const quantization_entry_t &entry : quantization.entries) {
        if (!is_testable_weights_type(entry.data_type) && entry.data_type != dnnl_e8m0)
            return "Data type not supported";
        const policy_t policy = entry.broadcast.policy();
        if (policy == policy_t::mx || policy == policy_t::dynamic_fp)
            return "Case not supported: dynamic scales";
    }
    return "";
}

// Values along axes whose extents only the execution knows have no descriptor.
std::string runtime_problem(const spec_t &spec, const attributes_t &attributes) {
    if (!spec.has_runtime_dims()) return "";
    for (const quantization_t *quantization : {&attributes.scales, &attributes.zero_points})
        for (const quantization_entry_t &entry : quantization->entries)
            if (!entry.broadcast.is_single_value())
                return "Case not supported: run-time dims with several scales or zero points";
    if (attributes.post_ops.has(post_op_t::kind_t::prelu))
        return "Case not supported: run-time dims with a prelu post-op";
    for (const std::string &tag : {spec.src_tag, spec.weights_tag, spec.dst_tag})
        if (tag == "any") return "Case not supported: run-time dims with format any";
    return "";
}

} // namespace

dims_t spec_t::dst() const {
    dims_t dims = src;
    for (size_t axis = 0; axis + 2 < dims.size(); ++axis)
        if (dims[axis] == 1) dims[axis] = weights[axis];
    dims.back() = weights.back();
    return dims;
}

dims_t spec_t::bias_dims() const {
    dims_t dims = dst();
    for (size_t axis = 0; axis < dims.size(); ++axis)
        if (!(bias.mask >> axis & 1)) dims[axis] = 1;
    return dims;
}

bool spec_t::has_plain_memory() const {
    return encoding.find_first_not_of(':') == std::string::npos && grouped.empty();
}

std::string strides_text(const strides_t &strides) {
    const auto &[src, weights, dst] = strides;
    if (src.empty() && weights.empty() && dst.empty()) return "";
    return dims_text(src) + ":" + dims_text(weights) + ":" + dims_text(dst);
}

std::string runtime_dims_text(const runtime_dims_t &masks) {
    return std::to_string(masks.src) + ":" + std::to_string(masks.weights);
}

matmul_problem_t::matmul_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string matmul_problem_t::descriptor_text(bool) const {
    return named_shapes_text({{spec_.src, spec_.weights}, spec_.name});
}

std::string matmul_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dt", type_triple_text(spec_.type), type_triple_text(standard.type));
    spec_.add_tags(knobs);
    knobs.add_given("strides", strides_text(spec_.strides));
    knobs.add_given("encoding", spec_.encoding);
    knobs.add_given("grouped", spec_.grouped);
    knobs.add("runtime_dims_masks", runtime_dims_text(spec_.runtime_dims),
            runtime_dims_text(standard.runtime_dims));
    knobs.add("bia-dt", data_type_text(spec_.bias.type), data_type_text(standard.bias.type));
    if (spec_.has_bias())
        knobs.add("bia_mask", std::to_string(spec_.bias.mask), std::to_string(standard.bias.mask));
    return knobs.text;
}

std::string matmul_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.name;
    if (name == "strides") return strides_text(spec_.strides);
    return spec_.field(name, spec_.ndims(), spec_.ndims());
}

double matmul_problem_t::operations() const {
    return 2. * static_cast<double>(product(spec_.dst())) * static_cast<double>(spec_.src.back());
}

multiplication_t matmul_problem_t::multiplication() const {
    return multiplication_of(spec_.type[0], spec_.type[1]);
}

std::string matmul_problem_t::skip_reason() const {
    const attributes_t &attributes = settings.attributes;
    if (!spec_.has_plain_memory()) return "Case not supported: sparse or grouped memory";
    const std::string reason = product_skip_reason(spec_.type, attributes);
    if (!reason.empty()) return reason;
    if (spec_.has_bias() && !is_testable_type(spec_.bias.type)) return "Data type not supported";
    for (const std::string &other : {quantization_problem(attributes.scales),
                 quantization_problem(attributes.zero_points), runtime_problem(spec_, attributes)})
        if (!other.empty()) return other;
    return "";
}

attribute_target_t matmul_problem_t::attribute_target() const {
    return {spec_.dst(), spec_.ndims() - 1};
}

memory_desc_t matmul_problem_t::descriptor(int id, bool is_open) const {
    const unsigned src = is_open ? spec_.runtime_dims.src : 0;
    const unsigned weights = is_open ? spec_.runtime_dims.weights : 0;
    const int ndims = spec_.ndims();
    const unsigned columns = 1u << (ndims - 1);
    const auto made = [&](size_t which, const dims_t &dims, const std::string &tag) {
        return make_descriptor(dims, spec_.type[which], tag, spec_.strides[which]);
    };
    switch (id) {
    case DNNL_ARG_SRC: return made(0, opened(spec_.src, src), spec_.src_tag);
    case DNNL_ARG_BIAS: {
        const unsigned mask =
                ((src & ~columns) | (weights & columns)) & static_cast<unsigned>(spec_.bias.mask);
        return make_descriptor(opened(spec_.bias_dims(), mask), spec_.bias.type,
                spec_.has_runtime_dims() ? "abx" : "any");
    }
    case DNNL_ARG_WEIGHTS: return made(1, opened(spec_.weights, weights), spec_.weights_tag);
    default: {
        // The rows and the batch of src, the columns of weights.
        const unsigned mask = (src & ~columns) | (weights & columns);
        return made(2, opened(spec_.dst(), mask), spec_.dst_tag);
    }
    }
}

dnnl_status_t matmul_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    memory_desc_t bias;
    if (spec_.has_bias()) bias = descriptor(DNNL_ARG_BIAS, true);
    return dnnl_matmul_primitive_desc_create(out.out(), engine,
            descriptor(DNNL_ARG_SRC, true).get(), descriptor(DNNL_ARG_WEIGHTS, true).get(),
            bias.get(), descriptor(DNNL_ARG_DST, true).get(), attr);
}

std::string matmul_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    // What only the execution knows is not in the primitive's descriptor.
    const memory_desc_t src = descriptor(DNNL_ARG_SRC, false);
    const memory_desc_t weights = descriptor(DNNL_ARG_WEIGHTS, false);
    const memory_desc_t dst = descriptor(DNNL_ARG_DST, false);
    memory_desc_t bias;
    if (spec_.has_bias()) bias = descriptor(DNNL_ARG_BIAS, false);
    const auto described = [&](int id, const memory_desc_t &own) {
        return spec_.has_runtime_dims() ? own.get() : argument_descriptor(primitive_desc, id);
    };
    arguments.add(DNNL_ARG_SRC, arguments_t::role_t::input, described(DNNL_ARG_SRC, src));
    arguments.add(
            DNNL_ARG_WEIGHTS, arguments_t::role_t::input, described(DNNL_ARG_WEIGHTS, weights));
    if (spec_.has_bias())
        arguments.add(DNNL_ARG_BIAS, arguments_t::role_t::input, described(DNNL_ARG_BIAS, bias));
    arguments.add_result(DNNL_ARG_DST, described(DNNL_ARG_DST, dst),
            settings.attributes.post_ops.has(post_op_t::kind_t::sum));
    if (!arguments.wants_data()) return "";
    fill(arguments);
    tensor_t &filled = arguments.at(DNNL_ARG_WEIGHTS);
    if (filled.layout().has_sums())
        store_sums_of_weights(filled, described(DNNL_ARG_WEIGHTS, weights), primitive_desc.get());
    return "";
}

void matmul_problem_t::fill(arguments_t &arguments) const {
    const uint64_t seed = seed_of(descriptor_text(false));
    const bool may_be_rounded = may_round_factors(spec_, settings.attributes);
    for (const int id : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS})
        if (arguments.has(id))
            fill_factor(arguments.at(id), seed + static_cast<uint64_t>(id), may_be_rounded);
    if (settings.attributes.post_ops.has(post_op_t::kind_t::sum))
        fill_prior(arguments.at(DNNL_ARG_DST), settings.attributes.post_ops.sum_type());
}

std::vector<comparison_t> matmul_problem_t::compare(const arguments_t &arguments) const {
    return matmul::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::matmul
