// SPDX-License-Identifier: Apache-2.0
// Every function of the interface links. Those whose operation is not implemented return
// dnnl_unimplemented.
#include <set>
#include <string>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "scenario.hpp"

// Exported functions that no public header declares; tools call them.
extern "C" {
dnnl_status_t dnnl_memory_desc_create_with_string_tag(
        dnnl_memory_desc_t *, int, const dnnl_dims_t, dnnl_data_type_t, const char *);
dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t, dnnl_data_type_t);
dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t, dnnl_stream_t);
}

// Functions that are implemented.
#define IMPLEMENTED(FUNCTION)                                                                      \
    FUNCTION(dnnl_engine_get_count)                                                                \
    FUNCTION(dnnl_engine_create)                                                                   \
    FUNCTION(dnnl_engine_get_kind)                                                                 \
    FUNCTION(dnnl_engine_destroy)                                                                  \
    FUNCTION(dnnl_stream_create)                                                                   \
    FUNCTION(dnnl_stream_get_engine)                                                               \
    FUNCTION(dnnl_stream_wait)                                                                     \
    FUNCTION(dnnl_stream_destroy)                                                                  \
    FUNCTION(dnnl_get_default_fpmath_mode)                                                         \
    FUNCTION(dnnl_set_default_fpmath_mode)                                                         \
    FUNCTION(dnnl_set_verbose)                                                                     \
    FUNCTION(dnnl_version)                                                                         \
    FUNCTION(dnnl_primitive_desc_next_impl)                                                        \
    FUNCTION(dnnl_primitive_desc_clone)                                                            \
    FUNCTION(dnnl_primitive_desc_get_attr)                                                         \
    FUNCTION(dnnl_primitive_desc_destroy)                                                          \
    FUNCTION(dnnl_primitive_desc_query)                                                            \
    FUNCTION(dnnl_primitive_desc_query_md)                                                         \
    FUNCTION(dnnl_primitive_desc_query_s32)                                                        \
    FUNCTION(dnnl_primitive_create)                                                                \
    FUNCTION(dnnl_primitive_create_from_cache_blob)                                                \
    FUNCTION(dnnl_primitive_execute)                                                               \
    FUNCTION(dnnl_primitive_get_primitive_desc)                                                    \
    FUNCTION(dnnl_primitive_get_cache_blob)                                                        \
    FUNCTION(dnnl_primitive_destroy)                                                               \
    FUNCTION(dnnl_primitive_attr_create)                                                           \
    FUNCTION(dnnl_primitive_attr_clone)                                                            \
    FUNCTION(dnnl_primitive_attr_destroy)                                                          \
    FUNCTION(dnnl_primitive_attr_get_dropout)                                                      \
    FUNCTION(dnnl_primitive_attr_set_dropout)                                                      \
    FUNCTION(dnnl_primitive_attr_get_dropout_v2)                                                   \
    FUNCTION(dnnl_primitive_attr_set_dropout_v2)                                                   \
    FUNCTION(dnnl_primitive_attr_get_fpmath_mode)                                                  \
    FUNCTION(dnnl_primitive_attr_set_fpmath_mode)                                                  \
    FUNCTION(dnnl_primitive_attr_get_fpmath_mode_v2)                                               \
    FUNCTION(dnnl_primitive_attr_set_fpmath_mode_v2)                                               \
    FUNCTION(dnnl_primitive_attr_get_deterministic)                                                \
    FUNCTION(dnnl_primitive_attr_set_deterministic)                                                \
    FUNCTION(dnnl_primitive_attr_get_accumulation_mode)                                            \
    FUNCTION(dnnl_primitive_attr_set_accumulation_mode)                                            \
    FUNCTION(dnnl_primitive_attr_get_scratchpad_mode)                                              \
    FUNCTION(dnnl_primitive_attr_set_scratchpad_mode)                                              \
    FUNCTION(dnnl_primitive_attr_set_scales_mask)                                                  \
    FUNCTION(dnnl_primitive_attr_set_scales)                                                       \
    FUNCTION(dnnl_primitive_attr_set_scales_v2)                                                    \
    FUNCTION(dnnl_primitive_attr_set_scales_v3)                                                    \
    FUNCTION(dnnl_primitive_attr_set_zero_points_mask)                                             \
    FUNCTION(dnnl_primitive_attr_set_zero_points)                                                  \
    FUNCTION(dnnl_primitive_attr_set_precomputed_reductions)                                       \
    FUNCTION(dnnl_primitive_attr_set_zero_points_v2)                                               \
    FUNCTION(dnnl_primitive_attr_set_rounding)                                                     \
    FUNCTION(dnnl_primitive_attr_get_rounding)                                                     \
    FUNCTION(dnnl_primitive_attr_get_post_ops)                                                     \
    FUNCTION(dnnl_primitive_attr_set_post_ops)                                                     \
    FUNCTION(dnnl_post_ops_create)                                                                 \
    FUNCTION(dnnl_post_ops_clone)                                                                  \
    FUNCTION(dnnl_post_ops_destroy)                                                                \
    FUNCTION(dnnl_post_ops_len)                                                                    \
    FUNCTION(dnnl_post_ops_get_kind)                                                               \
    FUNCTION(dnnl_post_ops_append_sum)                                                             \
    FUNCTION(dnnl_post_ops_get_params_sum)                                                         \
    FUNCTION(dnnl_post_ops_append_eltwise)                                                         \
    FUNCTION(dnnl_post_ops_get_params_eltwise)                                                     \
    FUNCTION(dnnl_post_ops_append_dw)                                                              \
    FUNCTION(dnnl_post_ops_get_params_dw)                                                          \
    FUNCTION(dnnl_post_ops_append_binary)                                                          \
    FUNCTION(dnnl_post_ops_append_binary_v2)                                                       \
    FUNCTION(dnnl_post_ops_get_params_binary)                                                      \
    FUNCTION(dnnl_post_ops_get_params_binary_v2)                                                   \
    FUNCTION(dnnl_post_ops_append_prelu)                                                           \
    FUNCTION(dnnl_post_ops_get_params_prelu)                                                       \
    FUNCTION(dnnl_memory_desc_destroy)                                                             \
    FUNCTION(dnnl_memory_desc_clone)                                                               \
    FUNCTION(dnnl_memory_desc_get_blob)                                                            \
    FUNCTION(dnnl_memory_desc_create_with_blob)                                                    \
    FUNCTION(dnnl_memory_desc_create_with_strides)                                                 \
    FUNCTION(dnnl_memory_desc_create_with_tag)                                                     \
    FUNCTION(dnnl_memory_desc_create_with_csr_encoding)                                            \
    FUNCTION(dnnl_memory_desc_create_with_coo_encoding)                                            \
    FUNCTION(dnnl_memory_desc_create_with_packed_encoding)                                         \
    FUNCTION(dnnl_memory_desc_create_host_scalar)                                                  \
    FUNCTION(dnnl_memory_desc_create_submemory)                                                    \
    FUNCTION(dnnl_memory_desc_reshape)                                                             \
    FUNCTION(dnnl_memory_desc_permute_axes)                                                        \
    FUNCTION(dnnl_memory_desc_query)                                                               \
    FUNCTION(dnnl_memory_desc_query_v2)                                                            \
    FUNCTION(dnnl_memory_desc_equal)                                                               \
    FUNCTION(dnnl_memory_desc_get_size)                                                            \
    FUNCTION(dnnl_memory_desc_get_size_v2)                                                         \
    FUNCTION(dnnl_data_type_size)                                                                  \
    FUNCTION(dnnl_memory_create)                                                                   \
    FUNCTION(dnnl_memory_create_v2)                                                                \
    FUNCTION(dnnl_memory_create_host_scalar)                                                       \
    FUNCTION(dnnl_memory_get_memory_desc)                                                          \
    FUNCTION(dnnl_memory_get_engine)                                                               \
    FUNCTION(dnnl_memory_map_data)                                                                 \
    FUNCTION(dnnl_memory_map_data_v2)                                                              \
    FUNCTION(dnnl_memory_unmap_data)                                                               \
    FUNCTION(dnnl_memory_unmap_data_v2)                                                            \
    FUNCTION(dnnl_memory_get_data_handle)                                                          \
    FUNCTION(dnnl_memory_set_data_handle)                                                          \
    FUNCTION(dnnl_memory_get_data_handle_v2)                                                       \
    FUNCTION(dnnl_memory_set_data_handle_v2)                                                       \
    FUNCTION(dnnl_memory_get_host_scalar_value)                                                    \
    FUNCTION(dnnl_memory_set_host_scalar_value)                                                    \
    FUNCTION(dnnl_memory_destroy)                                                                  \
    FUNCTION(dnnl_reduction_primitive_desc_create)                                                 \
    FUNCTION(dnnl_reorder_primitive_desc_create)                                                   \
    FUNCTION(dnnl_batch_normalization_forward_primitive_desc_create)                               \
    FUNCTION(dnnl_batch_normalization_backward_primitive_desc_create)                              \
    FUNCTION(dnnl_group_normalization_forward_primitive_desc_create)                               \
    FUNCTION(dnnl_group_normalization_backward_primitive_desc_create)                              \
    FUNCTION(dnnl_layer_normalization_forward_primitive_desc_create)                               \
    FUNCTION(dnnl_layer_normalization_backward_primitive_desc_create)                              \
    FUNCTION(dnnl_layer_normalization_forward_primitive_desc_create_v2)                            \
    FUNCTION(dnnl_layer_normalization_backward_primitive_desc_create_v2)                           \
    FUNCTION(dnnl_primitive_attr_set_rnn_data_qparams)                                             \
    FUNCTION(dnnl_primitive_attr_get_rnn_data_qparams)                                             \
    FUNCTION(dnnl_primitive_attr_set_rnn_weights_qparams)                                          \
    FUNCTION(dnnl_primitive_attr_get_rnn_weights_qparams)                                          \
    FUNCTION(dnnl_primitive_attr_set_rnn_weights_projection_qparams)                               \
    FUNCTION(dnnl_primitive_attr_get_rnn_weights_projection_qparams)                               \
    FUNCTION(dnnl_get_primitive_cache_capacity)                                                    \
    FUNCTION(dnnl_set_primitive_cache_capacity)                                                    \
    FUNCTION(dnnl_set_jit_dump)                                                                    \
    FUNCTION(dnnl_set_jit_profiling_flags)                                                         \
    FUNCTION(dnnl_set_jit_profiling_jitdumpdir)                                                    \
    FUNCTION(dnnl_set_max_cpu_isa)                                                                 \
    FUNCTION(dnnl_get_effective_cpu_isa)                                                           \
    FUNCTION(dnnl_set_cpu_isa_hints)                                                               \
    FUNCTION(dnnl_get_cpu_isa_hints)                                                               \
    FUNCTION(dnnl_status2str)                                                                      \
    FUNCTION(dnnl_dt2str)                                                                          \
    FUNCTION(dnnl_fpmath_mode2str)                                                                 \
    FUNCTION(dnnl_accumulation_mode2str)                                                           \
    FUNCTION(dnnl_engine_kind2str)                                                                 \
    FUNCTION(dnnl_sparse_encoding2str)                                                             \
    FUNCTION(dnnl_fmt_tag2str)                                                                     \
    FUNCTION(dnnl_prop_kind2str)                                                                   \
    FUNCTION(dnnl_prim_kind2str)                                                                   \
    FUNCTION(dnnl_alg_kind2str)                                                                    \
    FUNCTION(dnnl_rnn_flags2str)                                                                   \
    FUNCTION(dnnl_rnn_direction2str)                                                               \
    FUNCTION(dnnl_scratchpad_mode2str)                                                             \
    FUNCTION(dnnl_rounding_mode2str)                                                               \
    FUNCTION(dnnl_quantization_mode2str)                                                           \
    FUNCTION(dnnl_cpu_isa2str)                                                                     \
    FUNCTION(dnnl_cpu_isa_hints2str)                                                               \
    FUNCTION(dnnl_runtime2str)                                                                     \
    FUNCTION(dnnl_fmt_kind2str)                                                                    \
    FUNCTION(dnnl_graph_logical_tensor_init)                                                       \
    FUNCTION(dnnl_graph_logical_tensor_init_with_dims)                                             \
    FUNCTION(dnnl_graph_logical_tensor_init_with_strides)                                          \
    FUNCTION(dnnl_graph_logical_tensor_get_mem_size)                                               \
    FUNCTION(dnnl_graph_logical_tensor_is_equal)                                                   \
    FUNCTION(dnnl_graph_op_create)                                                                 \
    FUNCTION(dnnl_graph_op_destroy)                                                                \
    FUNCTION(dnnl_graph_op_add_input)                                                              \
    FUNCTION(dnnl_graph_op_add_output)                                                             \
    FUNCTION(dnnl_graph_op_set_attr_f32)                                                           \
    FUNCTION(dnnl_graph_op_set_attr_bool)                                                          \
    FUNCTION(dnnl_graph_op_set_attr_s64)                                                           \
    FUNCTION(dnnl_graph_op_set_attr_str)                                                           \
    FUNCTION(dnnl_graph_op_get_id)                                                                 \
    FUNCTION(dnnl_graph_op_get_kind)                                                               \
    FUNCTION(dnnl_graph_allocator_create)                                                          \
    FUNCTION(dnnl_graph_allocator_destroy)                                                         \
    FUNCTION(dnnl_graph_make_engine_with_allocator)                                                \
    FUNCTION(dnnl_graph_tensor_create)                                                             \
    FUNCTION(dnnl_graph_tensor_create_scalar)                                                      \
    FUNCTION(dnnl_graph_tensor_destroy)                                                            \
    FUNCTION(dnnl_graph_tensor_get_data_handle)                                                    \
    FUNCTION(dnnl_graph_tensor_set_data_handle)                                                    \
    FUNCTION(dnnl_graph_tensor_get_engine)                                                         \
    FUNCTION(dnnl_graph_tensor_get_logical_tensor)                                                 \
    FUNCTION(dnnl_graph_partition_create_with_op)                                                  \
    FUNCTION(dnnl_graph_partition_destroy)                                                         \
    FUNCTION(dnnl_graph_partition_get_op_num)                                                      \
    FUNCTION(dnnl_graph_partition_get_ops)                                                         \
    FUNCTION(dnnl_graph_partition_get_id)                                                          \
    FUNCTION(dnnl_graph_partition_compile)                                                         \
    FUNCTION(dnnl_graph_partition_get_input_ports_num)                                             \
    FUNCTION(dnnl_graph_partition_get_input_ports)                                                 \
    FUNCTION(dnnl_graph_partition_get_output_ports_num)                                            \
    FUNCTION(dnnl_graph_partition_get_output_ports)                                                \
    FUNCTION(dnnl_graph_partition_is_supported)                                                    \
    FUNCTION(dnnl_graph_partition_get_engine_kind)                                                 \
    FUNCTION(dnnl_graph_compiled_partition_create)                                                 \
    FUNCTION(dnnl_graph_compiled_partition_execute)                                                \
    FUNCTION(dnnl_graph_compiled_partition_execute_v2)                                             \
    FUNCTION(dnnl_graph_compiled_partition_destroy)                                                \
    FUNCTION(dnnl_graph_compiled_partition_query_logical_tensor)                                   \
    FUNCTION(dnnl_graph_compiled_partition_get_inplace_ports)                                      \
    FUNCTION(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor)                          \
    FUNCTION(dnnl_graph_graph_create)                                                              \
    FUNCTION(dnnl_graph_graph_create_with_fpmath_mode)                                             \
    FUNCTION(dnnl_graph_graph_destroy)                                                             \
    FUNCTION(dnnl_graph_graph_set_fpmath_mode)                                                     \
    FUNCTION(dnnl_graph_graph_get_fpmath_mode)                                                     \
    FUNCTION(dnnl_graph_add_op)                                                                    \
    FUNCTION(dnnl_graph_graph_finalize)                                                            \
    FUNCTION(dnnl_graph_graph_is_finalized)                                                        \
    FUNCTION(dnnl_graph_graph_filter)                                                              \
    FUNCTION(dnnl_graph_graph_get_partition_num)                                                   \
    FUNCTION(dnnl_graph_graph_get_partitions)                                                      \
    FUNCTION(dnnl_graph_get_compiled_partition_cache_capacity)                                     \
    FUNCTION(dnnl_graph_set_compiled_partition_cache_capacity)                                     \
    FUNCTION(dnnl_graph_set_constant_tensor_cache)                                                 \
    FUNCTION(dnnl_graph_get_constant_tensor_cache)                                                 \
    FUNCTION(dnnl_graph_set_constant_tensor_cache_capacity)                                        \
    FUNCTION(dnnl_graph_get_constant_tensor_cache_capacity)                                        \
    FUNCTION(dnnl_graph_set_dump_mode)                                                             \
    FUNCTION(dnnl_prelu_forward_primitive_desc_create)                                             \
    FUNCTION(dnnl_prelu_backward_primitive_desc_create)                                            \
    FUNCTION(dnnl_shuffle_forward_primitive_desc_create)                                           \
    FUNCTION(dnnl_shuffle_backward_primitive_desc_create)                                          \
    FUNCTION(dnnl_concat_primitive_desc_create)                                                    \
    FUNCTION(dnnl_sum_primitive_desc_create)                                                       \
    FUNCTION(dnnl_softmax_forward_primitive_desc_create)                                           \
    FUNCTION(dnnl_softmax_backward_primitive_desc_create)                                          \
    FUNCTION(dnnl_memory_desc_create_with_string_tag)                                              \
    FUNCTION(dnnl_memory_desc_set_data_type)                                                       \
    FUNCTION(dnnl_binary_primitive_desc_create)                                                    \
    FUNCTION(dnnl_binary_primitive_desc_create_v2)                                                 \
    FUNCTION(dnnl_eltwise_forward_primitive_desc_create)                                           \
    FUNCTION(dnnl_eltwise_backward_primitive_desc_create)                                          \
    FUNCTION(dnnl_inner_product_forward_primitive_desc_create)                                     \
    FUNCTION(dnnl_inner_product_backward_data_primitive_desc_create)                               \
    FUNCTION(dnnl_inner_product_backward_weights_primitive_desc_create)                            \
    FUNCTION(dnnl_sgemm)                                                                           \
    FUNCTION(dnnl_gemm_u8s8s32)                                                                    \
    FUNCTION(dnnl_gemm_s8s8s32)                                                                    \
    FUNCTION(dnnl_threadpool_interop_sgemm)                                                        \
    FUNCTION(dnnl_threadpool_interop_gemm_u8s8s32)                                                 \
    FUNCTION(dnnl_threadpool_interop_gemm_s8s8s32)                                                 \
    FUNCTION(dnnl_matmul_primitive_desc_create)                                                    \
    FUNCTION(dnnl_impl_zero_pad)

