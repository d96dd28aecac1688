// SPDX-License-Identifier: Apache-2.0
// Generated elementwise functions applied to arrays.
#include "unit/jit/eltwise_samples.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "cpu/x64/jit/math/eltwise.hpp"

namespace kiln::test {

using namespace x64;
using jit::generator_t;

namespace {

struct arguments_t {
    float *values;
    int64_t vectors; // at least one
};

/// Applies a function to an array in place.
class array_kernel_t : public generator_t {
public:
    array_kernel_t(isa_t isa, const writer_t &write)
        : generator_t(isa, "jit_eltwise_test")
        , write_(write) {}

private:
    void generate() override {
        const auto values = gpr("values");
        const auto left = gpr("vectors left");
        const auto x = vec("x");
        mov(*values, ptr[arguments() + offsetof(arguments_t, values)]);
        mov(*left, ptr[arguments() + offsetof(arguments_t, vectors)]);
        Xbyak::Label again;
        L(again);
        vmovups(x, ptr[*values]);
        write_(*this, x);
        vmovups(ptr[*values], *x);
        add(*values, lanes() * static_cast<int>(sizeof(float)));
        dec(*left);
        jnz(again, T_NEAR);
    }

    const writer_t &write_;
};

void add_around(std::vector<float> &list, float centre) {
    const auto bits = std::bit_cast<uint32_t>(centre);
    for (int step = -16; step <= 16; ++step) {
        const auto x = std::bit_cast<float>(bits + static_cast<uint32_t>(step));
        if (std::isfinite(x)) list.insert(list.end(), {x, -x});
    }
}

} // namespace

std::vector<float> apply(isa_t isa, const writer_t &write, std::vector<float> values) {
    const size_t count = values.size();
    array_kernel_t kernel(isa, write);
    const auto lanes = static_cast<size_t>(kernel.lanes());
    values.resize((count + lanes - 1) / lanes * lanes);
    const auto code = kernel.finish();
    const arguments_t arguments{values.data(), static_cast<int64_t>(values.size() / lanes)};
    code.entry<void (*)(const arguments_t *)>()(&arguments);
    values.resize(count);
    return values;
}

const std::vector<float> &samples() {
    static const std::vector<float> list = [] {
        std::vector<float> list;
        constexpr uint64_t stride = 32771; // odd, so that mantissas differ
        for (uint64_t bits = 1; bits < 1ull << 32; bits += stride) {
            const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
            if (std::isfinite(x)) list.push_back(x);
        }
        for (const float width : {1.0f, 20.0f, 220.0f})
            for (int i = 0; i < 40000; ++i)
                list.push_back(width * (static_cast<float>(i) / 20000 - 1) + 1e-5f);
        for (const float x : {1e-45f, 1e-40f, 0x1p-126f, 1e-30f, 0.34657359f, 0.5f, 0.75f, 0.9f,
                     1.0f, 1.41421356f, 1.5f, 2.5f, 3.0f, 6.0f, 9.01f, 13.9f, 14.17f, 20.0f, 40.0f,
                     87.33654f, 88.72283f, 103.97208f, 104.0f, 208.0f, 0x1p23f, 0x1p24f, 1e30f,
                     std::numeric_limits<float>::max()})
            add_around(list, x);
        for (int i = 1; i < 300; ++i) add_around(list, static_cast<float>(i) * 0.34657359f);
        return list;
    }();
    return list;
}

writer_t writer_of(dnnl_alg_kind_t alg, float alpha, float beta, dnnl_data_type_t rounded_to) {
    return [=](generator_t &g, const Xbyak::Xmm &vec) {
        jit::eltwise(g, alg, alpha, beta, vec, rounded_to);
    };
}

std::string title(const function_t &function, float alpha, float beta) {
    char text[64];
    std::snprintf(text, sizeof(text), "%s(%g, %g)", function.name, static_cast<double>(alpha),
            static_cast<double>(beta));
    return text;
}

} // namespace kiln::test
