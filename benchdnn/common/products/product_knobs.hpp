// SPDX-License-Identifier: Apache-2.0
// What drivers of matrix products share: knobs of src, weights, dst and bias, elements of factors,
// and which problems cannot be checked.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/command_line/knobs.hpp"
#include "common/command_line/knobs_text.hpp"
#include "common/tensor/tensor.hpp"

namespace benchdnn {

using type_triple_t = std::array<dnnl_data_type_t, 3>; // src, weights, dst

struct product_spec_t {
    type_triple_t type{dnnl_f32, dnnl_f32, dnnl_f32};
    std::string src_tag = "any", weights_tag = "any", dst_tag = "any";

    // --stag, --wtag and --dtag in a reproduction line.
    void add_tags(knobs_text_t &knobs) const;
    // One of a performance template's %fields%, or "". ndims: of src and weights.
    std::string field(const std::string &name, int ndims, int dst_ndims) const;
};
struct product_values_t {
    std::vector<type_triple_t> &type;
    std::vector<dnnl_data_type_t> &bias_type;
    std::vector<std::string> &src_tag, &weights_tag, &dst_tag;
};

std::string type_triple_text(const type_triple_t &types);

// --dt, --stag, --wtag, --dtag and --bia-dt. undef_bias: what a bias of type undef is.
void add_product_knobs(
        knob_set_t &knobs, const product_values_t &values, const std::string &undef_bias);

// Why no result of these types and post-ops can be checked, or "".
std::string product_skip_reason(const type_triple_t &types, const attributes_t &attributes);

// Integers of a few bits, so that sums of products are exact; every value up to 6 of floats of half
// a byte. Other types have all their bits, or only those of bf16 where the library may round
// factors.
void fill_factor(tensor_t &tensor, uint64_t seed, bool may_be_rounded = false);

} // namespace benchdnn