// Functions whose operation is not implemented.
#define NOT_IMPLEMENTED(FUNCTION)                                                                  \
    FUNCTION(dnnl_convolution_forward_primitive_desc_create)                                       \
    FUNCTION(dnnl_convolution_backward_data_primitive_desc_create)                                 \
    FUNCTION(dnnl_convolution_backward_weights_primitive_desc_create)                              \
    FUNCTION(dnnl_deconvolution_forward_primitive_desc_create)                                     \
    FUNCTION(dnnl_deconvolution_backward_data_primitive_desc_create)                               \
    FUNCTION(dnnl_deconvolution_backward_weights_primitive_desc_create)                            \
    FUNCTION(dnnl_pooling_forward_primitive_desc_create)                                           \
    FUNCTION(dnnl_pooling_backward_primitive_desc_create)                                          \
    FUNCTION(dnnl_lrn_forward_primitive_desc_create)                                               \
    FUNCTION(dnnl_lrn_backward_primitive_desc_create)                                              \
    FUNCTION(dnnl_vanilla_rnn_forward_primitive_desc_create)                                       \
    FUNCTION(dnnl_vanilla_rnn_backward_primitive_desc_create)                                      \
    FUNCTION(dnnl_lstm_forward_primitive_desc_create)                                              \
    FUNCTION(dnnl_lstm_backward_primitive_desc_create)                                             \
    FUNCTION(dnnl_gru_forward_primitive_desc_create)                                               \
    FUNCTION(dnnl_gru_backward_primitive_desc_create)                                              \
    FUNCTION(dnnl_lbr_gru_forward_primitive_desc_create)                                           \
    FUNCTION(dnnl_lbr_gru_backward_primitive_desc_create)                                          \
    FUNCTION(dnnl_augru_forward_primitive_desc_create)                                             \
    FUNCTION(dnnl_augru_backward_primitive_desc_create)                                            \
    FUNCTION(dnnl_lbr_augru_forward_primitive_desc_create)                                         \
    FUNCTION(dnnl_lbr_augru_backward_primitive_desc_create)                                        \
    FUNCTION(dnnl_resampling_forward_primitive_desc_create)                                        \
    FUNCTION(dnnl_resampling_backward_primitive_desc_create)                                       \
    FUNCTION(dnnl_threadpool_interop_stream_create)                                                \
    FUNCTION(dnnl_threadpool_interop_stream_get_threadpool)                                        \
    FUNCTION(dnnl_threadpool_interop_set_max_concurrency)                                          \
    FUNCTION(dnnl_threadpool_interop_get_max_concurrency)

