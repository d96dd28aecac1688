// SPDX-License-Identifier: Apache-2.0
#include "support/post_op_input.hpp"

#include <cmath>

namespace kiln::fuzz {

namespace {

constexpr dnnl_alg_kind_t eltwise_algs[] = {dnnl_eltwise_relu, dnnl_eltwise_tanh, dnnl_eltwise_elu,
        dnnl_eltwise_square, dnnl_eltwise_abs, dnnl_eltwise_sqrt, dnnl_eltwise_linear,
        dnnl_eltwise_soft_relu, dnnl_eltwise_hardsigmoid, dnnl_eltwise_logistic, dnnl_eltwise_exp,
        dnnl_eltwise_gelu_tanh, dnnl_eltwise_swish, dnnl_eltwise_log, dnnl_eltwise_clip,
        dnnl_eltwise_clip_v2, dnnl_eltwise_pow, dnnl_eltwise_gelu_erf, dnnl_eltwise_round,
        dnnl_eltwise_mish, dnnl_eltwise_hardswish, dnnl_eltwise_relu_use_dst_for_bwd,
        dnnl_eltwise_tanh_use_dst_for_bwd, dnnl_eltwise_elu_use_dst_for_bwd,
        dnnl_eltwise_sqrt_use_dst_for_bwd, dnnl_eltwise_logistic_use_dst_for_bwd,
        dnnl_eltwise_exp_use_dst_for_bwd, dnnl_eltwise_clip_v2_use_dst_for_bwd};
constexpr dnnl_alg_kind_t binary_algs[] = {dnnl_binary_add, dnnl_binary_mul, dnnl_binary_max,
        dnnl_binary_min, dnnl_binary_div, dnnl_binary_sub, dnnl_binary_ge, dnnl_binary_gt,
        dnnl_binary_le, dnnl_binary_lt, dnnl_binary_eq, dnnl_binary_ne, dnnl_binary_select};
constexpr dnnl_data_type_t operand_types[] = {
        dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8, dnnl_s32};

template <typename list_t> bool is_among(dnnl_alg_kind_t alg, const list_t &list) {
    return std::find(std::begin(list), std::end(list), alg) != std::end(list);
}

dnnl_alg_kind_t read_alg(input_t &input, std::span<const dnnl_alg_kind_t> algs, bool is_wild) {
    return is_wild && input.one_in(32) ? static_cast<dnnl_alg_kind_t>(input.bits(3))
                                       : input.pick(algs);
}

dnnl_data_type_t read_type(input_t &input) { return input.pick(all_types()); }

/// Each extent is that of the result or 1.
memory_desc_handle_t read_operand(input_t &input, const dims_t &dims, bool is_wild) {
    if (is_wild && input.one_in(32)) return {};
    const int64_t mask = input.between(0, 255);
    dims_t extents(dims);
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> (d % 8) & 1) extents[d] = 1;
    const auto type =
            is_wild && input.one_in(16) ? input.pick(element_types()) : input.pick(operand_types);
    return read_layout(input, extents, type, role_t::input);
}

bool is_defined(dnnl_alg_kind_t alg, float alpha, float beta) {
    switch (alg) {
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return beta >= alpha;
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_elu_use_dst_for_bwd: return alpha >= 0;
    default: return is_among(alg, eltwise_algs);
    }
}

bool same(float lhs, float rhs) { return lhs == rhs || (std::isnan(lhs) && std::isnan(rhs)); }

} // namespace

dnnl_status_t post_op_input_t::append_to(dnnl_post_ops_t post_ops) const {
    switch (kind) {
    case dnnl_sum: return dnnl_post_ops_append_sum(post_ops, scale, zero_point, type);
    case dnnl_binary:
        if (!src2) return dnnl_post_ops_append_binary(post_ops, alg, src1);
        return dnnl_post_ops_append_binary_v2(post_ops, alg, src1, src2);
    case dnnl_convolution:
        return dnnl_post_ops_append_dw(
                post_ops, type, bias_type, dst_type, kernel, stride, padding);
    case dnnl_prelu: return dnnl_post_ops_append_prelu(post_ops, mask);
    default: return dnnl_post_ops_append_eltwise(post_ops, alg, alpha, beta);
    }
}

