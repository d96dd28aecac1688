// SPDX-License-Identifier: Apache-2.0
// One problem of the reduction driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"
#include "reduction/grouping.hpp"
#include "reduction/reference.hpp"

namespace benchdnn::reduction {

struct spec_t : src_dst_spec_t {
    spec_t() { dst_tag = "any"; }

    named_shapes_t shapes; // of src and dst
    dnnl_alg_kind_t algorithm = dnnl_reduction_sum;
    float p = 1, epsilon = 0;

    const dims_t &src_dims() const { return shapes.shapes[0]; }
    const dims_t &dst_dims() const { return shapes.shapes[1]; }
    int ndims() const { return static_cast<int>(dst_dims().size()); }
    formula_t formula() const { return {algorithm, p, epsilon}; }
    grouping_t grouping() const { return {src_dims(), dst_dims()}; }
};

// sum, norm_lp_max, ..., with or without reduction_ in front.
dnnl_alg_kind_t parse_algorithm(const std::string &text);

class reduction_problem_t final : public primitive_problem_t {
public:
    reduction_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override { return named_shapes_text(spec_.shapes); }
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override;
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

private:
    spec_t spec_;
};

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::reduction
