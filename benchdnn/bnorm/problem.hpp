// SPDX-License-Identifier: Apache-2.0
// One problem of the bnorm driver: batch normalization, where a channel of all images is a
// population.
#pragma once

#include "normalization/problem.hpp"

namespace benchdnn::bnorm {

struct spec_t : normalization::normalization_spec_t {
    std::string check_alg = "alg_auto"; // the knob that position is derived from
    bool debug_check_ws = false;
};

class bnorm_problem_t final : public normalization::normalization_problem_t {
public:
    bnorm_problem_t(const spec_t &spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string skip_reason() const override;

private:
    dnnl_status_t create_forward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const override;
    dnnl_status_t create_backward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            const_dnnl_primitive_desc_t hint, primitive_desc_t &out) const override;
    std::string type_text() const override;

    const std::string check_alg_;
    const bool debug_check_ws_;
};

} // namespace benchdnn::bnorm
