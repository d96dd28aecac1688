// SPDX-License-Identifier: Apache-2.0
// A layout of blocks of 16 channels, as convolutions use it, filled by a reorder; the Euclidean
// norm of each image, reduced from that layout; and a reorder to 8-bit integers with a scale.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

int main() {
    // 20 channels need two blocks; the second one is padded with zeros.
    constexpr memory::dim images = 3, channels = 20, height = 6, width = 5;
    constexpr size_t image = channels * height * width;
    engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    using tag = memory::format_tag;
    using type = memory::data_type;
    const memory::dims dims{images, channels, height, width};
    const memory::desc plain(dims, type::f32, tag::nchw), blocked(dims, type::f32, tag::nChw16c);
    const memory::desc norms_md({images, 1, 1, 1}, type::f32, tag::nchw);
    const memory::desc bytes_md(dims, type::s8, tag::nhwc);

    std::vector<float> x(images * image), norms(images);
    std::vector<int8_t> bytes(images * image);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.1f * static_cast<float>(i));
    memory source(plain, cpu, x.data()), norms_memory(norms_md, cpu, norms.data());
    memory bytes_memory(bytes_md, cpu, bytes.data());
    memory blocks(blocked, cpu); // allocated by the library: more elements than the tensor has

    reorder(source, blocks).execute(s, source, blocks);

    // norm = (sum(|x|^2) + 0)^(1 / 2) over every axis on which dst has extent 1.
    const reduction::primitive_desc norm(
            cpu, algorithm::reduction_norm_lp_sum, blocked, norms_md, 2.f, 0.f);
    reduction(norm).execute(s, {{DNNL_ARG_SRC, blocks}, {DNNL_ARG_DST, norms_memory}});

    // bytes = round(x / scale), saturated. The mask 0 says that there is one scale.
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    float scale = 1.f / 100;
    memory scale_memory({{1}, type::f32, tag::a}, cpu, &scale);
    const reorder::primitive_desc quantization(cpu, blocked, cpu, bytes_md, attr);
    reorder(quantization)
            .execute(s, {{DNNL_ARG_FROM, blocks}, {DNNL_ARG_TO, bytes_memory},
                                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scale_memory}});
    s.wait();

    bool is_right = true;
    for (size_t n = 0; n < images; ++n) {
        double squares = 0;
        for (size_t c = 0; c < channels; ++c)
            for (size_t p = 0; p < height * width; ++p) {
                const float value = x[n * image + c * height * width + p];
                const int byte = bytes[n * image + p * channels + c];
                squares += static_cast<double>(value) * static_cast<double>(value);
                is_right = is_right && std::fabs(static_cast<float>(byte) - value / scale) < 0.51f;
            }
        const double expected = std::sqrt(squares);
        is_right =
                is_right && std::fabs(static_cast<double>(norms[n]) - expected) < 1e-5 * expected;
        std::printf("image %d: norm %.4f\n", static_cast<int>(n), static_cast<double>(norms[n]));
    }
    std::printf("%s\n", is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}
