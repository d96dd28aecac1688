// SPDX-License-Identifier: Apache-2.0
// Matrix products, inner products and functions of BLAS.
#include "faults/primitive_case.hpp"

namespace kiln::test {

namespace {

using namespace fault_cases;

dnnl_status_t describe_matmul(primitive_case_t &of) {
    return dnnl_matmul_primitive_desc_create(of.pd.out(), of.device.engine, of.md(DNNL_ARG_SRC),
            of.md(DNNL_ARG_WEIGHTS), of.md(DNNL_ARG_BIAS), of.md(DNNL_ARG_DST), of.attr);
}

dnnl_status_t run_matmul(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 3, {3, 20, 5}},
            {DNNL_ARG_WEIGHTS, 3, {1, 5, 40}},
            {DNNL_ARG_BIAS, 3, {1, 1, 40}},
            {DNNL_ARG_DST, 3, {3, 20, 40}, rows, dnnl_f32, output},
    };
    return run(results, operands, describe_matmul);
}

dnnl_status_t run_integer_matmul(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {20, 35}, rows, dnnl_u8},
            {DNNL_ARG_WEIGHTS, 2, {35, 40}, dnnl_ba, dnnl_s8},
            {DNNL_ARG_BIAS, 2, {1, 40}},
            {DNNL_ARG_DST, 2, {20, 40}, rows, dnnl_f32, output},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, 1, {40}},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, 1, {1}, rows, dnnl_s32},
    };
    return run(results, operands, [](primitive_case_t &of) {
        TRY(dnnl_primitive_attr_set_scales_mask(of.attr, DNNL_ARG_WEIGHTS, 1 << 1));
        TRY(dnnl_primitive_attr_set_zero_points_mask(of.attr, DNNL_ARG_SRC, 0));
        return describe_matmul(of);
    });
}

dnnl_status_t run_matmul_of_compressed_weights(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {3, 64}},
            {DNNL_ARG_WEIGHTS, 2, {64, 40}, rows, dnnl_u4},
            {DNNL_ARG_DST, 2, {3, 40}, rows, dnnl_f32, output},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, 2, {2, 40}},
    };
    return run(results, operands, [](primitive_case_t &of) {
        const dnnl_dims_t groups = {32, 1};
        TRY(dnnl_primitive_attr_set_fpmath_mode_v2(of.attr, dnnl_fpmath_mode_strict, 1));
        TRY(dnnl_primitive_attr_set_scales(of.attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f32));
        return describe_matmul(of);
    });
}

/// The layout that a product of bytes asks for: packed, with sums of its columns.
dnnl_status_t run_packing_reorder(results_t &results) {
    constexpr int product_src = DNNL_ARG_SRC_1, product_dst = DNNL_ARG_SRC_2;
    constexpr operand_t operands[] = {
            {DNNL_ARG_FROM, 2, {35, 40}, rows, dnnl_s8},
            {DNNL_ARG_TO, 2, {35, 40}, dnnl_format_tag_any, dnnl_s8, output},
            {product_src, 2, {20, 35}, rows, dnnl_s8},
            {product_dst, 2, {20, 40}, rows, dnnl_s32},
    };
    constexpr size_t executed = 2; // the operands of the reorder
    return run(results, operands, [](primitive_case_t &of) {
        TRY(dnnl_matmul_primitive_desc_create(of.hint.out(), of.device.engine, of.md(product_src),
                of.md(DNNL_ARG_TO), nullptr, of.md(product_dst), nullptr));
        memory_desc_handle_t packed;
        TRY(dnnl_memory_desc_clone(
                packed.out(), dnnl_primitive_desc_query_md(of.hint, dnnl_query_weights_md, 0)));
        of.mds[1] = std::move(packed);
        of.operands = of.operands.first(executed);
        return dnnl_reorder_primitive_desc_create(of.pd.out(), of.md(DNNL_ARG_FROM),
                of.device.engine, of.md(DNNL_ARG_TO), of.device.engine, of.attr);
    });
}

