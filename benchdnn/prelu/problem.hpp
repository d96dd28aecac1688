// SPDX-License-Identifier: Apache-2.0
// One problem of the prelu driver: what it is, and how it is created, filled and checked.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::prelu {

constexpr size_t sources = 2;

// A knob's values for src and weights, joined by a colon in texts.
struct source_types_t {
    std::array<dnnl_data_type_t, sources> of{dnnl_f32, dnnl_f32};
};
struct source_tags_t {
    std::array<std::string, sources> of{"abx", "any"};
};

struct spec_t {
    dims_t src_dims, weights_dims; // of one number of dimensions
    std::string name;
    direction_t direction = directions[0]; // FWD_D
    source_types_t types;
    source_tags_t tags;

    int ndims() const { return static_cast<int>(src_dims.size()); }
    bool is_forward() const { return direction.is_forward(); }
    // The place among the weights, in logical order, of the weight of an element.
    dim_t weight_of(dim_t index) const;
};

std::string types_text(const source_types_t &types);
std::string tags_text(const source_tags_t &tags);

class prelu_problem_t final : public primitive_problem_t {
public:
    prelu_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override;
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override;
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

private:
    dnnl_status_t create_forward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const;

    spec_t spec_;
};

// Implemented in compare.cpp.
std::vector<comparison_t> compare(const spec_t &spec, const arguments_t &arguments);

} // namespace benchdnn::prelu
