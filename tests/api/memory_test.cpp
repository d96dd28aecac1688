// SPDX-License-Identifier: Apache-2.0
// Memory objects: buffers of the library and of the user, data handles, mapping, several buffers,
// host scalars, and requests that are refused.

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "api/descriptors.hpp"

// Under AddressSanitizer, too large an allocation must return null instead of ending the program.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace kiln::test {

namespace {

memory_handle_t made(const_dnnl_memory_desc_t md, void *handle) {
    memory_handle_t memory;
    require(dnnl_memory_create(memory.out(), md, cpu_engine(), handle), "dnnl_memory_create");
    return memory;
}

void *handle_of(const_dnnl_memory_t memory, int index = 0) {
    void *handle = nullptr;
    EXPECT_EQ(dnnl_memory_get_data_handle_v2(memory, &handle, index), dnnl_success);
    return handle;
}

// ---- whose buffer

TEST(memory, of_the_user_s_buffer_holds_that_buffer) {
    float buffer[6] = {1, 2, 3, 4, 5, 6};
    const auto memory = made(tagged({2, 3}, dnnl_ab), buffer);
    void *handle = nullptr;
    EXPECT_EQ(dnnl_memory_get_data_handle(memory, &handle), dnnl_success);
    EXPECT_EQ(handle, buffer);
    EXPECT_EQ(handle_of(memory), buffer);
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(buffer[i], i + 1) << "creating a memory wrote into the user's buffer";
}

TEST(memory, allocated_by_the_library_is_aligned_and_its_own) {
    const auto md = tagged({3, 7}, dnnl_ab);
    const auto first = made(md, DNNL_MEMORY_ALLOCATE), second = made(md, DNNL_MEMORY_ALLOCATE);
    for (const auto *memory : {&first, &second}) {
        void *const buffer = handle_of(*memory);
        ASSERT_NE(buffer, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer) % 64, 0u);
        std::memset(buffer, 0x5a, dnnl_memory_desc_get_size(md));
    }
    EXPECT_NE(handle_of(first), handle_of(second));
}

TEST(memory, allocated_for_a_part_has_room_up_to_its_last_element) {
    const auto whole = tagged({6, 8}, dnnl_ab);
    const dims_t dims = {2, 3}, offsets = {3, 4};
    memory_desc_handle_t part;
    ASSERT_EQ(dnnl_memory_desc_create_submemory(part.out(), whole, dims.data(), offsets.data()),
            dnnl_success);
    const auto memory = made(part, DNNL_MEMORY_ALLOCATE);
    auto *const elements = static_cast<float *>(handle_of(memory));
    ASSERT_NE(elements, nullptr);
    const layout_t layout(part);
    elements[layout.offset({0, 0})] = 1;
    elements[layout.offset({1, 2})] = 2; // beyond the buffer, an address checker would say so
}

TEST(memory, without_a_buffer_has_a_null_handle) {
    const auto memory = made(tagged({2, 3}, dnnl_ab), DNNL_MEMORY_NONE);
    EXPECT_EQ(handle_of(memory), nullptr);
    float buffer[6];
    EXPECT_EQ(dnnl_memory_set_data_handle(memory, buffer), dnnl_success);
    EXPECT_EQ(handle_of(memory), buffer);
}

TEST(memory, of_no_bytes_allocates_none) {
    memory_desc_handle_t zero;
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(
                      zero.out(), 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
            dnnl_success);
    const auto empty = tagged({0, 3}, dnnl_ab);
    for (const const_dnnl_memory_desc_t md : {const_dnnl_memory_desc_t(zero),
                 const_dnnl_memory_desc_t(empty), const_dnnl_memory_desc_t(nullptr)}) {
        const auto memory = made(md, DNNL_MEMORY_ALLOCATE);
        EXPECT_EQ(handle_of(memory), nullptr);
        void *mapped = &zero;
        EXPECT_EQ(dnnl_memory_map_data(memory, &mapped), dnnl_success);
        EXPECT_EQ(mapped, nullptr);
        EXPECT_EQ(dnnl_memory_unmap_data(memory, mapped), dnnl_success);
    }
}