namespace kiln::test {

namespace {

struct function_t {
    const char *name;
    void (*address)();
};

// Their addresses make this program link against each function.
#define ADDRESS(function) {#function, reinterpret_cast<void (*)()>(&function)},
const function_t functions[] = {IMPLEMENTED(ADDRESS) NOT_IMPLEMENTED(ADDRESS)};

/// Calls a function with all arguments zero: null pointers, counts of 0.
template <typename... arguments_t>
dnnl_status_t call_with_zeros(dnnl_status_t (*function)(arguments_t...)) {
    return function(arguments_t{}...);
}

void call_lrn() {
    dnnl_lrn_forward_primitive_desc_create(nullptr, nullptr, dnnl_forward_inference,
            dnnl_lrn_across_channels, nullptr, nullptr, 5, 1, 1, 1, nullptr);
}

constexpr scenario_t scenarios[] = {
        {"call_lrn", call_lrn},
};

TEST(interface, links_every_function) {
    std::set<void (*)()> addresses;
    for (const function_t &function : functions) {
        EXPECT_NE(function.address, nullptr) << function.name;
        EXPECT_TRUE(addresses.insert(function.address).second) << function.name << " is another";
    }
    EXPECT_EQ(addresses.size(), 265u);
}

TEST(not_implemented, functions_say_so_and_touch_nothing) {
#define EXPECT_UNIMPLEMENTED(function)                                                             \
    EXPECT_EQ(call_with_zeros(function), dnnl_unimplemented) << #function;
    NOT_IMPLEMENTED(EXPECT_UNIMPLEMENTED)
}

TEST(not_implemented, functions_leave_the_callers_handle_alone) {
    int somewhere = 0;
    const auto before = reinterpret_cast<dnnl_primitive_desc_t>(&somewhere);
    dnnl_primitive_desc_t pd = before;
    EXPECT_EQ(dnnl_lrn_forward_primitive_desc_create(&pd, nullptr, dnnl_forward_inference,
                      dnnl_lrn_across_channels, nullptr, nullptr, 5, 1, 1, 1, nullptr),
            dnnl_unimplemented);
    EXPECT_EQ(pd, before);
}

TEST(not_implemented, functions_give_the_reason_in_verbose_mode) {
    const auto lrn = run_scenario("call_lrn", {"ONEDNN_VERBOSE=check"});
    EXPECT_NE(lrn.output.find("onednn_verbose,v1,primitive,create:check,lrn,"
                              "dnnl_lrn_forward_primitive_desc_create is not implemented yet,"
                              "src/common/operations/not_implemented.cpp:"),
            std::string::npos)
            << lrn.output;
    EXPECT_EQ(run_scenario("call_lrn").output, "");
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
