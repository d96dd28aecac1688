// SPDX-License-Identifier: Apache-2.0
// Reserves address space and opens pages of it.
#include "support/guarded_buffer.hpp"

#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace kiln::test {

namespace {

size_t page_size() {
    static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

size_t round_up(size_t bytes) { return (bytes + page_size() - 1) / page_size() * page_size(); }

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

guarded_buffer_t::guarded_buffer_t(size_t size, placement_t placement)
    : size_(size) {
    const size_t shift = placement == placement_t::at_odd_address && size != 0 ? 1 : 0;
    inside_ = round_up(size + shift);
    void *const space = mmap(nullptr, inside_ + 2 * page_size(), PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) fail("mmap");
    first_ = static_cast<std::byte *>(space) + page_size();
    data_ = placement == placement_t::ends_at_guard ? first_ + inside_ - size_ : first_ + shift;
}

guarded_buffer_t::guarded_buffer_t(guarded_buffer_t &&other) noexcept
    : size_(other.size_)
    , inside_(other.inside_)
    , first_(std::exchange(other.first_, nullptr))
    , data_(other.data_) {}

guarded_buffer_t::~guarded_buffer_t() {
    if (first_) munmap(first_ - page_size(), inside_ + 2 * page_size());
}

void guarded_buffer_t::open(size_t offset, size_t bytes) {
    if (bytes == 0) return;
    const size_t from = static_cast<size_t>(data_ - first_) + offset;
    const size_t begin = from / page_size() * page_size();
    const size_t end = round_up(from + bytes);
    if (mprotect(first_ + begin, end - begin, PROT_READ | PROT_WRITE)) fail("mprotect");
}

} // namespace kiln::test
