// SPDX-License-Identifier: Apache-2.0
// What the descriptors of matrix multiplication answer, and what they refuse.
#include <gtest/gtest.h>

#include "kiln/refusals.h"
#include "support/desc_checks.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"

namespace kiln::test {
namespace {

struct request_t {
    dims_t src = {4, 6}, weights = {6, 8}, bias = {}, dst = {4, 8};
    dnnl_data_type_t src_type = dnnl_f32, weights_type = dnnl_f32, dst_type = dnnl_f32;
    std::string weights_format = "";
};

dnnl_status_t create(primitive_desc_handle_t &pd, const request_t &r,
        const_dnnl_primitive_attr_t attr = nullptr) {
    memory_desc_handle_t bias;
    if (!r.bias.empty()) bias = make_desc(r.bias, dnnl_f32);
    return dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(), make_desc(r.src, r.src_type),
            make_desc(r.weights, r.weights_type, r.weights_format), bias,
            make_desc(r.dst, r.dst_type), attr);
}

dnnl_status_t status_of(const request_t &r, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_handle_t pd;
    return create(pd, r, attr);
}

TEST(matmul_desc, answers_queries) {
    primitive_desc_handle_t pd;
    ASSERT_EQ(create(pd, {.bias = {1, 8}}), dnnl_success);
    EXPECT_TRUE(has_desc(pd, dnnl_query_src_md, 0, {4, 6}));
    EXPECT_TRUE(has_desc(pd, dnnl_query_weights_md, 0, {6, 8}));
    EXPECT_TRUE(has_desc(pd, dnnl_query_weights_md, 1, {1, 8}));
    EXPECT_TRUE(has_desc(pd, dnnl_query_dst_md, 0, {4, 8}));
    expect_arguments(pd, 3, 1);
}

TEST(matmul_desc, describes_scales_by_the_axes_of_their_mask) {
    const attr_handle_t attr = make_attr();
    const dims_t groups = {3, 1};
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), "scale");
    require(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, groups.data(), dnnl_f16),
            "scales");
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_WEIGHTS, 2), "zero points");
    primitive_desc_handle_t pd;
    ASSERT_EQ(create(pd, {.src_type = dnnl_u8, .weights_type = dnnl_s8}, attr), dnnl_success);
    EXPECT_TRUE(has_desc(
            pd, dnnl_query_exec_arg_md, DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, {1}, dnnl_f32));
    EXPECT_TRUE(has_desc(
            pd, dnnl_query_exec_arg_md, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, {2, 8}, dnnl_f16));
    EXPECT_TRUE(has_desc(pd, dnnl_query_exec_arg_md, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
            {8}, dnnl_s32));
}

TEST(matmul_desc, refuses_null_pointers) {
    const auto md = make_desc({4, 4}, dnnl_f32);
    expect_null_is_refused({md, md, md}, [](auto *out, dnnl_engine_t engine, const auto &d) {
        return dnnl_matmul_primitive_desc_create(out, engine, d[0], d[1], nullptr, d[2], nullptr);
    });
}

TEST(matmul_desc, refuses_shapes_that_do_not_fit) {
    EXPECT_EQ(status_of({}), dnnl_success);
    EXPECT_EQ(status_of({.src = {5, 6}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src = {4, 7}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.weights = {6, 9}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.weights = {1, 6, 8}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src = {6}, .weights = {6}, .dst = {6}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.bias = {8}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.bias = {1, 4}}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src = {2, 4, 6}, .weights = {3, 6, 8}, .dst = {6, 4, 8}}),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.src = {1, 4, 6}, .weights = {1, 6, 8}, .dst = {3, 4, 8}}),
            dnnl_invalid_arguments);
}

