// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with dims and strides that only an execution knows.
#include <gtest/gtest.h>

#include "matmul/matmul_case.hpp"

namespace kiln::test::matmul {
namespace {

/// The tensor with the dims of the mask, and all strides that follow from them, left open.
memory_desc_handle_t open_desc(const dims_t &dims, dnnl_data_type_t type, int mask) {
    dims_t shown = dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) shown[d] = DNNL_RUNTIME_DIM_VAL;
    dnnl_format_tag_t tag = dims.size() == 2 ? dnnl_ab : dnnl_abc;
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_with_tag(
                    desc.out(), static_cast<int>(dims.size()), shown.data(), type, tag),
            "open descriptor");
    return desc;
}

void expect_right_with_open_dims(const problem_t &p, int src, int weights, int dst) {
    const attr_handle_t attr = make_attr(p);
    memory_desc_handle_t bias;
    if (!p.bias.empty()) bias = make_desc(p.bias, p.bias_type);
    primitive_desc_handle_t pd;
    require(dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(),
                    open_desc(p.src, p.src_type, src),
                    open_desc(p.weights, p.weights_type, weights), bias,
                    open_desc(p.dst(), p.dst_type, dst), attr),
            to_string(p));
    const case_t tested(p, std::move(pd));
    EXPECT_EQ(tested.execute(), dnnl_success) << tested.name();
    EXPECT_TRUE(tested.is_right()) << tested.name();
}

TEST(matmul_runtime_dims, are_taken_from_the_memories) {
    for (const auto &[src, weights, dst] :
            {std::tuple(1, 0, 1), {0, 2, 2}, {2, 1, 0}, {3, 3, 3}, {1, 2, 3}})
        expect_right_with_open_dims({.src = {7, 9}, .weights = {9, 5}}, src, weights, dst);
    expect_right_with_open_dims({.src = {3, 4, 6}, .weights = {3, 6, 5}}, 7, 7, 7);
}

TEST(matmul_runtime_dims, go_with_bias_scales_and_post_ops) {
    problem_t p{.src = {7, 9},
            .weights = {9, 5},
            .bias = {1, 1},
            .src_type = dnnl_u8,
            .weights_type = dnnl_s8,
            .dst_type = dnnl_f32,
            .post_ops = {{.alg = dnnl_binary_add, .mask = 2},
                    {.alg = dnnl_alg_kind_undef, .mask = 2, .is_prelu = true}}};
    p.weights_scale = quantity_t{2};
    expect_right_with_open_dims(p, 3, 3, 3);
}

TEST(matmul_runtime_dims, must_belong_together) {
    const auto status = [](int src, int weights, int dst) {
        primitive_desc_handle_t pd;
        return dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(),
                open_desc({3, 4, 6}, dnnl_f32, src), open_desc({3, 6, 5}, dnnl_f32, weights),
                nullptr, open_desc({3, 4, 5}, dnnl_f32, dst), nullptr);
    };
    EXPECT_EQ(status(1, 1, 1), dnnl_success);
    EXPECT_EQ(status(1, 0, 1), dnnl_invalid_arguments);
    EXPECT_EQ(status(4, 0, 0), dnnl_invalid_arguments);
    EXPECT_EQ(status(2, 0, 0), dnnl_invalid_arguments);
}

TEST(matmul_runtime_dims, of_memories_that_do_not_fit_are_refused) {
    primitive_desc_handle_t pd;
    require(dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(),
                    open_desc({7, 9}, dnnl_f32, 3), open_desc({9, 5}, dnnl_f32, 3), nullptr,
                    open_desc({7, 5}, dnnl_f32, 3), nullptr),
            "descriptor");
    const primitive_handle_t primitive = make_primitive(pd);
    bindings_t bindings(placement_t::ends_at_guard);
    bindings.add_input(DNNL_ARG_SRC, "src", make_desc({7, 9}, dnnl_f32), std::vector<double>(63));
    bindings.add_input(
            DNNL_ARG_WEIGHTS, "weights", make_desc({8, 5}, dnnl_f32), std::vector<double>(40));
    bindings.add_output(DNNL_ARG_DST, "dst", make_desc({7, 5}, dnnl_f32));
    EXPECT_EQ(bindings.arguments().execute(primitive), dnnl_invalid_arguments);
}

TEST(matmul_runtime_dims, refuse_a_dst_whose_rows_overlap) {
    const dims_t dims{4, 16}, open{DNNL_RUNTIME_DIM_VAL, 1}, overlapping{0, 1};
    memory_desc_handle_t described, given;
    require(dnnl_memory_desc_create_with_strides(
                    described.out(), 2, dims.data(), dnnl_f32, open.data()),
            "open strides");
    require(dnnl_memory_desc_create_with_strides(
                    given.out(), 2, dims.data(), dnnl_f32, overlapping.data()),
            "overlapping rows");
    primitive_desc_handle_t pd;
    require(dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(), make_desc({4, 8}, dnnl_f32),
                    make_desc({8, 16}, dnnl_f32), nullptr, described, nullptr),
            "descriptor");
    const primitive_handle_t primitive = make_primitive(pd);
    bindings_t bindings(placement_t::ends_at_guard);
    bindings.add_input(DNNL_ARG_SRC, "src", make_desc({4, 8}, dnnl_f32), std::vector<double>(32));
    bindings.add_input(
            DNNL_ARG_WEIGHTS, "weights", make_desc({8, 16}, dnnl_f32), std::vector<double>(128));
    bindings.add_output(DNNL_ARG_DST, "dst", std::move(given));
    EXPECT_EQ(bindings.arguments().execute(primitive), dnnl_invalid_arguments);
}

} // namespace
} // namespace kiln::test::matmul
