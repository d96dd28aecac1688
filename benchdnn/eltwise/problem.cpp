// SPDX-License-Identifier: Apache-2.0
// One problem of the eltwise driver: its knobs, its primitive descriptor and its arguments.
#include "eltwise/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/attributes/post_ops_reference.hpp"
#include "common/command_line/knobs_text.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/tag.hpp"
#include "eltwise/reference.hpp"

namespace benchdnn::eltwise {

namespace {

bool is_clip(dnnl_alg_kind_t algorithm) {
    return algorithm == dnnl_eltwise_clip || algorithm == dnnl_eltwise_clip_v2
           || algorithm == dnnl_eltwise_clip_v2_use_dst_for_bwd;
}

bool is_for_integers(dnnl_alg_kind_t algorithm) {
    return algorithm == dnnl_eltwise_relu || algorithm == dnnl_eltwise_linear
           || algorithm == dnnl_eltwise_clip;
}

bool is_for_positive(dnnl_alg_kind_t algorithm) {
    return algorithm == dnnl_eltwise_log || algorithm == dnnl_eltwise_pow
           || algorithm == dnnl_eltwise_sqrt || algorithm == dnnl_eltwise_sqrt_use_dst_for_bwd;
}

// Why the function is not defined for the type or the parameters, or "".
std::string algorithm_problem(const spec_t &spec) {
    const dnnl_alg_kind_t algorithm = spec.algorithm.value;
    const bool is_integer = is_integer_type(spec.data_type());
    if (is_clip(algorithm) && spec.beta < spec.alpha) return "Invalid case: beta below alpha";
    const bool needs_sign = algorithm == dnnl_eltwise_relu_use_dst_for_bwd
                            || algorithm == dnnl_eltwise_elu_use_dst_for_bwd;
    if (needs_sign && spec.alpha < 0) return "Invalid case: a negative alpha";
    const bool is_round = algorithm == dnnl_eltwise_round;
    if (is_round && (spec.data_type() != dnnl_f32 || !spec.is_forward()))
        return "Invalid case: round is for f32, forward";
    if (is_integer && (!is_for_integers(algorithm) || !spec.is_forward()))
        return "Invalid case: of integers there are relu, linear and clip, forward";
    return "";
}

// Each position has a value of its own. Some are near 0, some large.
class src_values_t {
public:
    src_values_t(const spec_t &spec, uint64_t seed)
        : type_(spec.data_type())
        , is_positive_(is_for_positive(spec.algorithm.value))
        , noise_(seed)
        , sizes_(seed + 1) {}

