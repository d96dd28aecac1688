// SPDX-License-Identifier: Apache-2.0
// One problem of the eltwise driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::eltwise {

struct spec_t {
    named_dims_t shape;
    direction_t direction = directions[0];
    type_pair_t type; // one for all tensors
    tag_pair_t tag;   // of src, or dst where the gradient is computed from it; of the others
    algorithm_t algorithm{dnnl_eltwise_relu, "relu"};
    float alpha = 0, beta = 0;
    bool in_place = false;

    dnnl_data_type_t data_type() const { return type.src; }
    bool is_forward() const { return direction.is_forward(); }
    // What the function, or its derivative, is computed of.
    int data_argument() const { return !is_forward() && uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC; }
    bool uses_dst() const { return algorithm.value >= dnnl_eltwise_relu_use_dst_for_bwd; }
};

class eltwise_problem_t final : public primitive_problem_t {
public:
    eltwise_problem_t(spec_t spec, problem_settings_t settings);

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
    void fill(arguments_t &arguments) const;

    spec_t spec_;
};

} // namespace benchdnn::eltwise
