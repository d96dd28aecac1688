// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication and inner products.
#include "operations/products.hpp"

#include <algorithm>

#include "operations/execution.hpp"
#include "operations/readers.hpp"
#include "support/expect.hpp"

namespace kiln::fuzz {

namespace {

/// Mostly types of src, weights and dst that the library supports together, seldom others.
struct product_types_t {
    dnnl_data_type_t src, weights, dst;
};

product_types_t read_types(input_t &input) {
    constexpr product_types_t usual[] = {{dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_bf16, dnnl_bf16, dnnl_bf16}, {dnnl_bf16, dnnl_bf16, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f16}, {dnnl_u8, dnnl_s8, dnnl_s32},
            {dnnl_s8, dnnl_s8, dnnl_f32}, {dnnl_u8, dnnl_u8, dnnl_bf16},
            {dnnl_s8, dnnl_s8, dnnl_s8}, {dnnl_f64, dnnl_f64, dnnl_f64},
            {dnnl_f32, dnnl_s8, dnnl_f32}, {dnnl_bf16, dnnl_u8, dnnl_bf16},
            {dnnl_f32, dnnl_u4, dnnl_f32}, {dnnl_bf16, dnnl_s4, dnnl_f32},
            {dnnl_f16, dnnl_u4, dnnl_f16}};
    if (!input.one_in(16)) return input.pick(usual);
    return {input.pick(element_types()), input.pick(element_types()), input.pick(element_types())};
}

/// Null in half of the inputs.
memory_desc_handle_t read_bias(input_t &input, const dims_t &dims, dnnl_data_type_t type) {
    if (input.one_in(2)) return {};
    return read_tensor(input, dims, input.one_in(4) ? dnnl_f32 : type, role_t::input);
}

bool has_layout(const_dnnl_memory_desc_t desc) {
    return ask<dnnl_format_kind_t>(desc, dnnl_query_format_kind) == dnnl_blocked;
}

/// The tensor without the extents of these axes (a bit each) and, mostly, without strides.
memory_desc_handle_t open_desc(
        input_t &input, const dims_t &dims, dnnl_data_type_t type, uint64_t axes) {
    dims_t shown(dims);
    for (size_t d = 0; d < dims.size(); ++d)
        if (axes >> d & 1) shown[d] = DNNL_RUNTIME_DIM_VAL;
    memory_desc_handle_t desc;
    const auto ndims = static_cast<int>(dims.size());
    const dims_t open(dims.size(), DNNL_RUNTIME_DIM_VAL);
    // A descriptor that is whole describes one layout: the tensor may have another.
    const bool has_tag = axes != 0 && input.one_in(4);
    succeeded(has_tag ? dnnl_memory_desc_create_with_tag(
                      desc.out(), ndims, shown.data(), type, tags_of(ndims).front())
                      : dnnl_memory_desc_create_with_strides(
                              desc.out(), ndims, shown.data(), type, open.data()),
            "an open descriptor");
    return desc;
}

/// Sums of src along K, as weights of integers with zero points use them.
void add_reductions(input_t &input, test::attr_handle_t &attr, const dims_t &src) {
    if (!attr) attr = test::make_attr();
    const auto ndims = static_cast<int>(src.size());
    const dnnl_dims_t groups = {
            1, input.one_in(2) ? src.back() : input.pick<dnnl_dim_t>({1, 4, 3})};
    (void)dnnl_primitive_attr_set_zero_points_mask(
            attr, DNNL_ARG_WEIGHTS, input.one_in(2) ? 1 << (ndims - 1) : 0);
    (void)dnnl_primitive_attr_set_precomputed_reductions(attr, DNNL_ARG_SRC,
            input.one_in(8) ? input.byte() : (1 << ndims) - 1, 2, groups, dnnl_s32);
}

void matmul(input_t &input) {
    dims_t src = read_dims(input, 2, input.one_in(16) ? 12 : 4, most_elements);
    dims_t weights(src), dst(src), bias(src);
    const size_t columns = src.size() - 1, rows = src.size() - 2;
    weights[rows] = src[columns];
    weights[columns] = static_cast<dnnl_dim_t>(input.below(70));
    dst[columns] = weights[columns];
    for (size_t d = 0; d < rows; ++d) {
        const auto broadcast = input.below(4);
        if (broadcast == 1) src[d] = 1;
        if (broadcast == 2) weights[d] = 1;
    }
    for (size_t d = 0; d < src.size(); ++d) bias[d] = input.one_in(2) ? 1 : dst[d];
    if (input.one_in(32)) ++weights[rows];
    const auto types = read_types(input);
    const auto src_desc = read_tensor(input, src, types.src, role_t::input);
    const auto weights_desc = read_tensor(input, weights, types.weights, role_t::input);
    const auto bias_desc = read_bias(input, bias, types.dst);
    const auto dst_desc = read_tensor(input, dst, types.dst, role_t::output);
    test::attr_handle_t attr = read_attr(input, dst, {DNNL_ARG_WEIGHTS});
    if (types.src != types.weights && !input.one_in(4)) { // compressed weights
        if (!attr) attr = test::make_attr();
        (void)dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_any, 1);
        if (input.one_in(2))
            (void)dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1 << columns);
    }
    if (input.one_in(8)) add_reductions(input, attr, src);
    const bool is_open = input.one_in(8) && has_layout(src_desc) && has_layout(weights_desc)
                         && has_layout(dst_desc);
    memory_desc_handle_t open_src, open_weights, open_dst;
    open_tensors_t tensors;
    if (is_open) { // axes of the batch, M, N, K
        const uint64_t axes = input.bits(2), batch = axes & ((uint64_t(1) << rows) - 1);
        const auto axis = [&](size_t bit, size_t d) { return (axes >> (12 + bit) & 1) << d; };
        open_src = open_desc(input, src, types.src, batch | axis(0, rows) | axis(2, columns));
        open_weights =
                open_desc(input, weights, types.weights, batch | axis(2, rows) | axis(1, columns));
        open_dst = open_desc(input, dst, types.dst, batch | axis(0, rows) | axis(1, columns));
        tensors = {{DNNL_ARG_SRC, src_desc}, {DNNL_ARG_WEIGHTS, weights_desc},
                {DNNL_ARG_DST, dst_desc}};
    }
    test::primitive_desc_handle_t described;
    if (succeeded(dnnl_matmul_primitive_desc_create(described.out(), test::cpu_engine(),
                          is_open ? open_src : src_desc, is_open ? open_weights : weights_desc,
                          bias_desc, is_open ? open_dst : dst_desc, attr),
                "matmul"))
        execute(input, described, {}, tensors);
}

