// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/jit/code/code_pages.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "common/integers.hpp"
#include "common/verbose/verbose.hpp"
#include "cpu/x64/cache_size.hpp"

namespace kiln::x64::jit {
namespace {

enum class permission_t { unknown, given, refused };
constinit std::atomic<permission_t> permission{permission_t::unknown};

/// The failures of mprotect() that memory can mend. All others come from a policy.
bool is_lack_of_memory(int error) { return error == ENOMEM || error == EAGAIN; }

void note_refusal(int error) {
    if (permission.exchange(permission_t::refused) == permission_t::refused) return;
    verbose::report(verbose::warning, "primitive", __FILE__, __LINE__,
            "the system refuses executable pages (mprotect: %s); implementations that generate "
            "code are not used",
            std::strerror(error));
}

/// Pages, all zero. Null if there is no memory.
void *mapped(size_t size) noexcept {
    void *const pages =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

/// Maps pages for many kernels at once, which takes one system call instead of many. Each piece is
/// unmapped by its owner.
class page_supply_t {
public:
    /// The next `size` bytes, whole pages. Null if there is no memory.
    void *take(size_t size) noexcept {
        if (size > mapped_at_once) return mapped(size);
        const std::lock_guard lock(mutex_);
        if (is_closed_) return mapped(size);
        if (size > left_) {
            void *const pages = mapped(mapped_at_once);
            if (pages == nullptr) return mapped(size);
            if (left_ != 0) munmap(next_, left_);
            next_ = static_cast<uint8_t *>(pages);
            left_ = mapped_at_once;
        }
        left_ -= size;
        return std::exchange(next_, next_ + size);
    }

    /// Unmaps what is left, unless a thread takes pages, which may be one that a fork has lost.
    /// Pages that are taken later are mapped one by one.
    void close() noexcept {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return;
        is_closed_ = true;
        if (left_ != 0) munmap(next_, left_);
        left_ = 0;
    }

private:
    static constexpr size_t mapped_at_once = size_t{1} << 18;

    std::mutex mutex_;
    uint8_t *next_ = nullptr;
    size_t left_ = 0;
    bool is_closed_ = false;
};

constinit page_supply_t supply;

/// When the library is unloaded.
[[gnu::destructor]] void close_supply() { supply.close(); }

/// Returns 0, or the error, which it notes if it is a refusal.
int make_executable(void *pages, size_t size) noexcept {
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) == 0) return 0;
    const int error = errno;
    if (!is_lack_of_memory(error)) note_refusal(error);
    return error;
}

void try_one_page() noexcept {
    void *const page = mapped(page_bytes);
    if (page == nullptr) return;
    auto unknown = permission_t::unknown;
    if (make_executable(page, page_bytes) == 0)
        permission.compare_exchange_strong(unknown, permission_t::given);
    munmap(page, page_bytes);
}

} // namespace

code_pages_refused_t::code_pages_refused_t()
    : std::runtime_error("the system refuses executable pages") {}

bool code_pages_are_allowed() noexcept {
    if (permission.load(std::memory_order_relaxed) == permission_t::unknown) try_one_page();
    // Without memory for the attempt it stays unknown: the code pages themselves will tell.
    return permission.load(std::memory_order_relaxed) != permission_t::refused;
}

code_pages_t::code_pages_t(size_t size)
    : size_(round_up<size_t>(size, page_bytes))
    , data_(static_cast<uint8_t *>(supply.take(size_))) {
    if (data_ == nullptr) throw std::bad_alloc();
}

code_pages_t::~code_pages_t() { munmap(data_, size_); }

void code_pages_t::make_executable() {
    const int error = x64::jit::make_executable(data_, size_);
    if (is_lack_of_memory(error)) throw std::bad_alloc();
    if (error != 0) throw code_pages_refused_t();
}

} // namespace kiln::x64::jit
