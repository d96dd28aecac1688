// SPDX-License-Identifier: Apache-2.0
// Prints the worst error of elementwise functions and of derivatives over all 2^32 floats, in units
// in the last place of the result, or, of a derivative that is a sum, of the sum of its terms'
// magnitudes (of at least a power of two); and the same over all elements of bf16 and of f16, in
// units of these types. Exits with 1 if one is above its bound.
//     eltwise_all_floats [STEP [FUNCTION]]    every STEP-th float only, 1 takes minutes;
//                                             functions whose name begins so, or all
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

#include "all_floats_rows.hpp"
#include "support/data_type.hpp"
#include "support/post_op_functions.hpp"

namespace kiln::test {

namespace {

struct format_t {
    dnnl_data_type_t type;
    int mantissa_bits, lowest_exponent, highest_exponent;
};
constexpr format_t f32{dnnl_f32, 23, -126, 127}, bf16{dnnl_bf16, 7, -126, 127},
        f16{dnnl_f16, 10, -14, 15};

struct worst_t {
    double error = 0, x = 0;

    void add(double candidate, double at) {
        if (!(candidate <= error)) *this = {candidate, at};
    }
};

/// In units in the last place of the result or the row's magnitude, of at least the row's and the
/// format's lowest exponent. Beyond the format's range is infinity, and where units would begin.
/// Infinite where one is NaN and the other is not, or where an infinity or the sign of a zero is
/// wrong; that of a result for x other than 0 does not matter.
double error_of(const eltwise_row_t &row, const format_t &format, double x, double got) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto alpha = static_cast<double>(row.alpha), beta = static_cast<double>(row.beta);
    const double truth = row.truth(x, alpha, beta);
    if (std::isnan(truth) || std::isnan(got))
        return std::isnan(truth) && std::isnan(got) ? 0 : infinity;
    if (x == 0 && truth == 0 && std::signbit(got) != std::signbit(truth)) return infinity;
    if (std::isinf(truth)) return got == truth ? 0 : infinity;
    // AVX512_BF16 stores zeros below the least normal number, to which floats may be rounded.
    if (format.type == dnnl_bf16 && got == 0 && std::fabs(truth) < 0x1.0001p-126) return 0;
    const double limit = std::ldexp(1., format.highest_exponent + 1);
    const double size = std::min(
            limit, std::fabs(row.magnitude == nullptr ? truth : row.magnitude(x, alpha, beta)));
    const int lowest = std::max(row.lowest_exponent, format.lowest_exponent);
    const int exponent = size == 0 ? lowest : std::max(std::ilogb(size), lowest);
    const double error = std::clamp(got, -limit, limit) - std::clamp(truth, -limit, limit);
    return std::fabs(error) / std::ldexp(1., exponent - format.mantissa_bits);
}

constexpr uint32_t block_elements = 1u << 16;

/// A function or its derivative of elements of a block.
class function_t {
public:
    function_t(const eltwise_row_t &row, dnnl_data_type_t type)
        : type_(type)
        , bytes_(size_of(type))
        , src_(block_elements * bytes_)
        , dst_(block_elements * bytes_)
        , ones_(block_elements * bytes_) {
        for (size_t i = 0; i < block_elements; ++i) encode(type, 1, &ones_[i * bytes_]);
        const dnnl::memory::desc md({block_elements}, static_cast<dnnl::memory::data_type>(type),
                dnnl::memory::format_tag::a);
        const auto algorithm = static_cast<dnnl::algorithm>(row.algorithm);
        const dnnl::eltwise_forward::primitive_desc forward(
                engine_, dnnl::prop_kind::forward_training, algorithm, md, md, row.alpha, row.beta);
        const auto memory_of = [&](std::vector<std::byte> &values) {
            return dnnl::memory(md, engine_, values.data());
        };
        args_ = {{row.is_by_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC, memory_of(src_)}};
        if (row.is_derivative) {
            primitive_ = dnnl::eltwise_backward(
                    {engine_, algorithm, md, md, md, row.alpha, row.beta, forward});
            args_.insert(
                    {{DNNL_ARG_DIFF_DST, memory_of(ones_)}, {DNNL_ARG_DIFF_SRC, memory_of(dst_)}});
        } else {
            primitive_ = dnnl::eltwise_forward(forward);
            args_.insert({DNNL_ARG_DST, memory_of(dst_)});
        }
    }

