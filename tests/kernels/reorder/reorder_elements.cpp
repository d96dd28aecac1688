// SPDX-License-Identifier: Apache-2.0
// Elements on their way through a reorder's kernel.
#include "kernels/reorder/reorder_elements.hpp"

#include <random>

#include "common/memory/data_type.hpp"
#include "unit/jit/element_model.hpp"

namespace kiln::x64::nests::test {

using namespace kiln::test;

std::vector<type_pair_t> type_pairs() {
    std::vector<type_pair_t> pairs;
    constexpr data_type_t both_ways[] = {
            dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_s8, dnnl_u8};
    for (const data_type_t src : both_ways)
        for (const data_type_t dst : both_ways) pairs.push_back({src, dst});
    for (const data_type_t dst : {dnnl_f32, dnnl_s8, dnnl_u8}) pairs.push_back({dnnl_s32, dst});
    return pairs;
}

int size_of(data_type_t type) { return static_cast<int>(data_type_size(type)); }

uint32_t reordered(const type_pair_t &types, uint32_t code) {
    return types.src == types.dst ? code : model_store(types.dst, model_load(types.src, code));
}

bool moves_bits(const type_pair_t &types) { return types.src == types.dst || clamps(types); }

bool clamps(const type_pair_t &types) {
    return (types.src == dnnl_u8 && types.dst == dnnl_s8)
           || (types.src == dnnl_s8 && types.dst == dnnl_u8);
}

uint32_t clamped(data_type_t dst, uint32_t code) {
    const type_pair_t types{dst == dnnl_s8 ? dnnl_u8 : dnnl_s8, dst};
    uint32_t result = 0;
    for (int shift = 0; shift < 32; shift += 8)
        result |= (reordered(types, code >> shift & 0xff) & 0xff) << shift;
    return result;
}

std::vector<std::byte> tricky_elements(data_type_t type, size_t count, uint32_t seed) {
    constexpr float tricky[] = {0.5f, -1.5f, 126.5f, 127.5f, -128.5f, 254.5f, 300.f, -1e9f, 3e9f,
            65520.f, 6e-8f, 1e-40f, -3e-39f, -0.f, 1.00390625f, 3.4e38f};
    constexpr uint32_t specials[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00008000,
            0x00018000, 0x807f8000, 0x3f808000, 0x3f818000, 0x7f7fffff};
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> plain(-300, 300);
    std::vector<std::byte> elements(count * static_cast<size_t>(size_of(type)));
    for (size_t i = 0; i < count; ++i) {
        uint32_t code = random();
        if (type == dnnl_f32 && code % 8 != 0) {
            const size_t index = code / 8;
            switch (code % 4) {
            case 0: code = bits_of(tricky[index % std::size(tricky)]); break;
            case 1: code = specials[index % std::size(specials)]; break;
            default: code = bits_of(plain(random));
            }
        } else if (type == dnnl_s32 && code % 2 != 0) {
            code = code / 2 % 700 - 350;
        }
        write_code(elements.data(), i, size_of(type), code);
    }
    return elements;
}

} // namespace kiln::x64::nests::test