TEST(matmul_desc, refuses_types_that_are_not_multiplied) {
    EXPECT_EQ(status_of({.weights_type = dnnl_s8}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.src_type = dnnl_s8}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.src_type = dnnl_s32, .weights_type = dnnl_s32}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.dst_type = dnnl_f64}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.dst_type = dnnl_s32}), dnnl_unimplemented);
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_bf16, 1), "fpmath");
    EXPECT_EQ(status_of({.weights_type = dnnl_s8}, attr), dnnl_success);
    EXPECT_EQ(status_of({.weights_type = dnnl_u4}, attr), dnnl_success);
}

TEST(matmul_desc, refuses_sparse_tensors_with_a_reason) {
    const dims_t src_dims = {4, 6}, weights_dims = {6, 8};
    const auto expect_refused = [&](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
                                        const std::string &name) {
        primitive_desc_handle_t pd;
        kiln_record_refusals(1);
        EXPECT_EQ(dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(), src, weights, nullptr,
                          make_desc({4, 8}, dnnl_f32), nullptr),
                dnnl_unimplemented);
        kiln_record_refusals(0);
        EXPECT_EQ(std::string(kiln_recorded_refusals()),
                "matmul: " + name
                        + " is neither blocked nor of format any; other formats are not "
                          "supported\n");
    };
    for (const bool is_csr : {true, false})
        for (const bool is_src : {true, false}) {
            const dims_t &dims = is_src ? src_dims : weights_dims;
            memory_desc_handle_t sparse;
            require(is_csr ? dnnl_memory_desc_create_with_csr_encoding(
                            sparse.out(), 2, dims.data(), dnnl_f32, 3, dnnl_s32, dnnl_s32)
                           : dnnl_memory_desc_create_with_coo_encoding(
                                   sparse.out(), 2, dims.data(), dnnl_f32, 3, dnnl_s32),
                    "sparse descriptor");
            if (is_src)
                expect_refused(sparse, make_desc(weights_dims, dnnl_f32), "src");
            else
                expect_refused(make_desc(src_dims, dnnl_f32), sparse, "weights");
        }
}

TEST(matmul_desc, refuses_scales_and_zero_points_that_do_not_fit) {
    const request_t int8{.src_type = dnnl_u8, .weights_type = dnnl_s8};
    const auto with_scales = [&](int arg, int mask, const dims_t &groups) {
        const attr_handle_t attr = make_attr();
        require(dnnl_primitive_attr_set_scales(
                        attr, arg, mask, static_cast<int>(groups.size()), groups.data(), dnnl_f32),
                "scales");
        return status_of(int8, attr);
    };
    EXPECT_EQ(with_scales(DNNL_ARG_WEIGHTS, 3, {3, 1}), dnnl_success);
    EXPECT_EQ(with_scales(DNNL_ARG_WEIGHTS, 3, {4, 1}), dnnl_unimplemented);
    EXPECT_EQ(with_scales(DNNL_ARG_WEIGHTS, 1, {3, 2}), dnnl_unimplemented);
    EXPECT_EQ(with_scales(DNNL_ARG_WEIGHTS, 4, {}), dnnl_unimplemented);
    EXPECT_EQ(with_scales(DNNL_ARG_SRC_1, 0, {}), dnnl_unimplemented);
    const auto with_zero_points = [&](int arg, int mask, const request_t &request) {
        const attr_handle_t attr = make_attr();
        require(dnnl_primitive_attr_set_zero_points_mask(attr, arg, mask), "zero points");
        return status_of(request, attr);
    };
    EXPECT_EQ(with_zero_points(DNNL_ARG_SRC, 0, int8), dnnl_success);
    EXPECT_EQ(with_zero_points(DNNL_ARG_SRC, 1, int8), dnnl_unimplemented);
    EXPECT_EQ(with_zero_points(DNNL_ARG_DST, 1, int8), dnnl_unimplemented);
    EXPECT_EQ(with_zero_points(DNNL_ARG_SRC, 0, {}), dnnl_unimplemented);
    EXPECT_EQ(with_zero_points(DNNL_ARG_WEIGHTS, 0, {}), dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test