TEST(memory, knows_its_descriptor_and_engine) {
    memory_handle_t memory;
    const auto md = tagged({2, 17, 3, 3}, dnnl_aBcd16b);
    {
        const auto passing = clone_desc(md);
        memory = made(passing, DNNL_MEMORY_NONE);
    }
    const_dnnl_memory_desc_t found = nullptr;
    ASSERT_EQ(dnnl_memory_get_memory_desc(memory, &found), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(found, md));
    dnnl_engine_t engine = nullptr;
    EXPECT_EQ(dnnl_memory_get_engine(memory, &engine), dnnl_success);
    EXPECT_EQ(engine, cpu_engine());
}

TEST(memory, of_the_null_descriptor_is_of_the_zero_descriptor) {
    const auto memory = made(nullptr, DNNL_MEMORY_NONE);
    const_dnnl_memory_desc_t found = nullptr;
    ASSERT_EQ(dnnl_memory_get_memory_desc(memory, &found), dnnl_success);
    int ndims = -1;
    EXPECT_EQ(dnnl_memory_desc_query(found, dnnl_query_ndims_s32, &ndims), dnnl_success);
    EXPECT_EQ(ndims, 0);
}

// ---- exchanging buffers

TEST(memory, gives_up_the_library_s_buffer_for_the_user_s) {
    float buffer[6] = {};
    const auto memory = made(tagged({2, 3}, dnnl_ab), DNNL_MEMORY_ALLOCATE);
    ASSERT_EQ(dnnl_memory_set_data_handle(memory, buffer), dnnl_success);
    EXPECT_EQ(handle_of(memory), buffer);
    ASSERT_EQ(dnnl_memory_set_data_handle(memory, buffer), dnnl_success);
    EXPECT_EQ(handle_of(memory), buffer);
    ASSERT_EQ(dnnl_memory_set_data_handle_v2(memory, nullptr, 0), dnnl_success);
    EXPECT_EQ(handle_of(memory), nullptr);
}

TEST(memory, of_one_buffer_has_no_second) {
    float buffer[6] = {};
    const auto memory = made(tagged({2, 3}, dnnl_ab), buffer);
    void *pointer = nullptr;
    EXPECT_EQ(dnnl_memory_set_data_handle_v2(memory, buffer, 1), dnnl_invalid_arguments);
    for (const int index : {1, -1, 100}) {
        EXPECT_EQ(dnnl_memory_map_data_v2(memory, &pointer, index), dnnl_invalid_arguments)
                << index;
        EXPECT_EQ(dnnl_memory_unmap_data_v2(memory, buffer, index), dnnl_invalid_arguments)
                << index;
    }
}

// ---- mapping

TEST(memory, is_mapped_where_it_lies) {
    float buffer[6] = {};
    const auto user_s = made(tagged({2, 3}, dnnl_ab), buffer);
    const auto library_s = made(tagged({2, 3}, dnnl_ab), DNNL_MEMORY_ALLOCATE);
    for (const auto *memory : {&user_s, &library_s}) {
        void *mapped = nullptr, *again = nullptr;
        ASSERT_EQ(dnnl_memory_map_data(*memory, &mapped), dnnl_success);
        EXPECT_EQ(mapped, handle_of(*memory));
        EXPECT_EQ(dnnl_memory_unmap_data(*memory, mapped), dnnl_success);
        ASSERT_EQ(dnnl_memory_map_data_v2(*memory, &again, 0), dnnl_success);
        EXPECT_EQ(again, mapped);
        EXPECT_EQ(dnnl_memory_unmap_data_v2(*memory, again, 0), dnnl_success);
    }
}

TEST(memory, what_is_written_while_mapped_stays) {
    const auto memory = made(tagged({2, 3}, dnnl_ab), DNNL_MEMORY_ALLOCATE);
    void *mapped = nullptr;
    ASSERT_EQ(dnnl_memory_map_data(memory, &mapped), dnnl_success);
    for (int i = 0; i < 6; ++i) static_cast<float *>(mapped)[i] = static_cast<float>(i);
    ASSERT_EQ(dnnl_memory_unmap_data(memory, mapped), dnnl_success);
    const auto *values = static_cast<const float *>(handle_of(memory));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(values[i], i);
}