verdict_t post_op_input_t::verdict() const {
    switch (kind) {
    case dnnl_sum:
    case dnnl_prelu: return verdict_t::success;
    case dnnl_binary:
        return legal_if(is_among(alg, binary_algs) && src1 && (src2 || alg != dnnl_binary_select));
    case dnnl_convolution:
        return legal_if(type != dnnl_data_type_undef && dst_type != dnnl_data_type_undef
                        && kernel > 0 && stride > 0 && padding < kernel);
    default: return legal_if(is_defined(alg, alpha, beta));
    }
}

void post_op_input_t::expect_entry(const_dnnl_post_ops_t post_ops, int index) const {
    EXPECT_THAT(dnnl_post_ops_get_kind(post_ops, index) == kind, "post-op %d is of another kind",
            index);
    float scale_there = 0, alpha_there = 0, beta_there = 0;
    int32_t zero_point_there = 0;
    dnnl_data_type_t type_there = dnnl_data_type_undef, bias_there{}, dst_there{};
    dnnl_dim_t kernel_there = 0, stride_there = 0, padding_there = 0;
    int mask_there = 0;
    dnnl_alg_kind_t alg_there = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t src1_there = nullptr, src2_there = nullptr;
    const auto expect = [&](dnnl_primitive_kind_t asked, dnnl_status_t status) {
        succeeded(status, "post_ops_get_params_*", legal_if(asked == kind));
    };
    expect(dnnl_sum, dnnl_post_ops_get_params_sum(
                             post_ops, index, &scale_there, &zero_point_there, &type_there));
    if (kind == dnnl_sum)
        EXPECT_THAT(
                same(scale_there, scale) && zero_point_there == zero_point && type_there == type,
                "a sum came back changed");
    expect(dnnl_eltwise, dnnl_post_ops_get_params_eltwise(
                                 post_ops, index, &alg_there, &alpha_there, &beta_there));
    if (kind == dnnl_eltwise)
        EXPECT_THAT(alg_there == alg && same(alpha_there, alpha) && same(beta_there, beta),
                "an eltwise came back changed");
    expect(dnnl_binary, dnnl_post_ops_get_params_binary_v2(
                                post_ops, index, &alg_there, &src1_there, &src2_there));
    if (kind == dnnl_binary)
        EXPECT_THAT(alg_there == alg && dnnl_memory_desc_equal(src1_there, src1)
                            && (!src2 || dnnl_memory_desc_equal(src2_there, src2)),
                "a binary came back changed");
    expect(dnnl_convolution, dnnl_post_ops_get_params_dw(post_ops, index, &type_there, &bias_there,
                                     &dst_there, &kernel_there, &stride_there, &padding_there));
    if (kind == dnnl_convolution)
        EXPECT_THAT(type_there == type && bias_there == bias_type && dst_there == dst_type
                            && kernel_there == kernel && stride_there == stride
                            && padding_there == padding,
                "a depthwise convolution came back changed");
    expect(dnnl_prelu, dnnl_post_ops_get_params_prelu(post_ops, index, &mask_there));
    if (kind == dnnl_prelu) EXPECT_THAT(mask_there == mask, "a prelu came back changed");
}

post_op_input_t read_post_op(input_t &input, const dims_t &dims, bool is_wild) {
    constexpr dnnl_primitive_kind_t kinds[] = {
            dnnl_eltwise, dnnl_binary, dnnl_sum, dnnl_convolution, dnnl_prelu};
    post_op_input_t op;
    const size_t count = is_wild ? std::size(kinds) : 3;
    op.kind = input.pick(std::span(kinds, count));
    switch (op.kind) {
    case dnnl_sum:
        op.scale = input.number();
        op.zero_point = input.one_in(4) ? input.any_int() : 0;
        op.type = input.one_in(2) ? read_type(input) : dnnl_data_type_undef;
        break;
    case dnnl_binary:
        op.alg = read_alg(input, binary_algs, is_wild);
        op.src1 = read_operand(input, dims, is_wild);
        if (op.alg == dnnl_binary_select) op.src2 = read_operand(input, dims, is_wild);
        break;
    case dnnl_convolution:
        op.type = read_type(input), op.bias_type = read_type(input);
        op.dst_type = read_type(input);
        op.kernel = input.between(-1, 6), op.stride = input.between(-1, 6);
        op.padding = input.between(-1, 6);
        break;
    case dnnl_prelu: op.mask = input.any_int(); break;
    default:
        op.alg = read_alg(input, eltwise_algs, is_wild);
        op.alpha = input.number(), op.beta = input.number();
        if (!is_wild && !is_defined(op.alg, op.alpha, op.beta)) op.alpha = 0, op.beta = 1;
    }
    return op;
}

} // namespace kiln::fuzz
