// SPDX-License-Identifier: Apache-2.0
// Matrix multiplications, their truth in long double, and executions of every implementation.
#pragma once

#include <memory>
#include <optional>

#include "support/post_ops.hpp"
#include "support/primitive_case.hpp"

namespace kiln::test::matmul {

/// Scales or zero points: one for each index, or group of indices, of the axes of the mask.
struct quantity_t {
    int mask = 0;
    dnnl_data_type_t type = dnnl_f32;
    dims_t groups = {};
};

struct problem_t {
    dims_t src, weights;
    dims_t bias = {}; // empty: none
    dnnl_data_type_t src_type = dnnl_f32, weights_type = dnnl_f32, dst_type = dnnl_f32;
    dnnl_data_type_t bias_type = dnnl_f32;
    std::string src_format = "", weights_format = "", dst_format = "";
    std::optional<quantity_t> src_scale = {}, weights_scale = {}, dst_scale = {};
    std::optional<quantity_t> src_zero_point = {}, weights_zero_point = {}, dst_zero_point = {};
    bool decompresses = false; // fpmath mode with apply_to_int
    dnnl_fpmath_mode_t fpmath = dnnl_fpmath_mode_strict;
    dnnl_accumulation_mode_t accumulation = dnnl_accumulation_mode_strict;
    post_op_chain_t post_ops = {};
    std::shared_ptr<const memory_desc_handle_t> weights_desc = {}; // instead of weights_format
    std::optional<double> first_src = {}; // the first element of src, instead of a random one
    bool dst_is_operand = false;          // the operand of the first post-op has dst's buffer

    dims_t dst() const;
};

std::string to_string(const problem_t &problem);
/// What an attribute object says of a problem.
attr_handle_t make_attr(const problem_t &problem);
/// With the implementation number `implementation` of those that accept.
primitive_desc_handle_t describe(const problem_t &problem, size_t implementation = 0);

class case_t : public primitive_case_t {
public:
    case_t(const problem_t &problem, size_t implementation,
            placement_t placement = placement_t::ends_at_guard);
    /// With another descriptor of the problem, e.g. one with run-time dims. What it leaves open is
    /// as implementation number `implementation` has it.
    case_t(const problem_t &problem, primitive_desc_handle_t &&primitive_desc,
            placement_t placement = placement_t::ends_at_guard, size_t implementation = 0);

    std::vector<expected_t> expected() const override;

private:
    /// Elements of an argument in row-major order, scaled and shifted as attributes say.
    std::vector<double> dequantized(int arg) const;
    const std::vector<double> *quantities(int kind, int arg) const;

    const problem_t problem_;
    std::map<int, std::vector<double>> values_; // of inputs by argument, as they are stored
    std::optional<post_op_operands_t> post_ops_;
};

/// Executes every implementation at both ends of guarded memory.
void expect_right(const problem_t &problem);

} // namespace kiln::test::matmul