// ---- several buffers

TEST(memory, of_a_sparse_tensor_holds_each_of_its_buffers) {
    float values[5] = {};
    int32_t columns[5] = {}, rows[5] = {};
    void *handles[] = {values, columns, rows};
    memory_handle_t memory;
    ASSERT_EQ(dnnl_memory_create_v2(memory.out(), csr_desc(5), cpu_engine(), 3, handles),
            dnnl_success);
    for (int index = 0; index < 3; ++index) {
        EXPECT_EQ(handle_of(memory, index), handles[index]);
        void *mapped = nullptr;
        EXPECT_EQ(dnnl_memory_map_data_v2(memory, &mapped, index), dnnl_success);
        EXPECT_EQ(mapped, handles[index]);
        EXPECT_EQ(dnnl_memory_unmap_data_v2(memory, mapped, index), dnnl_success);
    }
    int32_t other[5] = {};
    EXPECT_EQ(dnnl_memory_set_data_handle_v2(memory, other, 1), dnnl_success);
    EXPECT_EQ(handle_of(memory, 1), other);
    EXPECT_EQ(handle_of(memory, 0), values);
    void *mapped = nullptr;
    EXPECT_EQ(dnnl_memory_map_data_v2(memory, &mapped, 3), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_data_handle_v2(memory, other, 3), dnnl_invalid_arguments);
}

TEST(memory, of_a_sparse_tensor_may_mix_the_owners_of_its_buffers) {
    float values[5] = {};
    void *handles[] = {values, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_NONE};
    memory_handle_t memory;
    ASSERT_EQ(dnnl_memory_create_v2(memory.out(), csr_desc(5), cpu_engine(), 3, handles),
            dnnl_success);
    EXPECT_EQ(handle_of(memory, 0), values);
    ASSERT_NE(handle_of(memory, 1), nullptr);
    std::memset(handle_of(memory, 1), 0x5a, dnnl_memory_desc_get_size_v2(csr_desc(5), 1));
    EXPECT_EQ(handle_of(memory, 2), nullptr);
}

TEST(memory, of_a_dense_tensor_is_made_by_either_function) {
    float buffer[6] = {};
    void *handles[] = {buffer};
    memory_handle_t memory;
    ASSERT_EQ(
            dnnl_memory_create_v2(memory.out(), tagged({2, 3}, dnnl_ab), cpu_engine(), 1, handles),
            dnnl_success);
    EXPECT_EQ(handle_of(memory), buffer);
}

// ---- values on the host

template <typename value_t>
void expect_host_scalar(dnnl_data_type_t data_type, value_t first, value_t second) {
    memory_desc_handle_t md;
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(md.out(), data_type), dnnl_success);
    memory_handle_t memory;
    value_t value = first;
    ASSERT_EQ(dnnl_memory_create_host_scalar(memory.out(), md, &value), dnnl_success);
    value = second; // the memory has its own copy
    value_t found{};
    EXPECT_EQ(dnnl_memory_get_host_scalar_value(memory, &found), dnnl_success);
    EXPECT_EQ(found, first);
    EXPECT_EQ(dnnl_memory_set_host_scalar_value(memory, &second), dnnl_success);
    EXPECT_EQ(dnnl_memory_get_host_scalar_value(memory, &found), dnnl_success);
    EXPECT_EQ(found, second);

    void *handle = nullptr;
    EXPECT_EQ(dnnl_memory_get_data_handle(memory, &handle), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_data_handle_v2(memory, &handle, 0), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_data_handle(memory, &found), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_data_handle_v2(memory, &found, 0), dnnl_invalid_arguments);
    dnnl_engine_t engine = cpu_engine();
    EXPECT_EQ(dnnl_memory_get_engine(memory, &engine), dnnl_success);
    EXPECT_EQ(engine, nullptr);
    const_dnnl_memory_desc_t found_md = nullptr;
    EXPECT_EQ(dnnl_memory_get_memory_desc(memory, &found_md), dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(found_md, md));
}

