// SPDX-License-Identifier: Apache-2.0
// One problem of the lnorm driver: layer or RMS normalization, where a row is a population.
#pragma once

#include "normalization/problem.hpp"

namespace benchdnn::lnorm {

struct spec_t : normalization::normalization_spec_t {
    std::string stat_tag = "any";
    dnnl_data_type_t stat_type = dnnl_f32;
    dnnl_data_type_t scale_shift_type = dnnl_f32;
};

class lnorm_problem_t final : public normalization::normalization_problem_t {
public:
    lnorm_problem_t(const spec_t &spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override {
        return named_dims_text({spec_.row_dims, spec_.shape.name});
    }
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;

private:
    dnnl_status_t create_forward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const override;
    dnnl_status_t create_backward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            const_dnnl_primitive_desc_t hint, primitive_desc_t &out) const override;
    memory_desc_t stat_descriptor() const;

    const std::string stat_tag_;
    const dnnl_data_type_t stat_type_;
    const dnnl_data_type_t scale_shift_type_;
};

} // namespace benchdnn::lnorm
