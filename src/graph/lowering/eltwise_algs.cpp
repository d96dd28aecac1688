// SPDX-License-Identifier: Apache-2.0
#include "graph/lowering/eltwise_algs.hpp"

#include <string>

namespace kiln::graph {
namespace {

float number(const op_t &op, op_attr_t attr) { return op.attr<float>(attr); }
float alpha(const op_t &op) { return number(op, dnnl_graph_op_attr_alpha); }
float beta(const op_t &op) { return number(op, dnnl_graph_op_attr_beta); }
float lower_bound(const op_t &op) { return number(op, dnnl_graph_op_attr_min); }
float upper_bound(const op_t &op) { return number(op, dnnl_graph_op_attr_max); }
template <int numerator, int denominator = 1> float fixed(const op_t &) {
    return static_cast<float>(numerator) / denominator;
}
constexpr auto none = fixed<0>;

/// An elementwise operation: its algorithm and the functions that give alpha and beta.
/// `alg_of_dst` is the variant whose derivative is a function of dst.
struct eltwise_row_t {
    op_kind_t kind;
    op_kind_t backward; ///< its gradient, or no_op
    alg_kind_t alg;
    alg_kind_t alg_of_dst;
    float (*alpha)(const op_t &);
    float (*beta)(const op_t &);
};

constexpr op_kind_t no_op = dnnl_graph_op_last_symbol;
constexpr alg_kind_t no_alg = dnnl_alg_kind_undef;

constexpr eltwise_row_t eltwise_rows[] = {
        {dnnl_graph_op_abs, dnnl_graph_op_abs_backward, dnnl_eltwise_abs, no_alg, none, none},
        {dnnl_graph_op_clamp, dnnl_graph_op_clamp_backward, dnnl_eltwise_clip_v2,
                dnnl_eltwise_clip_v2_use_dst_for_bwd, lower_bound, upper_bound},
        {dnnl_graph_op_elu, dnnl_graph_op_elu_backward, dnnl_eltwise_elu,
                dnnl_eltwise_elu_use_dst_for_bwd, alpha, none},
        {dnnl_graph_op_exp, no_op, dnnl_eltwise_exp, no_alg, none, none},
        // GELU has two algorithms: see eltwise_of().
        {dnnl_graph_op_gelu, dnnl_graph_op_gelu_backward, dnnl_eltwise_gelu_erf, no_alg, none,
                none},
        {dnnl_graph_op_hard_sigmoid, dnnl_graph_op_hard_sigmoid_backward, dnnl_eltwise_hardsigmoid,
                no_alg, alpha, beta},
        {dnnl_graph_op_hard_swish, dnnl_graph_op_hard_swish_backward, dnnl_eltwise_hardswish,
                no_alg, fixed<1, 6>, fixed<1, 2>},
        {dnnl_graph_op_leaky_relu, no_op, dnnl_eltwise_relu, no_alg, alpha, none},
        {dnnl_graph_op_log, no_op, dnnl_eltwise_log, no_alg, none, none},
        {dnnl_graph_op_mish, dnnl_graph_op_mish_backward, dnnl_eltwise_mish, no_alg, none, none},
        {dnnl_graph_op_pow, no_op, dnnl_eltwise_pow, no_alg, fixed<1>, beta},
        {dnnl_graph_op_reciprocal, no_op, dnnl_eltwise_pow, no_alg, fixed<1>, fixed<-1>},
        {dnnl_graph_op_relu, dnnl_graph_op_relu_backward, dnnl_eltwise_relu,
                dnnl_eltwise_relu_use_dst_for_bwd, none, none},
        {dnnl_graph_op_round, no_op, dnnl_eltwise_round, no_alg, none, none},
        {dnnl_graph_op_sigmoid, dnnl_graph_op_sigmoid_backward, dnnl_eltwise_logistic,
                dnnl_eltwise_logistic_use_dst_for_bwd, none, none},
        {dnnl_graph_op_softplus, dnnl_graph_op_softplus_backward, dnnl_eltwise_soft_relu, no_alg,
                beta, none},
        {dnnl_graph_op_sqrt, dnnl_graph_op_sqrt_backward, dnnl_eltwise_sqrt,
                dnnl_eltwise_sqrt_use_dst_for_bwd, none, none},
        {dnnl_graph_op_square, no_op, dnnl_eltwise_square, no_alg, none, none},
        {dnnl_graph_op_tanh, dnnl_graph_op_tanh_backward, dnnl_eltwise_tanh,
                dnnl_eltwise_tanh_use_dst_for_bwd, none, none},
};

struct binary_row_t {
    op_kind_t kind;
    alg_kind_t alg;
};

constexpr binary_row_t binary_rows[] = {
        {dnnl_graph_op_add, dnnl_binary_add},
        {dnnl_graph_op_divide, dnnl_binary_div},
        {dnnl_graph_op_maximum, dnnl_binary_max},
        {dnnl_graph_op_minimum, dnnl_binary_min},
        {dnnl_graph_op_multiply, dnnl_binary_mul},
        {dnnl_graph_op_squared_difference, dnnl_binary_sub},
        {dnnl_graph_op_subtract, dnnl_binary_sub},
};

/// The algorithm that the attributes select.
alg_kind_t alg_of(const op_t &op, const eltwise_row_t &row) {
    if (row.kind == dnnl_graph_op_gelu
            && op.attr<std::string>(dnnl_graph_op_attr_mode) == "gelu_tanh")
        return dnnl_eltwise_gelu_tanh;
    const bool is_of_dst = op.kind == row.backward && row.alg_of_dst != no_alg
                           && op.attr<bool>(dnnl_graph_op_attr_use_dst);
    return is_of_dst ? row.alg_of_dst : row.alg;
}

} // namespace

op_kinds_t eltwise_kinds() {
    op_kinds_t kinds;
    for (const eltwise_row_t &row : eltwise_rows) kinds.add(row.kind);
    return kinds;
}

op_kinds_t eltwise_backward_kinds() {
    op_kinds_t kinds;
    for (const eltwise_row_t &row : eltwise_rows)
        if (row.backward != no_op) kinds.add(row.backward);
    return kinds;
}

op_kinds_t binary_kinds() {
    op_kinds_t kinds;
    for (const binary_row_t &row : binary_rows) kinds.add(row.kind);
    return kinds;
}

std::optional<eltwise_post_op_t> eltwise_of(const op_t &op) {
    for (const eltwise_row_t &row : eltwise_rows) {
        if (op.kind == no_op || (op.kind != row.kind && op.kind != row.backward)) continue;
        eltwise_post_op_t result{alg_of(op, row), row.alpha(op), row.beta(op)};
        result.is_derivative = op.kind == row.backward;
        return result;
    }
    return std::nullopt;
}

alg_kind_t binary_alg_of(op_kind_t kind) {
    if (kind == dnnl_graph_op_greater_equal) return dnnl_binary_ge;
    for (const binary_row_t &row : binary_rows)
        if (row.kind == kind) return row.alg;
    return no_alg;
}

bool commutes(alg_kind_t alg) {
    return alg == dnnl_binary_add || alg == dnnl_binary_mul || alg == dnnl_binary_max
           || alg == dnnl_binary_min;
}

} // namespace kiln::graph
