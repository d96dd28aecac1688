// SPDX-License-Identifier: Apache-2.0
// Softmax problems, their truth in long double, and executions of every implementation.
#pragma once

#include <optional>

#include "support/data_type.hpp"
#include "support/post_ops.hpp"
#include "support/primitive_case.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test::softmax {

/// Values of problem_t::is_log.
inline constexpr bool softmax_and_log[] = {false, true};

struct problem_t {
    dims_t dims;
    int axis = 1;
    bool is_log = false;
    bool is_forward = true;
    dnnl_data_type_t src_type = dnnl_f32, dst_type = dnnl_f32;
    std::string src_format = "", dst_format = "any";
    bool in_place = false;
    std::optional<scale_attr_t> src_scale = {}, dst_scale = {};
    post_op_chain_t post_ops = {};

    dnnl_alg_kind_t alg() const { return is_log ? dnnl_softmax_log : dnnl_softmax_accurate; }
};

std::string to_string(const problem_t &problem);
/// With the implementation number `implementation` of those that accept.
primitive_desc_handle_t describe(const problem_t &problem, size_t implementation = 0);

/// Numbers of this size with both signs, whole ones for integers.
std::vector<double> values_of(const problem_t &problem, double size = 6);

class case_t : public primitive_case_t {
public:
    /// `values`: of src, or backward of diff_dst.
    case_t(const problem_t &problem, size_t implementation, const std::vector<double> &values,
            placement_t placement = placement_t::ends_at_guard);

    int input() const { return problem_.is_forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    int output() const { return problem_.is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
    /// What the output holds after an execution.
    std::vector<double> results() const {
        return tensor(problem_.in_place ? input() : output()).values();
    }
    std::vector<expected_t> expected() const override;

private:
    const problem_t problem_;
    std::vector<double> x_, y_; // as they are stored: src or diff_dst; dst of backward
    std::optional<post_op_operands_t> post_ops_;
};

/// Executes every implementation at both ends of guarded memory.
void expect_right(const problem_t &problem, std::vector<double> values = {});

} // namespace kiln::test::softmax