dnnl_status_t run_inner_product(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 4, {6, 5, 2, 2}},
            {DNNL_ARG_WEIGHTS, 4, {9, 5, 2, 2}},
            {DNNL_ARG_BIAS, 1, {9}},
            {DNNL_ARG_DST, 2, {6, 9}, rows, dnnl_f32, output},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_inner_product_forward_primitive_desc_create(of.pd.out(), of.device.engine,
                dnnl_forward_inference, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_WEIGHTS),
                of.md(DNNL_ARG_BIAS), of.md(DNNL_ARG_DST), of.attr);
    });
}

dnnl_status_t run_inner_product_data(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_DIFF_SRC, 2, {6, 20}, rows, dnnl_f32, output},
            {DNNL_ARG_WEIGHTS, 2, {9, 20}},
            {DNNL_ARG_DIFF_DST, 2, {6, 9}},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_inner_product_backward_data_primitive_desc_create(of.pd.out(), of.device.engine,
                of.md(DNNL_ARG_DIFF_SRC), of.md(DNNL_ARG_WEIGHTS), of.md(DNNL_ARG_DIFF_DST),
                nullptr, of.attr);
    });
}

dnnl_status_t run_inner_product_gradient(results_t &results) {
    constexpr operand_t operands[] = {
            {DNNL_ARG_SRC, 2, {6, 20}, dnnl_ab},
            {DNNL_ARG_DIFF_WEIGHTS, 2, {9, 20}, dnnl_ab, dnnl_f32, output},
            {DNNL_ARG_DIFF_BIAS, 1, {9}, dnnl_a, dnnl_f32, output},
            {DNNL_ARG_DIFF_DST, 2, {6, 9}, dnnl_ab},
    };
    return run(results, operands, [](primitive_case_t &of) {
        return dnnl_inner_product_backward_weights_primitive_desc_create(of.pd.out(),
                of.device.engine, of.md(DNNL_ARG_SRC), of.md(DNNL_ARG_DIFF_WEIGHTS),
                of.md(DNNL_ARG_DIFF_BIAS), of.md(DNNL_ARG_DIFF_DST), nullptr, of.attr);
    });
}

/// Functions without descriptors; what they compute with is theirs.
dnnl_status_t run_gemm(results_t &results) {
    constexpr dnnl_dim_t m = 20, n = 24, k = 30;
    static float a[m * k], b[k * n], c[m * n];
    static uint8_t bytes_a[m * k];
    static int8_t signed_a[m * k], bytes_b[k * n];
    static int32_t sums[m * n], signed_sums[m * n];
    for (size_t i = 0; i < std::size(a); ++i) {
        a[i] = static_cast<float>(i % 7), bytes_a[i] = static_cast<uint8_t>(i % 7);
        signed_a[i] = static_cast<int8_t>(3 - bytes_a[i]);
    }
    for (size_t i = 0; i < std::size(b); ++i)
        b[i] = static_cast<float>(i % 5), bytes_b[i] = static_cast<int8_t>(i % 5);
    const int32_t offset = 1;
    device_t device;
    TRY(device.create());
    TRY(dnnl_sgemm('N', 'T', m, n, k, 1, a, k, b, k, 0, c, n));
    TRY(dnnl_gemm_u8s8s32(
            'N', 'N', 'F', m, n, k, 1, bytes_a, k, 1, bytes_b, n, 0, 0, sums, n, &offset));
    TRY(dnnl_gemm_s8s8s32(
            'N', 'N', 'F', m, n, k, 1, signed_a, k, 1, bytes_b, n, 0, 0, signed_sums, n, &offset));
    results.add(c, sizeof(c));
    results.add(sums, sizeof(sums));
    results.add(signed_sums, sizeof(signed_sums));
    return dnnl_success;
}

constexpr fault_case_t cases[] = {
        {"matmul", run_matmul},
        {"matmul of bytes", run_integer_matmul},
        {"matmul of compressed weights", run_matmul_of_compressed_weights},
        {"reorder to packed weights", run_packing_reorder},
        {"inner product", run_inner_product},
        {"inner product, gradients of src", run_inner_product_data},
        {"inner product, gradients of weights", run_inner_product_gradient},
        {"gemm", run_gemm},
};

} // namespace

std::span<const fault_case_t> product_cases() { return cases; }

} // namespace kiln::test