    void set_bits(size_t i, uint32_t bits) { std::memcpy(&src_[i * bytes_], &bits, bytes_); }
    double x(size_t i) const { return decode(type_, &src_[i * bytes_]); }
    double result(size_t i) const { return decode(type_, &dst_[i * bytes_]); }

    void compute() {
        primitive_.execute(stream_, args_);
        stream_.wait();
    }

private:
    const dnnl_data_type_t type_;
    const size_t bytes_; // of an element
    std::vector<std::byte> src_, dst_, ones_;
    const dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    dnnl::primitive primitive_;
    std::unordered_map<int, dnnl::memory> args_;
};

/// Of a block of elements whose bits are `first`, `first` + step, ...
worst_t worst_of_block(const eltwise_row_t &row, const format_t &format, function_t &function,
        uint32_t first, uint32_t step) {
    for (uint32_t i = 0; i < block_elements; ++i) function.set_bits(i, first + i * step);
    function.compute();
    worst_t worst;
    for (uint32_t i = 0; i < block_elements; ++i)
        worst.add(error_of(row, format, function.x(i), function.result(i)), function.x(i));
    return worst;
}

worst_t worst_of_16_bits(const eltwise_row_t &row, const format_t &format) {
    function_t function(row, format.type);
    return worst_of_block(row, format, function, 0, 1);
}

worst_t worst_of_floats(const eltwise_row_t &row, uint32_t step) {
    const uint64_t block_span = uint64_t{step} * block_elements;
    std::atomic<uint64_t> next{0};
    std::mutex mutex;
    worst_t worst;
    const auto work = [&] {
        function_t function(row, dnnl_f32);
        worst_t own;
        uint64_t first;
        while ((first = next.fetch_add(block_span)) < uint64_t{1} << 32) {
            const worst_t found =
                    worst_of_block(row, f32, function, static_cast<uint32_t>(first), step);
            own.add(found.error, found.x);
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

/// What the rounding to a type of 16 bits adds to the error of the float.
double bound_of_16_bits(const eltwise_row_t &row, const format_t &format) {
    constexpr double short_form = 0x1p-14; // of the result
    if (!row.is_derivative && has_short_form(row.algorithm))
        return 0.5 + short_form * std::ldexp(2., format.mantissa_bits);
    return 0.5 + (row.bound() + 0.5) * std::ldexp(1., format.mantissa_bits - f32.mantissa_bits);
}

/// Prints the row's line; whether it is within its bounds.
bool report(const eltwise_row_t &row, uint32_t step) {
    const worst_t worst = worst_of_floats(row, step), of_bf16 = worst_of_16_bits(row, bf16),
                  of_f16 = worst_of_16_bits(row, f16);
    std::printf("| %s | %.3g | %g | %g | %.4f | %.4f |\n", row.name, worst.error, worst.x,
            row.bound(), of_bf16.error, of_f16.error);
    std::fflush(stdout);
    return worst.error <= row.bound() && of_bf16.error <= bound_of_16_bits(row, bf16)
           && of_f16.error <= bound_of_16_bits(row, f16);
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    const int given = argc > 1 ? std::atoi(argv[1]) : 1;
    if (given < 1) {
        std::fprintf(stderr, "the step is a positive number\n");
        return 2;
    }
    bool is_right = true;
    std::printf("| function | worst error, ulp | at x | bound | bf16 | f16 |\n"
                "| --- | --- | --- | --- | --- | --- |\n");
    for (const auto &row : kiln::test::eltwise_rows())
        if (argc < 3 || std::string_view(row.name).starts_with(argv[2]))
            is_right = kiln::test::report(row, static_cast<uint32_t>(given)) && is_right;
    return is_right ? 0 : 1;
}
