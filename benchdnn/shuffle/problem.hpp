// SPDX-License-Identifier: Apache-2.0
// One problem of the shuffle driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::shuffle {

struct spec_t {
    named_dims_t shape;
    direction_t direction = directions[0]; // FWD_D
    type_pair_t type;                      // one for both tensors
    std::string tag = "abx";
    dim_t group = 1;
    int axis = 1;

    int ndims() const { return static_cast<int>(shape.dims.size()); }
    bool is_forward() const { return direction.is_forward(); }
    int src_argument() const { return is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    int dst_argument() const { return is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
    // The position along the axis of src whose element comes to a position of dst.
    dim_t source_of(dim_t position) const;
};

class shuffle_problem_t final : public primitive_problem_t {
public:
    shuffle_problem_t(spec_t spec, problem_settings_t settings);

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

    spec_t spec_;
};

} // namespace benchdnn::shuffle
