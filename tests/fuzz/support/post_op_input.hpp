// SPDX-License-Identifier: Apache-2.0
// Post-ops read from a fuzzing input, and what is known of them.
#pragma once

#include "support/expect.hpp"
#include "support/layouts.hpp"

namespace kiln::fuzz {

/// The parameters of one post-op; those of other kinds are unused.
struct post_op_input_t {
    dnnl_primitive_kind_t kind = dnnl_eltwise;
    dnnl_alg_kind_t alg = dnnl_eltwise_relu;
    float alpha = 0, beta = 0;
    float scale = 1;
    int32_t zero_point = 0;
    dnnl_data_type_t type = dnnl_f32; ///< of sum; of a depthwise convolution's weights
    dnnl_data_type_t bias_type = dnnl_f32, dst_type = dnnl_f32;
    dnnl_dim_t kernel = 3, stride = 1, padding = 1;
    int mask = 0;
    memory_desc_handle_t src1, src2;

    dnnl_status_t append_to(dnnl_post_ops_t post_ops) const;
    verdict_t verdict() const;
    /// The entry at `index` is this one.
    void expect_entry(const_dnnl_post_ops_t post_ops, int index) const;
};

/// Operands of binary ones broadcast to a tensor of `dims`, which has at least one dimension.
/// `is_wild`: parameters may be illegal, and kinds those that no operation takes.
post_op_input_t read_post_op(input_t &input, const dims_t &dims, bool is_wild);

} // namespace kiln::fuzz
