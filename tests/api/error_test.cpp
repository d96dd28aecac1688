// SPDX-License-Identifier: Apache-2.0
// Null pointers for every function of the C interface that is implemented. Each call returns a
// status and writes nothing. Wrong values of single objects are in the tests of these objects.
#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"
#include "api/refused_calls.hpp"

namespace kiln::test {

namespace {

TEST(null_pointers, are_refused_by_engines_and_streams) {
    dnnl_engine_t engine = nullptr;
    dnnl_engine_kind_t kind{};
    dnnl_stream_t stream = nullptr;
    expect_refused({
            CALL(dnnl_engine_create, nullptr, dnnl_cpu, 0),
            CALL(dnnl_engine_get_kind, nullptr, &kind),
            CALL(dnnl_engine_get_kind, cpu_engine(), nullptr),
            CALL(dnnl_stream_create, nullptr, cpu_engine(), dnnl_stream_default_flags),
            CALL(dnnl_stream_create, &stream, nullptr, dnnl_stream_default_flags),
            CALL(dnnl_stream_get_engine, nullptr, &engine),
            CALL(dnnl_stream_get_engine, cpu_stream(), nullptr),
            CALL(dnnl_stream_wait, nullptr),
            CALL(dnnl_get_default_fpmath_mode, nullptr),
            CALL(dnnl_get_primitive_cache_capacity, nullptr),
    });
    EXPECT_EQ(engine, nullptr);
    EXPECT_EQ(stream, nullptr);
}

TEST(null_pointers, are_refused_by_functions_that_make_memory_descriptors) {
    const auto parent = matrix();
    dnnl_memory_desc_t md = nullptr;
    const uint8_t blob[1024] = {};
    expect_refused({
            CALL(dnnl_memory_desc_create_with_tag, nullptr, 2, dims.data(), dnnl_f32, dnnl_ab),
            CALL(dnnl_memory_desc_create_with_tag, &md, 2, nullptr, dnnl_f32, dnnl_ab),
            CALL(dnnl_memory_desc_create_with_strides, nullptr, 2, dims.data(), dnnl_f32, nullptr),
            CALL(dnnl_memory_desc_create_with_strides, &md, 2, nullptr, dnnl_f32, nullptr),
            CALL(dnnl_memory_desc_create_with_csr_encoding, nullptr, 2, dims.data(), dnnl_f32, 1,
                    dnnl_s32, dnnl_s32),
            CALL(dnnl_memory_desc_create_with_csr_encoding, &md, 2, nullptr, dnnl_f32, 1, dnnl_s32,
                    dnnl_s32),
            CALL(dnnl_memory_desc_create_with_coo_encoding, nullptr, 2, dims.data(), dnnl_f32, 1,
                    dnnl_s32),
            CALL(dnnl_memory_desc_create_with_coo_encoding, &md, 2, nullptr, dnnl_f32, 1, dnnl_s32),
            CALL(dnnl_memory_desc_create_with_packed_encoding, nullptr, 2, dims.data(), dnnl_f32,
                    1),
            CALL(dnnl_memory_desc_create_with_packed_encoding, &md, 2, nullptr, dnnl_f32, 1),
            CALL(dnnl_memory_desc_create_host_scalar, nullptr, dnnl_f32),
            CALL(dnnl_memory_desc_create_submemory, nullptr, parent, dims.data(), zeros.data()),
            CALL(dnnl_memory_desc_create_submemory, &md, nullptr, dims.data(), zeros.data()),
            CALL(dnnl_memory_desc_create_submemory, &md, parent, nullptr, zeros.data()),
            CALL(dnnl_memory_desc_create_submemory, &md, parent, dims.data(), nullptr),
            CALL(dnnl_memory_desc_reshape, nullptr, parent, 2, dims.data()),
            CALL(dnnl_memory_desc_reshape, &md, nullptr, 2, dims.data()),
            CALL(dnnl_memory_desc_reshape, &md, parent, 2, nullptr),
            CALL(dnnl_memory_desc_permute_axes, nullptr, parent, permutation),
            CALL(dnnl_memory_desc_permute_axes, &md, nullptr, permutation),
            CALL(dnnl_memory_desc_permute_axes, &md, parent, nullptr),
            CALL(dnnl_memory_desc_clone, nullptr, parent),
            CALL(dnnl_memory_desc_clone, &md, nullptr),
            CALL(dnnl_memory_desc_create_with_blob, nullptr, blob),
            CALL(dnnl_memory_desc_create_with_blob, &md, nullptr),
    });
    EXPECT_EQ(md, nullptr);
}

TEST(null_pointers, are_refused_by_functions_that_read_memory_descriptors) {
    const auto md = matrix();
    int64_t room[16] = {};
    uint8_t blob[1024] = {};
    size_t size = sizeof(blob), too_small = 100;
    expect_refused({
            CALL(dnnl_memory_desc_query, nullptr, dnnl_query_ndims_s32, room),
            CALL(dnnl_memory_desc_query, md, dnnl_query_ndims_s32, nullptr),
            CALL(dnnl_memory_desc_query_v2, nullptr, dnnl_query_ndims_s32, 0, room),
            CALL(dnnl_memory_desc_query_v2, md, dnnl_query_ndims_s32, 0, nullptr),
            CALL(dnnl_memory_desc_get_blob, nullptr, nullptr, md),
            CALL(dnnl_memory_desc_get_blob, blob, nullptr, md),
            CALL(dnnl_memory_desc_get_blob, blob, &size, nullptr),
            CALL(dnnl_memory_desc_get_blob, nullptr, &size, nullptr),
            CALL(dnnl_memory_desc_get_blob, blob, &too_small, md),
    });
    EXPECT_EQ(dnnl_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(nullptr, 0), 0u);
    EXPECT_EQ(dnnl_memory_desc_equal(nullptr, md), 0);
    EXPECT_EQ(dnnl_memory_desc_equal(md, nullptr), 0);
    EXPECT_EQ(dnnl_memory_desc_destroy(nullptr), dnnl_success);
}

TEST(null_pointers, are_refused_by_memory) {
    const auto md = matrix();
    const auto scalar = scalar_memory();
    float buffer[64] = {};
    void *handles[] = {buffer};
    void *pointer = nullptr;
    float value = 0;
    dnnl_engine_t engine = nullptr;
    const_dnnl_memory_desc_t found = nullptr;
    dnnl_memory_t made = nullptr;
    memory_handle_t memory;
    ASSERT_EQ(dnnl_memory_create(memory.out(), md, cpu_engine(), buffer), dnnl_success);
    const auto host_md = scalar_md();
    expect_refused({
            CALL(dnnl_memory_create, nullptr, md, cpu_engine(), buffer),
            CALL(dnnl_memory_create, &made, md, nullptr, buffer),
            CALL(dnnl_memory_create_v2, nullptr, md, cpu_engine(), 1, handles),
            CALL(dnnl_memory_create_v2, &made, md, nullptr, 1, handles),
            CALL(dnnl_memory_create_v2, &made, md, cpu_engine(), 1, nullptr),
            CALL(dnnl_memory_create_v2, &made, md, cpu_engine(), 0, handles),
            CALL(dnnl_memory_create_v2, &made, md, cpu_engine(), -1, handles),
            CALL(dnnl_memory_create_host_scalar, nullptr, host_md, &value),
            CALL(dnnl_memory_create_host_scalar, &made, nullptr, &value),
            CALL(dnnl_memory_create_host_scalar, &made, host_md, nullptr),
            CALL(dnnl_memory_get_memory_desc, nullptr, &found),
            CALL(dnnl_memory_get_memory_desc, memory, nullptr),
            CALL(dnnl_memory_get_engine, nullptr, &engine),
            CALL(dnnl_memory_get_engine, memory, nullptr),
            CALL(dnnl_memory_map_data, nullptr, &pointer),
            CALL(dnnl_memory_map_data, memory, nullptr),
            CALL(dnnl_memory_map_data_v2, nullptr, &pointer, 0),
            CALL(dnnl_memory_map_data_v2, memory, nullptr, 0),
            CALL(dnnl_memory_unmap_data, nullptr, buffer),
            CALL(dnnl_memory_unmap_data_v2, nullptr, buffer, 0),
            CALL(dnnl_memory_get_data_handle, memory, nullptr),
            CALL(dnnl_memory_get_data_handle, nullptr, nullptr),
            CALL(dnnl_memory_get_data_handle_v2, memory, nullptr, 0),
            CALL(dnnl_memory_get_data_handle_v2, nullptr, nullptr, 0),
            CALL(dnnl_memory_set_data_handle, nullptr, buffer),
            CALL(dnnl_memory_set_data_handle_v2, nullptr, buffer, 0),
            CALL(dnnl_memory_get_host_scalar_value, nullptr, &value),
            CALL(dnnl_memory_get_host_scalar_value, scalar, nullptr),
            CALL(dnnl_memory_set_host_scalar_value, nullptr, &value),
            CALL(dnnl_memory_set_host_scalar_value, scalar, nullptr),
    });
    EXPECT_EQ(made, nullptr);
}

TEST(null_pointers, are_refused_by_attributes) {
    const auto attr = make_attr();
    dnnl_primitive_attr_t made = nullptr;
    const_dnnl_post_ops_t post_ops = nullptr;
    post_ops_handle_t chain;
    ASSERT_EQ(dnnl_post_ops_create(chain.out()), dnnl_success);
    auto rounding = dnnl_rounding_mode_environment;
    const float scales[] = {1};
    expect_refused({
            CALL(dnnl_primitive_attr_create, nullptr),
            CALL(dnnl_primitive_attr_clone, nullptr, attr),
            CALL(dnnl_primitive_attr_clone, &made, nullptr),
            CALL(dnnl_primitive_attr_set_scales_mask, nullptr, DNNL_ARG_SRC, 0),
            CALL(dnnl_primitive_attr_set_scales, nullptr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32),
            CALL(dnnl_primitive_attr_set_scales_v2, nullptr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32,
                    0),
            CALL(dnnl_primitive_attr_set_scales_v3, nullptr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32,
                    0, dnnl_quantization_mode_static_sazp),
            CALL(dnnl_primitive_attr_set_zero_points_mask, nullptr, DNNL_ARG_SRC, 0),
            CALL(dnnl_primitive_attr_set_zero_points, nullptr, DNNL_ARG_SRC, 0, 0, nullptr,
                    dnnl_s32),
            CALL(dnnl_primitive_attr_set_zero_points_v2, nullptr, DNNL_ARG_SRC, 0, 0, nullptr,
                    dnnl_s32, 0),
            CALL(dnnl_primitive_attr_set_precomputed_reductions, nullptr, DNNL_ARG_SRC, 0, 0,
                    nullptr, dnnl_s32),
            CALL(dnnl_primitive_attr_set_rounding, nullptr, DNNL_ARG_DST,
                    dnnl_rounding_mode_stochastic),
            CALL(dnnl_primitive_attr_get_rounding, nullptr, DNNL_ARG_DST, &rounding),
            CALL(dnnl_primitive_attr_get_rounding, attr, DNNL_ARG_DST, nullptr),
            CALL(dnnl_primitive_attr_get_post_ops, nullptr, &post_ops),
            CALL(dnnl_primitive_attr_get_post_ops, attr, nullptr),
            CALL(dnnl_primitive_attr_set_post_ops, nullptr, chain),
            CALL(dnnl_primitive_attr_set_post_ops, attr, nullptr),
            CALL(dnnl_primitive_attr_set_rnn_data_qparams, nullptr, 1.f, 0.f),
            CALL(dnnl_primitive_attr_get_rnn_data_qparams, nullptr, nullptr, nullptr),
            CALL(dnnl_primitive_attr_set_rnn_weights_qparams, nullptr, 1, 0, scales),
            CALL(dnnl_primitive_attr_get_rnn_weights_qparams, nullptr, nullptr, nullptr, nullptr),
            CALL(dnnl_primitive_attr_set_rnn_weights_projection_qparams, nullptr, 1, 0, scales),
            CALL(dnnl_primitive_attr_get_rnn_weights_projection_qparams, nullptr, nullptr, nullptr,
                    nullptr),
    });
    EXPECT_EQ(made, nullptr);
}

TEST(null_pointers, are_refused_by_post_ops) {
    const auto operand = matrix();
    dnnl_post_ops_t made = nullptr;
    post_ops_handle_t chain;
    ASSERT_EQ(dnnl_post_ops_create(chain.out()), dnnl_success);
    expect_refused({
            CALL(dnnl_post_ops_create, nullptr),
            CALL(dnnl_post_ops_clone, nullptr, chain),
            CALL(dnnl_post_ops_clone, &made, nullptr),
            CALL(dnnl_post_ops_append_sum, nullptr, 1, 0, dnnl_f32),
            CALL(dnnl_post_ops_append_eltwise, nullptr, dnnl_eltwise_relu, 0, 0),
            CALL(dnnl_post_ops_append_dw, nullptr, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1),
            CALL(dnnl_post_ops_append_binary, nullptr, dnnl_binary_add, operand),
            CALL(dnnl_post_ops_append_binary, chain, dnnl_binary_add, nullptr),
            CALL(dnnl_post_ops_append_binary, chain, dnnl_binary_select, operand),
            CALL(dnnl_post_ops_append_binary_v2, nullptr, dnnl_binary_add, operand, operand),
            CALL(dnnl_post_ops_append_binary_v2, chain, dnnl_binary_add, nullptr, operand),
            CALL(dnnl_post_ops_append_binary_v2, chain, dnnl_binary_select, operand, nullptr),
            CALL(dnnl_post_ops_append_prelu, nullptr, 0),
            CALL(dnnl_post_ops_get_params_sum, nullptr, 0, nullptr, nullptr, nullptr),
            CALL(dnnl_post_ops_get_params_eltwise, nullptr, 0, nullptr, nullptr, nullptr),
            CALL(dnnl_post_ops_get_params_dw, nullptr, 0, nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr),
            CALL(dnnl_post_ops_get_params_binary, nullptr, 0, nullptr, nullptr),
            CALL(dnnl_post_ops_get_params_binary_v2, nullptr, 0, nullptr, nullptr, nullptr),
            CALL(dnnl_post_ops_get_params_prelu, nullptr, 0, nullptr),
    });
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(dnnl_post_ops_len(chain), 0);
}

TEST(null_pointers, are_refused_by_primitive_descriptors_and_primitives) {
    const auto pd = made_pd({});
    const auto primitive = make_primitive(pd);
    dnnl_primitive_desc_t made_desc = nullptr;
    dnnl_primitive_t made = nullptr;
    const_dnnl_primitive_attr_t attr = nullptr;
    const_dnnl_primitive_desc_t found = nullptr;
    int64_t room[16] = {};
    expect_refused({
            CALL(dnnl_primitive_desc_next_impl, nullptr),
            CALL(dnnl_primitive_desc_clone, nullptr, pd),
            CALL(dnnl_primitive_desc_clone, &made_desc, nullptr),
            CALL(dnnl_primitive_desc_get_attr, nullptr, &attr),
            CALL(dnnl_primitive_desc_get_attr, pd, nullptr),
            CALL(dnnl_primitive_desc_query, nullptr, dnnl_query_flags, 0, room),
            CALL(dnnl_primitive_desc_query, pd, dnnl_query_flags, 0, nullptr),
            CALL(dnnl_primitive_create, nullptr, pd),
            CALL(dnnl_primitive_create, &made, nullptr),
            CALL(dnnl_primitive_execute, nullptr, cpu_stream(), 0, nullptr),
            CALL(dnnl_primitive_execute, primitive, nullptr, 0, nullptr),
            CALL(dnnl_primitive_execute, primitive, cpu_stream(), 1, nullptr),
            CALL(dnnl_primitive_execute, primitive, cpu_stream(), -1, nullptr),
            CALL(dnnl_primitive_get_primitive_desc, nullptr, &found),
            CALL(dnnl_primitive_get_primitive_desc, primitive, nullptr),
    });
    EXPECT_EQ(dnnl_primitive_desc_query_md(nullptr, dnnl_query_src_md, 0), nullptr);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(nullptr, dnnl_query_num_of_inputs_s32, 0), 0);
    EXPECT_EQ(made_desc, nullptr);
    EXPECT_EQ(made, nullptr);
}

TEST(null_pointers, are_refused_by_the_operations_that_exist) {
    const auto md = matrix();
    const auto engine = cpu_engine();
    dnnl_primitive_desc_t pd = nullptr;
    expect_refused({
            CALL(dnnl_layer_normalization_forward_primitive_desc_create, nullptr, engine,
                    dnnl_forward, md, md, nullptr, 1e-5f, 0, nullptr),
            CALL(dnnl_layer_normalization_forward_primitive_desc_create, &pd, nullptr, dnnl_forward,
                    md, md, nullptr, 1e-5f, 0, nullptr),
            CALL(dnnl_layer_normalization_forward_primitive_desc_create, &pd, engine, dnnl_forward,
                    nullptr, md, nullptr, 1e-5f, 0, nullptr),
            CALL(dnnl_layer_normalization_forward_primitive_desc_create, &pd, engine, dnnl_forward,
                    md, nullptr, nullptr, 1e-5f, 0, nullptr),
            CALL(dnnl_layer_normalization_forward_primitive_desc_create_v2, nullptr, engine,
                    dnnl_forward, md, md, nullptr, dnnl_f32, 1e-5f, 0, nullptr),
            CALL(dnnl_layer_normalization_forward_primitive_desc_create_v2, &pd, nullptr,
                    dnnl_forward, md, md, nullptr, dnnl_f32, 1e-5f, 0, nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create, nullptr, engine,
                    dnnl_backward, md, md, md, nullptr, 1e-5f, 0, nullptr, nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create, &pd, nullptr,
                    dnnl_backward, md, md, md, nullptr, 1e-5f, 0, nullptr, nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create, &pd, engine,
                    dnnl_backward, nullptr, md, md, nullptr, 1e-5f, 0, nullptr, nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create, &pd, engine,
                    dnnl_backward, md, nullptr, md, nullptr, 1e-5f, 0, nullptr, nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create, &pd, engine,
                    dnnl_backward, md, md, nullptr, nullptr, 1e-5f, 0, nullptr, nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create_v2, nullptr, engine,
                    dnnl_backward, md, md, md, nullptr, dnnl_f32, dnnl_f32, 1e-5f, 0, nullptr,
                    nullptr),
            CALL(dnnl_layer_normalization_backward_primitive_desc_create_v2, &pd, nullptr,
                    dnnl_backward, md, md, md, nullptr, dnnl_f32, dnnl_f32, 1e-5f, 0, nullptr,
                    nullptr),
            CALL(dnnl_reorder_primitive_desc_create, nullptr, md, engine, md, engine, nullptr),
            CALL(dnnl_reorder_primitive_desc_create, &pd, nullptr, engine, md, engine, nullptr),
            CALL(dnnl_reorder_primitive_desc_create, &pd, md, nullptr, md, engine, nullptr),
            CALL(dnnl_reorder_primitive_desc_create, &pd, md, engine, nullptr, engine, nullptr),
            CALL(dnnl_reorder_primitive_desc_create, &pd, md, engine, md, nullptr, nullptr),
    });
    EXPECT_EQ(pd, nullptr);
}

} // namespace

} // namespace kiln::test
