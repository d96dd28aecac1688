// SPDX-License-Identifier: Apache-2.0
// Values and fixtures of tests of loads and stores.
#pragma once

#include "cpu/x64/jit/lanes_io.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_debug.h"
#include "unit/jit/block.hpp"
#include "unit/jit/element_model.hpp"

namespace kiln::x64::jit::test {

using namespace kiln::test;

/// Values whose order shows, some of each sort that a conversion must treat specially.
inline std::vector<float> varied_floats(int count, uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> plain(-300, 300);
    const float special[] = {std::numeric_limits<float>::infinity(), std::nanf(""), 1e-40f, 1e38f,
            -0.f, 126.5f, -128.5f, 255.5f, 65520.f, 6e-8f};
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(generator() % 3 == 0 ? special[generator() % std::size(special)]
                                              : plain(generator));
    return values;
}

/// Every upper half of a float, with lower halves around each format's ties, then the halves
/// between integers and their neighbours, then vectors of mixed sorts.
inline const std::vector<float> &dense_floats() {
    static const std::vector<float> floats = [] {
        std::vector<float> values;
        for (uint32_t upper = 0; upper < 0x10000; ++upper)
            for (uint32_t middle = 0; middle < 8; ++middle)
                for (const uint32_t lowest : {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu})
                    values.push_back(float_of(upper << 16 | middle << 13 | lowest));
        constexpr float infinity = std::numeric_limits<float>::infinity();
        for (int halves = -600; halves <= 600; ++halves) {
            const auto value = static_cast<float>(halves) / 2;
            values.insert(values.end(),
                    {value, std::nextafter(value, infinity), std::nextafter(value, -infinity)});
        }
        const auto mixed = varied_floats(1 << 14, 1);
        values.insert(values.end(), mixed.begin(), mixed.end());
        return values;
    }();
    return floats;
}

/// All elements of a narrow type; the bits of dense_floats() for a wide one.
inline std::vector<uint32_t> all_codes(data_type_t type) {
    std::vector<uint32_t> codes;
    if (model_size(type) == 4) {
        for (const float value : dense_floats()) codes.push_back(bits_of(value));
    } else {
        codes.resize(model_size(type) == 2 ? 0x10000 : 0x100);
        std::iota(codes.begin(), codes.end(), 0u);
    }
    return codes;
}

using parameters_t = std::tuple<isa_t, data_type_t>;

class jit_lanes_io : public jit_block, public ::testing::WithParamInterface<parameters_t> {
protected:
    jit_lanes_io()
        : jit_block(std::get<0>(GetParam()))
        , type_(std::get<1>(GetParam()))
        , size_(model_size(type_)) {}

    size_t bytes(int count) const { return size_t(count) * size_t(size_); }

    /// What a store makes of a value: the bf16 instruction takes subnormal ones for zeros.
    uint32_t stored(float value) const {
        const bool flushes = has(isa_, feature_t::avx512_bf16) && type_ == dnnl_bf16;
        if (flushes && std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.f, value);
        return model_store(type_, value);
    }

    const data_type_t type_;
    const int size_;
};

/// A kernel's body in which `load` loads `count` elements; all lanes are stored.
template <typename load_t> auto after_a_load_of(int count, load_t load) {
    return [=](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        if (count < g.lanes()) io.prepare_tail(count);
        g.broadcast(o.vec, 5); // must not shine through
        load(io, o);
        io.store(o.vec, dnnl_f32, o.dst, g.lanes());
    };
}

/// For types that may be loaded only, too.
class jit_lanes_io_loads : public jit_lanes_io {};

inline std::string name_of_level(const ::testing::TestParamInfo<isa_t> &info) {
    return isa_name(info.param);
}

inline std::string name_of(const ::testing::TestParamInfo<parameters_t> &info) {
    return std::string(isa_name(std::get<0>(info.param))) + "_"
           + dnnl_dt2str(std::get<1>(info.param));
}

} // namespace kiln::x64::jit::test
