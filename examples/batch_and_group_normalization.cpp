// SPDX-License-Identifier: Apache-2.0
// Batch normalization with a fused ReLU, forward and backward, on channels-last images; then group
// normalization of the same images. Statistics and the gradient of src are checked.

#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim images = 4, channels = 32, height = 7, width = 7, groups = 4;
constexpr size_t pixels = images * height * width;
constexpr float epsilon = 1e-5f;

std::vector<float> waves(size_t count, float rate) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = 1 + 3 * std::sin(rate * static_cast<float>(i));
    return values;
}

/// The largest difference between a channel's mean as the library computed it and the true one.
double mean_error(const std::vector<float> &x, const float *mean) {
    double worst = 0;
    for (size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (size_t p = 0; p < pixels; ++p) sum += static_cast<double>(x[p * channels + c]);
        worst = std::max(worst, std::fabs(sum / pixels - static_cast<double>(mean[c])));
    }
    return worst;
}

double dot(const std::vector<float> &a, const std::vector<float> &b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

} // namespace

int main() {
    engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const auto f32 = memory::data_type::f32;
    const memory::desc md({images, channels, height, width}, f32, memory::format_tag::nhwc);
    const size_t count = pixels * channels;
    std::vector<float> x = waves(count, 0.1f), y(count), dy = waves(count, 0.7f), dx(count);
    std::vector<float> gamma = waves(channels, 0.5f), beta = waves(channels, 0.9f);
    const auto wrap = [&](const memory::desc &of, std::vector<float> &values) {
        return memory(of, cpu, values.data());
    };

    // ReLU follows the normalization. The workspace has its mask, which backward needs.
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift
                       | normalization_flags::fuse_norm_relu;
    const batch_normalization_forward::primitive_desc forward(
            cpu, prop_kind::forward_training, md, md, epsilon, flags);
    const batch_normalization_backward::primitive_desc backward(
            cpu, prop_kind::backward, md, md, md, epsilon, flags, forward);
    const memory mean(forward.mean_desc(), cpu), variance(forward.variance_desc(), cpu);
    const memory workspace(forward.workspace_desc(), cpu);
    const memory::desc vector_md = forward.weights_desc();
    std::vector<float> dgamma(channels), dbeta(channels);

    const batch_normalization_forward normalization(forward);
    const auto run_forward = [&] {
        normalization.execute(
                s, {{DNNL_ARG_SRC, wrap(md, x)}, {DNNL_ARG_DST, wrap(md, y)},
                           {DNNL_ARG_SCALE, wrap(vector_md, gamma)},
                           {DNNL_ARG_SHIFT, wrap(vector_md, beta)}, {DNNL_ARG_MEAN, mean},
                           {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_WORKSPACE, workspace}});
        s.wait();
    };
    run_forward();
    const double error = mean_error(x, static_cast<const float *>(mean.get_data_handle()));
    batch_normalization_backward(backward).execute(s,
            {{DNNL_ARG_SRC, wrap(md, x)}, {DNNL_ARG_DIFF_DST, wrap(md, dy)}, {DNNL_ARG_MEAN, mean},
                    {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, wrap(vector_md, gamma)},
                    {DNNL_ARG_WORKSPACE, workspace}, {DNNL_ARG_DIFF_SRC, wrap(md, dx)},
                    {DNNL_ARG_DIFF_SCALE, wrap(vector_md, dgamma)},
                    {DNNL_ARG_DIFF_SHIFT, wrap(vector_md, dbeta)}});
    s.wait();

    // The loss is dy . y. Along the gradient of src it rises by the gradient's length.
    const std::vector<float> at = x;
    const double length = std::sqrt(dot(dx, dx)), step = 0.02;
    const auto loss_at = [&](double distance) {
        for (size_t i = 0; i < count; ++i)
            x[i] = static_cast<float>(at[i] + distance * static_cast<double>(dx[i]) / length);
        run_forward();
        return dot(dy, y);
    };
    const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
    std::printf("batch normalization (%s): error of means %.1e, gradient %.4f, slope %.4f\n",
            forward.impl_info_str(), error, length, slope);

    // Group normalization: statistics for each image and group of channels.
    x = at;
    const group_normalization_forward::primitive_desc group(
            cpu, prop_kind::forward_inference, md, md, groups, epsilon, normalization_flags::none);
    group_normalization_forward(group).execute(
            s, {{DNNL_ARG_SRC, wrap(md, x)}, {DNNL_ARG_DST, wrap(md, y)}});
    s.wait();
    double sum = 0, squares = 0; // of the first group of the first image
    constexpr size_t group_channels = channels / groups, image_pixels = height * width;
    for (size_t p = 0; p < image_pixels; ++p)
        for (size_t c = 0; c < group_channels; ++c) {
            const auto value = static_cast<double>(y[p * channels + c]);
            sum += value / (image_pixels * group_channels);
            squares += value * value / (image_pixels * group_channels);
        }
    std::printf("group normalization (%s): a group has mean %.1e, variance %.5f\n",
            group.impl_info_str(), sum, squares);
    const bool is_right = error < 1e-5 && std::fabs(slope - length) < 1e-2 * length
                          && std::fabs(sum) < 1e-5 && std::fabs(squares - 1) < 1e-3;
    return is_right ? 0 : 1;
}
