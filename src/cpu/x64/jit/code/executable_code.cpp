// SPDX-License-Identifier: Apache-2.0
// Generated code in executable memory.

#include "cpu/x64/jit/code/executable_code.hpp"

#include <algorithm>
#include <utility>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/code_listing.hpp"

namespace kiln::x64::jit {
namespace {

/// A variable of a thread without a destructor: it needs no memory of the thread's.
constinit thread_local code_batch_t *current_batch = nullptr;

} // namespace

executable_code_t::executable_code_t(const std::string &name, std::span<const uint8_t> code) {
    if (code.empty()) return;
    if (code_batch_t *const batch = code_batch_t::current()) data_ = batch->place(code, pages_);
    if (data_ == nullptr) {
        const auto own = std::make_shared<code_pages_t>(code.size());
        std::copy(code.begin(), code.end(), own->data());
        own->make_executable();
        data_ = own->data();
        pages_ = own;
    }
    size_ = code.size();
    list_code(name, {data(), size_});
}

executable_code_t::executable_code_t(executable_code_t &&other) noexcept
    : pages_(std::move(other.pages_))
    , data_(std::exchange(other.data_, nullptr))
    , size_(std::exchange(other.size_, 0)) {}

executable_code_t &executable_code_t::operator=(executable_code_t &&other) noexcept {
    executable_code_t taken(std::move(other));
    std::swap(pages_, taken.pages_);
    std::swap(data_, taken.data_);
    std::swap(size_, taken.size_);
    return *this;
}

code_batch_t::code_batch_t()
    : outer_(std::exchange(current_batch, this)) {}

code_batch_t::~code_batch_t() { current_batch = outer_; }

code_batch_t *code_batch_t::current() { return current_batch; }

uint8_t *code_batch_t::place(
        std::span<const uint8_t> code, std::shared_ptr<const code_pages_t> &pages) {
    constexpr size_t cache_line = 64;
    if (code.size() > capacity - used_) return nullptr;
    if (pages_ == nullptr) pages_ = std::make_shared<code_pages_t>(capacity);
    uint8_t *const at = pages_->data() + used_;
    std::copy(code.begin(), code.end(), at);
    used_ = std::min(capacity, round_up(used_ + code.size(), cache_line));
    pages = pages_;
    return at;
}

void code_batch_t::finish() {
    if (pages_) pages_->make_executable();
    current_batch = outer_;
}

} // namespace kiln::x64::jit
