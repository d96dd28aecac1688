// SPDX-License-Identifier: Apache-2.0
// Generated code in executable memory.

#include "cpu/x64/jit/code/executable_code.hpp"

#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "cpu/x64/jit/code/code_listing.hpp"

namespace kiln::x64::jit {
namespace {

void *writable_pages(size_t size) {
    void *const pages =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return pages;
}

void make_executable(void *pages, size_t size) {
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) == 0) return;
    munmap(pages, size);
    throw std::bad_alloc();
}

} // namespace

executable_code_t::executable_code_t(const std::string &name, std::span<const uint8_t> code) {
    if (code.empty()) return;
    void *const pages = writable_pages(code.size());
    std::memcpy(pages, code.data(), code.size());
    make_executable(pages, code.size());
    pages_ = pages;
    size_ = code.size();
    list_code(name, {data(), size_});
}

executable_code_t::executable_code_t(executable_code_t &&other) noexcept
    : pages_(std::exchange(other.pages_, nullptr))
    , size_(std::exchange(other.size_, 0)) {}

executable_code_t &executable_code_t::operator=(executable_code_t &&other) noexcept {
    executable_code_t taken(std::move(other));
    std::swap(pages_, taken.pages_);
    std::swap(size_, taken.size_);
    return *this;
}

executable_code_t::~executable_code_t() {
    if (pages_) munmap(pages_, size_);
}

} // namespace kiln::x64::jit
