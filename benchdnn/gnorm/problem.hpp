// SPDX-License-Identifier: Apache-2.0
// One problem of the gnorm driver: group normalization, where a group of channels of one image is a
// population.
#pragma once

#include "normalization/problem.hpp"

namespace benchdnn::gnorm {

using spec_t = normalization::normalization_spec_t;

class gnorm_problem_t final : public normalization::normalization_problem_t {
public:
    using normalization_problem_t::normalization_problem_t;

    std::string knobs_text(bool canonical) const override;

private:
    dnnl_status_t create_forward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const override;
    dnnl_status_t create_backward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            const_dnnl_primitive_desc_t hint, primitive_desc_t &out) const override;
};

} // namespace benchdnn::gnorm
