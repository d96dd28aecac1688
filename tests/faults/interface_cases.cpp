// SPDX-License-Identifier: Apache-2.0
// Descriptors, memory, attributes, settings.
#include "faults/cases.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::test {

namespace {

const dnnl_dims_t dims = {4, 16};

dnnl_status_t matrix(memory_desc_handle_t &md, dnnl_format_tag_t tag = dnnl_ab) {
    return dnnl_memory_desc_create_with_tag(md.out(), 2, dims, dnnl_f32, tag);
}

// ---- memory descriptors

dnnl_status_t run_tags(results_t &) {
    for (const dnnl_format_tag_t tag : {dnnl_ab, dnnl_format_tag_any, dnnl_BA16a16b}) {
        memory_desc_handle_t md;
        TRY(matrix(md, tag));
    }
    memory_desc_handle_t strided;
    return dnnl_memory_desc_create_with_strides(strided.out(), 2, dims, dnnl_f32, nullptr);
}

dnnl_status_t run_encodings(results_t &) {
    memory_desc_handle_t csr, coo, packed, scalar;
    TRY(dnnl_memory_desc_create_with_csr_encoding(
            csr.out(), 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32));
    TRY(dnnl_memory_desc_create_with_coo_encoding(coo.out(), 2, dims, dnnl_f32, 3, dnnl_s32));
    TRY(dnnl_memory_desc_create_with_packed_encoding(packed.out(), 2, dims, dnnl_f32, 3));
    return dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32);
}

dnnl_status_t run_derived_descriptors(results_t &) {
    const dnnl_dims_t part = {2, 8}, zeros = {0, 0}, joined = {64};
    const int permutation[] = {1, 0};
    memory_desc_handle_t parent, submemory, reshaped, permuted, copy;
    TRY(matrix(parent));
    TRY(dnnl_memory_desc_create_submemory(submemory.out(), parent, part, zeros));
    TRY(dnnl_memory_desc_reshape(reshaped.out(), parent, 1, joined));
    TRY(dnnl_memory_desc_permute_axes(permuted.out(), parent, permutation));
    return dnnl_memory_desc_clone(copy.out(), parent);
}

dnnl_status_t run_blobs(results_t &results) {
    memory_desc_handle_t md, restored;
    TRY(matrix(md, dnnl_BA16a16b));
    uint8_t blob[2048];
    size_t size = 0;
    TRY(dnnl_memory_desc_get_blob(nullptr, &size, md));
    if (size > sizeof(blob)) return dnnl_runtime_error;
    TRY(dnnl_memory_desc_get_blob(blob, &size, md));
    TRY(dnnl_memory_desc_create_with_blob(restored.out(), blob));
    results.add(blob, size);
    return dnnl_memory_desc_equal(md, restored) ? dnnl_success : dnnl_runtime_error;
}

// ---- engines, streams, memory

dnnl_status_t run_device(results_t &) {
    device_t device;
    return device.create();
}

dnnl_status_t run_memory(results_t &results) {
    device_t device;
    memory_desc_handle_t md, blocked, scalar_md;
    memory_handle_t users, librarys, padded, scalar;
    float buffer[64] = {};
    TRY(device.create());
    TRY(matrix(md));
    TRY(matrix(blocked, dnnl_BA16a16b));
    TRY(dnnl_memory_desc_create_host_scalar(scalar_md.out(), dnnl_f32));
    TRY(dnnl_memory_create(users.out(), md, device.engine, buffer));
    TRY(dnnl_memory_create(librarys.out(), md, device.engine, DNNL_MEMORY_ALLOCATE));
    TRY(dnnl_memory_create(padded.out(), blocked, device.engine, DNNL_MEMORY_ALLOCATE));
    TRY(dnnl_memory_create_host_scalar(scalar.out(), scalar_md, buffer));
    void *handle = nullptr;
    TRY(dnnl_memory_get_data_handle(users, &handle));
    const bool is_users = handle == buffer;
    results.add(&is_users, sizeof(is_users));
    return dnnl_success;
}

