// SPDX-License-Identifier: Apache-2.0
// Inner products in all directions, their truth in long double, and executions of every
// implementation.
#pragma once

#include <optional>

#include "support/data_type.hpp"
#include "support/post_ops.hpp"
#include "support/primitive_case.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::inner_product {

struct problem_t {
    dims_t src;
    dnnl_dim_t outputs = 1;
    dnnl_prop_kind_t prop_kind = dnnl_forward_inference;
    bool has_bias = false;
    dnnl_data_type_t src_type = dnnl_f32, weights_type = dnnl_f32, dst_type = dnnl_f32;
    dnnl_data_type_t bias_type = dnnl_f32;
    std::string src_format = "", weights_format = "", dst_format = "";
    std::optional<scale_attr_t> src_scale = {}, dst_scale = {};
    bool has_weights_scales = false; // one for each output
    post_op_chain_t post_ops = {};

    bool is_forward() const {
        return prop_kind == dnnl_forward_inference || prop_kind == dnnl_forward_training;
    }
    /// The relative error of one rounding.
    double roundoff() const { return arithmetic_roundoff({src_type, weights_type, dst_type}); }
    dims_t weights() const;
    dims_t dst() const { return {src[0], outputs}; }
};

std::string to_string(const problem_t &problem);
/// With the implementation number `implementation` of those that accept.
primitive_desc_handle_t describe(const problem_t &problem, size_t implementation = 0);

class case_t : public primitive_case_t {
public:
    case_t(const problem_t &problem, size_t implementation,
            placement_t placement = placement_t::ends_at_guard);

    std::vector<expected_t> expected() const override;

private:
    std::vector<interval_t> forward() const;

    const problem_t problem_;
    std::vector<double> src_, weights_, dst_, bias_, scales_; // inputs, as they are stored
    std::optional<post_op_operands_t> post_ops_;
};

/// Executes every implementation at both ends of guarded memory.
void expect_right(const problem_t &problem);

} // namespace kiln::test::inner_product
