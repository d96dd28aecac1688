// SPDX-License-Identifier: Apache-2.0
// LayerNormGrad in C++: x of 2x3x4x5, normalized from axis 2 on. The gradients of x, gamma and beta
// from variance, and from rstd as PyTorch's forward pass returns it, must be alike; a mask leaves
// outputs away.
//
//     c++ layer_norm_grad.cpp -ldnnl && ./a.out

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "kiln/layer_norm_grad.hpp"

namespace {

using floats_t = std::vector<float>;
constexpr std::size_t rows = 2 * 3, cols = 4 * 5;
constexpr float epsilon = 1e-5f;

floats_t noise(std::size_t count, float phase) {
    floats_t values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::sin(1.7f * static_cast<float>(i) + phase);
    return values;
}

/// NaN is larger than any number.
float larger(float a, float b) { return b > a || std::isnan(b) ? b : a; }

float largest_difference(const floats_t &a, const floats_t &b) {
    float largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = larger(largest, std::fabs(a[i] - b[i]));
    return largest;
}

/// Mean, variance and rstd of each row.
struct statistics_t {
    floats_t mean, variance, rstd;
    explicit statistics_t(const floats_t &x) {
        for (std::size_t r = 0; r < rows; ++r) {
            float sum = 0, squares = 0;
            for (std::size_t c = 0; c < cols; ++c) sum += x[r * cols + c];
            const float center = sum / static_cast<float>(cols);
            for (std::size_t c = 0; c < cols; ++c)
                squares += (x[r * cols + c] - center) * (x[r * cols + c] - center);
            mean.push_back(center);
            variance.push_back(squares / static_cast<float>(cols));
            rstd.push_back(1 / std::sqrt(variance[r] + epsilon)); // the square root belongs there
        }
    }
};

bool run() {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const dnnl::stream stream(engine);
    const floats_t x = noise(rows * cols, 0), dy = noise(rows * cols, 1), gamma = noise(cols, 2);
    const statistics_t statistics(x);

    kiln::layer_norm_grad::desc desc;
    desc.dims = {2, 3, 4, 5};
    desc.begin_norm_axis = 2; // R = 4x5; gamma has as many elements
    desc.epsilon = epsilon;
    floats_t pd_x(rows * cols), pd_gamma(cols), pd_beta(cols);
    const kiln::layer_norm_grad from_variance(engine, desc);
    from_variance.execute(stream,
            {dy.data(), x.data(), statistics.variance.data(), statistics.mean.data(), gamma.data()},
            {pd_x.data(), pd_gamma.data(), pd_beta.data()});

    desc.given = kiln_given_rstd;
    desc.output_mask = kiln_pd_x | kiln_pd_gamma; // pd_beta is not wanted
    floats_t same_pd_x(rows * cols), same_pd_gamma(cols);
    const kiln::layer_norm_grad from_rstd(engine, desc);
    from_rstd.execute(stream,
            {dy.data(), x.data(), statistics.rstd.data(), statistics.mean.data(), gamma.data()},
            {same_pd_x.data(), same_pd_gamma.data(), nullptr});

    floats_t sums(cols); // pd_beta
    for (std::size_t i = 0; i < dy.size(); ++i) sums[i % cols] += dy[i];
    const float off = larger(largest_difference(pd_x, same_pd_x),
            larger(largest_difference(pd_gamma, same_pd_gamma), largest_difference(pd_beta, sums)));
    std::printf("largest difference %g\n", static_cast<double>(off));
    return off < 1e-5f && largest_difference(pd_x, floats_t(pd_x.size())) > 0.1f;
}

} // namespace

int main() {
    try {
        return run() ? 0 : 1;
    } catch (const dnnl::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
