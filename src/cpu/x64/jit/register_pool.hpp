// SPDX-License-Identifier: Apache-2.0
// Pools of registers. A register is taken from a pool and returned by the destructor of the C++
// object that holds it, so that no two values share a register and none is lost.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace kiln::x64::jit {

/// The free register indices. The lowest is taken first.
class register_pool_t {
public:
    /// `what` names the kind of register in errors.
    register_pool_t(const char *what, uint32_t free)
        : what_(what)
        , free_(free)
        , all_(free) {}

    int take(const char *name) {
        if (free_ == 0) throw std::logic_error(std::string("no free ") + what_ + " for " + name);
        return taken(__builtin_ctz(free_));
    }
    /// A given register, which an instruction or the calling convention requires.
    int take(const char *name, int index) {
        if (!(free_ >> index & 1))
            throw std::logic_error(std::string(what_) + " " + std::to_string(index)
                                   + " is already taken; it is needed for " + name);
        return taken(index);
    }
    /// The highest free one, for a value that code emitted before needs in its register, too. No
    /// such code may have used the register.
    int take_last(const char *name) {
        const int index = free_ == 0 ? 0 : 31 - __builtin_clz(free_);
        if (free_ == 0 || used_ >> index & 1)
            throw std::logic_error(std::string("no unused ") + what_ + " for " + name);
        free_ &= ~(1u << index);
        return index;
    }
    void give_back(int index) { free_ |= 1u << index; }
    int free_count() const { return __builtin_popcount(free_); }
    /// Whether every register that was taken has been returned.
    bool is_whole() const { return free_ == all_; }

private:
    int taken(int index) {
        free_ &= ~(1u << index);
        used_ |= 1u << index;
        return index;
    }

    const char *what_;
    uint32_t free_;
    uint32_t used_ = 0; // ever taken but by take_last()
    uint32_t all_;
};

/// Holds a register while this object exists. `reg_t` is the assembler's type of it.
template <typename reg_t> class held_t {
public:
    held_t(register_pool_t &pool, int index, const reg_t &reg)
        : pool_(&pool)
        , index_(index)
        , reg_(reg) {}
    held_t(held_t &&other) noexcept
        : pool_(std::exchange(other.pool_, nullptr))
        , index_(other.index_)
        , reg_(other.reg_) {}
    held_t &operator=(held_t &&) = delete;
    ~held_t() {
        if (pool_) pool_->give_back(index_);
    }

    operator const reg_t &() const { return reg_; }
    const reg_t &operator*() const { return reg_; }
    int index() const { return index_; }

private:
    register_pool_t *pool_;
    int index_;
    reg_t reg_;
};

} // namespace kiln::x64::jit
