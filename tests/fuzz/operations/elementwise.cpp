// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, binary operations, PReLU, softmax, sum, concatenation and shuffle.
#include "operations/elementwise.hpp"

#include <vector>

#include "operations/execution.hpp"
#include "operations/readers.hpp"
#include "support/expect.hpp"

namespace kiln::fuzz {

namespace {

using pd_t = dnnl_primitive_desc_t *;

constexpr dnnl_prop_kind_t forward_kinds[] = {dnnl_forward_training, dnnl_forward_inference};

/// Two tensors of the same dims; the second often has the layout of the first.
struct pair_t {
    dims_t dims;
    dnnl_data_type_t type, other_type;
    memory_desc_handle_t first, second;
};

pair_t read_pair(input_t &input, bool may_differ) {
    pair_t pair;
    pair.dims = read_dims(input, 1, input.one_in(16) ? 12 : 5, most_elements);
    pair.type = read_type(input, element_types());
    pair.other_type = may_differ && input.one_in(2) ? read_type(input, element_types()) : pair.type;
    pair.first = read_tensor(input, pair.dims, pair.type, role_t::input);
    pair.second = pair.type == pair.other_type && input.one_in(2)
                          ? test::clone_desc(pair.first)
                          : read_tensor(input, pair.dims, pair.other_type, role_t::output);
    return pair;
}

/// The dims with 1 along some axes.
dims_t read_broadcast(input_t &input, const dims_t &dims) {
    const int64_t kept = input.between(0, 255);
    dims_t result(dims);
    for (size_t d = 0; d < dims.size(); ++d)
        if (!(kept >> (d % 8) & 1)) result[d] = 1;
    return result;
}

/// An axis, seldom one that there is not.
int read_axis(input_t &input, const dims_t &dims) {
    return static_cast<int>(input.below(dims.size() + (input.one_in(32) ? 1 : 0)));
}

/// The gradient `backward(out, hint)`, with a hint made by `forward(out)` or without one.
template <typename forward_t, typename backward_t>
void run_gradient(
        input_t &input, const char *what, const forward_t &forward, const backward_t &backward) {
    test::primitive_desc_handle_t hint, described;
    if (!input.one_in(4) && forward(hint.out()) != dnnl_success) hint = {};
    if (succeeded(backward(described.out(), hint), what))
        execute(input, described, {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST});
}

void eltwise(input_t &input) {
    const auto tensors = read_pair(input, false);
    const auto alg = static_cast<dnnl_alg_kind_t>(dnnl_eltwise_relu + input.below(64));
    const float alpha = input.number(), beta = input.number();
    const auto kind = input.pick(forward_kinds);
    const auto forward = [&](pd_t out, const_dnnl_primitive_attr_t attr) {
        return dnnl_eltwise_forward_primitive_desc_create(out, test::cpu_engine(), kind, alg,
                tensors.first, tensors.second, alpha, beta, attr);
    };
    if (input.one_in(2)) {
        test::primitive_desc_handle_t described;
        if (succeeded(forward(described.out(), read_attr(input, tensors.dims)), "eltwise"))
            execute(input, described, {DNNL_ARG_DST, DNNL_ARG_SRC});
        return;
    }
    run_gradient(
            input, "eltwise backward", [&](pd_t out) { return forward(out, nullptr); },
            [&](pd_t out, const_dnnl_primitive_desc_t hint) {
                return dnnl_eltwise_backward_primitive_desc_create(out, test::cpu_engine(), alg,
                        tensors.second, tensors.second, tensors.first, alpha, beta, hint, nullptr);
            });
}

void binary(input_t &input) {
    const auto tensors = read_pair(input, true);
    const auto alg = static_cast<dnnl_alg_kind_t>(dnnl_binary_add + input.below(16));
    const auto src_1 = read_tensor(input, read_broadcast(input, tensors.dims),
            read_type(input, element_types()), role_t::input);
    const auto attr = read_attr(input, tensors.dims, {DNNL_ARG_SRC_1});
    test::primitive_desc_handle_t described;
    const bool has_condition = alg == dnnl_binary_select || input.one_in(16);
    memory_desc_handle_t condition;
    if (has_condition) condition = read_tensor(input, tensors.dims, dnnl_s8, role_t::input);
    if (succeeded(dnnl_binary_primitive_desc_create_v2(described.out(), test::cpu_engine(), alg,
                          tensors.first, src_1, condition, tensors.second, attr),
                "binary"))
        execute(input, described, {DNNL_ARG_DST, DNNL_ARG_SRC_0});
}

void prelu(input_t &input) {
    const auto tensors = read_pair(input, false);
    const dims_t weights_dims = read_broadcast(input, tensors.dims);
    const auto type = read_type(input, element_types());
    const auto weights = read_tensor(input, weights_dims, type, role_t::input);
    const auto diff_weights = read_tensor(input, weights_dims, type, role_t::output);
    const auto kind = input.pick(forward_kinds);
    const auto forward = [&](pd_t out) {
        return dnnl_prelu_forward_primitive_desc_create(
                out, test::cpu_engine(), kind, tensors.first, weights, tensors.second, nullptr);
    };
    if (input.one_in(2)) {
        test::primitive_desc_handle_t described;
        if (succeeded(forward(described.out()), "prelu"))
            execute(input, described, {DNNL_ARG_DST, DNNL_ARG_SRC});
        return;
    }
    run_gradient(input, "prelu backward", forward, [&](pd_t out, const_dnnl_primitive_desc_t hint) {
        return dnnl_prelu_backward_primitive_desc_create(out, test::cpu_engine(), tensors.first,
                weights, tensors.second, diff_weights, tensors.second, hint, nullptr);
    });
}

void softmax(input_t &input) {
    const auto tensors = read_pair(input, true);
    const auto alg = input.pick({dnnl_softmax_accurate, dnnl_softmax_log});
    const int axis = read_axis(input, tensors.dims);
    const auto kind = input.pick(forward_kinds);
    const auto forward = [&](pd_t out, const_dnnl_primitive_attr_t attr) {
        return dnnl_softmax_forward_primitive_desc_create(
                out, test::cpu_engine(), kind, alg, tensors.first, tensors.second, axis, attr);
    };
    if (input.one_in(2)) {
        test::primitive_desc_handle_t described;
        if (succeeded(forward(described.out(), read_attr(input, tensors.dims)), "softmax"))
            execute(input, described, {DNNL_ARG_DST, DNNL_ARG_SRC});
        return;
    }
    run_gradient(
            input, "softmax backward", [&](pd_t out) { return forward(out, nullptr); },
            [&](pd_t out, const_dnnl_primitive_desc_t hint) {
                return dnnl_softmax_backward_primitive_desc_create(out, test::cpu_engine(), alg,
                        tensors.second, tensors.second, tensors.first, axis, hint, nullptr);
            });
}

void shuffle(input_t &input) {
    const auto tensors = read_pair(input, false);
    const int axis = read_axis(input, tensors.dims);
    const dnnl_dim_t group = 1 + static_cast<dnnl_dim_t>(input.below(16));
    const auto kind = input.pick(forward_kinds);
    const auto forward = [&](pd_t out) {
        return dnnl_shuffle_forward_primitive_desc_create(
                out, test::cpu_engine(), kind, tensors.first, tensors.second, axis, group, nullptr);
    };
    if (input.one_in(2)) {
        test::primitive_desc_handle_t described;
        if (succeeded(forward(described.out()), "shuffle")) execute(input, described);
        return;
    }
    test::primitive_desc_handle_t hint, described;
    if (!input.one_in(4) && forward(hint.out()) != dnnl_success) hint = {};
    if (succeeded(dnnl_shuffle_backward_primitive_desc_create(described.out(), test::cpu_engine(),
                          tensors.second, tensors.first, axis, group, hint, nullptr),
                "shuffle backward"))
        execute(input, described);
}

/// The sources of a sum, or of a concatenation along `axis`.
void sum_or_concat(input_t &input) {
    const bool is_sum = input.one_in(2);
    const dims_t dims = read_dims(input, 1, input.one_in(16) ? 12 : 5, most_elements / 4);
    const int axis = read_axis(input, dims);
    std::vector<memory_desc_handle_t> handles;
    std::vector<const_dnnl_memory_desc_t> srcs;
    std::vector<float> scales;
    dims_t dst_dims(dims);
    const auto along = static_cast<size_t>(axis);
    if (!is_sum && along < dims.size()) dst_dims[along] = 0;
    for (auto count = input.between(1, 5); count > 0; --count) {
        dims_t src_dims(dims);
        if (!is_sum && along < dims.size()) {
            src_dims[along] = static_cast<dnnl_dim_t>(input.below(20));
            dst_dims[along] += src_dims[along];
        }
        handles.push_back(
                read_tensor(input, src_dims, read_type(input, element_types()), role_t::input));
        scales.push_back(input.number());
    }
    for (const auto &handle : handles) srcs.push_back(handle);
    memory_desc_handle_t dst;
    if (!input.one_in(4))
        dst = read_tensor(input, dst_dims, read_type(input, element_types()), role_t::output);
    const auto attr =
            read_attr(input, dst_dims, {DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1});
    const auto count = static_cast<int>(srcs.size());
    test::primitive_desc_handle_t described;
    const dnnl_status_t status =
            is_sum ? dnnl_sum_primitive_desc_create(described.out(), test::cpu_engine(), dst, count,
                    scales.data(), srcs.data(), attr)
                   : dnnl_concat_primitive_desc_create(described.out(), test::cpu_engine(), dst,
                           count, axis, srcs.data(), attr);
    if (succeeded(status, is_sum ? "sum" : "concat")) execute(input, described);
}

} // namespace

void run_elementwise(input_t &input) {
    constexpr void (*operations[])(input_t &) = {
            eltwise, binary, prelu, softmax, shuffle, sum_or_concat, sum_or_concat};
    input.pick(operations)(input);
}

} // namespace kiln::fuzz
