// SPDX-License-Identifier: Apache-2.0
// One problem of the softmax driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::softmax {

struct spec_t : src_dst_spec_t {
    spec_t() { dst_tag = "any"; }

    named_dims_t shape;
    direction_t direction = directions[0]; // FWD_D
    dnnl_alg_kind_t algorithm = dnnl_softmax_accurate;
    int axis = 1;
    bool in_place = false;

    int ndims() const { return static_cast<int>(shape.dims.size()); }
    bool is_forward() const { return direction.is_forward(); }
    bool is_log() const { return algorithm == dnnl_softmax_log; }
    dim_t length() const { return shape.dims[axis]; }
};

// softmax, logsoftmax, softmax_accurate, softmax_log, in any case.
dnnl_alg_kind_t parse_algorithm(const std::string &text);

class softmax_problem_t final : public primitive_problem_t {
public:
    softmax_problem_t(spec_t spec, problem_settings_t settings);

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
    dnnl_status_t create_forward(
            dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, primitive_desc_t &out) const;
    dnnl_status_t create_backward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            const_dnnl_primitive_desc_t hint, primitive_desc_t &out) const;
    void fill(arguments_t &arguments) const;

    spec_t spec_;
};

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::softmax
