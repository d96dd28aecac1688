// SPDX-License-Identifier: Apache-2.0
// The keys of attention: those of earlier tokens, which are kept in s8 with one scale, and those of
// new tokens in s8 with another one become one tensor of floats, joined along the tokens. The
// library chooses dst's layout. Then the channels of two branches in blocks of 16, of which the
// first one ends inside a block.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

const engine cpu(engine::kind::cpu, 0);

template <typename value_t> std::vector<value_t> values_of(memory::dim count, int factor) {
    std::vector<value_t> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<value_t>(static_cast<int>(i) * factor % 255 - 127);
    return values;
}

bool joins_tokens(stream &s) {
    constexpr memory::dim heads = 4, old_tokens = 37, new_tokens = 3, size = 64;
    const auto s8 = memory::data_type::s8, f32 = memory::data_type::f32;
    const auto abc = memory::format_tag::abc;
    const memory::desc kept_md({heads, old_tokens, size}, s8, abc);
    const memory::desc added_md({heads, new_tokens, size}, s8, abc);
    const memory::desc any_md({heads, old_tokens + new_tokens, size}, f32, memory::format_tag::any);

    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_MULTIPLE_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_MULTIPLE_SRC + 1, 0);
    const concat::primitive_desc pd(cpu, any_md, 1, {kept_md, added_md}, attr);

    auto kept = values_of<int8_t>(heads * old_tokens * size, 7);
    auto added = values_of<int8_t>(heads * new_tokens * size, 3);
    float kept_scale = 0.5f, added_scale = 0.25f;
    const memory::desc scale_md({1}, f32, memory::format_tag::a);
    const memory joined(pd.dst_desc(), cpu);
    concat(pd).execute(s, {{DNNL_ARG_MULTIPLE_SRC, memory(kept_md, cpu, kept.data())},
                                  {DNNL_ARG_MULTIPLE_SRC + 1, memory(added_md, cpu, added.data())},
                                  {DNNL_ARG_DST, joined},
                                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_MULTIPLE_SRC,
                                          memory(scale_md, cpu, &kept_scale)},
                                  {DNNL_ARG_ATTR_SCALES | (DNNL_ARG_MULTIPLE_SRC + 1),
                                          memory(scale_md, cpu, &added_scale)}});
    s.wait();

    const auto *keys = static_cast<const float *>(joined.get_data_handle());
    constexpr size_t tokens = old_tokens + new_tokens;
    for (size_t i = 0; i < heads * tokens * size; ++i) {
        const size_t head = i / size / tokens, token = i / size % tokens, k = i % size;
        const bool is_old = token < old_tokens;
        const size_t from = is_old ? (head * old_tokens + token) * size + k
                                   : (head * new_tokens + token - old_tokens) * size + k;
        const float expected = is_old ? kept_scale * static_cast<float>(kept[from])
                                      : added_scale * static_cast<float>(added[from]);
        if (keys[i] != expected) return false;
    }
    return true;
}

bool joins_channels(stream &s) {
    constexpr memory::dim images = 2, first = 24, second = 40, height = 7, width = 5;
    constexpr memory::dim channels = first + second;
    const auto f32 = memory::data_type::f32;
    const auto blocked = memory::format_tag::nChw16c, plain = memory::format_tag::nchw;
    const memory::desc mds[] = {{{images, first, height, width}, f32, blocked},
            {{images, second, height, width}, f32, blocked}};
    const memory::desc joined_md({images, channels, height, width}, f32, blocked);

    // Each source in blocks, by a reorder.
    std::vector<float> values[] = {values_of<float>(images * first * height * width, 5),
            values_of<float>(images * second * height * width, 11)};
    memory sources[] = {{mds[0], cpu}, {mds[1], cpu}};
    for (size_t i = 0; i < 2; ++i) {
        memory given({mds[i].get_dims(), f32, plain}, cpu, values[i].data());
        reorder(given, sources[i]).execute(s, given, sources[i]);
        s.wait();
    }
    memory joined(joined_md, cpu);
    const concat::primitive_desc pd(cpu, joined_md, 1, {mds[0], mds[1]});
    concat(pd).execute(s, {{DNNL_ARG_MULTIPLE_SRC, sources[0]},
                                  {DNNL_ARG_MULTIPLE_SRC + 1, sources[1]}, {DNNL_ARG_DST, joined}});
    std::vector<float> result(images * channels * height * width);
    memory unpacked({joined_md.get_dims(), f32, plain}, cpu, result.data());
    reorder(joined, unpacked).execute(s, joined, unpacked);
    s.wait();

    constexpr size_t area = height * width;
    for (size_t i = 0; i < result.size(); ++i) {
        const size_t n = i / area / channels, c = i / area % channels, p = i % area;
        const float expected = c < first ? values[0][(n * first + c) * area + p]
                                         : values[1][(n * second + c - first) * area + p];
        if (result[i] != expected) return false;
    }
    return true;
}

} // namespace

int main() {
    stream s(cpu);
    const bool are_tokens_right = joins_tokens(s), are_channels_right = joins_channels(s);
    std::printf("tokens: %s, channels in blocks: %s\n", are_tokens_right ? "right" : "WRONG",
            are_channels_right ? "right" : "WRONG");
    return are_tokens_right && are_channels_right ? 0 : 1;
}
