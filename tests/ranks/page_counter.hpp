// SPDX-License-Identifier: Apache-2.0
// Counts the traffic of buffers: how often each of their pages is fetched into a cache.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace kiln::test {

/// The cache holds the pages of all buffers that were fetched last. The other pages are protected:
/// an access to one is a fault, whose handler counts a fetch and lets the page in for the oldest
/// one. Prefetches do not count. Not for executions on several threads; one counter at a time.
class page_counter_t {
public:
    static constexpr size_t page_size = 4096;
    struct count_t {
        size_t fetched = 0; ///< pages, each time that they are fetched
        size_t written = 0; ///< fetched pages that were also written
    };

    explicit page_counter_t(size_t cached_pages)
        : cached_pages_(cached_pages) {}
    page_counter_t(const page_counter_t &) = delete;
    page_counter_t &operator=(const page_counter_t &) = delete;
    ~page_counter_t();

    /// A new buffer of whole pages; the counter owns it.
    std::byte *add(size_t bytes);
    /// Protects all buffers and counts from zero, until stop().
    void start();
    void stop();
    /// Of the buffer that add() has given.
    count_t count(const std::byte *buffer) const;

    /// For the handler of faults: whether the address is in a buffer, whose page is accessible now.
    bool take_fault(const void *address, bool is_write) noexcept;

private:
    struct page_t {
        size_t fetched = 0, written = 0;
        bool is_cached = false;
    };
    struct buffer_t {
        std::byte *data;
        std::vector<page_t> pages;
    };
    struct place_t {
        buffer_t *buffer;
        size_t page;
    };

    const size_t cached_pages_;
    std::deque<buffer_t> buffers_;
    std::vector<place_t> cache_; // a ring of cached_pages_ places
    size_t oldest_ = 0;
};

} // namespace kiln::test
