// SPDX-License-Identifier: Apache-2.0
// What drivers of matrix products share.
#include "common/products/product_knobs.hpp"

#include <cmath>

#include "common/command_line/usage_error.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/fill.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn {

namespace {

type_triple_t parse_type_triple(const std::string &text) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() != 1 && pieces.size() != 3)
        throw bad_value_t(text, "SRC:WEIGHTS:DST or one for all is expected");
    type_triple_t types;
    for (size_t i = 0; i < types.size(); ++i)
        types[i] = parse_data_type(pieces[pieces.size() == 1 ? 0 : i]);
    return types;
}

} // namespace

void product_spec_t::add_tags(knobs_text_t &knobs) const {
    const product_spec_t standard;
    knobs.add("stag", src_tag, standard.src_tag);
    knobs.add("wtag", weights_tag, standard.weights_tag);
    knobs.add("dtag", dst_tag, standard.dst_tag);
}

std::string product_spec_t::field(const std::string &name, int ndims, int dst_ndims) const {
    if (name == "dt") return type_triple_text(type);
    if (name == "stag") return normalized_tag(src_tag, ndims);
    if (name == "wtag") return normalized_tag(weights_tag, ndims);
    if (name == "dtag") return normalized_tag(dst_tag, dst_ndims);
    return "";
}

std::string type_triple_text(const type_triple_t &types) {
    return data_type_text(types[0]) + ":" + data_type_text(types[1]) + ":"
           + data_type_text(types[2]);
}

void add_product_knobs(
        knob_set_t &knobs, const product_values_t &s, const std::string &undef_bias) {
    add_list(knobs, s.type,
            {"dt", "SRC:WEIGHTS:DST, or one for all; each f32, bf16, f16, f64, s8, u8, s4, ...",
                    "Data types; of gradients in their place.", "--dt=f32,u8:s8:s32", {}},
            parse_type_triple);
    const auto add_tag = [&](const char *name, const char *tensor, std::vector<std::string> &tags) {
        add_list(knobs, tags,
                {name, "format tags, or any", std::string("Layout of ") + tensor + ".",
                        std::string("--") + name + "=abx,any", {}},
                parse_tag);
    };
    add_tag("stag", "src", s.src_tag);
    add_tag("wtag", "weights", s.weights_tag);
    add_tag("dtag", "dst", s.dst_tag);
    for (const char *name : {"bia-dt", "bia_dt"})
        add_list(knobs, s.bias_type,
                {name, "f32, bf16, f16, s32, s8, u8, or undef",
                        "Data type of bias; undef: " + undef_bias + ".",
                        std::string("--") + name + "=f32", {}},
                parse_data_type);
}

std::string product_skip_reason(const type_triple_t &types, const attributes_t &attributes) {
    const auto &[src, weights, dst] = types;
    const bool is_src = is_testable_type(src) || is_half_byte_float(src);
    const bool are_weights = is_testable_weights_type(weights) || is_half_byte_float(weights);
    if (!is_src || !are_weights || !is_testable_type(dst)) return "Data type not supported";
    if (attributes.post_ops.has(post_op_t::kind_t::depthwise))
        return "Case not supported: dw post-op";
    return "";
}

void fill_factor(tensor_t &tensor, uint64_t seed, bool may_be_rounded) {
    const dnnl_data_type_t type = tensor.layout().data_type();
    const noise_t noise(seed);
    fill_elements(tensor, [&](dim_t index) {
        const double x = noise(index);
        if (is_half_byte_float(type)) return 6 * x;
        if (!is_integer_type(type)) return may_be_rounded ? rounded_to(dnnl_bf16, x) : x;
        const bool has_sign = type != dnnl_u8 && type != dnnl_u4;
        return std::floor(9 * (has_sign ? x : std::fabs(x)));
    });
}

} // namespace benchdnn
