// SPDX-License-Identifier: Apache-2.0
// Protects pages and takes the faults of their accesses.
#include "ranks/page_counter.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>

#include <sys/mman.h>
#include <ucontext.h>

namespace kiln::test {
namespace {

page_counter_t *active = nullptr;
struct sigaction previous;

/// A fault elsewhere goes to the handler from before, as the access is repeated.
void handle(int, siginfo_t *info, void *context) {
    constexpr greg_t write_bit = 2; // of the error code of a page fault
    const auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    if (!active || !active->take_fault(info->si_addr, registers[REG_ERR] & write_bit))
        sigaction(SIGSEGV, &previous, nullptr);
}

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

page_counter_t::~page_counter_t() {
    if (active == this) stop();
    for (const auto &buffer : buffers_) munmap(buffer.data, buffer.pages.size() * page_size);
}

std::byte *page_counter_t::add(size_t bytes) {
    const size_t pages = (bytes + page_size - 1) / page_size;
    void *const data = mmap(nullptr, pages * page_size, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (data == MAP_FAILED) fail("mmap");
    buffers_.push_back({static_cast<std::byte *>(data), std::vector<page_t>(pages)});
    return buffers_.back().data;
}

void page_counter_t::start() {
    cache_.assign(cached_pages_, {nullptr, 0});
    oldest_ = 0;
    for (auto &buffer : buffers_) {
        buffer.pages.assign(buffer.pages.size(), {});
        if (mprotect(buffer.data, buffer.pages.size() * page_size, PROT_NONE)) fail("mprotect");
    }
    active = this;
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGSEGV, &action, &previous)) fail("sigaction");
}

void page_counter_t::stop() {
    sigaction(SIGSEGV, &previous, nullptr);
    active = nullptr;
    for (auto &buffer : buffers_)
        if (mprotect(buffer.data, buffer.pages.size() * page_size, PROT_READ | PROT_WRITE))
            fail("mprotect");
}

page_counter_t::count_t page_counter_t::count(const std::byte *data) const {
    count_t sum;
    for (const auto &buffer : buffers_) {
        if (buffer.data != data) continue;
        for (const auto &page : buffer.pages)
            sum.fetched += page.fetched, sum.written += page.written;
    }
    return sum;
}

bool page_counter_t::take_fault(const void *address, bool is_write) noexcept {
    for (auto &buffer : buffers_) {
        const auto offset =
                reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(buffer.data);
        const size_t number = offset / page_size;
        if (number >= buffer.pages.size()) continue;
        page_t &page = buffer.pages[number];
        if (!page.is_cached) {
            auto &[old, old_page] = cache_[oldest_];
            if (old) {
                old->pages[old_page].is_cached = false;
                if (mprotect(old->data + old_page * page_size, page_size, PROT_NONE)) return false;
            }
            old = &buffer, old_page = number;
            oldest_ = (oldest_ + 1) % cached_pages_;
            page.is_cached = true;
            ++page.fetched;
        }
        if (is_write) ++page.written;
        return mprotect(buffer.data + number * page_size, page_size,
                       is_write ? PROT_READ | PROT_WRITE : PROT_READ)
               == 0;
    }
    return false;
}

} // namespace kiln::test
