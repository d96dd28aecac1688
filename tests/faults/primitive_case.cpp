// SPDX-License-Identifier: Apache-2.0
#include "faults/primitive_case.hpp"

#include <cstring>

namespace kiln::test::fault_cases {

dnnl_status_t primitive_case_t::create_descriptors() {
    TRY(device.create());
    TRY(dnnl_primitive_attr_create(attr.out()));
    for (size_t i = 0; i < operands.size(); ++i) {
        const auto &[arg, ndims, dims, tag, type, is_output] = operands[i];
        TRY(tag == dnnl_format_tag_undef
                        ? dnnl_memory_desc_create_with_strides(
                                mds[i].out(), ndims, dims, type, nullptr)
                        : dnnl_memory_desc_create_with_tag(mds[i].out(), ndims, dims, type, tag));
    }
    return dnnl_success;
}

dnnl_status_t primitive_case_t::add(
        int arg, dnnl_query_t query, size_t &count, dnnl_exec_arg_t *args) {
    const_dnnl_memory_desc_t wanted = dnnl_primitive_desc_query_md(pd, query, 0);
    if (wanted == nullptr || dnnl_memory_desc_get_size(wanted) == 0) return dnnl_success;
    TRY(dnnl_memory_create(memories[count].out(), wanted, device.engine, DNNL_MEMORY_ALLOCATE));
    if (void *data = nullptr; dnnl_memory_get_data_handle(memories[count], &data) == 0)
        std::memset(data, 1, dnnl_memory_desc_get_size(wanted));
    args[count] = {arg, memories[count]};
    ++count;
    return dnnl_success;
}

namespace {

void fill(void *data, size_t bytes, dnnl_data_type_t type) {
    for (size_t i = 0; type == dnnl_f32 && i < bytes / sizeof(float); ++i)
        static_cast<float *>(data)[i] = static_cast<float>(i * 7 % 13) / 4 + 0.25f;
    for (size_t i = 0; type == dnnl_f64 && i < bytes / sizeof(double); ++i)
        static_cast<double *>(data)[i] = static_cast<double>(i * 7 % 13) / 4 + 0.25;
    for (size_t i = 0; type != dnnl_f32 && type != dnnl_f64 && i < bytes; ++i)
        static_cast<uint8_t *>(data)[i] = static_cast<uint8_t>(i * 7 % 13);
}

} // namespace

dnnl_status_t primitive_case_t::execute(results_t &results) {
    TRY(dnnl_primitive_create(primitive.out(), pd));
    dnnl_exec_arg_t args[most_operands];
    size_t count = operands.size();
    for (size_t i = 0; i < count; ++i) {
        TRY(dnnl_memory_create(memories[i].out(), mds[i], device.engine, DNNL_MEMORY_ALLOCATE));
        void *data = nullptr;
        TRY(dnnl_memory_get_data_handle(memories[i], &data));
        fill(data, dnnl_memory_desc_get_size(mds[i]), operands[i].type);
        args[i] = {operands[i].arg, memories[i]};
    }
    TRY(add(DNNL_ARG_WORKSPACE, dnnl_query_workspace_md, count, args));
    TRY(add(DNNL_ARG_SCRATCHPAD, dnnl_query_scratchpad_md, count, args));
    for (int i = 0; i < 2; ++i)
        TRY(dnnl_primitive_execute(primitive, device.stream, static_cast<int>(count), args));
    TRY(dnnl_stream_wait(device.stream));
    for (size_t i = 0; i < operands.size(); ++i) {
        void *data = nullptr;
        TRY(dnnl_memory_get_data_handle(memories[i], &data));
        if (operands[i].is_output) results.add(data, dnnl_memory_desc_get_size(mds[i]));
    }
    return dnnl_success;
}

} // namespace kiln::test::fault_cases
