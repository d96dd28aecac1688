// SPDX-License-Identifier: Apache-2.0
#include "faults/injection.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <span>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "oneapi/dnnl/dnnl.h"

namespace kiln::test {

namespace {

std::atomic<bool> is_armed = false;
fault_t armed_fault;
long first_failure;
bool failures_persist;
std::atomic<long> calls = 0;
std::atomic<long> live = 0;

/// Counts a call; whether it fails.
bool fails(fault_t fault) {
    if (!is_armed || fault != armed_fault) return false;
    const long call = calls++;
    return call == first_failure || (failures_persist && call > first_failure);
}

/// The addresses where the file is loaded that holds a function.
struct loaded_file_t {
    uintptr_t function, begin = 0, end = 0;

    explicit loaded_file_t(const void *function)
        : function(reinterpret_cast<uintptr_t>(function)) {
        dl_iterate_phdr(find, this);
    }
    bool holds(const void *address) const {
        const auto at = reinterpret_cast<uintptr_t>(address);
        return begin <= at && at < end;
    }

private:
    static int find(dl_phdr_info *file, size_t, void *self) {
        auto &range = *static_cast<loaded_file_t *>(self);
        uintptr_t begin = UINTPTR_MAX, end = 0;
        for (const auto &part : std::span(file->dlpi_phdr, file->dlpi_phnum)) {
            if (part.p_type != PT_LOAD) continue;
            begin = std::min(begin, file->dlpi_addr + part.p_vaddr);
            end = std::max(end, file->dlpi_addr + part.p_vaddr + part.p_memsz);
        }
        if (range.function < begin || range.function >= end) return 0;
        range.begin = begin, range.end = end;
        return 1;
    }
};

/// Whether code at this address is Kiln's or the C++ library's. Called by each allocation.
bool is_ours(const void *caller) {
    static const loaded_file_t kiln(reinterpret_cast<const void *>(&dnnl_version));
    static const loaded_file_t cpp(reinterpret_cast<const void *>(&std::set_new_handler));
    return kiln.holds(caller) || cpp.holds(caller);
}

#define CALLER __builtin_return_address(0)
#define IS_OURS is_ours(CALLER)

} // namespace

const char *name_of(fault_t fault) {
    constexpr const char *names[] = {"allocation", "mapping", "protection", "policy", "file"};
    return names[static_cast<int>(fault)];
}

void arm(fault_t fault, long first, bool persists) {
    armed_fault = fault;
    first_failure = first;
    failures_persist = persists;
    calls = 0;
    is_armed = true;
}

long disarm() {
    is_armed = false;
    return calls;
}

bool fails_now(fault_t fault) { return fails(fault); }

long live_resources() { return live; }
void forget_resources() { live = 0; }

#ifndef __SANITIZE_ADDRESS__
extern "C" {
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
}
constexpr auto system_allocate = __libc_memalign;
constexpr auto system_free = __libc_free;
#else // it has functions of its own
constexpr auto system_allocate = std::aligned_alloc;
constexpr auto system_free = std::free;
#endif

// ---- operator new

namespace {

void *allocate(size_t size, size_t alignment, const void *caller) noexcept {
    if (is_armed && is_ours(caller) && fails(fault_t::allocation)) return nullptr;
    size = (size + alignment) / alignment * alignment; // at least one
    void *const result = system_allocate(alignment, size);
    if (result) ++live;
    return result;
}

void *allocate_or_throw(size_t size, size_t alignment, const void *caller) {
    void *const result = allocate(size, alignment, caller);
    if (result == nullptr) throw std::bad_alloc();
    return result;
}

void release(void *memory) noexcept {
    if (memory) --live;
    system_free(memory);
}

constexpr size_t default_alignment = alignof(std::max_align_t);

} // namespace

} // namespace kiln::test

using namespace kiln::test;

void *operator new(size_t size) { return allocate_or_throw(size, default_alignment, CALLER); }
void *operator new[](size_t size) { return allocate_or_throw(size, default_alignment, CALLER); }
void *operator new(size_t size, const std::nothrow_t &) noexcept {
    return allocate(size, default_alignment, CALLER);
}
void *operator new(size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, static_cast<size_t>(alignment), CALLER);
}
void *operator new(size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
    return allocate(size, static_cast<size_t>(alignment), CALLER);
}
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { release(memory); }

