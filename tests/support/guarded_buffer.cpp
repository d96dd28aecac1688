// SPDX-License-Identifier: Apache-2.0
// Reserves address space and opens pages of it. A buffer takes three system calls and a page fault
// for each of its pages, more than the work of most tests: open mappings of destroyed buffers are
// kept for the next ones of their size.
#include "support/guarded_buffer.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

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

/// Pages of this size in all between two unmapped ones, none of them accessible.
std::byte *map_pages(size_t inside) {
    void *const space = mmap(nullptr, inside + 2 * page_size(), PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) fail("mmap");
    return static_cast<std::byte *>(space) + page_size();
}

void unmap_pages(std::byte *first, size_t inside) {
    munmap(first - page_size(), inside + 2 * page_size());
}

/// Mappings whose pages are all open, by size. Any thread may take and give.
class open_mappings_t {
public:
    /// Null if there is none of this size.
    std::byte *take(size_t inside) {
        const std::lock_guard lock(mutex_);
        auto &mappings = of_size_[inside];
        if (mappings.empty()) return nullptr;
        std::byte *const first = mappings.back();
        mappings.pop_back();
        bytes_ -= inside;
        return first;
    }

    /// Returns false if the mapping is not kept.
    bool give(std::byte *first, size_t inside) {
        constexpr size_t most_bytes = size_t(32) << 20;
        const std::lock_guard lock(mutex_);
        if (inside > most_bytes - bytes_) return false;
        bytes_ += inside;
        of_size_[inside].push_back(first);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<size_t, std::vector<std::byte *>> of_size_;
    size_t bytes_ = 0;
};

/// Never destroyed: buffers of static objects are given back at exit.
open_mappings_t &open_mappings() {
    static auto &mappings = *new open_mappings_t;
    return mappings;
}

} // namespace

guarded_buffer_t::guarded_buffer_t(size_t size, placement_t placement, pages_t pages)
    : size_(size)
    , is_open_(pages == pages_t::open) {
    const size_t shift = placement == placement_t::at_odd_address && size != 0 ? 1 : 0;
    inside_ = round_up(size + shift);
    std::byte *const used = is_open_ ? open_mappings().take(inside_) : nullptr;
    first_ = used ? used : map_pages(inside_);
    data_ = placement == placement_t::ends_at_guard ? first_ + inside_ - size_ : first_ + shift;
    if (used)
        std::memset(first_, 0, inside_);
    else if (is_open_)
        open(0, size_);
}

guarded_buffer_t::guarded_buffer_t(guarded_buffer_t &&other) noexcept
    : size_(other.size_)
    , is_open_(other.is_open_)
    , inside_(other.inside_)
    , first_(std::exchange(other.first_, nullptr))
    , data_(other.data_) {}

guarded_buffer_t::~guarded_buffer_t() {
    if (!first_ || (is_open_ && open_mappings().give(first_, inside_))) return;
    unmap_pages(first_, inside_);
}

void guarded_buffer_t::open(size_t offset, size_t bytes) {
    if (bytes == 0) return;
    const size_t from = static_cast<size_t>(data_ - first_) + offset;
    const size_t begin = from / page_size() * page_size();
    const size_t end = round_up(from + bytes);
    if (mprotect(first_ + begin, end - begin, PROT_READ | PROT_WRITE)) fail("mprotect");
}

} // namespace kiln::test
