// SPDX-License-Identifier: Apache-2.0
// Functions that a test writes with the generator of kernels, at every ISA level.
#pragma once

#include "cpu/x64/jit/generator.hpp"

#include <bit>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::x64::jit::test {

inline std::string error_of(const std::function<void()> &action) {
    try {
        action();
    } catch (const std::logic_error &error) {
        return error.what();
    }
    return "no error";
}

/// A function made of what `body` writes.
class function_t : public generator_t {
public:
    using body_t = std::function<void(function_t &f)>;

    function_t(isa_t isa, body_t body, std::string name = "jit_generator_test")
        : generator_t(isa, std::move(name))
        , body_(std::move(body)) {}

    Xbyak::CodeGenerator &code() { return *this; }
    const Xbyak::Reg64 &args() const { return arguments(); }

protected:
    void generate() override { body_(*this); }

private:
    const body_t body_;
};

inline void call(const executable_code_t &code, void *arguments) {
    code.entry<void (*)(void *)>()(arguments);
}

class jit_generator : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(isa())) GTEST_SKIP() << "no " << isa_name(isa()) << " here";
    }
    static isa_t isa() { return GetParam(); }
    static size_t lanes() { return has(isa(), feature_t::avx512_core) ? 16 : 8; }

    static executable_code_t finish(const function_t::body_t &body) {
        return function_t(isa(), body).finish();
    }
    /// What the body leaves in a vector, bit by bit.
    static std::vector<uint32_t> lanes_of(
            const std::function<void(function_t &, const vec_t &)> &body) {
        const executable_code_t code = finish([&](function_t &f) {
            const vec_t result = f.vec("result");
            body(f, result);
            f.code().vmovups(f.code().ptr[f.args()], *result);
        });
        std::vector<uint32_t> found(lanes() + 1, 0xabcdabcd);
        call(code, found.data());
        EXPECT_EQ(found.back(), 0xabcdabcd) << "a vector is wider than it says";
        found.pop_back();
        return found;
    }
    static std::vector<uint32_t> all_lanes(uint32_t bits) {
        return std::vector<uint32_t>(lanes(), bits);
    }
    static std::vector<uint32_t> all_lanes(float value) {
        return all_lanes(std::bit_cast<uint32_t>(value));
    }
};

} // namespace kiln::x64::jit::test
