// SPDX-License-Identifier: Apache-2.0
// Attributes: an RMS normalization that reads 8-bit integers, multiplies with a scale, adds a
// vector, applies GELU and writes 8-bit integers with another scale, in one pass over memory. It is
// compared with the same steps in double.
//
//     dst = round(gelu(src_scale * rms_norm(src) + bias) / dst_scale)

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

int main() {
    constexpr memory::dim rows = 16, cols = 256;
    constexpr float epsilon = 1e-6f;
    engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    using type = memory::data_type;
    using tag = memory::format_tag;
    const memory::desc src_md({rows, cols}, type::s8, tag::ab),
            dst_md({rows, cols}, type::s8, tag::ab);
    const memory::desc bias_md({1, cols}, type::f32, tag::ab); // broadcast along rows
    const memory::desc scale_md({1}, type::f32, tag::a);

    std::vector<int8_t> src(rows * cols), dst(rows * cols);
    std::vector<float> bias(cols);
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<int8_t>(i * 37 % 251 - 125);
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = std::sin(static_cast<float>(i));
    float src_scale = 1.5f, dst_scale = 0.02f;

    // The values of scales and of operands are arguments of the execution; the attributes say where
    // they are used, so that one primitive serves all values.
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    post_ops chain;
    chain.append_binary(algorithm::binary_add, bias_md);
    chain.append_eltwise(algorithm::eltwise_gelu_erf, 0.f, 0.f);
    attr.set_post_ops(chain);

    const layer_normalization_forward::primitive_desc pd(cpu, prop_kind::forward_inference, src_md,
            dst_md, epsilon, normalization_flags::rms_norm, attr);
    memory bias_memory(bias_md, cpu, bias.data());
    layer_normalization_forward(pd).execute(s,
            {{DNNL_ARG_SRC, {src_md, cpu, src.data()}}, {DNNL_ARG_DST, {dst_md, cpu, dst.data()}},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, {scale_md, cpu, &src_scale}},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, {scale_md, cpu, &dst_scale}},
                    {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, bias_memory}});
    s.wait();

    double worst = 0; // in units of dst
    for (size_t r = 0; r < rows; ++r) {
        double squares = 0;
        for (size_t c = 0; c < cols; ++c) squares += std::pow(src[r * cols + c], 2);
        const double root = std::sqrt(squares / cols + static_cast<double>(epsilon));
        for (size_t c = 0; c < cols; ++c) {
            const double x = static_cast<double>(src_scale) * src[r * cols + c] / root
                             + static_cast<double>(bias[c]);
            const double gelu = 0.5 * x * (1 + std::erf(x / std::sqrt(2.)));
            const double expected = gelu / static_cast<double>(dst_scale);
            worst = std::max(worst, std::fabs(dst[r * cols + c] - std::fmin(expected, 127)));
        }
    }
    std::printf("by %s: the greatest difference is %.3f of a unit of the integers\n",
            pd.impl_info_str(), worst);
    return worst < 0.501 ? 0 : 1; // the rounding alone is half a unit
}