// ---- attributes

dnnl_status_t run_post_ops(results_t &results) {
    memory_desc_handle_t operand;
    post_ops_handle_t chain, copy;
    TRY(matrix(operand));
    TRY(dnnl_post_ops_create(chain.out()));
    for (int i = 0; i < 4; ++i) {
        const bool is_added =
                dnnl_post_ops_append_binary(chain, dnnl_binary_mul, operand) == dnnl_success;
        // A post-op that there is no memory for is not in the chain.
        if (dnnl_post_ops_len(chain) != i + is_added) return dnnl_runtime_error;
        if (!is_added) return dnnl_out_of_memory;
    }
    TRY(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_relu, 0, 0));
    TRY(dnnl_post_ops_append_sum(chain, 1, 0, dnnl_f32));
    TRY(dnnl_post_ops_append_dw(chain, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1));
    TRY(dnnl_post_ops_append_prelu(chain, 0));
    TRY(dnnl_post_ops_clone(copy.out(), chain));
    const int length = dnnl_post_ops_len(copy);
    results.add(&length, sizeof(length));
    return dnnl_success;
}

dnnl_status_t run_attributes(results_t &results) {
    const float scales[] = {1, 2, 3, 4};
    const dnnl_dims_t groups = {2, 1};
    attr_handle_t attr, copy;
    post_ops_handle_t chain;
    memory_desc_handle_t mask;
    TRY(dnnl_memory_desc_create_with_tag(mask.out(), 2, dims, dnnl_u8, dnnl_ab));
    TRY(dnnl_primitive_attr_create(attr.out()));
    TRY(dnnl_post_ops_create(chain.out()));
    TRY(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_relu, 0, 0));
    TRY(dnnl_primitive_attr_set_post_ops(attr, chain));
    TRY(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    TRY(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f32));
    TRY(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0));
    TRY(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    TRY(dnnl_primitive_attr_set_dropout(attr, mask));
    TRY(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 4, 1, scales));
    TRY(dnnl_primitive_attr_set_rnn_weights_projection_qparams(attr, 4, 1, scales));
    TRY(dnnl_primitive_attr_clone(copy.out(), attr));
    const_dnnl_post_ops_t held = nullptr;
    TRY(dnnl_primitive_attr_get_post_ops(copy, &held));
    const int length = dnnl_post_ops_len(held);
    results.add(&length, sizeof(length));
    return dnnl_success;
}

// ---- settings: each reads the environment when it is first asked

dnnl_status_t run_settings(results_t &results) {
    int capacity = 0, flag = 0;
    size_t bytes = 0;
    dnnl_fpmath_mode_t mode;
    TRY(dnnl_get_primitive_cache_capacity(&capacity));
    TRY(dnnl_graph_get_compiled_partition_cache_capacity(&capacity));
    TRY(dnnl_graph_get_constant_tensor_cache(&flag));
    TRY(dnnl_graph_get_constant_tensor_cache_capacity(dnnl_cpu, &bytes));
    TRY(dnnl_get_default_fpmath_mode(&mode));
    TRY(dnnl_set_default_fpmath_mode(mode));
    TRY(dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_none));
    TRY(dnnl_set_jit_profiling_jitdumpdir("."));
    TRY(dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE));
    TRY(dnnl_set_jit_dump(0));
    results.add(&flag, sizeof(flag));
    return dnnl_success;
}

constexpr fault_case_t cases[] = {
        {"tags and strides", run_tags},
        {"sparse encodings", run_encodings},
        {"derived descriptors", run_derived_descriptors},
        {"blobs", run_blobs},
        {"engine and stream", run_device},
        {"memory", run_memory},
        {"post-ops", run_post_ops},
        {"attributes", run_attributes},
        {"settings", run_settings},
};

} // namespace

std::span<const fault_case_t> interface_cases() { return cases; }

} // namespace kiln::test
