// SPDX-License-Identifier: Apache-2.0
// The memory object and its C entries.

#include "common/memory/memory.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {

void free_t::operator()(void *buffer) const { std::free(buffer); }

buffer_t allocate_buffer(size_t bytes) {
    constexpr size_t alignment = 64;
    if (bytes == 0) return nullptr;
    if (bytes > std::numeric_limits<size_t>::max() - alignment) throw std::bad_alloc();
    void *buffer = std::aligned_alloc(alignment, round_up(bytes, alignment));
    if (buffer == nullptr) throw std::bad_alloc();
    return buffer_t(buffer);
}

} // namespace kiln

using namespace kiln;

dnnl_memory::dnnl_memory(engine_t *engine, const memory_desc_t &md, void **handles, int count)
    : engine_(engine)
    , md_(md)
    , capacity_(byte_size(md) == 0 ? 0 : byte_size(md) + offset0_bytes(md))
    , handles_(handles, handles + count) {
    for (int i = 0; i < count; ++i) {
        void *&handle = handles_[static_cast<size_t>(i)];
        if (handle != DNNL_MEMORY_ALLOCATE) continue;
        owned_.push_back(allocate_buffer(i == 0 ? capacity_ : byte_size(md, i)));
        handle = owned_.back().get();
        if (i == 0 && handle) zero_pad(md_, handle);
    }
}

dnnl_memory::dnnl_memory(const memory_desc_t &md, const void *scalar)
    : md_(md)
    , capacity_(byte_size(md))
    , handles_{scalar_} {
    set_scalar(scalar);
}

void dnnl_memory::set_scalar(const void *value) {
    std::memcpy(scalar_, value, data_type_size(md_.data_type));
}

namespace {

status_t create(memory_t **memory, const memory_desc_t *memory_desc, engine_t *engine, int count,
        void **handles) {
    const memory_desc_t &md = memory_desc ? *memory_desc : zero_md;
    KILN_REQUIRE(!is_any(md), dnnl_invalid_arguments, "memory",
            "the descriptor has format any; a memory needs a layout");
    KILN_REQUIRE(!is_host_scalar(md), dnnl_invalid_arguments, "memory",
            "the descriptor is of a host scalar; dnnl_memory_create_host_scalar makes its memory");
    KILN_REQUIRE(!has_runtime_values(md), dnnl_invalid_arguments, "memory",
            "the descriptor has dimensions or strides known only at execution; a memory needs all");
    KILN_REQUIRE(count == handle_count(md), dnnl_invalid_arguments, "memory",
            "there are %d handles; the descriptor needs %d", count, handle_count(md));
    return guarded([&] {
        *memory = new memory_t(engine, md, handles, count);
        return dnnl_success;
    });
}

bool has_settable_handle(const memory_t &memory, int index) {
    return 0 <= index && index < memory.handle_count() && !is_host_scalar(memory.md());
}

} // namespace

status_t dnnl_memory_create(
        memory_t **memory, const memory_desc_t *memory_desc, engine_t *engine, void *handle) {
    if (memory == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    return create(memory, memory_desc, engine, 1, &handle);
}

status_t dnnl_memory_create_v2(memory_t **memory, const memory_desc_t *memory_desc,
        engine_t *engine, int nhandles, void **handles) {
    if (memory == nullptr || engine == nullptr || handles == nullptr || nhandles <= 0)
        return dnnl_invalid_arguments;
    return create(memory, memory_desc, engine, nhandles, handles);
}

status_t dnnl_memory_create_host_scalar(
        memory_t **memory, const memory_desc_t *memory_desc, void *scalar_ptr) {
    if (memory == nullptr || memory_desc == nullptr || scalar_ptr == nullptr)
        return dnnl_invalid_arguments;
    KILN_REQUIRE(is_host_scalar(*memory_desc), dnnl_invalid_arguments, "memory",
            "the descriptor is not of a host scalar");
    return guarded([&] {
        *memory = new memory_t(*memory_desc, scalar_ptr);
        return dnnl_success;
    });
}

status_t dnnl_memory_destroy(memory_t *memory) {
    delete memory;
    return dnnl_success;
}

status_t dnnl_memory_get_memory_desc(const memory_t *memory, const memory_desc_t **memory_desc) {
    if (memory == nullptr || memory_desc == nullptr) return dnnl_invalid_arguments;
    *memory_desc = &memory->md();
    return dnnl_success;
}

status_t dnnl_memory_get_engine(const memory_t *memory, engine_t **engine) {
    if (memory == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    *engine = memory->engine();
    return dnnl_success;
}

status_t dnnl_memory_get_data_handle(const memory_t *memory, void **handle) {
    return dnnl_memory_get_data_handle_v2(memory, handle, 0);
}

status_t dnnl_memory_get_data_handle_v2(const memory_t *memory, void **handle, int index) {
    if (handle == nullptr) return dnnl_invalid_arguments;
    if (memory == nullptr) {
        *handle = nullptr;
        return dnnl_success;
    }
    KILN_REQUIRE(has_settable_handle(*memory, index), dnnl_invalid_arguments, "memory",
            "the memory has no handle of index %d", index);
    *handle = memory->handle(index);
    return dnnl_success;
}

status_t dnnl_memory_set_data_handle(memory_t *memory, void *handle) {
    return dnnl_memory_set_data_handle_v2(memory, handle, 0);
}

status_t dnnl_memory_set_data_handle_v2(memory_t *memory, void *handle, int index) {
    if (memory == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(has_settable_handle(*memory, index), dnnl_invalid_arguments, "memory",
            "the memory has no handle of index %d", index);
    memory->set_handle(handle, index);
    return dnnl_success;
}

status_t dnnl_memory_map_data(const memory_t *memory, void **mapped_ptr) {
    return dnnl_memory_map_data_v2(memory, mapped_ptr, 0);
}

status_t dnnl_memory_map_data_v2(const memory_t *memory, void **mapped_ptr, int index) {
    if (memory == nullptr || mapped_ptr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(0 <= index && index < memory->handle_count(), dnnl_invalid_arguments, "memory",
            "the memory has no handle of index %d", index);
    *mapped_ptr = byte_size(memory->md(), index) == 0 ? nullptr : memory->handle(index);
    return dnnl_success;
}

status_t dnnl_memory_unmap_data(const memory_t *memory, void *mapped_ptr) {
    return dnnl_memory_unmap_data_v2(memory, mapped_ptr, 0);
}

status_t dnnl_memory_unmap_data_v2(const memory_t *memory, void *, int index) {
    if (memory == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(0 <= index && index < memory->handle_count(), dnnl_invalid_arguments, "memory",
            "the memory has no handle of index %d", index);
    return dnnl_success;
}

status_t dnnl_memory_get_host_scalar_value(const memory_t *memory, void *value) {
    if (memory == nullptr || value == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(is_host_scalar(memory->md()), dnnl_invalid_arguments, "memory",
            "the memory is not a host scalar");
    std::memcpy(value, memory->handle(), data_type_size(memory->md().data_type));
    return dnnl_success;
}

status_t dnnl_memory_set_host_scalar_value(memory_t *memory, const void *value) {
    if (memory == nullptr || value == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(is_host_scalar(memory->md()), dnnl_invalid_arguments, "memory",
            "the memory is not a host scalar");
    memory->set_scalar(value);
    return dnnl_success;
}
