// SPDX-License-Identifier: Apache-2.0
// One problem of the ip (inner product) driver: what it is, and how it is created, filled and
// checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/products/product_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::ip {

// mbXicXidXihXiwXocXnNAME; of a square or a cube only the first extent need be given.
struct shape_t {
    dim_t mb = 2, ic = 1, oc = 1;
    dims_t space;
    std::string name;
};

struct spec_t : product_spec_t {
    shape_t shape;
    direction_t direction = directions[2]; // FWD_B
    dnnl_data_type_t bias_type = dnnl_data_type_undef;

    dims_t src() const;
    dims_t weights() const;
    dims_t dst() const { return {shape.mb, shape.oc}; }
    int ndims() const { return static_cast<int>(shape.space.size()) + 2; }
    bool has_bias() const;
    // FWD_B and BWD_WB have a bias of f32 unless a type is given.
    dnnl_data_type_t type_of_bias() const {
        return bias_type == dnnl_data_type_undef ? dnnl_f32 : bias_type;
    }
};

// The axes that per_oc means.
constexpr int channel_axis = 1, weights_channel_axis = 0;

shape_t parse_shape(const std::string &text);
std::string shape_text(const shape_t &shape, bool canonical);

class ip_problem_t final : public primitive_problem_t {
public:
    ip_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool canonical) const override {
        return shape_text(spec_.shape, canonical);
    }
    std::string field(const std::string &name) const override;
    double operations() const override;
    multiplication_t multiplication() const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override {
        return {spec_.dst(), channel_axis, weights_channel_axis};
    }
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

private:
    dnnl_status_t create_forward(
            dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const;

    spec_t spec_;
};

// Implemented in compare.cpp.
std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::ip
