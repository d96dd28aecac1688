// SPDX-License-Identifier: Apache-2.0
// One problem of the lnorm driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/run/primitive_problem.hpp"
#include "normalization/settings.hpp"

namespace benchdnn::lnorm {

struct spec_t : normalization::common_spec_t {
    named_dims_t shape;
    std::string stat_tag = "any";
    dnnl_data_type_t scale_shift_type = dnnl_f32;
    float epsilon = 1.f / 16;

    dim_t cols() const { return shape.dims.back(); }
    dim_t rows() const { return product(stat_dims()); }
    dims_t stat_dims() const { return dims_t(shape.dims.begin(), shape.dims.end() - 1); }
};

class lnorm_problem_t final : public primitive_problem_t {
public:
    lnorm_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override { return named_dims_text(spec_.shape); }
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
    dnnl_status_t create_backward(
            dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const;

    spec_t spec_;
};

// Implemented in fill.cpp and compare.cpp.
void fill(const spec_t &spec, arguments_t &arguments);
std::vector<comparison_t> compare_forward(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);
std::vector<comparison_t> compare_backward(const spec_t &spec, const arguments_t &arguments);

} // namespace benchdnn::lnorm
