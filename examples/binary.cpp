// SPDX-License-Identifier: Apache-2.0
// Scores of attention before softmax: scaled, with a bias for each head, and -10000 where a mask
// forbids a key. Then the keys that a threshold selects:
//     scores = mask ? scores : -10000               select, src_1 is one value, in place
//     scores = scale * (scores + bias[head])        add, src_1 broadcasts, a linear post-op
//     is_kept = scores > -100                       a comparison, dst is u8

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim heads = 12, queries = 32, keys = 77;
constexpr float scale = 0.125f, forbidden = -10000, threshold = -100;

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const auto f32 = memory::data_type::f32, s8 = memory::data_type::s8, u8 = memory::data_type::u8;
    const auto abc = memory::format_tag::abc;
    const memory::desc scores_md({heads, queries, keys}, f32, abc);
    const memory::desc bias_md({heads, 1, 1}, f32, abc), one_md({1, 1, 1}, f32, abc);
    // A causal mask, the same for each head: select wants the mask in dst's extents, so that its
    // stride along the heads is 0.
    const memory::desc mask_md({heads, queries, keys}, s8, memory::dims{0, keys, 1});
    const memory::desc kept_md({heads, queries, keys}, u8, abc);

    std::vector<float> scores(heads * queries * keys), bias(heads);
    std::vector<int8_t> mask(queries * keys);
    std::vector<uint8_t> kept(scores.size());
    for (size_t i = 0; i < scores.size(); ++i) scores[i] = std::sin(0.1f * static_cast<float>(i));
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = 0.25f * static_cast<float>(i);
    for (size_t q = 0; q < queries; ++q)
        for (size_t k = 0; k < keys; ++k) mask[q * keys + k] = k <= q;
    const std::vector<float> given = scores;
    float low = forbidden, limit = threshold;
    const memory scores_memory(scores_md, cpu, scores.data()),
            bias_memory(bias_md, cpu, bias.data());
    const memory mask_memory(mask_md, cpu, mask.data()), kept_memory(kept_md, cpu, kept.data());
    const memory low_memory(one_md, cpu, &low), limit_memory(one_md, cpu, &limit);

    const binary::primitive_desc select(
            cpu, algorithm::binary_select, scores_md, one_md, mask_md, scores_md);
    binary(select).execute(
            s, {{DNNL_ARG_SRC_0, scores_memory}, {DNNL_ARG_SRC_1, low_memory},
                       {DNNL_ARG_SRC_2, mask_memory}, {DNNL_ARG_DST, scores_memory}});

    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_linear, scale, 0);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const binary::primitive_desc add(
            cpu, algorithm::binary_add, scores_md, bias_md, scores_md, attr);
    binary(add).execute(s, {{DNNL_ARG_SRC_0, scores_memory}, {DNNL_ARG_SRC_1, bias_memory},
                                   {DNNL_ARG_DST, scores_memory}});

    const binary::primitive_desc compare(cpu, algorithm::binary_gt, scores_md, one_md, kept_md);
    binary(compare).execute(s, {{DNNL_ARG_SRC_0, scores_memory}, {DNNL_ARG_SRC_1, limit_memory},
                                       {DNNL_ARG_DST, kept_memory}});
    s.wait();

    bool is_right = true;
    for (size_t i = 0; i < scores.size(); ++i) {
        const bool is_allowed = mask[i % mask.size()] != 0;
        const float x = is_allowed ? given[i] : forbidden;
        const float expected = scale * (x + bias[i / mask.size()]);
        is_right =
                is_right && std::fabs(scores[i] - expected) <= 1e-6f * std::fabs(expected) + 1e-7f;
        is_right = is_right && kept[i] == (is_allowed ? 1 : 0);
    }
    std::printf("scores of %d x %d x %d, masked and biased: %s\n", static_cast<int>(heads),
            static_cast<int>(queries), static_cast<int>(keys), is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}
