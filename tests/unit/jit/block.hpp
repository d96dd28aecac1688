// SPDX-License-Identifier: Apache-2.0
// Runs the instructions that a building block emits, at any ISA level.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/generator.hpp"

namespace kiln::x64::jit::test {

/// The levels that tests run at; those that the machine lacks are skipped.
inline constexpr auto &levels = float_kernel_isas;

struct arguments_t {
    const void *src;
    void *dst;
    float *kept; // for the register after a store
};

/// The arguments in registers, and a vector register.
struct operands_t {
    Xbyak::Reg64 src;
    Xbyak::Reg64 dst;
    Xbyak::Reg64 kept;
    Xbyak::Xmm vec;
};

using body_t = std::function<void(generator_t &, const operands_t &)>;

/// A function that consists of what `body` emits.
class program_t : public generator_t {
public:
    /// `registers_in_use` vectors are taken first, so that the body gets others.
    program_t(isa_t isa, int registers_in_use, body_t body)
        : generator_t(isa, "jit_block_test")
        , registers_in_use_(registers_in_use)
        , body_(std::move(body)) {}

protected:
    void generate() override {
        const gpr_t src = gpr("src");
        const gpr_t dst = gpr("dst");
        const gpr_t kept = gpr("kept");
        mov(*src, ptr[arguments() + offsetof(arguments_t, src)]);
        mov(*dst, ptr[arguments() + offsetof(arguments_t, dst)]);
        mov(*kept, ptr[arguments() + offsetof(arguments_t, kept)]);
        std::vector<vec_t> in_use;
        for (int i = 0; i < registers_in_use_; ++i) in_use.push_back(vec("in use"));
        const vec_t moved = vec("moved");
        body_(*this, {*src, *dst, *kept, *moved});
    }

private:
    const int registers_in_use_;
    const body_t body_;
};

inline void run(const executable_code_t &code, const void *src, void *dst, float *kept = nullptr) {
    arguments_t arguments{src, dst, kept};
    code.entry<void (*)(const arguments_t *)>()(&arguments);
}

/// The base of tests of building blocks at one level.
class jit_block : public ::testing::Test {
protected:
    explicit jit_block(isa_t isa)
        : isa_(isa) {}

    void SetUp() override {
        if (!has_isa(isa_)) GTEST_SKIP() << "no " << isa_name(isa_) << " here";
    }

    int lanes() const { return lanes_of(isa_); }

    std::vector<float> vector_of(float value) const {
        return std::vector<float>(static_cast<size_t>(lanes()), value);
    }

    executable_code_t compile(const body_t &body, int registers_in_use = 0) const {
        return program_t(isa_, registers_in_use, body).finish();
    }

    /// None, and so many that the remaining registers are the highest ones.
    std::vector<int> register_pressures() const { return {0, vectors_of(isa_) - 3}; }

    const isa_t isa_;
};

} // namespace kiln::x64::jit::test
