// SPDX-License-Identifier: Apache-2.0
// Layer normalization in C++: forward training, then backward with the gradients of src, scale and
// shift, which are compared with finite differences; and inference in place.
//
//     c++ layer_normalization.cpp -ldnnl && ./a.out

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace {

constexpr dnnl::memory::dim rows = 8;
constexpr dnnl::memory::dim cols = 32;
constexpr float epsilon = 1e-5f;

/// Pseudo-random numbers from -1 to 1, the same in every run.
std::vector<float> noise(std::size_t count, float phase) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::sin(12.9898f * static_cast<float>(i + 1) + phase);
    return values;
}

/// A memory object with the buffer of a vector, which must outlive it.
dnnl::memory over(
        std::vector<float> &values, const dnnl::memory::desc &md, const dnnl::engine &engine) {
    return dnnl::memory(md, engine, values.data());
}

double dot(const std::vector<float> &a, const std::vector<float> &b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

/// dst of an inference in place: src and dst are one memory object, which the library allocates as
/// the primitive descriptor says.
std::vector<float> normalized_in_place(const dnnl::engine &engine, dnnl::stream &stream,
        const dnnl::layer_normalization_forward::primitive_desc &pd, const std::vector<float> &src,
        const dnnl::memory &scale, const dnnl::memory &shift) {
    const dnnl::memory data(pd.src_desc(), engine);
    auto *const values = static_cast<float *>(data.get_data_handle());
    std::copy(src.begin(), src.end(), values);
    dnnl::layer_normalization_forward(pd).execute(
            stream, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}, {DNNL_ARG_SCALE, scale},
                            {DNNL_ARG_SHIFT, shift}});
    stream.wait();
    return {values, values + src.size()};
}

int run() {
    using dnnl::memory;
    using dnnl::normalization_flags;
    using forward_t = dnnl::layer_normalization_forward;
    using backward_t = dnnl::layer_normalization_backward;

    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);

    // Statistics are computed over the last axis; scale and shift are vectors along it.
    const memory::desc data_md({rows, cols}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc row_md({cols}, memory::data_type::f32, memory::format_tag::a);
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;

    // The forward primitive descriptor is the hint of the backward one.
    const forward_t::primitive_desc forward_pd(
            engine, dnnl::prop_kind::forward_training, data_md, data_md, epsilon, flags);
    const backward_t::primitive_desc backward_pd(engine, dnnl::prop_kind::backward, data_md,
            data_md, data_md, epsilon, flags, forward_pd);
    const forward_t forward(forward_pd);
    const backward_t backward(backward_pd);
    std::printf("forward by %s, backward by %s\n", forward_pd.impl_info_str(),
            backward_pd.impl_info_str());

    std::vector<float> src = noise(rows * cols, 0.f), scale = noise(cols, 1.f),
                       shift = noise(cols, 2.f), dst(rows * cols);
    // The library chooses the layout of statistics and allocates them.
    const memory mean(forward_pd.mean_desc(), engine), variance(forward_pd.variance_desc(), engine);

    const auto run_forward = [&] {
        forward.execute(stream, {{DNNL_ARG_SRC, over(src, data_md, engine)},
                                        {DNNL_ARG_SCALE, over(scale, row_md, engine)},
                                        {DNNL_ARG_SHIFT, over(shift, row_md, engine)},
                                        {DNNL_ARG_DST, over(dst, data_md, engine)},
                                        {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance}});
        stream.wait();
    };

    // The loss is the sum of loss_weights * dst; its gradient with respect to dst is loss_weights.
    std::vector<float> loss_weights = noise(rows * cols, 3.f);
    std::vector<float> diff_src(rows * cols), diff_scale(cols), diff_shift(cols);
    run_forward();
    const std::vector<float> in_place = normalized_in_place(engine, stream,
            {engine, dnnl::prop_kind::forward_inference, data_md, data_md, epsilon, flags}, src,
            over(scale, row_md, engine), over(shift, row_md, engine));
    const bool is_same = std::equal(dst.begin(), dst.end(), in_place.begin(),
            [](float a, float b) { return std::fabs(a - b) < 1e-5f; });
    std::printf("in place   %s\n", is_same ? "agrees" : "DIFFERS");
    backward.execute(stream, {{DNNL_ARG_SRC, over(src, data_md, engine)},
                                     {DNNL_ARG_DIFF_DST, over(loss_weights, data_md, engine)},
                                     {DNNL_ARG_SCALE, over(scale, row_md, engine)},
                                     {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance},
                                     {DNNL_ARG_DIFF_SRC, over(diff_src, data_md, engine)},
                                     {DNNL_ARG_DIFF_SCALE, over(diff_scale, row_md, engine)},
                                     {DNNL_ARG_DIFF_SHIFT, over(diff_shift, row_md, engine)}});
    stream.wait();

    // The slope of the loss along the gradient of x, by a finite difference.
    const auto check = [&](const char *name, std::vector<float> &x,
                               const std::vector<float> &gradient) {
        const std::vector<float> at = x;
        const double length = std::sqrt(dot(gradient, gradient)), step = 1e-2;
        const auto loss_after = [&](double distance) {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = static_cast<float>(at[i] + distance * gradient[i] / length);
            run_forward();
            return dot(loss_weights, dst);
        };
        const double slope = (loss_after(step) - loss_after(-step)) / (2 * step);
        x = at;
        const bool agrees = std::fabs(slope - length) < 1e-2 * length;
        std::printf("%-10s |gradient| %9.5f, measured slope %9.5f: %s\n", name, length, slope,
                agrees ? "agrees" : "DIFFERS");
        return agrees;
    };
    const bool src_agrees = check("diff_src", src, diff_src);
    const bool scale_agrees = check("diff_scale", scale, diff_scale);
    const bool shift_agrees = check("diff_shift", shift, diff_shift);
    return is_same && src_agrees && scale_agrees && shift_agrees ? 0 : 1;
}

} // namespace

int main() {
    try {
        return run();
    } catch (const dnnl::error &failure) {
        std::fprintf(stderr, "status %d: %s\n", static_cast<int>(failure.status), failure.what());
        return 1;
    }
}