    double operator()(dim_t index) const {
        const double x = noise_(index);
        if (type_ == dnnl_u8) return std::floor(128 * (x + 1));
        if (is_integer_type(type_)) return std::floor((type_ == dnnl_s32 ? 1000 : 128) * x);
        const double choice = sizes_(index);
        const double size = choice < -0.6 ? 0.03 : choice < 0.3 ? 1 : type_ == dnnl_f8_e4m3 ? 4 : 7;
        return is_positive_ ? size * (std::fabs(x) + 0.05) : size * x;
    }

private:
    const dnnl_data_type_t type_;
    const bool is_positive_;
    const noise_t noise_, sizes_;
};

} // namespace

eltwise_problem_t::eltwise_problem_t(spec_t spec, problem_settings_t settings)
    : primitive_problem_t(std::move(settings))
    , spec_(std::move(spec)) {}

std::string eltwise_problem_t::knobs_text(bool canonical) const {
    const spec_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("dir", spec_.direction.name, standard.direction.name);
    knobs.add("dt", data_type_text(spec_.data_type()), data_type_text(standard.data_type()));
    knobs.add("tag", tag_pair_text(spec_.tag), tag_pair_text(standard.tag));
    knobs.add("alg", spec_.algorithm.name, canonical ? "" : standard.algorithm.name);
    knobs.add("alpha", number_text(spec_.alpha), number_text(standard.alpha));
    knobs.add("beta", number_text(spec_.beta), number_text(standard.beta));
    knobs.add("inplace", spec_.in_place, standard.in_place);
    return knobs.text;
}

std::string eltwise_problem_t::field(const std::string &name) const {
    if (name == "desc") return descriptor_text(false);
    if (name == "name") return spec_.shape.name;
    if (name == "dir") return spec_.direction.name;
    if (name == "dt" || name == "sdt") return data_type_text(spec_.data_type());
    if (name == "tag" || name == "stag")
        return normalized_tag(spec_.tag.src, static_cast<int>(spec_.shape.dims.size()));
    if (name == "alg") return spec_.algorithm.name;
    if (name == "inplace") return bool_text(spec_.in_place);
    return "";
}

std::string eltwise_problem_t::skip_reason() const {
    if (!is_testable_type(spec_.data_type())) return "Data type not supported";
    for (const post_op_t &op : settings.attributes.post_ops.chain)
        if ((op.kind != post_op_t::kind_t::binary && op.kind != post_op_t::kind_t::prelu)
                || !spec_.is_forward())
            return "Case not supported: only binary and prelu post-ops, forward";
    return algorithm_problem(spec_);
}

attribute_target_t eltwise_problem_t::attribute_target() const {
    const int ndims = static_cast<int>(spec_.shape.dims.size());
    return {spec_.shape.dims, std::min(1, ndims - 1)};
}

dnnl_status_t eltwise_problem_t::create_forward(dnnl_engine_t engine,
        const_dnnl_primitive_attr_t attr, dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const {
    const memory_desc_t src = make_descriptor(spec_.shape.dims, spec_.type.src, spec_.tag.src);
    const memory_desc_t dst = make_descriptor(spec_.shape.dims, spec_.type.dst, spec_.tag.dst);
    return dnnl_eltwise_forward_primitive_desc_create(out.out(), engine, prop_kind,
            spec_.algorithm.value, src.get(), dst.get(), spec_.alpha, spec_.beta, attr);
}

dnnl_status_t eltwise_problem_t::create(
        dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const {
    if (spec_.is_forward()) return create_forward(engine, attr, spec_.direction.prop_kind, out);
    primitive_desc_t hint;
    const dnnl_status_t status = create_forward(engine, nullptr, dnnl_forward_training, hint);
    if (status != dnnl_success) return status;
    const memory_desc_t data = make_descriptor(spec_.shape.dims, spec_.type.src, spec_.tag.src);
    const memory_desc_t diff = make_descriptor(spec_.shape.dims, spec_.type.dst, spec_.tag.dst);
    return dnnl_eltwise_backward_primitive_desc_create(out.out(), engine, spec_.algorithm.value,
            diff.get(), diff.get(), data.get(), spec_.alpha, spec_.beta, hint.get(), attr);
}

std::string eltwise_problem_t::prepare(
        const primitive_desc_t &primitive_desc, arguments_t &arguments) const {
    const auto add = [&](int id, arguments_t::role_t role) {
        arguments.add(id, role, argument_descriptor(primitive_desc, id));
    };
    add(spec_.data_argument(), arguments_t::role_t::input);
    if (!spec_.is_forward()) add(DNNL_ARG_DIFF_DST, arguments_t::role_t::input);
    const int from = spec_.is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
    const int to = spec_.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    if (spec_.in_place) {
        if (!dnnl_memory_desc_equal(argument_descriptor(primitive_desc, from),
                    argument_descriptor(primitive_desc, to)))
            return "Invalid case: in place with different layouts";
        arguments.add_in_place(to, from);
    } else {
        add(to, arguments_t::role_t::output);
    }
    if (arguments.wants_data()) fill(arguments);
    return "";
}

void eltwise_problem_t::fill(arguments_t &arguments) const {
    const uint64_t seed = seed_of(descriptor_text(false));
    const src_values_t values(spec_, seed);
    const bool is_dst = spec_.data_argument() == DNNL_ARG_DST;
    fill_elements(arguments.at(spec_.data_argument()), [&](dim_t index) {
        const double x = values(index);
        return is_dst ? eltwise_value(spec_.algorithm.value, x, spec_.alpha, spec_.beta) : x;
    });
    if (!spec_.is_forward()) fill_operand(arguments.at(DNNL_ARG_DIFF_DST), seed + 2);
}

std::vector<comparison_t> eltwise_problem_t::compare(const arguments_t &arguments) const {
    return eltwise::compare(spec_, settings.attributes, arguments);
}

} // namespace benchdnn::eltwise
