// SPDX-License-Identifier: Apache-2.0
// What happens to sums of products before they are stored: bias, post-ops, scales and zero points
// of dst, rounding.
#pragma once

#include <span>

#include "cpu/reference/post_op_chain.hpp"
#include "cpu/reference/quantization_values.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {

class matmul_output_t {
public:
    /// `bias` has dst's number of axes; the zero descriptor: there is none.
    matmul_output_t(const primitive_desc_t &pd, const memory_desc_t &bias);

    /// Stores the elements of a row of dst from `position` on. With dynamic scales the sums begin
    /// and end at borders of groups.
    void store(const exec_ctx_t &ctx, const dim_t *position, std::span<double> sums) const;

private:
    void add_bias(const exec_ctx_t &ctx, const dim_t *position, std::span<double> sums) const;
    void divide_by_scales(
            const exec_ctx_t &ctx, const dim_t *position, std::span<double> values) const;
    void store_dynamic_scales(
            const exec_ctx_t &ctx, const dim_t *position, std::span<double> values) const;
    void round(const exec_ctx_t &ctx, const dim_t *position, std::span<double> values) const;

    const memory_desc_t bias_md_, dst_md_;
    const tensor_t bias_, dst_;
    const int bias_slot_, dst_slot_, seed_slot_, axis_;
    const post_op_chain_t post_ops_;
    const quantization_values_t scales_, zero_points_;
    dim_t dynamic_group_ = 0; // elements of a row that share a scale; 0: scales are given
    bool is_mx_ = false;
    bool is_stochastic_ = false;
};

} // namespace kiln::cpu::reference