TEST(host_scalar, keeps_a_value_of_each_type) {
    expect_host_scalar<float>(dnnl_f32, 1.5f, -2.25f);
    expect_host_scalar<int32_t>(dnnl_s32, -7, 1 << 30);
    expect_host_scalar<int64_t>(dnnl_s64, int64_t(1) << 40, -3);
    expect_host_scalar<int8_t>(dnnl_s8, -128, 127);
    expect_host_scalar<uint8_t>(dnnl_u8, 255, 1);
    expect_host_scalar<uint16_t>(dnnl_f16, 0x3c00, 0xc000);
    expect_host_scalar<uint16_t>(dnnl_bf16, 0x3f80, 0xc000);
}

TEST(host_scalar, and_tensors_are_not_made_by_each_other_s_functions) {
    float value = 1;
    void *handles[] = {&value};
    memory_desc_handle_t scalar;
    ASSERT_EQ(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), dnnl_success);
    const auto tensor = tagged({1}, dnnl_a);
    memory_handle_t memory;
    EXPECT_EQ(
            dnnl_memory_create(memory.out(), scalar, cpu_engine(), &value), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create_v2(memory.out(), scalar, cpu_engine(), 1, handles),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create_host_scalar(memory.out(), tensor, &value), dnnl_invalid_arguments);
    memory = made(tensor, &value);
    float found = 0;
    EXPECT_EQ(dnnl_memory_get_host_scalar_value(memory, &found), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_host_scalar_value(memory, &found), dnnl_invalid_arguments);
}

// ---- what cannot be made

TEST(memory, without_a_definite_layout_is_refused) {
    float buffer[8] = {};
    void *handles[] = {buffer};
    const auto open = tagged({2, 3}, dnnl_format_tag_any);
    const auto runtime_extent = tagged({DNNL_RUNTIME_DIM_VAL, 3}, dnnl_ab);
    const auto runtime_stride = make_desc({2, 3}, dnnl_f32, dims_t{DNNL_RUNTIME_DIM_VAL, 1});
    for (const auto *md : {&open, &runtime_extent, &runtime_stride}) {
        memory_handle_t memory;
        EXPECT_EQ(dnnl_memory_create(memory.out(), *md, cpu_engine(), buffer),
                dnnl_invalid_arguments);
        EXPECT_EQ(dnnl_memory_create_v2(memory.out(), *md, cpu_engine(), 1, handles),
                dnnl_invalid_arguments);
    }
}

TEST(memory, larger_than_the_machine_is_out_of_memory_and_nothing_else_suffers) {
    constexpr dnnl_dim_t tebi = dnnl_dim_t(1) << 40;
    const auto absurd = tagged({tebi}, dnnl_a, dnnl_f64);
    void *handles[] = {DNNL_MEMORY_ALLOCATE};
    for (int repetition = 0; repetition < 3; ++repetition) {
        dnnl_memory_t memory = nullptr;
        EXPECT_EQ(dnnl_memory_create(&memory, absurd, cpu_engine(), DNNL_MEMORY_ALLOCATE),
                dnnl_out_of_memory);
        EXPECT_EQ(dnnl_memory_create_v2(&memory, absurd, cpu_engine(), 1, handles),
                dnnl_out_of_memory);
        EXPECT_EQ(memory, nullptr);
        const auto small = made(tagged({16}, dnnl_a), DNNL_MEMORY_ALLOCATE);
        ASSERT_NE(handle_of(small), nullptr);
        std::memset(handle_of(small), 0, 64);
    }
}

TEST(memory, larger_than_the_machine_may_lie_in_the_user_s_buffer) {
    constexpr dnnl_dim_t tebi = dnnl_dim_t(1) << 40;
    float buffer = 0; // never touched: a memory object does not read
    const auto memory = made(tagged({tebi}, dnnl_a, dnnl_f64), &buffer);
    EXPECT_EQ(handle_of(memory), &buffer);
}

TEST(memory, a_null_memory_has_a_null_handle) {
    void *handle = &handle;
    EXPECT_EQ(dnnl_memory_get_data_handle(nullptr, &handle), dnnl_success);
    EXPECT_EQ(handle, nullptr);
    EXPECT_EQ(dnnl_memory_destroy(nullptr), dnnl_success);
}

} // namespace

} // namespace kiln::test
