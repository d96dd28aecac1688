// SPDX-License-Identifier: Apache-2.0
// Generated code in executable memory.

#include "cpu/x64/jit/code/executable_code.hpp"

#include <utility>

#include "cpu/x64/jit/code/code_listing.hpp"
#include "cpu/x64/jit/code/code_pages.hpp"

namespace kiln::x64::jit {

executable_code_t::executable_code_t(const std::string &name, std::span<const uint8_t> code) {
    if (code.empty()) return;
    pages_ = make_code_pages(code);
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
    if (pages_) free_code_pages(pages_, size_);
}

} // namespace kiln::x64::jit
