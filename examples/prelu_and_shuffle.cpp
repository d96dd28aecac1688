// SPDX-License-Identifier: Apache-2.0
// A unit of a network with grouped channels: PReLU with a slope for each channel, then a shuffle
// that mixes two groups; and the gradients back through both.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

int main() {
    constexpr memory::dim channels = 4, pixels = 2, groups = 2;
    constexpr int axis = 1;
    // Two groups are a matrix of 2 x 2 channels; the size of an interface's group is its columns.
    constexpr int group_size = channels / groups;
    const engine cpu(engine::kind::cpu, 0);
    stream astream(cpu);
    const auto f32 = memory::data_type::f32;
    const memory::desc md({1, channels, pixels}, f32, memory::format_tag::abc);
    const memory::desc slopes_md({1, channels, 1}, f32, memory::format_tag::abc);

    std::vector<float> x{1, -1, 2, -2, 3, -3, 4, -4}, slopes{0.5f, 0.25f, 1, 2}, active(8),
            mixed(8);
    const memory src(md, cpu, x.data()), weights(slopes_md, cpu, slopes.data());
    const memory middle(md, cpu, active.data()), dst(md, cpu, mixed.data());

    const auto kind = prop_kind::forward_training;
    const prelu_forward::primitive_desc prelu(cpu, kind, md, slopes_md, md);
    prelu_forward(prelu).execute(
            astream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, middle}});
    const shuffle_forward::primitive_desc shuffle(cpu, kind, md, md, axis, group_size);
    shuffle_forward(shuffle).execute(astream, {{DNNL_ARG_SRC, middle}, {DNNL_ARG_DST, dst}});

    // The gradient of each result is its number.
    std::vector<float> diff_mixed{0, 1, 2, 3, 4, 5, 6, 7}, diff_active(8), diff_x(8),
            diff_slopes(4);
    const memory diff_dst(md, cpu, diff_mixed.data()), diff_middle(md, cpu, diff_active.data());
    const memory diff_src(md, cpu, diff_x.data()), diff_weights(slopes_md, cpu, diff_slopes.data());
    const shuffle_backward::primitive_desc unshuffle(cpu, md, md, axis, group_size, shuffle);
    shuffle_backward(unshuffle).execute(
            astream, {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_middle}});
    const prelu_backward::primitive_desc back(cpu, md, slopes_md, md, slopes_md, md, prelu);
    prelu_backward(back).execute(astream,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_DST, diff_middle},
                    {DNNL_ARG_DIFF_SRC, diff_src}, {DNNL_ARG_DIFF_WEIGHTS, diff_weights}});
    astream.wait();

    const std::vector<float> expected{1, -0.5f, 3, -3, 2, -0.5f, 4, -8};
    const std::vector<float> expected_diff_slopes{-1, -10, -9, -28};
    for (size_t i = 0; i < mixed.size(); ++i)
        std::printf("%6.2f%s", static_cast<double>(mixed[i]), i % 2 == 1 ? "\n" : "");
    const std::vector<float> expected_diff_x{0, 0.5f, 4, 1.25f, 2, 3, 6, 14};
    const bool is_right =
            mixed == expected && diff_x == expected_diff_x && diff_slopes == expected_diff_slopes;
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
