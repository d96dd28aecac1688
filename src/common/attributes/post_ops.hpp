// SPDX-License-Identifier: Apache-2.0
// Post-ops: what is applied, in order, to a primitive's result before it is stored.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "common/memory/memory_desc.hpp"

namespace kiln {

struct eltwise_post_op_t {
    alg_kind_t alg;
    float alpha;
    float beta;
    /// Applies the function's derivative at the value instead; for *_use_dst_for_bwd algorithms the
    /// value is the function's result. Not part of the C interface.
    bool is_derivative = false;
    auto fields() const { return std::tie(alg, alpha, beta, is_derivative); }
};

struct sum_post_op_t {
    float scale;
    int32_t zero_point;
    data_type_t data_type;
    auto fields() const { return std::tie(scale, zero_point, data_type); }
};

/// `user_*` is what the caller gave and gets back; the other descriptor has `any` resolved.
struct binary_post_op_t {
    alg_kind_t alg;
    memory_desc_t user_src1;
    memory_desc_t user_src2;
    memory_desc_t src1;
    memory_desc_t src2;
    bool has_src2() const { return alg == dnnl_binary_select; }
    auto fields() const { return std::tie(alg, user_src1, user_src2); }
};

struct depthwise_post_op_t {
    data_type_t weights_type;
    data_type_t bias_type;
    data_type_t dst_type;
    dim_t kernel_size;
    dim_t stride_size;
    dim_t padding_l;
    auto fields() const {
        return std::tie(weights_type, bias_type, dst_type, kernel_size, stride_size, padding_l);
    }
};

/// x > 0 ? x : weights * x. The weights are f32, with dst's extent along the axes of the mask and 1
/// along the others. Their layout, known with dst, has axis 1 innermost (a, ab, acb, acdb, ...).
struct prelu_post_op_t {
    int mask;
    memory_desc_t weights = zero_md;
    auto fields() const { return std::tie(mask); }
};

using post_op_t = std::variant<eltwise_post_op_t, sum_post_op_t, binary_post_op_t,
        depthwise_post_op_t, prelu_post_op_t>;

primitive_kind_t kind_of(const post_op_t &post_op);

/// Some post-ops of a chain: from number `first` to before number `end`.
struct post_op_range_t {
    size_t first = 0;
    size_t end = SIZE_MAX;

    bool contains(size_t number) const { return number >= first && number < end; }
};

/// Calls `visit(role, md)` for the tensors that an execution passes for the post-op, where role is
/// DNNL_ARG_SRC_1, DNNL_ARG_SRC_2 or DNNL_ARG_WEIGHTS.
template <typename visit_t> void for_each_operand(const post_op_t &post_op, const visit_t &visit) {
    if (const auto *binary = std::get_if<binary_post_op_t>(&post_op)) {
        visit(DNNL_ARG_SRC_1, binary->src1);
        if (binary->has_src2()) visit(DNNL_ARG_SRC_2, binary->src2);
    } else if (const auto *prelu = std::get_if<prelu_post_op_t>(&post_op)) {
        visit(DNNL_ARG_WEIGHTS, prelu->weights);
    }
}

} // namespace kiln

struct dnnl_post_ops {
    static constexpr size_t capacity = 32;
    std::vector<kiln::post_op_t> entries;

    auto fields() const { return std::tie(entries); }
    /// Resolves `any` descriptors of binary operands from dst: dst's own axis order, or plain where
    /// the operand has a single extent. Describes the weights of prelu post-ops.
    kiln::status_t resolve_formats(const kiln::memory_desc_t &dst);
    /// For a problem within one that has these post-ops: what was resolved is what the caller gave.
    /// Weights of prelu post-ops follow the inner problem's dst.
    void adopt_formats();
};