#ifndef __SANITIZE_ADDRESS__

// The library finds these functions only if the program exports them.
#pragma GCC visibility push(default)

// ---- memory of the C library

namespace {

/// Buffers of the library that are not freed.
class buffers_t {
public:
    void add(void *buffer) {
        const std::lock_guard lock(mutex_);
        if (void **const place = std::find(std::begin(all_), std::end(all_), nullptr);
                place != std::end(all_))
            *place = buffer, ++live;
    }
    void remove(void *buffer) {
        const std::lock_guard lock(mutex_);
        if (void **const place = std::find(std::begin(all_), std::end(all_), buffer);
                place != std::end(all_))
            *place = nullptr, --live;
    }

private:
    std::mutex mutex_;
    void *all_[256] = {};
};
constinit buffers_t buffers;

} // namespace

extern "C" void *aligned_alloc(size_t alignment, size_t size) {
    const bool is_counted = IS_OURS;
    if (is_counted && fails(fault_t::allocation)) return nullptr;
    void *const buffer = system_allocate(alignment, size);
    if (is_counted && buffer) buffers.add(buffer);
    return buffer;
}

extern "C" int posix_memalign(void **buffer, size_t alignment, size_t size) {
    if (IS_OURS && fails(fault_t::allocation)) return ENOMEM;
    *buffer = system_allocate(alignment, size);
    return *buffer ? 0 : ENOMEM;
}

extern "C" void free(void *memory) {
    constexpr uintptr_t alignment = 64; // of the library's buffers
    if (memory && reinterpret_cast<uintptr_t>(memory) % alignment == 0) buffers.remove(memory);
    system_free(memory);
}

// ---- mappings

extern "C" void *mmap(void *address, size_t size, int protection, int flags, int file, off_t at) {
    const bool is_counted = IS_OURS;
    if (is_counted && fails(fault_t::mapping)) return errno = ENOMEM, MAP_FAILED;
    const long result = syscall(SYS_mmap, address, size, protection, flags, file, at);
    if (is_counted && result != -1) ++live;
    return reinterpret_cast<void *>(result);
}

extern "C" int munmap(void *address, size_t size) {
    const auto result = static_cast<int>(syscall(SYS_munmap, address, size));
    if (IS_OURS && result == 0) --live;
    return result;
}

extern "C" int mprotect(void *address, size_t size, int protection) noexcept {
    if (IS_OURS && fails(fault_t::protection)) return errno = ENOMEM, -1;
    if (IS_OURS && (protection & PROT_EXEC) && fails(fault_t::policy)) return errno = EACCES, -1;
    return static_cast<int>(syscall(SYS_mprotect, address, size, protection));
}

// ---- files

extern "C" int open(const char *path, int flags, ...) {
    if (IS_OURS && fails(fault_t::file)) return errno = ENOSPC, -1;
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, 0644));
}

extern "C" ssize_t write(int file, const void *bytes, size_t size) {
    if (IS_OURS && fails(fault_t::file)) return errno = ENOSPC, -1;
    return syscall(SYS_write, file, bytes, size);
}

extern "C" ssize_t writev(int file, const iovec *parts, int count) {
    if (IS_OURS && fails(fault_t::file)) return errno = ENOSPC, -1;
    return syscall(SYS_writev, file, parts, count);
}

namespace {

/// The function of that name behind this program's.
template <typename function_t> function_t *next(const char *name) {
    return reinterpret_cast<function_t *>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" FILE *fopen64(const char *path, const char *mode) {
    static auto *const real = next<FILE *(const char *, const char *)>("fopen64");
    if (IS_OURS && fails(fault_t::file)) return errno = ENOSPC, nullptr;
    return real(path, mode);
}

extern "C" size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    static auto *const real = next<size_t(const void *, size_t, size_t, FILE *)>("fwrite");
    if (IS_OURS && fails(fault_t::file)) return errno = ENOSPC, 0;
    return real(bytes, size, count, file);
}

extern "C" char *mkdtemp(char *path) noexcept {
    static auto *const real = next<char *(char *)>("mkdtemp");
    if (IS_OURS && fails(fault_t::file)) return errno = ENOSPC, nullptr;
    return real(path);
}

#pragma GCC visibility pop

#endif
