// SPDX-License-Identifier: Apache-2.0
#include "trust/workload_problems.hpp"

#include <cstring>
#include <unordered_map>
#include <vector>

namespace kiln::test::workload {

void fill(std::byte *data, size_t size, type_t type, random_t &random) {
    const auto put = [&](auto value, size_t at) { std::memcpy(data + at, &value, sizeof(value)); };
    const size_t step = memory::data_type_size(type);
    for (size_t at = 0; at + step <= size; at += step) {
        const uint64_t bits = random.next();
        switch (type) {
        case type_t::f32: put(0.5f + static_cast<float>(bits >> 40) * 0x1p-24f, at); break;
        case type_t::bf16: put(static_cast<uint16_t>(0x3f00 | (bits & 0x7f)), at); break;
        case type_t::f16: put(static_cast<uint16_t>(0x3800 | (bits & 0x3ff)), at); break;
        case type_t::s8:
        case type_t::u8: put(static_cast<uint8_t>(bits), at); break;
        default: put(static_cast<int32_t>(bits & 0xff), at); break;
        }
    }
}

uint64_t hash(uint64_t state, const std::byte *data, size_t size) {
    constexpr uint64_t prime = 0x100000001b3;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word;
        std::memcpy(&word, data, 8);
        state = (state ^ word) * prime;
    }
    for (; size > 0; ++data, --size) state = (state ^ static_cast<uint64_t>(*data)) * prime;
    return state;
}

namespace {

/// Of the share that dropout sets to zero.
constexpr float dropped = 0.25f;

constexpr int arguments_of_all[] = {DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_DST,
        DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE,
        DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1,
        DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_SCALE,
        DNNL_ARG_DIFF_SHIFT, DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1,
        DNNL_ARG_MULTIPLE_SRC + 2, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
        DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
        DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, DNNL_ARG_ATTR_DROPOUT_MASK,
        DNNL_ARG_ATTR_DROPOUT_PROBABILITY, DNNL_ARG_ATTR_DROPOUT_SEED};

} // namespace

uint64_t execute(const engine &engine, const dnnl::primitive_desc_base &desc,
        const dnnl::primitive &primitive, random_t &random) {
    std::vector<std::vector<std::byte>> buffers;
    std::unordered_map<int, memory> arguments;
    for (const int arg : arguments_of_all) {
        const memory::desc tensor = desc.query_md(dnnl::query::exec_arg_md, arg);
        if (tensor.get_size() == 0) continue;
        buffers.emplace_back(tensor.get_size());
        fill(buffers.back().data(), buffers.back().size(), tensor.get_data_type(), random);
        if (arg == DNNL_ARG_ATTR_DROPOUT_PROBABILITY)
            std::memcpy(buffers.back().data(), &dropped, sizeof(dropped));
        arguments.emplace(arg, memory(tensor, engine, buffers.back().data()));
    }
    const memory::desc scratchpad = desc.scratchpad_desc();
    if (scratchpad.get_size() != 0)
        arguments.emplace(DNNL_ARG_SCRATCHPAD, memory(scratchpad, engine));
    dnnl::stream stream(engine);
    primitive.execute(stream, arguments);
    stream.wait();
    uint64_t result = first_hash;
    for (const auto &buffer : buffers) result = hash(result, buffer.data(), buffer.size());
    return result;
}

} // namespace kiln::test::workload
