// SPDX-License-Identifier: Apache-2.0
// Prints the worst error of elementwise functions and of derivatives over all 2^32 floats, in units
// in the last place of the result, or, of a derivative that is a sum, of the sum of its terms'
// magnitudes (of at least a power of two). Exits with 1 if one is above its bound.
//     eltwise_all_floats [STEP [FUNCTION]]    every STEP-th block of 2^16 floats only, 1 takes
//     minutes;
//                                             functions whose name begins so, or all
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace {

using truth_t = double (*)(double x);

struct row_t {
    const char *name;
    dnnl::algorithm algorithm;
    float alpha, beta;
    truth_t truth; // without cancellation
    double bound;
    bool is_derivative = false;
    truth_t magnitude = nullptr; // what units are of; null: of the result
    int lowest_exponent = -126;  // units are of 2^lowest_exponent at least
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logistic_derivative(double x) { return logistic(x) * logistic(-x); }
double normal(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }
double gelu_argument(double x) {
    constexpr double root = 0.79788456080286535588, cubic = 0.044715; // sqrt(2 / pi)
    return 2 * root * x * (1 + cubic * x * x);
}
double density(double x) { return std::exp(-0.5 * x * x) * 0.39894228040143267794; }
/// x * f, where f may be 0 for an infinite x.
double times(double x, double f) { return f == 0 && !std::isnan(x) ? std::copysign(0., x) : x * f; }
// The second terms of derivatives of x * gate(x): x * gate'(x).
double gelu_tanh_slope(double x) {
    const double u = gelu_argument(x), cubic = 0.044715;
    const double slope = 2 * 0.79788456080286535588 * (1 + 3 * cubic * x * x); // u'
    const double bell = logistic_derivative(u);
    return bell == 0 && !std::isnan(x) ? 0 : x * slope * bell;
}
double mish_gate(double x) { return std::tanh(std::log1p(std::exp(x))); }
double mish_slope(double x) {
    const double height = std::cosh(std::log1p(std::exp(x)));
    return times(x, logistic(x) / (height * height));
}

using enum dnnl::algorithm;
const row_t rows[] = {
        {"exp", eltwise_exp, 0, 0, [](double x) { return std::exp(x); }, 2},
        {"log", eltwise_log, 0, 0, [](double x) { return std::log(x); }, 2},
        {"tanh", eltwise_tanh, 0, 0, [](double x) { return std::tanh(x); }, 2},
        {"logistic", eltwise_logistic, 0, 0, logistic, 2},
        {"gelu_erf", eltwise_gelu_erf, 0, 0, [](double x) { return times(x, normal(x)); }, 5.5},
        {"gelu_tanh", eltwise_gelu_tanh, 0, 0,
                [](double x) { return times(x, logistic(gelu_argument(x))); }, 3.5},
        {"swish, alpha 1", eltwise_swish, 1, 0, [](double x) { return times(x, logistic(x)); },
                3.5},
        {"mish", eltwise_mish, 0, 0, [](double x) { return times(x, mish_gate(x)); }, 5},
        {"soft_relu, alpha 1", eltwise_soft_relu, 1, 0,
                [](double x) { return x > 40 ? x : std::log1p(std::exp(x)); }, 3},
        {"elu, alpha 1", eltwise_elu, 1, 0, [](double x) { return x > 0 ? x : std::expm1(x); }, 2},
        {"pow, beta -0.5", eltwise_pow, 1, -0.5f, [](double x) { return std::pow(x, -0.5); }, 2},
        {"pow, beta 3.7", eltwise_pow, 1, 3.7f,
                [](double x) { return std::pow(x, static_cast<double>(3.7f)); }, 4},
        {"tanh'", eltwise_tanh, 0, 0, [](double x) { return std::pow(std::cosh(x), -2); }, 8, true},
        {"logistic'", eltwise_logistic, 0, 0, logistic_derivative, 8, true},
        {"gelu_erf'", eltwise_gelu_erf, 0, 0,
                [](double x) { return normal(x) + times(x, density(x)); }, 8, true,
                [](double x) { return normal(x) + std::fabs(times(x, density(x))); }},
        {"gelu_tanh'", eltwise_gelu_tanh, 0, 0,
                [](double x) { return logistic(gelu_argument(x)) + gelu_tanh_slope(x); }, 256, true,
                [](double x) { return logistic(gelu_argument(x)) + std::fabs(gelu_tanh_slope(x)); },
                -100},
        {"swish', alpha 1", eltwise_swish, 1, 0,
                [](double x) { return logistic(x) + times(x, logistic_derivative(x)); }, 10, true,
                [](double x) { return logistic(x) + std::fabs(times(x, logistic_derivative(x))); },
                -100},
        {"mish'", eltwise_mish, 0, 0, [](double x) { return mish_gate(x) + mish_slope(x); }, 8,
                true, [](double x) { return mish_gate(x) + std::fabs(mish_slope(x)); }, -120},
        {"soft_relu', alpha 1", eltwise_soft_relu, 1, 0, logistic, 2, true},
};

struct worst_t {
    double error = 0;
    float x = 0;

    void add(double candidate, float at) {
        if (!(candidate <= error)) *this = {candidate, at};
    }
};

/// In units in the last place of `magnitude`, or of 2^lowest_exponent. Infinite where one is NaN
/// and the other is not, or where an infinity or the sign of a zero is wrong; that of a result for
/// x other than 0 does not matter.
double error_of(float x, float got, double truth, double magnitude, int lowest_exponent) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr int mantissa_bits = 23;
    if (std::isnan(truth) || std::isnan(got))
        return std::isnan(truth) && std::isnan(got) ? 0 : infinity;
    const auto rounded = static_cast<float>(truth);
    if (x == 0 && truth == 0 && std::signbit(got) != std::signbit(truth)) return infinity;
    if (got == rounded) return 0;
    if (std::isinf(got) && !(std::fabs(rounded) > 3.4e38f)) return infinity;
    if (std::isinf(rounded)) return std::fabs(got) > 3.4e38f ? 1 : infinity;
    const int exponent =
            magnitude == 0 ? lowest_exponent : std::max(std::ilogb(magnitude), lowest_exponent);
    return std::fabs(static_cast<double>(got) - truth) / std::ldexp(1., exponent - mantissa_bits);
}

constexpr uint32_t block_floats = 1u << 16, blocks = 1u << 16;

/// dst = function(src) or its derivative, for floats of a block.
class function_t {
public:
    explicit function_t(const row_t &row)
        : src(block_floats)
        , dst(block_floats)
        , ones_(block_floats, 1) {
        const dnnl::memory::desc md(
                {block_floats}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
        const dnnl::eltwise_forward::primitive_desc forward(engine_,
                dnnl::prop_kind::forward_training, row.algorithm, md, md, row.alpha, row.beta);
        const auto memory_of = [&](std::vector<float> &values) {
            return dnnl::memory(md, engine_, values.data());
        };
        args_ = {{DNNL_ARG_SRC, memory_of(src)}};
        if (row.is_derivative) {
            primitive_ = dnnl::eltwise_backward(
                    {engine_, row.algorithm, md, md, md, row.alpha, row.beta, forward});
            args_.insert(
                    {{DNNL_ARG_DIFF_DST, memory_of(ones_)}, {DNNL_ARG_DIFF_SRC, memory_of(dst)}});
        } else {
            primitive_ = dnnl::eltwise_forward(forward);
            args_.insert({DNNL_ARG_DST, memory_of(dst)});
        }
    }

    void compute() {
        primitive_.execute(stream_, args_);
        stream_.wait();
    }

    std::vector<float> src, dst;

private:
    std::vector<float> ones_; // diff_dst
    const dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    dnnl::primitive primitive_;
    std::unordered_map<int, dnnl::memory> args_;
};

worst_t measure(const row_t &row, uint32_t step) {
    std::atomic<uint32_t> next{0};
    std::mutex mutex;
    worst_t worst;
    const auto work = [&] {
        function_t f(row);
        worst_t own;
        for (uint32_t block = next.fetch_add(step); block < blocks; block = next.fetch_add(step)) {
            for (uint32_t i = 0; i < block_floats; ++i)
                f.src[i] = std::bit_cast<float>(block * block_floats + i);
            f.compute();
            for (uint32_t i = 0; i < block_floats; ++i) {
                const auto x = static_cast<double>(f.src[i]);
                const double truth = row.truth(x);
                const double magnitude = row.magnitude == nullptr ? truth : row.magnitude(x);
                own.add(error_of(f.src[i], f.dst[i], truth, magnitude, row.lowest_exponent),
                        f.src[i]);
            }
        }
        const std::lock_guard lock(mutex);
        worst.add(own.error, own.x);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work);
    for (std::thread &thread : threads) thread.join();
    return worst;
}

} // namespace

int main(int argc, char **argv) {
    const int given = argc > 1 ? std::atoi(argv[1]) : 1;
    if (given < 1) {
        std::fprintf(stderr, "the step is a positive number\n");
        return 2;
    }
    bool is_right = true;
    std::printf("| function | worst error, ulp | at x | bound |\n| --- | --- | --- | --- |\n");
    for (const row_t &row : rows) {
        if (argc > 2 && !std::string_view(row.name).starts_with(argv[2])) continue;
        const worst_t worst = measure(row, static_cast<uint32_t>(given));
        std::printf("| %s | %.3g | %g | %g |\n", row.name, worst.error,
                static_cast<double>(worst.x), row.bound);
        std::fflush(stdout);
        is_right = is_right && worst.error <= row.bound;
    }
    return is_right ? 0 : 1;
}