void inner_product(input_t &input) {
    const dims_t src = read_dims(input, 2, 5, most_elements);
    dims_t weights(src);
    weights[0] = static_cast<dnnl_dim_t>(input.below(40));
    if (input.one_in(32)) ++weights[1];
    const dims_t dst{src[0], weights[0]}, bias{weights[0]};
    const auto types = read_types(input);
    const auto kind = input.pick({dnnl_forward_training, dnnl_forward_inference, dnnl_backward_data,
            dnnl_backward_weights});
    const bool is_data = kind == dnnl_backward_data, is_weights = kind == dnnl_backward_weights;
    const bool is_forward = !is_data && !is_weights;
    const auto role = [](bool is_output) { return is_output ? role_t::output : role_t::input; };
    const auto src_desc = read_tensor(input, src, types.src, role(is_data));
    const auto weights_desc = read_tensor(input, weights, types.weights, role(is_weights));
    const auto dst_desc = read_tensor(input, dst, types.dst, role(is_forward));
    const auto bias_desc = read_bias(input, bias, types.dst);
    test::primitive_desc_handle_t hint, described;
    const auto forward = [&](dnnl_primitive_desc_t *out, dnnl_prop_kind_t prop_kind,
                                 const_dnnl_primitive_attr_t attr) {
        return dnnl_inner_product_forward_primitive_desc_create(out, test::cpu_engine(), prop_kind,
                src_desc, weights_desc, bias_desc, dst_desc, attr);
    };
    if (!is_forward && input.one_in(2)
            && forward(hint.out(), dnnl_forward_training, nullptr) != dnnl_success)
        hint = {};
    const dnnl_status_t status =
            is_data ? dnnl_inner_product_backward_data_primitive_desc_create(described.out(),
                    test::cpu_engine(), src_desc, weights_desc, dst_desc, hint, nullptr)
            : is_weights
                    ? dnnl_inner_product_backward_weights_primitive_desc_create(described.out(),
                            test::cpu_engine(), src_desc, weights_desc, bias_desc, dst_desc, hint,
                            nullptr)
                    : forward(described.out(), kind, read_attr(input, dst, {DNNL_ARG_WEIGHTS}));
    if (succeeded(status, "inner product")) execute(input, described);
}

} // namespace

void run_product(input_t &input) { input.one_in(3) ? inner_product(input) : matmul(input); }

} // namespace kiln::fuzz
